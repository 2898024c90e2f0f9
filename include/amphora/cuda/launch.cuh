// The one way in which kernels are launched.
#pragma once
#include <amphora/cuda/context.cuh>  // cuda_context
#include <amphora/cuda/error.cuh>    // require_cuda

#include <cuda_runtime.h>  // cudaLaunchKernelEx

#include <cstdint>  // int64_t

/// A kernel of this library. Hidden, so that two shared objects of one program never share one; nvcc warns of that where the program's
/// functor is in an unnamed namespace, and the kernel so hidden already.
#if defined(__NVCC__)
#define AMPHORA_KERNEL \
  _Pragma("nv_diagnostic push") _Pragma("nv_diag_suppress 1407") __global__ __attribute__((visibility("hidden"))) _Pragma("nv_diagnostic pop")
#elif defined(__GNUC__)
#define AMPHORA_KERNEL __global__ __attribute__((visibility("hidden")))
#else
#define AMPHORA_KERNEL __global__
#endif

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// Threads of a block: enough for all kernels that do not say otherwise.
inline constexpr int block_threads = 256;

/// Blocks for so many pieces of work, each done by one block: as many as there are pieces, and no more than keep the device busy.
///
/// Kernels walk over their pieces by `for (piece = blockIdx.x; piece < pieces; piece += gridDim.x)`, so any grid is right.
inline int grid_for(const cuda_context& context, std::int64_t pieces, int blocks_per_multiprocessor = 8) {
  const std::int64_t most = std::int64_t(context.multiprocessors()) * blocks_per_multiprocessor;
  return static_cast<int>(pieces < 1 ? 1 : pieces < most ? pieces : most);
}

/// Launches kernel<<<grid, block>>>(arguments…) on the context's stream. Does not wait.
///
/// name    for the message
/// Errors  device     another device is current, or the program has no code for this one
///         cuda-call  as "step on 8 blocks of 256 threads failed: cudaError…"
template <class... Expected, class... Actual>
void launch(cuda_context& context, const char* name, int grid, int block, void (*kernel)(Expected...), Actual&&... arguments) {
  context.require_current(name);
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(grid)), config.blockDim = dim3(static_cast<unsigned>(block)), config.stream = context.stream();
  require_cuda(cudaLaunchKernelEx(&config, kernel, static_cast<Actual&&>(arguments)...), name, " on ", grid, " blocks of ", block, " threads");
}

}}}  // namespace amphora::detail
