#include "run.hpp"

#include <string>

TEST_CASE("the device says what a test sets") {
  emulated::multiprocessors = 132, emulated::capability_major = 7, emulated::capability_minor = 5;
  int sms = 0, major = 0, minor = 0, warp = 0, none = 0;
  REQUIRE(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0) == cudaSuccess);
  REQUIRE(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0) == cudaSuccess);
  REQUIRE(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0) == cudaSuccess);
  REQUIRE(cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, 0) == cudaSuccess);
  CHECK(sms == 132);
  CHECK(major == 7);
  CHECK(minor == 5);
  CHECK(warp == warpSize);
  cudaDeviceProp p;
  REQUIRE(cudaGetDeviceProperties(&p, 0) == cudaSuccess);
  CHECK(p.multiProcessorCount == 132);
  CHECK(p.major == 7);
  CHECK(cudaDeviceGetAttribute(&none, cudaDevAttrWarpSize, 1) == cudaErrorInvalidDevice);
  CHECK(cudaDeviceGetAttribute(&none, cudaDevAttrClockRate, 0) == cudaErrorNotSupported);
  CHECK(cudaSetDevice(0) == cudaSuccess);
  CHECK(cudaSetDevice(1) == cudaErrorInvalidDevice);
  emulated::multiprocessors = 4, emulated::capability_major = 9, emulated::capability_minor = 0;
  cudaGetLastError();
}

TEST_CASE("without a device every call says so") {
  emulated::no_device = true;
  int x = 7;
  void* p = nullptr;
  cudaStream_t s = nullptr;
  cudaEvent_t e = nullptr;
  CHECK(cudaGetDevice(&x) == cudaErrorNoDevice);
  CHECK(cudaGetDeviceCount(&x) == cudaErrorNoDevice);
  CHECK(x == 0);
  CHECK(cudaDeviceGetAttribute(&x, cudaDevAttrWarpSize, 0) == cudaErrorNoDevice);
  CHECK(cudaSetDevice(0) == cudaErrorNoDevice);
  CHECK(cudaMalloc(&p, 4) == cudaErrorNoDevice);
  CHECK(cudaMallocHost(&p, 4) == cudaErrorNoDevice);
  CHECK(cudaFree(nullptr) == cudaErrorNoDevice);
  CHECK(cudaStreamCreate(&s) == cudaErrorNoDevice);
  CHECK(cudaStreamSynchronize(nullptr) == cudaErrorNoDevice);
  CHECK(cudaDeviceSynchronize() == cudaErrorNoDevice);
  CHECK(cudaEventCreate(&e) == cudaErrorNoDevice);
  CHECK(cudaMemcpyAsync(&x, &x, 0, cudaMemcpyDefault, nullptr) == cudaErrorNoDevice);
  CHECK(cudaGetLastError() == cudaErrorNoDevice);
  emulated::no_device = false;
  CHECK(cudaGetDeviceCount(&x) == cudaSuccess);
  CHECK(x == 1);
}
