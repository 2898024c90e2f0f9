// The one device there is, and what it says of itself.
#pragma once
#include "dynamic_shared.hpp"  // most_dynamic_shared
#include "settings.hpp"        // status, multiprocessors

#include <cstring>  // strcpy

extern "C" {

inline cudaError_t cudaGetDeviceCount(int* count) {
  if (!count) return emulated::status(cudaErrorInvalidValue);
  *count = emulated::no_device ? 0 : emulated::devices;
  return emulated::no_device ? emulated::status(cudaErrorNoDevice) : cudaSuccess;
}
inline cudaError_t cudaGetDevice(int* device) {
  if (!device) return emulated::status(cudaErrorInvalidValue);
  if (emulated::no_device) return emulated::status(cudaErrorNoDevice);
  return *device = emulated::current_device, cudaSuccess;
}
inline cudaError_t cudaSetDevice(int device) {
  if (emulated::no_device) return emulated::status(cudaErrorNoDevice);
  return device >= 0 && device < emulated::devices ? (emulated::current_device = device, cudaSuccess) : emulated::status(cudaErrorInvalidDevice);
}
inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr what, int device) {
  if (emulated::no_device) return emulated::status(cudaErrorNoDevice);
  if (device < 0 || device >= emulated::devices) return emulated::status(cudaErrorInvalidDevice);
  if (!value) return emulated::status(cudaErrorInvalidValue);
  switch (what) {
    case cudaDevAttrMultiProcessorCount: return *value = emulated::multiprocessors, cudaSuccess;
    case cudaDevAttrComputeCapabilityMajor: return *value = emulated::capability_major, cudaSuccess;
    case cudaDevAttrComputeCapabilityMinor: return *value = emulated::capability_minor, cudaSuccess;
    case cudaDevAttrWarpSize: return *value = 32, cudaSuccess;
    case cudaDevAttrMaxThreadsPerBlock: return *value = 1024, cudaSuccess;
    case cudaDevAttrMaxThreadsPerMultiProcessor: return *value = 2048, cudaSuccess;
    case cudaDevAttrMaxGridDimX: return *value = 0x7fffffff, cudaSuccess;
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ: return *value = 65535, cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerBlock: return *value = static_cast<int>(emulated::plain_dynamic_shared), cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: return *value = static_cast<int>(emulated::most_dynamic_shared), cudaSuccess;
    default: return emulated::status(cudaErrorNotSupported);  // not known here
  }
}
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int device) {
  if (emulated::no_device) return emulated::status(cudaErrorNoDevice);
  if (device < 0 || device >= emulated::devices) return emulated::status(cudaErrorInvalidDevice);
  if (!p) return emulated::status(cudaErrorInvalidValue);
  *p = {};
  std::strcpy(p->name, "emulated CUDA");
  p->major = emulated::capability_major, p->minor = emulated::capability_minor;
  p->multiProcessorCount = emulated::multiprocessors, p->warpSize = 32, p->maxThreadsPerBlock = 1024, p->maxThreadsPerMultiProcessor = 2048;
  p->totalGlobalMem = emulated::device_memory, p->sharedMemPerBlock = emulated::plain_dynamic_shared, p->sharedMemPerBlockOptin = emulated::most_dynamic_shared;
  return cudaSuccess;
}
inline cudaError_t cudaRuntimeGetVersion(int* version) { return *version = CUDART_VERSION, cudaSuccess; }
inline cudaError_t cudaDriverGetVersion(int* version) { return *version = emulated::no_device ? 0 : CUDART_VERSION, cudaSuccess; }

}  // extern "C"
