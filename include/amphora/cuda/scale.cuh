// The CUDA device's part of a scaler: its functors run in kernels, small writes travel by value.
#pragma once
#include <amphora/cuda/access.cuh>    // store
#include <amphora/cuda/context.cuh>   // cuda_context, cuda_device
#include <amphora/cuda/launch.cuh>    // launch, grid_for, AMPHORA_KERNEL
#include <amphora/cuda/staging.cuh>   // staging
#include <amphora/detail/config.hpp>  // this_build
#include <amphora/scale/kernels.hpp>  // scale_kernels

#include <cstddef>  // size_t
#include <cstdint>  // int64_t
#include <cstring>  // memcpy

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

template <class Functor> AMPHORA_KERNEL void run_once(const Functor functor) { functor(); }
template <class Functor> AMPHORA_KERNEL void run_each(std::int64_t n, const Functor functor) {
  for (std::int64_t i = blockIdx.x * std::int64_t(blockDim.x) + threadIdx.x; i < n; i += std::int64_t(gridDim.x) * blockDim.x) functor(i);
}

/// As much as one launch carries: kernel arguments are limited to 4 KiB on every toolkit.
struct bytes_by_value {
  static constexpr int most = 3072;
  unsigned char byte[most];
};
template <class Build = this_build>
AMPHORA_KERNEL void write_bytes(const bytes_by_value from, unsigned char* to, int count) {
  for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) store(to + i, from.byte[i]);
}

}  // namespace detail

template <>
struct scale_kernels<cuda_device> {
  /// Errors  capture  the stream is being captured
  static void wait_read(cuda_context& context, const void* device, void* host, std::size_t bytes) {
    context.require_not_capturing("wait_read");
    copy(context, host, device, bytes, cudaMemcpyDeviceToHost);
    context.wait();
  }
  /// Up to 64 KiB travel in kernel arguments, 3 KiB a launch; more goes through pinned memory of the context's. In a capture all
  /// of it travels in kernel arguments, so that each replay writes the same again.
  template <class Build = detail::this_build> static void write(cuda_context& context, const void* host, void* device, std::size_t bytes) {
    if (bytes > (std::size_t(1) << 16) && !context.is_capturing()) return context.cache<detail::staging>().copy(context, host, device, bytes);
    for (std::size_t done = 0; done < bytes; done += detail::bytes_by_value::most) {
      const std::size_t count = bytes - done < detail::bytes_by_value::most ? bytes - done : detail::bytes_by_value::most;
      detail::bytes_by_value part;
      std::memcpy(part.byte, static_cast<const char*>(host) + done, count);
      detail::launch(context, "write", 1, detail::block_threads, detail::write_bytes<Build>, part, static_cast<unsigned char*>(device) + done, static_cast<int>(count));
    }
  }
  /// Errors  device  host memory that is not pinned, which a copy would wait for
  static void copy_later(cuda_context& context, const void* device, void* pinned, std::size_t bytes) {
    cudaPointerAttributes attributes{};
    detail::require_cuda(cudaPointerGetAttributes(&attributes, pinned), "cudaPointerGetAttributes");
    if (attributes.type != cudaMemoryTypeHost) detail::fail("device", "copy_later: the host's memory is not pinned, so that the copy would wait; take it from cudaMallocHost");
    copy(context, pinned, device, bytes, cudaMemcpyDeviceToHost);
  }
  template <class Functor> static void run(cuda_context& context, const Functor& functor) { detail::launch(context, "run", 1, 1, detail::run_once<Functor>, functor); }
  template <class Functor> static void run(cuda_context& context, std::int64_t n, const Functor& functor) {
    if (n > 0) detail::launch(context, "run", detail::grid_for(context, (n + detail::block_threads - 1) / detail::block_threads), detail::block_threads, detail::run_each<Functor>, n, functor);
  }

 private:
  static void copy(cuda_context& context, void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    context.require_current("cudaMemcpyAsync");
    detail::require_cuda(cudaMemcpyAsync(to, from, bytes, kind, context.stream()), "cudaMemcpyAsync", " of ", static_cast<std::uint64_t>(bytes), " bytes");
  }
};

}}  // namespace amphora
