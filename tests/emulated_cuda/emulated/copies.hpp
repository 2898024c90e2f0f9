// Copies between host and device, and fills.
#pragma once
#include "allocations.hpp"  // is_pinned
#include "shadow.hpp"       // inside, written, mark_written
#include "streams.hpp"      // submit, count_wait

#include <cstring>  // memcpy, memset

namespace emulated {

/// What is copied where: kind by the pointers where it says default; invalid where it contradicts them.
inline cudaError_t sides(const void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, bool& to_device, bool& from_device) {
  to_device = is_device_address(to), from_device = is_device_address(from);
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return status(cudaErrorInvalidMemcpyDirection);
  if (kind != cudaMemcpyDefault) {
    if (to_device != (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice)) return status(cudaErrorInvalidValue);
    if (from_device != (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice)) return status(cudaErrorInvalidValue);
  }
  if (to_device && !lies_in(region_near(to), to, bytes)) return status(cudaErrorInvalidValue);
  if (from_device && !lies_in(region_near(from), from, bytes)) return status(cudaErrorInvalidValue);
  return cudaSuccess;
}
inline void copy_now(void* to, const void* from, std::size_t bytes, bool to_device, bool from_device) {
  on_device now;
  const unsigned char* const shadow = from_device ? written(inside(from, bytes, 1), from) : nullptr;
  if (to_device) {
    unsigned char* const copied = written(inside(to, bytes, 1), to);
    if (shadow) {
      const auto* const a = static_cast<const char*>(to);
      const auto* const b = static_cast<const char*>(from);
      if (a < b + bytes && b < a + bytes) fail("a copy onto memory that overlaps what is copied");
      std::memcpy(copied, shadow, bytes);  // a copy of what was never written is no more written
    } else std::memset(copied, 0xff, bytes);
  }
  std::memcpy(to, from, bytes);
}
/// Rows of width bytes; one row is a plain copy.
inline cudaError_t copy(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width, std::size_t height, cudaMemcpyKind kind, cudaStream_t handle, const char* call) {
  if (const cudaError_t e = may_submit(handle)) return e;
  if (width == 0 || height == 0) return cudaSuccess;
  if (height > 1 && (to_pitch < width || from_pitch < width)) return status(cudaErrorInvalidPitchValue);
  bool to_device = false, from_device = false;
  if (const cudaError_t e = sides(to, from, width, kind, to_device, from_device)) return e;
  const auto* const last_from = static_cast<const char*>(from) + (height - 1) * from_pitch;
  auto* const last_to = static_cast<char*>(to) + (height - 1) * to_pitch;
  if (const cudaError_t e = sides(last_to, last_from, width, kind, to_device, from_device)) return e;
  const void* const host = to_device == from_device ? nullptr : to_device ? from : to;
  if (host && !is_pinned(host)) {  // such a copy is staged, and the call comes back only then
    const cudaStream_t s = stream_of(handle);
    if (s->capture) return unsupported_in(*s->capture);
    count_wait(call);
  }
  return submit(handle, [=] {
    for (std::size_t row = 0; row < height; ++row)
      copy_now(static_cast<char*>(to) + row * to_pitch, static_cast<const char*>(from) + row * from_pitch, width, to_device, from_device);
  });
}
inline cudaError_t fill(void* to, int value, std::size_t bytes, cudaStream_t s) {
  if (const cudaError_t e = may_submit(s)) return e;
  if (bytes == 0) return cudaSuccess;
  if (!lies_in(region_near(to), to, bytes)) return status(cudaErrorInvalidValue);
  return submit(s, [=] {
    on_device now;
    mark_written(to, bytes), std::memset(to, value, bytes);
  });
}

}  // namespace emulated

extern "C" {

inline cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t s) { return emulated::copy(to, bytes, from, bytes, bytes, 1, kind, s, "cudaMemcpyAsync of pageable memory"); }
inline cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width, std::size_t height, cudaMemcpyKind kind, cudaStream_t s) {
  return emulated::copy(to, to_pitch, from, from_pitch, width, height, kind, s, "cudaMemcpy2DAsync of pageable memory");
}
inline cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  if (const cudaError_t e = emulated::unsafe_in_capture()) return e;
  const bool pageable = (kind == cudaMemcpyHostToDevice && !emulated::is_pinned(from)) || (kind == cudaMemcpyDeviceToHost && !emulated::is_pinned(to));
  if (!pageable && kind != cudaMemcpyDeviceToDevice) emulated::count_wait("cudaMemcpy");  // pageable ones are counted below
  return emulated::copy(to, bytes, from, bytes, bytes, 1, kind, nullptr, "cudaMemcpy");
}
inline cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t s) { return emulated::fill(to, value, bytes, s); }
inline cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  if (const cudaError_t e = emulated::unsafe_in_capture()) return e;
  return emulated::fill(to, value, bytes, nullptr);
}

}  // extern "C"
