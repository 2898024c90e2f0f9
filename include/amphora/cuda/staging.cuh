// Pinned memory through which large host arrays reach the device without a wait.
#pragma once
#include <amphora/cuda/context.cuh>  // cuda_context
#include <amphora/cuda/error.cuh>    // require_cuda, relaxed_capture
#include <amphora/error.hpp>         // fail
#include <amphora/version.hpp>       // AMPHORA_ABI

#include <cuda_runtime.h>  // cudaMallocHost, cudaEventQuery

#include <cstddef>  // size_t
#include <cstring>  // memcpy

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// Buffers of pinned memory, each used again once the copy out of it has run. A context has one: context.cache<staging>().
///
/// A copy takes the host's numbers at once, in pieces; where the stream lags behind so far that no buffer is free, one more is made.
/// They are the system's pinned memory, also where the context has a workspace; making one may take milliseconds.
class staging {
 public:
  /// Bytes of a buffer.
  static constexpr std::size_t piece = std::size_t(4) << 20;

  staging() = default;
  staging(const staging&) = delete;
  staging& operator=(const staging&) = delete;
  ~staging() {
    while (buffer* const one = first_) {
      cudaEventSynchronize(one->copied), cudaEventDestroy(one->copied), cudaFreeHost(one->memory);
      first_ = one->next;
      delete one;
    }
  }

  /// to = from, in stream order. The host's memory is free on return. Does not wait. Not for a stream that is being captured.
  ///
  /// Errors  device     another device is current
  ///         size       no pinned memory left
  ///         cuda-call
  void copy(cuda_context& context, const void* from, void* to, std::size_t bytes) {
    context.require_current("write");
    for (std::size_t done = 0; done < bytes; done += piece) {
      const std::size_t count = bytes - done < piece ? bytes - done : piece;
      const buffer& free = take();
      std::memcpy(free.memory, static_cast<const char*>(from) + done, count);
      const cudaError_t status = cudaMemcpyAsync(static_cast<char*>(to) + done, free.memory, count, cudaMemcpyHostToDevice, context.stream());
      require_cuda(status, "cudaMemcpyAsync", " of ", static_cast<std::uint64_t>(count), " bytes");
      require_cuda(cudaEventRecord(free.copied, context.stream()), "cudaEventRecord");
    }
  }
  int buffers() const { return buffers_; }

 private:
  struct buffer {
    void* memory = nullptr;
    cudaEvent_t copied = nullptr;
    buffer* next = nullptr;
  };

  struct unfinished {
    buffer* one = new buffer;
    ~unfinished() { delete one; }
  };

  const buffer& take() {
    buffer** place = &first_;
    for (; *place; place = &(*place)->next) {
      const cudaError_t status = cudaEventQuery((*place)->copied);
      if (status == cudaSuccess) return **place;
      if (status != cudaErrorNotReady) fail_cuda(status, "cudaEventQuery");
      static_cast<void>(cudaGetLastError());
    }
    const relaxed_capture during;
    unfinished made;
    const cudaError_t status = cudaMallocHost(&made.one->memory, piece);
    if (status == cudaErrorMemoryAllocation) {
      static_cast<void>(cudaGetLastError());
      fail("size", "no pinned memory left for a buffer of ", static_cast<std::uint64_t>(piece), " bytes; wait for the stream before writing more");
    }
    require_cuda(status, "cudaMallocHost");
    require_cuda(cudaEventCreateWithFlags(&made.one->copied, cudaEventDisableTiming), "cudaEventCreateWithFlags");
    *place = made.one, made.one = nullptr, ++buffers_;
    return **place;
  }

  buffer* first_ = nullptr;
  int buffers_ = 0;
};

}}}  // namespace amphora::detail
