// cuDNN as the library uses it: a handle on the context's stream, memory to work in, and what a failed call says.
#pragma once
#include <amphora/cuda/context.cuh>      // cuda_context
#include <amphora/cuda/error.cuh>        // relaxed_capture
#include <amphora/error.hpp>             // fail
#include <amphora/format/format_id.hpp>  // format_id

#include <cudnn.h>  // cudnnHandle_t

#include <cstddef>  // size_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// How cuDNN names a format that it reads and writes.
constexpr cudnnDataType_t cudnn_type(format_id format) {
  return format == format_id::f16 ? CUDNN_DATA_HALF : format == format_id::bf16 ? CUDNN_DATA_BFLOAT16 : format == format_id::f64 ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
}

/// Raises the error for a status that is not CUDNN_STATUS_SUCCESS, with what cuDNN 9 itself says about it.
template <class... Parts>
[[noreturn]] void fail_cudnn(cudnnStatus_t status, const char* call, Parts... parts) {
  char why[256] = {};
#if CUDNN_VERSION >= 90000
  cudnnGetLastErrorString(why, sizeof why);
  why[sizeof why - 1] = 0;
#endif
  const char* const between = why[0] ? ", " : "";
  if (status == CUDNN_STATUS_ARCH_MISMATCH)
    fail("arch", call, parts..., " failed: ", cudnnGetErrorString(status), between, static_cast<const char*>(why), "; this cuDNN has no kernels for this device, do without amphora::use_cudnn");
  fail("cuda-call", call, parts..., " failed: ", cudnnGetErrorString(status), between, static_cast<const char*>(why));
}
/// Insists that a call of cuDNN went well.
///
/// call    its name; parts: what it was called with, for the message
/// Errors  arch       this cuDNN is not for this device
///         cuda-call  any other status, by its name
template <class... Parts>
void require_cudnn(cudnnStatus_t status, const char* call, Parts... parts) {
  if (status != CUDNN_STATUS_SUCCESS) fail_cudnn(status, call, parts...);
}
/// Whether cuDNN did nothing since it has no such kernel, which is no error where there is another one. cuDNN 9 has a group of such statuses, of
/// which some say that its installation lacks something.
constexpr bool is_unsupported(cudnnStatus_t status) {
#if CUDNN_VERSION >= 90000
  return static_cast<int>(status) / 1000 * 1000 == static_cast<int>(CUDNN_STATUS_NOT_SUPPORTED) && status != CUDNN_STATUS_NOT_SUPPORTED_INCOMPATIBLE_CUDA_DRIVER &&
         status != CUDNN_STATUS_NOT_SUPPORTED_INCOMPATIBLE_CUDART && status != CUDNN_STATUS_NOT_SUPPORTED_RUNTIME_PREREQUISITE_MISSING && status != CUDNN_STATUS_NOT_SUPPORTED_SUBLIBRARY_UNAVAILABLE;
#else
  return status == CUDNN_STATUS_NOT_SUPPORTED || status == CUDNN_STATUS_ARCH_MISMATCH;
#endif
}

/// The handle of one context.
class cudnn_state {
 public:
  explicit cudnn_state(cuda_context& context) : context_(context) {}
  cudnn_state(const cudnn_state&) = delete;
  cudnn_state& operator=(const cudnn_state&) = delete;
  ~cudnn_state() {
    if (owned_) cudnnDestroy(owned_);
  }

  /// From now on the caller's handle, or, for null, one that is made here and now.
  ///
  /// Errors  device     another device is current
  ///         capture    a handle must be made, which cannot be part of a capture
  ///         cuda-call  cuDNN cannot be used
  void use(cudnnHandle_t given) {
    context_.require_current("use_cudnn");
    if (!given && !owned_) {
      if (context_.is_capturing()) fail("capture", "use_cudnn makes a cuDNN handle, which cannot be part of a stream capture; call it before the capture begins");
      const relaxed_capture during;  // of other streams
      cudnnHandle_t made = nullptr;
      require_cudnn(cudnnCreate(&made), "cudnnCreate");
      owned_ = made;
      require_cudnn(cudnnSetStream(owned_, context_.stream()), "cudnnSetStream");
    }
    given_ = given;
  }

  /// Errors  device  the caller's handle is on another stream
  cudnnHandle_t handle() const {
    if (!given_) return owned_;
    cudaStream_t stream = nullptr;
    require_cudnn(cudnnGetStream(given_, &stream), "cudnnGetStream");
    if (stream != context_.stream())
      fail("device", "the cuDNN handle given to this context works on another stream; call cudnnSetStream(handle, context.stream()) before the convolution");
    return given_;
  }

  /// An algorithm that needs more bytes than that is not chosen.
  std::size_t most_workspace = 0;

 private:
  cuda_context& context_;
  cudnnHandle_t given_ = nullptr, owned_ = nullptr;
};

}}}  // namespace amphora::detail
