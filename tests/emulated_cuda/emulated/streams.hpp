// Streams do their work at once, in the order of submission, or record it into a graph while they are captured.
#pragma once
#include "memory.hpp"    // on_device
#include "settings.hpp"  // status, count_wait

#include <cstddef>     // size_t
#include <functional>  // function
#include <map>         // map
#include <memory>      // shared_ptr
#include <set>         // set
#include <utility>     // move
#include <vector>      // vector

/// Work in the order in which it was captured.
struct CUgraph_st {
  std::vector<std::function<void()>> nodes;
};
struct CUgraphExec_st : CUgraph_st {};

namespace emulated {

/// A capture that is going on.
struct recording {
  cudaGraph_t graph = nullptr;
  cudaStream_t origin = nullptr;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  bool invalid = false;
  unsigned long long id = 0;
  std::map<cudaStream_t, std::size_t> unjoined;  // how many nodes each forked stream added that the origin does not wait for yet
};
inline std::set<std::shared_ptr<recording>>& recordings = *new std::set<std::shared_ptr<recording>>;
inline cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

}  // namespace emulated

struct CUstream_st {
  unsigned flags = 0;
  int priority = 0;
  std::shared_ptr<emulated::recording> capture;
};

namespace emulated {

inline std::set<cudaStream_t>& streams = *new std::set<cudaStream_t>;
inline CUstream_st legacy_stream, per_thread_stream;

/// The stream of a handle, also of the two that exist without being made; null where there is none.
inline cudaStream_t stream_of(cudaStream_t handle) {
  if (!handle || handle == cudaStreamLegacy) return &legacy_stream;
  if (handle == cudaStreamPerThread) return &per_thread_stream;
  return streams.count(handle) ? handle : nullptr;
}

/// A call that no capture may contain.
inline cudaError_t unsupported_in(recording& capture) {
  const bool before = capture.invalid;
  capture.invalid = true;
  return status(before ? cudaErrorStreamCaptureInvalidated : cudaErrorStreamCaptureUnsupported);
}
/// A call that is refused while something is captured, unless the thread's mode was exchanged for a relaxed one.
inline cudaError_t unsafe_in_capture() {
  if (thread_mode == cudaStreamCaptureModeRelaxed) return cudaSuccess;
  for (const auto& r : recordings)
    if (r->mode != cudaStreamCaptureModeRelaxed) return unsupported_in(*r);
  return cudaSuccess;
}
/// The legacy stream waits for all streams that are not non-blocking, which a captured one cannot have.
inline cudaError_t implicit_in_capture(cudaStream_t s) {
  if (s != &legacy_stream) return cudaSuccess;
  for (const auto& r : recordings)
    if (!(r->origin->flags & cudaStreamNonBlocking)) return r->invalid = true, status(cudaErrorStreamCaptureImplicit);
  return cudaSuccess;
}
/// Whether a call may put work into this stream.
inline cudaError_t may_submit(cudaStream_t handle) {
  if (no_device) return status(cudaErrorNoDevice);
  const cudaStream_t s = stream_of(handle);
  if (!s) return status(cudaErrorInvalidResourceHandle);
  if (s->capture && s->capture->invalid) return status(cudaErrorStreamCaptureInvalidated);
  return implicit_in_capture(s);
}
/// Does work in a stream, or records it.
inline cudaError_t submit(cudaStream_t handle, std::function<void()> work) {
  if (const cudaError_t e = may_submit(handle)) return e;
  const cudaStream_t s = stream_of(handle);
  if (!s->capture) return work(), cudaSuccess;
  s->capture->graph->nodes.push_back(std::move(work));
  if (s != s->capture->origin) ++s->capture->unjoined[s];
  return cudaSuccess;
}
inline cudaError_t make_stream(cudaStream_t* s, unsigned flags, int priority) {
  if (no_device) return status(cudaErrorNoDevice);
  if (!s || (flags & ~static_cast<unsigned>(cudaStreamNonBlocking))) return status(cudaErrorInvalidValue);
  *s = new CUstream_st{flags, priority, nullptr};
  streams.insert(*s);
  return cudaSuccess;
}

}  // namespace emulated

extern "C" {

inline cudaError_t cudaStreamCreate(cudaStream_t* s) { return emulated::make_stream(s, cudaStreamDefault, 0); }
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* s, unsigned flags) { return emulated::make_stream(s, flags, 0); }
inline cudaError_t cudaStreamCreateWithPriority(cudaStream_t* s, unsigned flags, int priority) { return emulated::make_stream(s, flags, priority); }
inline cudaError_t cudaStreamDestroy(cudaStream_t s) {
  if (!emulated::streams.count(s)) return emulated::status(cudaErrorInvalidResourceHandle);
  if (s->capture) {
    s->capture->invalid = true;
    if (s->capture->origin == s) cudaGraphDestroy(s->capture->graph), emulated::recordings.erase(s->capture);
  }
  emulated::streams.erase(s);
  delete s;
  return cudaSuccess;
}
inline cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned* flags) {
  const cudaStream_t s = emulated::stream_of(handle);
  if (!s || !flags) return emulated::status(s ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle);
  return *flags = s->flags, cudaSuccess;
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  if (emulated::no_device) return emulated::status(cudaErrorNoDevice);
  const cudaStream_t s = emulated::stream_of(handle);
  if (!s) return emulated::status(cudaErrorInvalidResourceHandle);
  if (s->capture) return emulated::unsupported_in(*s->capture);
  if (const cudaError_t e = emulated::implicit_in_capture(s)) return e;
  return emulated::count_wait("cudaStreamSynchronize"), cudaSuccess;
}
inline cudaError_t cudaStreamQuery(cudaStream_t handle) {
  const cudaStream_t s = emulated::stream_of(handle);
  if (!s) return emulated::status(cudaErrorInvalidResourceHandle);
  return s->capture ? emulated::unsupported_in(*s->capture) : cudaSuccess;
}
inline cudaError_t cudaDeviceSynchronize() {
  if (emulated::no_device) return emulated::status(cudaErrorNoDevice);
  if (!emulated::recordings.empty()) return emulated::unsupported_in(**emulated::recordings.begin());
  return emulated::count_wait("cudaDeviceSynchronize"), cudaSuccess;
}
inline cudaError_t cudaLaunchHostFunc(cudaStream_t s, cudaHostFn_t f, void* data) {
  return emulated::submit(s, [f, data] { f(data); });
}

}  // extern "C"
