// Kernel launches: block after block, thread after thread.
#pragma once
#include "dynamic_shared.hpp"  // begin_dynamic_shared
#include "streams.hpp"         // submit
#include "threads.hpp"         // device

#include <cstddef>      // size_t
#include <map>          // map
#include <tuple>        // tuple
#include <type_traits>  // is_trivially_copyable_v

#undef __shared__
#define __shared__ static  // one block runs at a time
#undef __launch_bounds__
#define __launch_bounds__(...)
#undef __grid_constant__
#define __grid_constant__

namespace emulated {

inline std::map<const void*, std::size_t>& allowed_dynamic_shared = *new std::map<const void*, std::size_t>;  // by cudaFuncSetAttribute

inline cudaError_t check_launch(const cudaLaunchConfig_t& c, const void* kernel) {
  if (no_device) return status(cudaErrorNoDevice);
  const cudaError_t wanted = fail_next_launch;
  fail_next_launch = cudaSuccess;
  if (wanted) return status(wanted);
  const dim3 g = c.gridDim, b = c.blockDim;
  if (!g.x || !g.y || !g.z || g.x > 0x7fffffffu || g.y > 65535 || g.z > 65535) return status(cudaErrorInvalidConfiguration);
  if (!b.x || !b.y || !b.z || b.x > 1024 || b.y > 1024 || b.z > 64 || b.x * b.y * b.z > 1024) return status(cudaErrorInvalidConfiguration);
  const auto allowed = allowed_dynamic_shared.find(kernel);
  if (c.dynamicSmemBytes > (allowed == allowed_dynamic_shared.end() ? plain_dynamic_shared : allowed->second)) return status(cudaErrorInvalidValue);
  if (c.numAttrs) return status(cudaErrorNotSupported);
  return cudaSuccess;
}
inline void run_grid(dim3 grid, dim3 threads, std::size_t shared, const std::function<void()>& thread) {
  on_device now;
  if (device.is_running()) fail("a kernel launches a kernel");
  append_place = [](char* text, std::size_t size) {
    if (device.is_running()) std::snprintf(text, size, "%s", device.where().c_str());
  };
  gridDim = grid, blockDim = threads, ++launches;
  begin_dynamic_shared(shared);
  const int count = static_cast<int>(threads.x * threads.y * threads.z);
  for (unsigned z = 0; z < grid.z; ++z)
    for (unsigned y = 0; y < grid.y; ++y)
      for (unsigned x = 0; x < grid.x; ++x) {
        blockIdx.x = reverse ? grid.x - 1 - x : x, blockIdx.y = reverse ? grid.y - 1 - y : y, blockIdx.z = reverse ? grid.z - 1 - z : z;
        refresh_dynamic_shared();
        device.run(count, thread);
      }
}

}  // namespace emulated

/// What is wrong in a kernel comes out of the launch as a std::runtime_error that names the block and the thread.
template <class... Expected, class... Actual>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* c, void (*kernel)(Expected...), Actual&&... arguments) {
  static_assert((std::is_trivially_copyable_v<Expected> && ...), "a kernel's arguments are copied as bytes");
  static_assert((sizeof(Expected) + ... + 0) <= 4096, "a kernel's arguments have 4 KiB on every toolkit");
  if (const cudaError_t e = emulated::check_launch(*c, reinterpret_cast<const void*>(kernel))) return e;
  return emulated::submit(c->stream, [grid = c->gridDim, threads = c->blockDim, shared = c->dynamicSmemBytes, kernel, copied = std::tuple<Expected...>(static_cast<Actual&&>(arguments)...)] {
    emulated::run_grid(grid, threads, shared, [&] { std::apply(kernel, copied); });
  });
}

template <class Kernel>
cudaError_t cudaFuncSetAttribute(Kernel* kernel, cudaFuncAttribute what, int value) {
  if (what != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 || static_cast<std::size_t>(value) > emulated::most_dynamic_shared) return emulated::status(cudaErrorInvalidValue);
  return emulated::allowed_dynamic_shared[reinterpret_cast<const void*>(kernel)] = static_cast<std::size_t>(value), cudaSuccess;
}
template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel*, int threads, std::size_t) {
  if (!blocks || threads < 1 || threads > 1024) return emulated::status(cudaErrorInvalidValue);
  return *blocks = 2048 / ((threads + 31) / 32 * 32), cudaSuccess;
}
