// Pooling on CUDA: a thread for each number that is written, so that nothing is added by atomics.
#pragma once
#include <amphora/cuda/access.cuh>      // load, store
#include <amphora/cuda/context.cuh>     // cuda_context, cuda_device
#include <amphora/cuda/launch.cuh>      // launch, grid_for, block_threads, AMPHORA_KERNEL
#include <amphora/cuda/operands.cuh>    // read_one, write_one
#include <amphora/ops/operand.hpp>      // source, target, arithmetic_t
#include <amphora/ops/pool_layout.hpp>  // pooling_kernels, pool_window

#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// Numbers of a plane in the device's memory.
template <class Real, class Source> struct plane_source {
  const Source& x;
  std::int64_t first;
  __device__ Real operator()(std::int64_t i) const { return read_one<Real>(x, first + i); }
};
struct plane_indices {
  const std::int64_t* indices;
  std::int64_t first;
  __device__ std::int64_t operator()(std::int64_t i) const { return load(reinterpret_cast<const long long*>(indices) + first + i); }
};

template <class Real, class Y, class Source>
AMPHORA_KERNEL void __launch_bounds__(block_threads) pool_greatest_each(const pool_window w, const target<Y> y, std::int64_t* indices, const Source x) {
  const std::int64_t outputs = w.outputs(), all = w.planes * outputs, threads = std::int64_t(gridDim.x) * blockDim.x;
  for (std::int64_t n = blockIdx.x * std::int64_t(blockDim.x) + threadIdx.x; n < all; n += threads) {
    const std::int64_t plane = quotient(n, outputs);
    const pool_greatest<Real> best = greatest_of<Real>(w, n - plane * outputs, plane_source<Real, Source>{x, plane * w.inputs()});
    if (y.data) write_one(y, n, best.value);
    if (indices) store(reinterpret_cast<long long*>(indices) + n, static_cast<long long>(best.index));
  }
}
template <class Real, class Y, class Source>
AMPHORA_KERNEL void __launch_bounds__(block_threads) pool_take_each(const pool_window w, const target<Y> y, const Source x, const std::int64_t* indices) {
  const std::int64_t outputs = w.outputs(), inputs = w.inputs(), all = w.planes * outputs, threads = std::int64_t(gridDim.x) * blockDim.x;
  for (std::int64_t n = blockIdx.x * std::int64_t(blockDim.x) + threadIdx.x; n < all; n += threads) {
    const std::int64_t plane = quotient(n, outputs), index = plane_indices{indices, 0}(n);  // in this order no architecture spills around the division
    write_one(y, n, index >= 0 && index < inputs ? read_one<Real>(x, plane * inputs + index) : Real(0));
  }
}
template <class Real, class Y, class Source>
AMPHORA_KERNEL void __launch_bounds__(block_threads) pool_give_each(const pool_window w, const target<Y> gx, const Source grad, const std::int64_t* indices) {
  using numbers = plane_source<Real, Source>;
  const std::int64_t inputs = w.inputs(), all = w.planes * inputs, threads = std::int64_t(gridDim.x) * blockDim.x;
  for (std::int64_t n = blockIdx.x * std::int64_t(blockDim.x) + threadIdx.x; n < all; n += threads) {
    const std::int64_t plane = quotient(n, inputs), i = n - plane * inputs;
    const numbers g{grad, plane * w.outputs()};
    const plane_indices index{indices, plane * w.outputs()};
    write_one(gx, n, given_to<Real>(w, i, g, index));
  }
}
template <class Real, class Y, class Source>
AMPHORA_KERNEL void __launch_bounds__(block_threads) pool_average_each(const pool_window w, const target<Y> y, const Source x) {
  const std::int64_t outputs = w.outputs(), all = w.planes * outputs, threads = std::int64_t(gridDim.x) * blockDim.x;
  for (std::int64_t n = blockIdx.x * std::int64_t(blockDim.x) + threadIdx.x; n < all; n += threads) {
    const std::int64_t plane = quotient(n, outputs);
    write_one(y, n, average_of<Real>(w, n - plane * outputs, plane_source<Real, Source>{x, plane * w.inputs()}));
  }
}
template <class Real, class Y, class Source>
AMPHORA_KERNEL void __launch_bounds__(block_threads) pool_spread_each(const pool_window w, const target<Y> gx, const Source grad) {
  using numbers = plane_source<Real, Source>;
  const std::int64_t inputs = w.inputs(), all = w.planes * inputs, threads = std::int64_t(gridDim.x) * blockDim.x;
  for (std::int64_t n = blockIdx.x * std::int64_t(blockDim.x) + threadIdx.x; n < all; n += threads) {
    const std::int64_t plane = quotient(n, inputs);
    const numbers g{grad, plane * w.outputs()};
    write_one(gx, n, spread_to<Real>(w, n - plane * inputs, g));
  }
}

template <>
struct pooling_kernels<cuda_device> {
  /// The host's bits, for any grid.
  ///
  /// Cost  one launch each; what windows share is read again, from the caches
  template <class Y, class X, class Read>
  static void greatest(cuda_context& context, const pool_window& w, const target<Y>& y, std::int64_t* indices, const source<X, Read>& x) {
    run(context, w.planes * w.outputs(), pool_greatest_each<arithmetic_t<Y, X, Read>, Y, source<X, Read>>, w, y, indices, x);
  }
  template <class Y, class X>
  static void take(cuda_context& context, const pool_window& w, const target<Y>& y, const source<X>& x, const std::int64_t* indices) {
    run(context, w.planes * w.outputs(), pool_take_each<arithmetic_t<Y, X>, Y, source<X>>, w, y, x, indices);
  }
  template <class Y, class G>
  static void give(cuda_context& context, const pool_window& w, const target<Y>& gx, const source<G>& grad, const std::int64_t* indices) {
    run(context, w.planes * w.inputs(), pool_give_each<arithmetic_t<Y, G>, Y, source<G>>, w, gx, grad, indices);
  }
  template <class Accumulate, class Y, class X, class Read>
  static void average(cuda_context& context, const pool_window& w, const target<Y>& y, const source<X, Read>& x) {
    run(context, w.planes * w.outputs(), pool_average_each<arithmetic_t<Accumulate, Y, X, Read>, Y, source<X, Read>>, w, y, x);
  }
  template <class Accumulate, class Y, class G>
  static void spread(cuda_context& context, const pool_window& w, const target<Y>& gx, const source<G>& grad) {
    run(context, w.planes * w.inputs(), pool_spread_each<arithmetic_t<Accumulate, Y, G>, Y, source<G>>, w, gx, grad);
  }

 private:
  template <class... Expected, class... Actual>
  static void run(cuda_context& context, std::int64_t numbers, void (*kernel)(Expected...), const Actual&... arguments) {
    if (numbers > 0) launch(context, "pooling", grid_for(context, (numbers + block_threads - 1) / block_threads), block_threads, kernel, arguments...);
  }
};

}}}  // namespace amphora::detail
