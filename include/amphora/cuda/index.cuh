// Sorted indices on CUDA: 256 keys by their rank among each other, then runs merged two by two.
#pragma once
#include <amphora/cuda/access.cuh>   // load, store
#include <amphora/cuda/context.cuh>  // cuda_context, cuda_device
#include <amphora/cuda/launch.cuh>   // launch, grid_for, block_threads, AMPHORA_KERNEL
#include <amphora/cuda/memory.cuh>   // memory_kernels
#include <amphora/ops/index.hpp>     // index_kernels
#include <amphora/tensor/tensor.hpp> // tensor

#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// Each block's keys to their places among these. All keys differ.
template <class Key>
AMPHORA_KERNEL void sort_blocks(Key* keys, std::int64_t n) {
  __shared__ Key of_block[block_threads];
  const std::int64_t blocks = (n + block_threads - 1) / block_threads;
  for (std::int64_t b = blockIdx.x; b < blocks; b += gridDim.x) {
    const std::int64_t first = b * block_threads;
    const int count = n - first < block_threads ? static_cast<int>(n - first) : block_threads, t = static_cast<int>(threadIdx.x);
    const Key own = t < count ? load(keys + first + t) : Key(0);
    of_block[t] = own;
    __syncthreads();
    int rank = 0;
    for (int j = 0; j < count; ++j) rank += of_block[j] < own;
    if (t < count) store(keys + first + rank, own);
    __syncthreads();
  }
}
/// Merges runs of `length` two by two: a key's place is its place in its own run and the number of smaller ones in the other.
template <class Key>
AMPHORA_KERNEL void merge_runs(const Key* from, Key* to, std::int64_t n, std::int64_t length) {
  const std::int64_t threads = std::int64_t(gridDim.x) * blockDim.x;
  for (std::int64_t i = blockIdx.x * std::int64_t(blockDim.x) + threadIdx.x; i < n; i += threads) {
    const std::int64_t run = i / length, other = (run ^ 1) * length, pair = (run & ~std::int64_t(1)) * length;
    const Key own = load(from + i);
    std::int64_t low = other < n ? other : n, high = other + length < n ? other + length : n;
    const std::int64_t begin = low;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (load(from + middle) < own) low = middle + 1;
      else high = middle;
    }
    store(to + pair + (i - run * length) + (low - begin), own);
  }
}

template <>
struct index_kernels<cuda_device> {
  /// Cost  1 + log2(n / 256) launches, each reads and writes the keys once
  static void sort(cuda_context& context, std::int64_t* keys, std::int64_t n) { sort_as<long long>(context, reinterpret_cast<long long*>(keys), n); }
  /// Nobody waits to see an index: what it would have read is NaN.
  static void require_within(cuda_context&, const char*, const index_source&, std::int64_t, std::int64_t, std::int64_t) {}
  static void require_count(cuda_context&, const char*, const index_source&, std::int64_t, std::int64_t) {}

 private:
  template <class Key>
  static void sort_as(cuda_context& context, Key* keys, std::int64_t n) {
    if (n < 2) return;
    const int grid = grid_for(context, (n + block_threads - 1) / block_threads);
    launch(context, "sort", grid, block_threads, sort_blocks<Key>, keys, n);
    if (n <= block_threads) return;
    tensor<std::int64_t, cuda_context> memory(context, shape{n});
    Key *from = keys, *to = reinterpret_cast<Key*>(memory.data());
    for (std::int64_t length = block_threads; length < n; length *= 2) {
      launch(context, "sort", grid, block_threads, merge_runs<Key>, static_cast<const Key*>(from), to, n, length);
      Key* const sorted = to;
      to = from, from = sorted;
    }
    if (from != keys) memory_kernels<cuda_device>::copy(context, from, keys, n * static_cast<std::int64_t>(sizeof(Key)));
  }
};

}}}  // namespace amphora::detail
