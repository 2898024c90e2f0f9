#include <amphora/cuda/error.cuh>

#include <amphora/error.hpp>  // error

#include <doctest/doctest.h>

#include <string>

namespace amp = amphora;
using amp::detail::require_cuda;

namespace {
/// The rule that a status breaks, "" for none; its message goes to said.
std::string rule_of(cudaError_t status, std::string& said) {
  try {
    require_cuda(status, "cudaMalloc", " of ", 64, " bytes");
  } catch (const amp::error& e) {
    said = e.what();
    return e.rule();
  }
  return {};
}
}  // namespace

TEST_CASE("a failed call says itself, its sizes and the status by name") {
  std::string said;
  CHECK(rule_of(cudaSuccess, said).empty());
  CHECK(rule_of(cudaErrorInvalidValue, said) == "cuda-call");
  CHECK(said.find("amphora [cuda-call]: cudaMalloc of 64 bytes failed: cudaErrorInvalidValue, ") == 0);
  CHECK(rule_of(cudaErrorIllegalAddress, said) == "cuda-call");
  CHECK(said.find("cudaErrorIllegalAddress") != std::string::npos);
}

TEST_CASE("no device, no driver and no code for the device are one rule, with what to do") {
  std::string said;
  for (cudaError_t status : {cudaErrorNoDevice, cudaErrorInsufficientDriver, cudaErrorSystemDriverMismatch, cudaErrorStubLibrary}) {
    CHECK(rule_of(status, said) == "device");
    CHECK(said.find("install a driver") != std::string::npos);
    CHECK(said.find(cudaGetErrorName(status)) != std::string::npos);
  }
  for (cudaError_t status : {cudaErrorNoKernelImageForDevice, cudaErrorInvalidDeviceFunction, cudaErrorUnsupportedPtxVersion}) {
    CHECK(rule_of(status, said) == "device");
    CHECK(said.find("CMAKE_CUDA_ARCHITECTURES") != std::string::npos);
  }
}

TEST_CASE("what no capture may contain says when to call it") {
  std::string said;
  for (cudaError_t status : {cudaErrorStreamCaptureUnsupported, cudaErrorStreamCaptureInvalidated, cudaErrorStreamCaptureMerge, cudaErrorStreamCaptureUnmatched, cudaErrorStreamCaptureUnjoined,
                             cudaErrorStreamCaptureIsolation, cudaErrorStreamCaptureImplicit, cudaErrorStreamCaptureWrongThread}) {
    CHECK(rule_of(status, said) == "capture");
    CHECK(said.find("before the capture begins") != std::string::npos);
  }
}

TEST_CASE("a status that was raised is not left for the program's own next check") {
  const cudaError_t status = cudaMalloc(nullptr, 64);
  REQUIRE(status != cudaSuccess);
  CHECK_THROWS_AS(require_cuda(status, "cudaMalloc"), amp::error);
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("in a relaxed region the thread may allocate while another stream is captured, and no longer after it") {
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  void* memory = nullptr;
  {
    const amp::detail::relaxed_capture during;
    CHECK(cudaMalloc(&memory, 64) == cudaSuccess);
  }
  cudaStreamCaptureMode mode = cudaStreamCaptureModeThreadLocal;
  REQUIRE(cudaThreadExchangeStreamCaptureMode(&mode) == cudaSuccess);
  CHECK(mode == cudaStreamCaptureModeGlobal);
  REQUIRE(cudaThreadExchangeStreamCaptureMode(&mode) == cudaSuccess);
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  CHECK(cudaFree(memory) == cudaSuccess);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}
