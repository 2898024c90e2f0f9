// The numbers above a diagonal on CUDA: a row's by the threads of a block.
#pragma once
#include <amphora/cuda/context.cuh>   // cuda_context, cuda_device
#include <amphora/cuda/launch.cuh>    // launch, grid_for, block_threads, AMPHORA_KERNEL
#include <amphora/cuda/operands.cuh>  // read_one, write_one
#include <amphora/ops/operand.hpp>    // source, target, arithmetic_t
#include <amphora/ops/triangle.hpp>   // triangle_kernels, triangle_row

#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

template <class Real, class Y, class X>
AMPHORA_KERNEL void pick_triangle(std::int64_t n, const target<Y> y, const source<X> x) {
  for (std::int64_t i = blockIdx.x; i < n; i += gridDim.x) {
    const std::int64_t to = triangle_row(n, i) - (i + 1);
    for (std::int64_t j = i + 1 + static_cast<int>(threadIdx.x); j < n; j += blockDim.x) write_one(y, to + j, read_one<Real>(x, i * n + j));
  }
}
template <class Real, class Y, class X>
AMPHORA_KERNEL void spread_triangle(std::int64_t n, const target<Y> y, const source<X> x) {
  for (std::int64_t i = blockIdx.x; i < n; i += gridDim.x) {
    const std::int64_t from = triangle_row(n, i) - (i + 1);
    for (std::int64_t j = static_cast<int>(threadIdx.x); j < n; j += blockDim.x) write_one(y, i * n + j, j > i ? read_one<Real>(x, from + j) : Real(0));
  }
}

template <>
struct triangle_kernels<cuda_device> {
  /// Cost  one launch; reads and writes each number once
  template <class Y, class X>
  static void pick(cuda_context& context, std::int64_t n, const target<Y>& y, const source<X>& x) {
    if (n > 1) launch(context, "pick_triangle", grid_for(context, n), block_threads, pick_triangle<arithmetic_t<Y, X>, Y, X>, n, y, x);
  }
  template <class Y, class X>
  static void spread(cuda_context& context, std::int64_t n, const target<Y>& y, const source<X>& x) {
    if (n > 0) launch(context, "spread_triangle", grid_for(context, n), block_threads, spread_triangle<arithmetic_t<Y, X>, Y, X>, n, y, x);
  }
};

}}}  // namespace amphora::detail
