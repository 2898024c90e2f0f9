// Copies, fills and changes of format on CUDA.
#pragma once
#include <amphora/cuda/access.cuh>     // store
#include <amphora/cuda/context.cuh>    // cuda_context, cuda_device
#include <amphora/cuda/error.cuh>      // require_cuda
#include <amphora/cuda/launch.cuh>     // launch, grid_for, block_threads, AMPHORA_KERNEL
#include <amphora/cuda/map.cuh>        // map_kernels
#include <amphora/detail/bit_cast.hpp> // bit_cast
#include <amphora/ops/cast.hpp>        // as_it_is
#include <amphora/ops/kernels.hpp>     // memory_kernels
#include <amphora/ops/operand.hpp>     // source, target

#include <cuda_runtime.h>  // cudaMemcpyAsync

#include <cstddef>      // size_t
#include <cstdint>      // int64_t, uintptr_t
#include <type_traits>  // conditional_t, is_trivially_copyable_v

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// The unsigned integer of so many bytes.
template <std::size_t Bytes>
using word_t = std::conditional_t<Bytes == 1, unsigned char, std::conditional_t<Bytes == 2, unsigned short, std::conditional_t<Bytes == 4, unsigned int, unsigned long long>>>;

/// One word everywhere: `head` words, then 16 bytes at a time, then what is left.
template <class Word>
AMPHORA_KERNEL void fill_words(const Word value, Word* to, std::int64_t n, std::int64_t head, std::int64_t wide) {
  constexpr int each = 16 / static_cast<int>(sizeof(Word));
  union { uint4 raw; Word word[each]; } part;
#pragma unroll
  for (int j = 0; j < each; ++j) part.word[j] = value;
  const std::int64_t first = blockIdx.x * std::int64_t(blockDim.x) + threadIdx.x, threads = std::int64_t(gridDim.x) * blockDim.x;
  for (std::int64_t k = first; k < wide; k += threads) store(reinterpret_cast<uint4*>(to + head) + k, part.raw);
  for (std::int64_t k = first; k < n - each * wide; k += threads) store(to + (k < head ? k : k + each * wide), value);
}

template <>
struct memory_kernels<cuda_device> {
  static void copy(cuda_context& context, const void* from, void* to, std::int64_t bytes) {
    if (bytes > 0)
      require_cuda(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToDevice, context.stream()), "cudaMemcpyAsync", " of ", bytes, " bytes");
  }
  /// n numbers, each rounded once; 8-bit formats saturate. In place where both formats have one size.
  template <class Y, class X>
  static void convert(cuda_context& context, const target<Y>& y, const source<X>& x, std::int64_t n) {
    if constexpr (format_id_v<Y> == format_id_v<X>) {
      if (x.data != y.data) copy(context, x.data, y.data, n * (Y::bits / 8));
    } else {
      loops<1> over;
      over.rank = 1, over.extent[0] = over.elements = n, over.stride[0][0] = 1;
      map_kernels<cuda_device>::run(context, as_it_is{}, over, target<Y>{y.data, false}, x);
    }
  }
  /// T  of 1, 2, 4 or 8 bytes; any bits
  template <class T>
  static void fill(cuda_context& context, const T& value, T* to, std::int64_t n) {
    static_assert(std::is_trivially_copyable_v<T> && (sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8));
    using word = word_t<sizeof(T)>;
    if (n <= 0) return;
    const auto past = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to) % 16), each = std::int64_t(16 / sizeof(T));
    const std::int64_t needed = (16 - past) % 16 / std::int64_t(sizeof(T)), head = needed < n ? needed : n, wide = (n - head) / each;
    launch(context, "fill", grid_for(context, (wide + head + each + block_threads - 1) / block_threads), block_threads, fill_words<word>, bit_cast<word>(value), reinterpret_cast<word*>(to), n, head, wide);
  }
};

}}}  // namespace amphora::detail
