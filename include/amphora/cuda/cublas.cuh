// cuBLAS as products use it: the types of a call, a handle on the context's stream, its modes, and what a failed call says.
#pragma once
#include <amphora/cuda/context.cuh>      // cuda_context
#include <amphora/cuda/error.cuh>        // require_cuda
#include <amphora/error.hpp>             // fail
#include <amphora/format/format.hpp>     // f16
#include <amphora/format/format_id.hpp>  // format_id

#include <cublas_v2.h>     // cublasHandle_t
#include <cuda_fp16.h>     // __half, __float2half_rn
#include <cuda_runtime.h>  // cudaDeviceGetAttribute

#include <cstddef>      // size_t
#include <type_traits>  // is_same_v

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// The C++ type of alpha and beta, and the format of the sums, of a compute type. cuBLAS reads the two scalars through void
/// pointers: a float 1 that is read as half is 0.
///
/// Source  cuBLAS, "cublasGemmEx", the table of compute, scale and matrix types
template <cublasComputeType_t Compute> struct cublas_sums { using scalar = float; using format = f32; };
template <> struct cublas_sums<CUBLAS_COMPUTE_16F> { using scalar = __half; using format = f16; };
template <> struct cublas_sums<CUBLAS_COMPUTE_64F> { using scalar = double; using format = f64; };
template <cublasComputeType_t Compute> using cublas_scalar_t = typename cublas_sums<Compute>::scalar;

static_assert(std::is_same_v<cublas_scalar_t<CUBLAS_COMPUTE_16F>, __half> && std::is_same_v<cublas_scalar_t<CUBLAS_COMPUTE_64F>, double>);
static_assert(std::is_same_v<cublas_scalar_t<CUBLAS_COMPUTE_32F>, float> && std::is_same_v<cublas_scalar_t<CUBLAS_COMPUTE_32F_FAST_TF32>, float>);
static_assert(std::is_same_v<cublas_scalar_t<CUBLAS_COMPUTE_32F_FAST_16F>, float> && std::is_same_v<cublas_scalar_t<CUBLAS_COMPUTE_32F_FAST_16BF>, float>);

template <class Scalar> Scalar cublas_scalar(double x) {
  if constexpr (std::is_same_v<Scalar, __half>) return __float2half_rn(static_cast<float>(x));
  else return static_cast<Scalar>(x);
}

/// What cuBLAS is told for a product that reads Read and sums in Accumulate.
///
/// memory   the format in which both operands stand in memory. Every number of an 8-bit format is one of f16 too, so that
///          e4m3 and e5m2 are multiplied as f16, exactly, for any shape
/// compute  sums in half only where the policy says so aloud (accumulate f16), TF32 only where it computes in tf32
template <class Read, class Accumulate>
struct cublas_types {
  static constexpr bool in_double = std::is_same_v<Read, f64> || std::is_same_v<Accumulate, f64>;
  static constexpr bool as_half = std::is_same_v<Read, f16> || std::is_same_v<Read, e4m3> || std::is_same_v<Read, e5m2>;
  using memory = std::conditional_t<in_double, f64, std::conditional_t<as_half, f16, std::conditional_t<std::is_same_v<Read, bf16>, bf16, f32>>>;
  static constexpr cublasComputeType_t compute = in_double ? CUBLAS_COMPUTE_64F
      : std::is_same_v<Read, tf32> ? CUBLAS_COMPUTE_32F_FAST_TF32
      : std::is_same_v<memory, f16> && std::is_same_v<Accumulate, f16> ? CUBLAS_COMPUTE_16F : CUBLAS_COMPUTE_32F;
  using scalar = cublas_scalar_t<compute>;
};

/// How cuBLAS names a format that it multiplies or stores.
constexpr cudaDataType_t cublas_type(format_id format) {
  return format == format_id::f16 ? CUDA_R_16F : format == format_id::bf16 ? CUDA_R_16BF : format == format_id::f64 ? CUDA_R_64F : CUDA_R_32F;
}

/// Insists that a call of cuBLAS went well.
///
/// Errors  arch       this device has no such product
///         cuda-call  any other status, by its name
template <class... Parts>
void require_cublas(cublasStatus_t status, const char* call, Parts... parts) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  if (status == CUBLAS_STATUS_ARCH_MISMATCH)
    fail("arch", call, parts..., " failed: ", cublasGetStatusName(status), ", this device has no such products; compute in amphora::f16 or f32");
  fail("cuda-call", call, parts..., " failed: ", cublasGetStatusName(status));
}

