// Loading and clearing parameters on CUDA.
#pragma once
#include <amphora/cuda/access.cuh>              // load_one, load_eight, store_one, store_eight, is_wide
#include <amphora/cuda/context.cuh>             // cuda_context, cuda_device
#include <amphora/cuda/error.cuh>               // require_cuda
#include <amphora/cuda/launch.cuh>              // launch, grid_for, block_threads, AMPHORA_KERNEL
#include <amphora/detail/config.hpp>            // this_build
#include <amphora/format/format_id.hpp>         // format_id
#include <amphora/tensor/parameter_memory.hpp>  // parameter_kernels, model_pointer, gradient_pointer

#include <cuda_runtime.h>  // cudaMemsetAsync

#include <cstddef>  // size_t
#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// The format of a number that is known when the program runs: calls body with its tag. Once a thread's piece, not once a number.
template <class Body>
__device__ inline void with_format(format_id format, const Body& body) {
  switch (format) {
    case format_id::f16: return body(f16{});
    case format_id::bf16: return body(bf16{});
    case format_id::f32: return body(f32{});
    case format_id::f64: return body(f64{});
    case format_id::e4m3: return body(e4m3{});
    case format_id::e5m2: return body(e5m2{});
    case format_id::none: return;
  }
}

/// Where a load writes: more arrays than a parameter has formats take a second launch.
struct load_targets {
  static constexpr int most = 8;
  model_pointer to[most];
  int count = 0;
};

/// eights  whether all arrays are read and written 16 bytes at a time, but for the last n % 8 numbers
template <class Build = this_build>
AMPHORA_KERNEL void load_parameter(const gradient_pointer from, const load_targets targets, std::int64_t n, bool eights) {
  const std::int64_t first = blockIdx.x * std::int64_t(blockDim.x) + threadIdx.x, threads = std::int64_t(gridDim.x) * blockDim.x;
  const std::int64_t wide = eights ? n / 8 : 0;
  for (std::int64_t k = first; k < wide; k += threads) {
    eight<float> x;
    with_format(from.format, [&](auto format) { x = load_eight<decltype(format)>(from.data, 8 * k); });
    for (int t = 0; t < targets.count; ++t)
      with_format(targets.to[t].format, [&](auto format) { store_eight<decltype(format)>(targets.to[t].data, 8 * k, x); });
  }
  for (std::int64_t i = 8 * wide + first; i < n; i += threads) {
    float x = 0;
    with_format(from.format, [&](auto format) { x = load_one<decltype(format)>(from.data, i); });
    for (int t = 0; t < targets.count; ++t)
      with_format(targets.to[t].format, [&](auto format) { store_one<decltype(format)>(targets.to[t].data, i, x); });
  }
}

template <>
struct parameter_kernels<cuda_device> {
  /// One pass: each number is read once and rounded once into every target.
  template <class Build = this_build> static void load(cuda_context& context, gradient_pointer from, const model_pointer* to, int count, std::int64_t n) {
    const auto wide = [](const void* data, format_id format) { return reinterpret_cast<std::uintptr_t>(data) % (size_of(format) == 1 ? 8 : 16) == 0; };
    for (; n > 0 && count > 0; count -= load_targets::most, to += load_targets::most) {
      load_targets targets;
      bool eights = wide(from.data, from.format);
      for (; targets.count < count && targets.count < load_targets::most; ++targets.count) {
        targets.to[targets.count] = to[targets.count];
        eights = eights && wide(to[targets.count].data, to[targets.count].format);
      }
      const std::int64_t pieces = eights ? n / 8 + 8 : n;
      launch(context, "load", grid_for(context, (pieces + block_threads - 1) / block_threads), block_threads, load_parameter<Build>, from, targets, n, eights);
    }
  }
  static void clear(cuda_context& context, void* memory, std::int64_t bytes) {
    if (bytes > 0) require_cuda(cudaMemsetAsync(memory, 0, static_cast<std::size_t>(bytes), context.stream()), "cudaMemsetAsync", " of ", bytes, " bytes");
  }
};

}}}  // namespace amphora::detail
