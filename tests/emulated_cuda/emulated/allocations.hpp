// The calls that allocate memory of the device, and pinned memory of the host.
#pragma once
#include "shadow.hpp"   // allocate, release, forget_written
#include "streams.hpp"  // submit, unsafe_in_capture

#include <cstdlib>  // malloc
#include <map>      // map

namespace emulated {

inline std::map<const char*, std::size_t>& pinned = *new std::map<const char*, std::size_t>;  // begin, bytes
inline bool is_pinned(const void* p) {
  const auto after = pinned.upper_bound(static_cast<const char*>(p));
  if (after == pinned.begin()) return false;
  const auto found = std::prev(after);
  return static_cast<const char*>(p) < found->first + found->second;
}

/// For a pool of memory that hands some out anew: from here in the stream on it counts as never written.
inline void hand_out_anew(void* p, std::size_t bytes, cudaStream_t s) {
  submit(s, [p, bytes] { on_device now; forget_written(p, bytes); });
}

}  // namespace emulated

extern "C" {

inline cudaError_t cudaMalloc(void** p, std::size_t bytes) {
  if (!p) return emulated::status(cudaErrorInvalidValue);
  if (emulated::no_device) return emulated::status(cudaErrorNoDevice);
  if (const cudaError_t e = emulated::unsafe_in_capture()) return e;
  emulated::count_allocation("cudaMalloc");
  const cudaError_t wanted = emulated::fail_next_malloc;
  emulated::fail_next_malloc = cudaSuccess;
  *p = bytes && !wanted ? emulated::allocate(bytes) : nullptr;
  return wanted ? emulated::status(wanted) : bytes && !*p ? emulated::status(cudaErrorMemoryAllocation) : cudaSuccess;
}
inline cudaError_t cudaFree(void* p) {
  if (emulated::no_device) return emulated::status(cudaErrorNoDevice);
  if (!p) return cudaSuccess;
  if (const cudaError_t e = emulated::unsafe_in_capture()) return e;
  emulated::count_allocation("cudaFree"), emulated::count_wait("cudaFree");
  return emulated::release(p) ? cudaSuccess : emulated::status(cudaErrorInvalidValue);
}
inline cudaError_t cudaMallocAsync(void** p, std::size_t bytes, cudaStream_t handle) {
  if (const cudaError_t e = emulated::may_submit(handle)) return e;
  if (emulated::stream_of(handle)->capture) return emulated::status(cudaErrorNotSupported);  // such nodes are not kept here
  return cudaMalloc(p, bytes);
}
inline cudaError_t cudaFreeAsync(void* p, cudaStream_t handle) {
  if (const cudaError_t e = emulated::may_submit(handle)) return e;
  if (emulated::stream_of(handle)->capture) return emulated::status(cudaErrorNotSupported);
  emulated::count_allocation("cudaFreeAsync");
  return !p || emulated::release(p) ? cudaSuccess : emulated::status(cudaErrorInvalidValue);
}
inline cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  if (emulated::no_device) return emulated::status(cudaErrorNoDevice);
  if (!free || !total) return emulated::status(cudaErrorInvalidValue);
  return *total = emulated::device_memory, *free = emulated::device_memory - emulated::bytes_in_use, cudaSuccess;
}

inline cudaError_t cudaHostAlloc(void** p, std::size_t bytes, unsigned) {
  if (!p) return emulated::status(cudaErrorInvalidValue);
  if (emulated::no_device) return emulated::status(cudaErrorNoDevice);
  if (const cudaError_t e = emulated::unsafe_in_capture()) return e;
  emulated::count_allocation("cudaHostAlloc");
  *p = std::malloc(bytes ? bytes : 1);
  if (!*p) return emulated::status(cudaErrorMemoryAllocation);
  emulated::pinned[static_cast<const char*>(*p)] = bytes;
  return cudaSuccess;
}
inline cudaError_t cudaMallocHost(void** p, std::size_t bytes) { return cudaHostAlloc(p, bytes, cudaHostAllocDefault); }
inline cudaError_t cudaFreeHost(void* p) {
  if (emulated::no_device) return emulated::status(cudaErrorNoDevice);
  if (!p) return cudaSuccess;
  if (const cudaError_t e = emulated::unsafe_in_capture()) return e;
  emulated::count_allocation("cudaFreeHost"), emulated::count_wait("cudaFreeHost");
  if (!emulated::pinned.erase(static_cast<const char*>(p))) return emulated::status(cudaErrorInvalidValue);
  return std::free(p), cudaSuccess;
}
inline cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* answer, const void* p) {
  if (!answer) return emulated::status(cudaErrorInvalidValue);
  *answer = {};
  const emulated::region* const r = emulated::region_near(p);
  if (emulated::lies_in(r, p, 0)) answer->type = cudaMemoryTypeDevice, answer->devicePointer = const_cast<void*>(p);
  else if (emulated::is_pinned(p)) answer->type = cudaMemoryTypeHost, answer->devicePointer = answer->hostPointer = const_cast<void*>(p);
  else answer->type = cudaMemoryTypeUnregistered, answer->device = cudaInvalidDeviceId, answer->hostPointer = const_cast<void*>(p);
  return cudaSuccess;
}

}  // extern "C"
