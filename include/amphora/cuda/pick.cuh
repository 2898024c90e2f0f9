// Values made of any numbers of their operands, on CUDA.
#pragma once
#include <amphora/cuda/access.cuh>    // eight, load, store
#include <amphora/cuda/context.cuh>   // cuda_context, cuda_device
#include <amphora/cuda/launch.cuh>    // launch, grid_for, block_threads, AMPHORA_KERNEL
#include <amphora/cuda/operands.cuh>  // read_one, read_eight, write_one, write_eight, is_wide_at
#include <amphora/ops/operand.hpp>    // source, target
#include <amphora/ops/pick.hpp>       // pick_kernels, pool, index_source, no_such_number

#include <cstdint>      // int64_t
#include <type_traits>  // is_same_v

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// What stands for an operand in a kernel.
template <class Real, class From> struct device_reader;
template <class Real, class Given, class Read>
struct device_reader<Real, pool<Given, Read>> {
  source<Given, Read> from;
  explicit device_reader(const pool<Given, Read>& x) : from(x.from) {}
  __device__ Real operator()(std::int64_t i) const { return read_one<Real>(from, i); }
};
template <class Real>
struct device_reader<Real, index_source> {
  index_source from;
  explicit device_reader(const index_source& x) : from(x) {}
  __device__ std::int64_t operator()(std::int64_t i) const {
    if (from.bytes == 8) return static_cast<std::int64_t>(load(static_cast<const long long*>(from.data) + i));
    if (from.bytes == 4) return load(static_cast<const int*>(from.data) + i);
    return load(static_cast<const unsigned char*>(from.data) + i) != 0;
  }
};
template <class Real, class Function, class Y, class... Reader>
AMPHORA_KERNEL void pick_values(const Function f, std::int64_t n, const target<Y> y, Reader... x) {  // g++ finds no kernel of const ones
  const std::int64_t threads = std::int64_t(gridDim.x) * blockDim.x;
  for (std::int64_t i = blockIdx.x * std::int64_t(blockDim.x) + threadIdx.x; i < n; i += threads) write_one(y, i, static_cast<Real>(f(i, x...)));
}
template <class Real, class Function, class Y, class... Reader>
AMPHORA_KERNEL void pick_places(const Function f, std::int64_t n, const target<Y> y, Reader... x) {
  const std::int64_t threads = std::int64_t(gridDim.x) * blockDim.x;
  for (std::int64_t i = blockIdx.x * std::int64_t(blockDim.x) + threadIdx.x; i < n; i += threads) {
    const std::int64_t at = f.place(i, x...);
    if (at >= 0) write_one(y, at, static_cast<Real>(f(i, x...)));
  }
}
/// wide  whether numbers are moved in eights
template <class Real, class Function, class Y, class Source, class... Reader>
AMPHORA_KERNEL void pick_rows(const Function f, std::int64_t n, std::int64_t width, bool wide, const target<Y> y, Source x, Reader... index) {
  const std::int64_t first = blockIdx.x * std::int64_t(blockDim.x) + threadIdx.x, threads = std::int64_t(gridDim.x) * blockDim.x;
  if (wide) {
    for (std::int64_t i = 8 * first; i < n * width; i += 8 * threads) {
      const std::int64_t r = i / width, row = f(r, index...);
      eight<Real> v;
      if (row >= 0) {
        v = read_eight<Real>(x, row * width + i - r * width);
      } else {
#pragma unroll
        for (int j = 0; j < 8; ++j) v.x[j] = no_such_number<Real>;
      }
      write_eight(y, i, v);
    }
    return;
  }
  for (std::int64_t i = first; i < n * width; i += threads) {
    const std::int64_t r = i / width, row = f(r, index...);
    write_one(y, i, row >= 0 ? read_one<Real>(x, row * width + i - r * width) : no_such_number<Real>);
  }
}
template <class Function, class... Reader>
AMPHORA_KERNEL void pick_indices(const Function f, std::int64_t n, std::int64_t* y, Reader... x) {
  const std::int64_t threads = std::int64_t(gridDim.x) * blockDim.x;
  for (std::int64_t i = blockIdx.x * std::int64_t(blockDim.x) + threadIdx.x; i < n; i += threads) store(reinterpret_cast<long long*>(y) + i, static_cast<long long>(f(i, x...)));
}

template <>
struct pick_kernels<cuda_device> {
  template <class Function, class Y, class... From>
  static void run(cuda_context& context, const Function& f, std::int64_t n, const target<Y>& y, const From&... x) {
    using real = typename pick_real<Y, From...>::t;
    if (n > 0) launch(context, "pick", grid(context, n), block_threads, pick_values<real, Function, Y, device_reader<real, From>...>, f, n, y, device_reader<real, From>(x)...);
  }
  template <class Function, class Y, class... From>
  static void run_at(cuda_context& context, const Function& f, std::int64_t n, const target<Y>& y, const From&... x) {
    using real = typename pick_real<Y, From...>::t;
    if (n > 0) launch(context, "pick", grid(context, n), block_threads, pick_places<real, Function, Y, device_reader<real, From>...>, f, n, y, device_reader<real, From>(x)...);
  }
  template <class Function, class Y, class Given, class Read, class... Index>
  static void rows(cuda_context& context, const Function& f, std::int64_t n, std::int64_t width, const target<Y>& y, const pool<Given, Read>& x, const Index&... index) {
    using real = typename pick_real<Y, pool<Given, Read>>::t;
    if (n * width == 0) return;
    const bool wide = width % 8 == 0 && is_wide_at(y, 0) && is_wide_at(x.from, 0);
    launch(context, "pick_rows", grid(context, wide ? n * width / 8 : n * width), block_threads, pick_rows<real, Function, Y, source<Given, Read>, device_reader<real, Index>...>, f, n, width, wide, y, x.from,
           device_reader<real, Index>(index)...);
  }
  template <class Function, class... From>
  static void indices(cuda_context& context, const Function& f, std::int64_t n, std::int64_t* y, const From&... x) {
    using real = typename pick_real<f32, From...>::t;
    if (n > 0) launch(context, "pick", grid(context, n), block_threads, pick_indices<Function, device_reader<real, From>...>, f, n, y, device_reader<real, From>(x)...);
  }

 private:
  static int grid(const cuda_context& context, std::int64_t n) { return grid_for(context, (n + block_threads - 1) / block_threads); }
};

}}}  // namespace amphora::detail
