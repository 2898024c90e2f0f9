// What a failed call of the CUDA runtime says: the call, its sizes and the status by name.
#pragma once
#include <amphora/error.hpp>    // fail
#include <amphora/version.hpp>  // AMPHORA_ABI

#include <cuda_runtime.h>  // cudaError_t, cudaGetErrorName

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// Raises the error for a status that is not cudaSuccess.
///
/// The status is taken off the thread, so that an error that does not stick is not left for the caller's own next check.
template <class... Parts>
[[noreturn]] void fail_cuda(cudaError_t status, const char* call, Parts... parts) {
  static_cast<void>(cudaGetLastError());
  const char* const name = cudaGetErrorName(status);
  switch (status) {
    case cudaErrorNoDevice: case cudaErrorInsufficientDriver: case cudaErrorSystemDriverMismatch: case cudaErrorStubLibrary:
      fail("device", "there is no CUDA device that this program can use (", call, ": ", name, "); install a driver for its CUDA version, or use amphora::host_context");
    case cudaErrorNoKernelImageForDevice: case cudaErrorInvalidDeviceFunction: case cudaErrorUnsupportedPtxVersion:
      fail("device", "this program was not built for this device (", call, ": ", name, "); add its architecture to CMAKE_CUDA_ARCHITECTURES");
    case cudaErrorStreamCaptureUnsupported: case cudaErrorStreamCaptureImplicit: case cudaErrorStreamCaptureInvalidated: case cudaErrorStreamCaptureIsolation:
    case cudaErrorStreamCaptureMerge: case cudaErrorStreamCaptureUnmatched: case cudaErrorStreamCaptureUnjoined: case cudaErrorStreamCaptureWrongThread:
      fail("capture", call, parts..., " cannot be part of a stream capture (", name, "); call it before the capture begins");
    default:
      fail("cuda-call", call, parts..., " failed: ", name, ", ", cudaGetErrorString(status));
  }
}

/// Insists that a call of the CUDA runtime went well.
///
/// call    its name; parts: what it was called with, for the message
/// Errors  device     no device, no driver, or no code for this device in the program
///         capture    the call cannot be part of a stream capture
///         cuda-call  any other status, also one that work before it left
template <class... Parts>
void require_cuda(cudaError_t status, const char* call, Parts... parts) {
  if (status != cudaSuccess) fail_cuda(status, call, parts...);
}

/// While it lives, this thread may call what is no part of a stream that somebody captures: cudaMalloc, cudaFree, making a handle.
class relaxed_capture {
 public:
  relaxed_capture() noexcept { cudaThreadExchangeStreamCaptureMode(&mode_); }
  relaxed_capture(const relaxed_capture&) = delete;
  relaxed_capture& operator=(const relaxed_capture&) = delete;
  ~relaxed_capture() { cudaThreadExchangeStreamCaptureMode(&mode_); }

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

}}}  // namespace amphora::detail
