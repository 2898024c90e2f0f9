// What a test can set about the emulated device, and what it can ask of it.
#pragma once
#include <cuda_runtime_api.h>  // cudaError_t

#include <cstdint>    // int64_t
#include <cstddef>    // size_t
#include <stdexcept>  // runtime_error
#include <string>     // string

namespace emulated {

inline bool reverse = false;        ///< blocks and threads in the opposite order: results may not depend on it
inline int multiprocessors = 4;     ///< grids are made for so many
inline int capability_major = 9, capability_minor = 0;
inline int devices = 1, current_device = 0;  ///< cudaSetDevice takes any of them; they share memory and streams
inline bool no_device = false;      ///< every call says cudaErrorNoDevice
inline std::size_t device_memory = std::size_t(64) << 30;  ///< bytes; cudaMalloc fails past them

/// What the next call of its kind returns instead of doing anything.
inline cudaError_t fail_next_malloc = cudaSuccess, fail_next_launch = cudaSuccess;

inline std::int64_t waits = 0;        ///< calls so far in which the host would wait for the device
inline std::int64_t allocations = 0;  ///< cudaMalloc, cudaFree and their like so far
inline std::int64_t launches = 0;     ///< kernels run so far, those of a replayed graph too

[[noreturn]] inline void fail(const std::string& what) { throw std::runtime_error("emulated CUDA: " + what); }

/// While one lives, a call that would wait throws std::runtime_error.
class no_waits {
 public:
  no_waits() { ++living; }
  ~no_waits() { --living; }
  no_waits(const no_waits&) = delete;
  no_waits& operator=(const no_waits&) = delete;
  static inline int living = 0;
};
/// While one lives, a call that allocates or frees throws std::runtime_error.
class no_allocations {
 public:
  no_allocations() { ++living; }
  ~no_allocations() { --living; }
  no_allocations(const no_allocations&) = delete;
  no_allocations& operator=(const no_allocations&) = delete;
  static inline int living = 0;
};

inline void count_wait(const char* call) {
  ++waits;
  if (no_waits::living) fail(std::string(call) + " waits where nothing may wait");
}
inline void count_allocation(const char* call) {
  ++allocations;
  if (no_allocations::living) fail(std::string(call) + " where nothing may be allocated or freed");
}

inline cudaError_t last_error = cudaSuccess;
/// A status on its way to the caller: what cudaGetLastError answers later.
inline cudaError_t status(cudaError_t e) {
  if (e != cudaSuccess && e != cudaErrorNotReady) last_error = e;
  return e;
}

}  // namespace emulated
