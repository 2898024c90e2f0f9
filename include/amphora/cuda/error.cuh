// What a failed call of CUDA or cuBLAS says: the call, its sizes and the status by name.
#pragma once
#include <amphora/error.hpp>    // fail
#include <amphora/version.hpp>  // AMPHORA_ABI

#include <cuda_runtime.h>  // cudaError_t, cudaGetErrorName

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// Insists that a call of the CUDA runtime went well.
///
/// call    its name; parts: what it was called with, for the message
/// Errors  device     there is no device, or no driver
///         capture    the call cannot be part of a stream capture
///         cuda-call  any other status
template <class... Parts>
void require_cuda(cudaError_t status, const char* call, const Parts&... parts) {
  if (status == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());  // an error that does not stick is not left for the caller's own next check
  const char* const name = cudaGetErrorName(status);
  if (status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver || status == cudaErrorSystemDriverMismatch)
    fail("device", "there is no CUDA device that this program can use (", call, ": ", name, "); install a driver for CUDA 12 or newer, or use amphora::host_context");
  if (status == cudaErrorStreamCaptureUnsupported || status == cudaErrorStreamCaptureImplicit || status == cudaErrorStreamCaptureInvalidated)
    fail("capture", call, parts..., " cannot be part of a stream capture (", name, "); call it before the capture begins");
  fail("cuda-call", call, parts..., " failed: ", name, ", ", cudaGetErrorString(status));
}

}}}  // namespace amphora::detail
