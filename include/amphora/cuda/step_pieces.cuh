// A list of gradients cut into chunks, as kernels of the CUDA device walk over it.
#pragma once
#include <amphora/cuda/access.cuh>          // load, store
#include <amphora/cuda/launch.cuh>          // AMPHORA_KERNEL
#include <amphora/detail/bit_cast.hpp>      // bit_cast
#include <amphora/detail/config.hpp>        // this_build
#include <amphora/optimizer/gradients.hpp>  // gradient_view
#include <amphora/optimizer/sum_order.hpp>  // chunks_of, step_chunk

#include <cstdint>      // int32_t, int64_t, uint64_t
#include <type_traits>  // conditional_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// A struct of a table, in words as large as its alignment has it.
template <class T>
__device__ inline T load_entry(const T* p) {
  using word = std::conditional_t<alignof(T) % 8 == 0, unsigned long long, std::conditional_t<alignof(T) % 4 == 0, unsigned, unsigned char>>;
  struct words { word at[sizeof(T) / sizeof(word)]; } all;
#pragma unroll
  for (int k = 0; k < static_cast<int>(sizeof(T) / sizeof(word)); ++k) all.at[k] = load(reinterpret_cast<const word*>(p) + k);
  return bit_cast<T>(all);
}

/// One chunk: elements from … from + n - 1 of a tensor.
struct alignas(16) step_piece {
  std::int64_t from;
  std::int32_t tensor, n;
};

/// A list of gradients in chunks, as kernels walk over it.
struct step_pieces {
  const gradient_view* gradients = nullptr;  ///< [tensors], device
  const step_piece* table = nullptr;         ///< [chunks], device
  std::int64_t chunks = 0;

  __device__ step_piece piece(std::int64_t k) const {
    const uint4 words = load(reinterpret_cast<const uint4*>(table + k));
    return {static_cast<std::int64_t>(std::uint64_t(words.y) << 32 | words.x), static_cast<std::int32_t>(words.z), static_cast<std::int32_t>(words.w)};
  }
  __device__ gradient_view gradient(std::int32_t tensor) const { return load_entry(gradients + tensor); }
};

/// The same, or one gradient by value, which needs no tables.
struct given_pieces : step_pieces {
  gradient_view single;

  given_pieces() = default;
  given_pieces(const step_pieces& list) : step_pieces(list) {}
  explicit given_pieces(const gradient_view& one) : single(one) { chunks = one.data ? chunks_of(one.n) : 0; }

  __device__ step_piece piece(std::int64_t k) const {
    if (table) return step_pieces::piece(k);
    const std::int64_t left = single.n - k * step_chunk;
    return {k * step_chunk, 0, static_cast<std::int32_t>(left < step_chunk ? left : step_chunk)};
  }
  __device__ gradient_view gradient(std::int32_t tensor) const { return table ? step_pieces::gradient(tensor) : single; }
};

/// first  [tensors + 1]: the number of a tensor's first chunk; of all chunks at the end
template <class Build = this_build>
AMPHORA_KERNEL void cut_pieces(const gradient_view* gradients, const std::int64_t* first, std::int64_t tensors, step_piece* table) {
  const std::int64_t chunks = load(reinterpret_cast<const long long*>(first) + tensors);
  for (std::int64_t k = blockIdx.x * std::int64_t(blockDim.x) + threadIdx.x; k < chunks; k += std::int64_t(gridDim.x) * blockDim.x) {
    std::int64_t low = 0, high = tensors;  // the last tensor whose first chunk is not behind k
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      (load(reinterpret_cast<const long long*>(first) + middle) <= k ? low : high) = middle;
    }
    const std::int64_t from = (k - load(reinterpret_cast<const long long*>(first) + low)) * step_chunk, left = load_entry(gradients + low).n - from;
    const std::uint64_t bits = static_cast<std::uint64_t>(from);
    store(reinterpret_cast<uint4*>(table + k), uint4{static_cast<unsigned>(bits), static_cast<unsigned>(bits >> 32), static_cast<unsigned>(low), static_cast<unsigned>(left < step_chunk ? left : step_chunk)});
  }
}

}}}  // namespace amphora::detail