/// Sums of 16-bit products never leave the compute type before their one rounding; floats are never multiplied as TF32.
inline constexpr auto product_math = static_cast<cublasMath_t>(CUBLAS_DEFAULT_MATH | CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);

/// A handle for the products of one context, and memory for cuBLAS to work in.
class cublas_state {
 public:
  explicit cublas_state(cuda_context& context) : context_(context) {}
  cublas_state(const cublas_state&) = delete;
  cublas_state& operator=(const cublas_state&) = delete;
  ~cublas_state() {
    if (owned_) cublasDestroy(owned_);
  }

  /// The caller's handle, or one made at the first call.
  ///
  /// Errors  device   the caller's handle is on another stream
  ///         capture  a handle must be made, which cannot be part of a capture
  cublasHandle_t handle() {
    if (cublasHandle_t given = context_.cublas()) {
      cudaStream_t stream = nullptr;
      require_cublas(cublasGetStream(given, &stream), "cublasGetStream");
      if (stream != context_.stream())
        fail("device", "the cuBLAS handle given to this context works on another stream; call cublasSetStream(handle, context.stream()) before the product");
      return given;
    }
    if (owned_) return owned_;
    if (context_.is_capturing()) fail("capture", "the first product makes a cuBLAS handle, which cannot be part of a stream capture; call amphora::prepare_products(context) before it");
    require_cublas(cublasCreate(&owned_), "cublasCreate");
    require_cublas(cublasSetStream(owned_, context_.stream()), "cublasSetStream");  // takes the workspace away, so that it comes first
    void* const memory = workspace();
    require_cublas(cublasSetWorkspace(owned_, memory, workspace_bytes()), "cublasSetWorkspace");
    require_cublas(cublasSetMathMode(owned_, product_math), "cublasSetMathMode");
    return owned_;
  }

  /// Memory for one call at a time, in the order of the stream. From the context, so that a captured product allocates nothing.
  void* workspace() {
    if (!workspace_) workspace_ = context_.allocate(workspace_bytes());
    return workspace_;
  }
  /// 32 MiB from sm_90 on, 4 MiB below.
  ///
  /// Source  cuBLAS, "cublasSetWorkspace": the recommended sizes
  std::size_t workspace_bytes() {
    if (!workspace_bytes_) {
      int major = 0;
      require_cuda(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, context_.device_index()), "cudaDeviceGetAttribute");
      workspace_bytes_ = std::size_t(major >= 9 ? 32 : 4) << 20;
    }
    return workspace_bytes_;
  }

 private:
  cuda_context& context_;
  cublasHandle_t owned_ = nullptr;
  void* workspace_ = nullptr;
  std::size_t workspace_bytes_ = 0;
};

/// Sets the modes of a handle for as long as it lives: scalars on the host, product_math. A caller's handle may stand otherwise.
class cublas_modes {
 public:
  explicit cublas_modes(cublasHandle_t handle) : handle_(handle) {
    require_cublas(cublasGetMathMode(handle, &math_), "cublasGetMathMode");
    require_cublas(cublasGetPointerMode(handle, &pointer_), "cublasGetPointerMode");
  }
  cublas_modes(const cublas_modes&) = delete;
  cublas_modes& operator=(const cublas_modes&) = delete;
  ~cublas_modes() {
    if (math_ != product_math) static_cast<void>(cublasSetMathMode(handle_, math_));
    if (pointer_ != CUBLAS_POINTER_MODE_HOST) static_cast<void>(cublasSetPointerMode(handle_, pointer_));
  }
  void set() {
    if (math_ != product_math) require_cublas(cublasSetMathMode(handle_, product_math), "cublasSetMathMode");
    if (pointer_ != CUBLAS_POINTER_MODE_HOST) require_cublas(cublasSetPointerMode(handle_, CUBLAS_POINTER_MODE_HOST), "cublasSetPointerMode");
  }

 private:
  cublasHandle_t handle_;
  cublasMath_t math_ = CUBLAS_DEFAULT_MATH;
  cublasPointerMode_t pointer_ = CUBLAS_POINTER_MODE_HOST;
};

}  // namespace detail

/// Makes what the first product would make: a cuBLAS handle and its workspace, 32 MiB of the context's memory from sm_90 on, 4 MiB below.
/// Before a capture whose products are the first. With a caller's handle nothing is made here; a product with a bias takes the workspace.
///
/// Errors  capture  too late
inline void prepare_products(cuda_context& context) { static_cast<void>(context.cache<detail::cublas_state>().handle()); }

}}  // namespace amphora
