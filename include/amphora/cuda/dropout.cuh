// Dropout on CUDA.
#pragma once
#include <amphora/cuda/access.cuh>    // eight
#include <amphora/cuda/context.cuh>   // cuda_context, cuda_device
#include <amphora/cuda/launch.cuh>    // launch, grid_for, block_threads, AMPHORA_KERNEL
#include <amphora/cuda/operands.cuh>  // read_one, read_eight, write_one, write_eight, is_wide_at
#include <amphora/ops/dropout.hpp>    // dropout_mask
#include <amphora/ops/kernels.hpp>    // dropout_kernels

#include <cstdint>  // int64_t, uint64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// Eight places a thread: two counters of Philox.
///
/// wide  whether both arrays are read and written 16 bytes at a time
template <class Real, class Y, class Source>
AMPHORA_KERNEL void drop_elements(const dropout_mask mask, std::int64_t n, const target<Y> y, const Source x, bool wide) {
  const std::int64_t threads = std::int64_t(gridDim.x) * blockDim.x;
  for (std::int64_t i = 8 * (blockIdx.x * std::int64_t(blockDim.x) + threadIdx.x); i < n; i += 8 * threads) {
    const philox_words words[] = {mask.words(static_cast<std::uint64_t>(i) / 4), mask.words(static_cast<std::uint64_t>(i) / 4 + 1)};
    if (wide && i + 8 <= n) {
      eight<Real> v = read_eight<Real>(x, i);
#pragma unroll
      for (int j = 0; j < 8; ++j) v.x[j] = mask(words[j / 4].word[j % 4], v.x[j]);
      write_eight(y, i, v);
    } else {
#pragma unroll
      for (int j = 0; j < 8; ++j)
        if (i + j < n) write_one(y, i + j, mask(words[j / 4].word[j % 4], read_one<Real>(x, i + j)));
    }
  }
}

template <>
struct dropout_kernels<cuda_device> {
  /// The host's bits. y may be x.
  ///
  /// Cost  one launch; reads and writes each number once
  template <class Y, class X, class Read>
  static void run(cuda_context& context, const dropout_mask& mask, std::int64_t n, const target<Y>& y, const source<X, Read>& x) {
    if (n == 0) return;
    launch(context, "dropout", grid_for(context, (n + 8 * block_threads - 1) / (8 * block_threads)), block_threads, drop_elements<arithmetic_t<Y, X>, Y, source<X, Read>>,
           mask, n, y, x, is_wide_at(y, 0) && is_wide_at(x, 0));
  }
};

}}}  // namespace amphora::detail
