// Events: places in a stream, with the time at which its work came there.
#pragma once
#include "streams.hpp"  // recording, stream_of

#include <chrono>  // steady_clock
#include <memory>  // shared_ptr

struct CUevent_st {
  unsigned flags = 0;
  bool recorded = false;
  std::chrono::steady_clock::time_point time;
  std::shared_ptr<emulated::recording> capture;  // that it was recorded in, with the stream and how much it had added
  cudaStream_t stream = nullptr;
  std::size_t nodes = 0;
};

extern "C" {

inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  if (emulated::no_device) return emulated::status(cudaErrorNoDevice);
  if (!event) return emulated::status(cudaErrorInvalidValue);
  *event = new CUevent_st;
  return (*event)->flags = flags, cudaSuccess;
}
inline cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }
inline cudaError_t cudaEventDestroy(cudaEvent_t event) {
  if (!event) return emulated::status(cudaErrorInvalidResourceHandle);
  return delete event, cudaSuccess;
}
inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t handle) {
  if (!event) return emulated::status(cudaErrorInvalidResourceHandle);
  if (const cudaError_t e = emulated::may_submit(handle)) return e;
  const cudaStream_t s = emulated::stream_of(handle);
  event->capture = s->capture, event->stream = s, event->recorded = !s->capture, event->time = std::chrono::steady_clock::now();
  event->nodes = s->capture && s != s->capture->origin ? s->capture->unjoined[s] : 0;
  return cudaSuccess;
}
inline cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned) {
  if (!event) return emulated::status(cudaErrorInvalidResourceHandle);
  if (const cudaError_t e = emulated::may_submit(handle)) return e;
  const cudaStream_t s = emulated::stream_of(handle);
  if (!event->capture) {  // work that was done at once: nothing to wait for, but a capture may not depend on it
    if (s->capture && event->recorded) return s->capture->invalid = true, emulated::status(cudaErrorStreamCaptureIsolation);
    return cudaSuccess;
  }
  if (s->capture && s->capture != event->capture) return s->capture->invalid = event->capture->invalid = true, emulated::status(cudaErrorStreamCaptureMerge);
  if (s == &emulated::legacy_stream) return emulated::unsupported_in(*event->capture);
  if (!s->capture) s->capture = event->capture, s->capture->unjoined[s] = 1;  // the fork itself wants to be joined
  else if (s == s->capture->origin && event->stream != s && s->capture->unjoined[event->stream] == event->nodes) s->capture->unjoined[event->stream] = 0;
  return cudaSuccess;
}
inline cudaError_t cudaEventQuery(cudaEvent_t event) {
  if (!event) return emulated::status(cudaErrorInvalidResourceHandle);
  if (event->capture) return event->capture->invalid = true, emulated::status(cudaErrorCapturedEvent);
  return emulated::unsafe_in_capture();
}
inline cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (const cudaError_t e = cudaEventQuery(event)) return e;
  if (event->recorded) emulated::count_wait("cudaEventSynchronize");
  return cudaSuccess;
}
inline cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
  if (!milliseconds) return emulated::status(cudaErrorInvalidValue);
  if (!from || !to || !from->recorded || !to->recorded || ((from->flags | to->flags) & cudaEventDisableTiming)) return emulated::status(cudaErrorInvalidResourceHandle);
  return *milliseconds = std::chrono::duration<float, std::milli>(to->time - from->time).count(), cudaSuccess;
}

}  // extern "C"
