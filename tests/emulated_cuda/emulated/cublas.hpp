// cuBLAS: handles and general matrix products, column by column, by the documented arithmetic.
#pragma once
#include "cublas_types.hpp"  // cublasHandle_t
#include "product.hpp"       // matrix_product, multiply
#include "streams.hpp"       // submit

#include <set>  // set

struct cublasContext {
  cudaStream_t stream = nullptr;
  cublasMath_t math = CUBLAS_DEFAULT_MATH;
  cublasPointerMode_t pointer = CUBLAS_POINTER_MODE_HOST;
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
};

namespace emulated {

inline std::set<const void*>& cublas_handles = *new std::set<const void*>;  // those of cuBLASLt too
/// What the next product returns instead of doing anything.
inline cublasStatus_t fail_next_product = CUBLAS_STATUS_SUCCESS;

inline cublasStatus_t failed_product() {
  const cublasStatus_t wanted = fail_next_product;
  return fail_next_product = CUBLAS_STATUS_SUCCESS, wanted;
}
inline cublasStatus_t put_product(cudaStream_t stream, const matrix_product& p) {
  if (p.m == 0 || p.n == 0 || p.batches == 0) return CUBLAS_STATUS_SUCCESS;
  return submit(stream, [p] { multiply(p); }) == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}
/// Scalars of the host are read now, those of the device when the work is done.
inline void set_scalars(matrix_product& p, const void* alpha, const void* beta, bool on_host) {
  const cudaDataType_t type = scalar_type(p.compute);
  if (on_host) p.alpha = number_at(alpha, type), p.beta = number_at(beta, type);
  else p.device_alpha = alpha, p.device_beta = beta;
}
inline cublasStatus_t gemm(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, std::int64_t m, std::int64_t n, std::int64_t k, const void* alpha, matrix a, matrix b, const void* beta, matrix c,
                           std::int64_t batches, cublasComputeType_t compute) {
  if (!cublas_handles.count(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (const cublasStatus_t wanted = failed_product()) return wanted;
  for (const cublasOperation_t op : {op_a, op_b})
    if (op < CUBLAS_OP_N || op > CUBLAS_OP_C) return CUBLAS_STATUS_INVALID_VALUE;
  a.flipped = op_a != CUBLAS_OP_N, b.flipped = op_b != CUBLAS_OP_N;
  const auto least = [](std::int64_t rows) { return rows < 1 ? 1 : rows; };
  if (m < 0 || n < 0 || k < 0 || batches < 0 || a.ld < least(a.flipped ? k : m) || b.ld < least(b.flipped ? n : k) || c.ld < least(m) || !alpha || !beta) return CUBLAS_STATUS_INVALID_VALUE;
  if (!is_supported(compute, a.type, b.type, c.type)) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (batches > 1 && c.stride == 0) return CUBLAS_STATUS_INVALID_VALUE;  // one result for all
  matrix_product p;
  p.m = m, p.n = n, p.k = k, p.batches = batches, p.a = a, p.b = b, p.c = p.d = c, p.compute = compute;
  p.as_tf32 = compute == CUBLAS_COMPUTE_32F_FAST_TF32 || (compute == CUBLAS_COMPUTE_32F && a.type == CUDA_R_32F && (handle->math & 15) == CUBLAS_TF32_TENSOR_OP_MATH);
  set_scalars(p, alpha, beta, handle->pointer == CUBLAS_POINTER_MODE_HOST);
  return put_product(handle->stream, p);
}

struct known_cublas_status {
  cublasStatus_t status;
  const char *name, *text;
};
inline constexpr known_cublas_status known_cublas_statuses[] = {
    {CUBLAS_STATUS_SUCCESS, "CUBLAS_STATUS_SUCCESS", "success"},
    {CUBLAS_STATUS_NOT_INITIALIZED, "CUBLAS_STATUS_NOT_INITIALIZED", "the library was not initialized"},
    {CUBLAS_STATUS_ALLOC_FAILED, "CUBLAS_STATUS_ALLOC_FAILED", "the resource allocation failed"},
    {CUBLAS_STATUS_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE", "an unsupported value or parameter was passed to the function"},
    {CUBLAS_STATUS_ARCH_MISMATCH, "CUBLAS_STATUS_ARCH_MISMATCH", "the function requires a feature absent from the device architecture"},
    {CUBLAS_STATUS_MAPPING_ERROR, "CUBLAS_STATUS_MAPPING_ERROR", "an access to GPU memory space failed"},
    {CUBLAS_STATUS_EXECUTION_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED", "the function failed to launch on the GPU"},
    {CUBLAS_STATUS_INTERNAL_ERROR, "CUBLAS_STATUS_INTERNAL_ERROR", "an internal operation failed"},
    {CUBLAS_STATUS_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED", "the requested functionality is not supported"},
    {CUBLAS_STATUS_LICENSE_ERROR, "CUBLAS_STATUS_LICENSE_ERROR", "the requested functionality requires some license"},
};
inline const known_cublas_status* find_cublas_status(cublasStatus_t e) {
  for (const auto& s : known_cublas_statuses)
    if (s.status == e) return &s;
  return nullptr;
}

}  // namespace emulated

extern "C" {

inline const char* cublasGetStatusName(cublasStatus_t e) {
  const auto* const s = emulated::find_cublas_status(e);
  return s ? s->name : "CUBLAS_STATUS_UNKNOWN";
}
inline const char* cublasGetStatusString(cublasStatus_t e) {
  const auto* const s = emulated::find_cublas_status(e);
  return s ? s->text : "unknown status";
}

/// Allocates, so that it is refused in a capture and counted.
inline cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  if (!handle) return CUBLAS_STATUS_INVALID_VALUE;
  if (emulated::no_device) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (emulated::unsafe_in_capture()) return CUBLAS_STATUS_ALLOC_FAILED;
  emulated::count_allocation("cublasCreate");
  *handle = new cublasContext;
  emulated::cublas_handles.insert(*handle);
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  if (!emulated::cublas_handles.erase(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  emulated::count_allocation("cublasDestroy"), emulated::count_wait("cublasDestroy");
  return delete handle, CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasGetVersion_v2(cublasHandle_t, int* version) { return *version = CUBLAS_VERSION, CUBLAS_STATUS_SUCCESS; }
/// The workspace is the handle's own again.
inline cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  if (!emulated::cublas_handles.count(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  handle->stream = stream, handle->workspace = nullptr, handle->workspace_bytes = 0;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t* stream) {
  if (!emulated::cublas_handles.count(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  return *stream = handle->stream, CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void* workspace, std::size_t bytes) {
  if (!emulated::cublas_handles.count(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (bytes && !emulated::lies_in(emulated::region_near(workspace), workspace, bytes)) return CUBLAS_STATUS_INVALID_VALUE;
  handle->workspace = workspace, handle->workspace_bytes = bytes;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
  if (!emulated::cublas_handles.count(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  return handle->math = mode, CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode) {
  if (!emulated::cublas_handles.count(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  return *mode = handle->math, CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode) {
  if (!emulated::cublas_handles.count(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  return handle->pointer = mode, CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t* mode) {
  if (!emulated::cublas_handles.count(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  return *mode = handle->pointer, CUBLAS_STATUS_SUCCESS;
}

inline cublasStatus_t cublasGemmEx_64(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, std::int64_t m, std::int64_t n, std::int64_t k, const void* alpha, const void* a, cudaDataType a_type,
                                      std::int64_t lda, const void* b, cudaDataType b_type, std::int64_t ldb, const void* beta, void* c, cudaDataType c_type, std::int64_t ldc, cublasComputeType_t compute,
                                      cublasGemmAlgo_t) {
  return emulated::gemm(handle, op_a, op_b, m, n, k, alpha, {a, a_type, lda, 0, false}, {b, b_type, ldb, 0, false}, beta, {c, c_type, ldc, 0, false}, 1, compute);
}
inline cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k, const void* alpha, const void* a, cudaDataType a_type, int lda, const void* b,
                                   cudaDataType b_type, int ldb, const void* beta, void* c, cudaDataType c_type, int ldc, cublasComputeType_t compute, cublasGemmAlgo_t algorithm) {
  return cublasGemmEx_64(handle, op_a, op_b, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta, c, c_type, ldc, compute, algorithm);
}
inline cublasStatus_t cublasGemmStridedBatchedEx_64(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, std::int64_t m, std::int64_t n, std::int64_t k, const void* alpha, const void* a,
                                                    cudaDataType a_type, std::int64_t lda, long long stride_a, const void* b, cudaDataType b_type, std::int64_t ldb, long long stride_b, const void* beta, void* c,
                                                    cudaDataType c_type, std::int64_t ldc, long long stride_c, std::int64_t batches, cublasComputeType_t compute, cublasGemmAlgo_t) {
  return emulated::gemm(handle, op_a, op_b, m, n, k, alpha, {a, a_type, lda, stride_a, false}, {b, b_type, ldb, stride_b, false}, beta, {c, c_type, ldc, stride_c, false}, batches, compute);
}
inline cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k, const void* alpha, const void* a, cudaDataType a_type, int lda,
                                                 long long stride_a, const void* b, cudaDataType b_type, int ldb, long long stride_b, const void* beta, void* c, cudaDataType c_type, int ldc, long long stride_c,
                                                 int batches, cublasComputeType_t compute, cublasGemmAlgo_t algorithm) {
  return cublasGemmStridedBatchedEx_64(handle, op_a, op_b, m, n, k, alpha, a, a_type, lda, stride_a, b, b_type, ldb, stride_b, beta, c, c_type, ldc, stride_c, batches, compute, algorithm);
}

}  // extern "C"
