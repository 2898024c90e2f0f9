// cuBLASLt: products described piece by piece, with a bias or an activation before the one rounding.
#pragma once
#include "cublas.hpp"           // put_product, cublas_handles
#include "cublas_lt_types.hpp"  // cublasLtMatmulDesc_t
#include "product.hpp"          // matrix_product

#include <cstring>  // memcpy

struct cublasLtContext {};

namespace emulated {

/// Reads an attribute of the size that it has; false where the caller's has another.
template <class T>
bool take(T& to, const void* from, std::size_t bytes) {
  if (!from || bytes != sizeof(T)) return false;
  return std::memcpy(&to, from, bytes), true;
}
inline cublasStatus_t taken(bool ok) { return ok ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE; }

inline matrix matrix_of(const cublasLtMatrixLayoutOpaque_t& l, const void* data, bool transposed) { return {data, l.type, l.ld, l.stride, transposed != (l.order == CUBLASLT_ORDER_ROW)}; }
inline bool has_valid_ld(const cublasLtMatrixLayoutOpaque_t& l) { return l.ld >= static_cast<std::int64_t>(l.order == CUBLASLT_ORDER_ROW ? l.columns : l.rows); }

/// The product that is described, without its addresses; what is wrong with it.
inline cublasStatus_t described(const cublasLtMatmulDescOpaque_t* w, const cublasLtMatrixLayoutOpaque_t* a, const cublasLtMatrixLayoutOpaque_t* b, const cublasLtMatrixLayoutOpaque_t* c,
                                const cublasLtMatrixLayoutOpaque_t* d, matrix_product& p) {
  if (!w || !a || !b || !c || !d) return CUBLAS_STATUS_INVALID_VALUE;
  const bool ta = w->op_a != CUBLAS_OP_N, tb = w->op_b != CUBLAS_OP_N;
  const std::uint64_t m = ta ? a->columns : a->rows, k = ta ? a->rows : a->columns, n = tb ? b->rows : b->columns;
  if ((tb ? b->columns : b->rows) != k || d->rows != m || d->columns != n || c->rows != m || c->columns != n || m == 0 || n == 0) return CUBLAS_STATUS_INVALID_VALUE;
  if (a->batches != d->batches || b->batches != d->batches || c->batches != d->batches) return CUBLAS_STATUS_INVALID_VALUE;
  for (const auto* l : {a, b, c, d})
    if (!has_valid_ld(*l)) return CUBLAS_STATUS_INVALID_VALUE;
  if (w->scale != scalar_type(w->compute) || c->type != d->type || !is_supported(w->compute, a->type, b->type, d->type)) return CUBLAS_STATUS_NOT_SUPPORTED;
  const bool relu = w->epilogue & CUBLASLT_EPILOGUE_RELU, gelu = w->epilogue & CUBLASLT_EPILOGUE_GELU, bias = w->epilogue & CUBLASLT_EPILOGUE_BIAS;
  const std::uint32_t known = CUBLASLT_EPILOGUE_DEFAULT | CUBLASLT_EPILOGUE_RELU | CUBLASLT_EPILOGUE_BIAS | CUBLASLT_EPILOGUE_GELU;
  if ((w->epilogue & ~known) || (relu && gelu) || ((relu || gelu || bias) && scalar_type(w->compute) == CUDA_R_64F)) return CUBLAS_STATUS_NOT_SUPPORTED;
  const auto bias_type = w->bias_type < 0 ? d->type : static_cast<cudaDataType_t>(w->bias_type);
  if (bias && bias_type != d->type) return CUBLAS_STATUS_NOT_SUPPORTED;
  p.m = static_cast<std::int64_t>(m), p.n = static_cast<std::int64_t>(n), p.k = static_cast<std::int64_t>(k), p.batches = d->batches, p.compute = w->compute;
  p.as_tf32 = w->compute == CUBLAS_COMPUTE_32F_FAST_TF32;
  p.end.relu = relu, p.end.gelu = gelu, p.end.bias_type = bias_type, p.end.bias_stride = w->bias_stride;
  return CUBLAS_STATUS_SUCCESS;
}
inline void require_alignment(const char* which, const void* p, std::uint64_t alignment) {
  if (alignment && reinterpret_cast<std::uintptr_t>(p) % alignment) fail(std::string("cublasLtMatmul: ") + which + " is not aligned to the " + std::to_string(alignment) + " bytes that its kernel was chosen for");
}

}  // namespace emulated

extern "C" {

inline const char* cublasLtGetStatusName(cublasStatus_t e) { return cublasGetStatusName(e); }
inline const char* cublasLtGetStatusString(cublasStatus_t e) { return cublasGetStatusString(e); }
inline std::size_t cublasLtGetVersion() { return CUBLAS_VERSION; }

inline cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  if (!handle) return CUBLAS_STATUS_INVALID_VALUE;
  if (emulated::no_device) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (emulated::unsafe_in_capture()) return CUBLAS_STATUS_ALLOC_FAILED;
  emulated::count_allocation("cublasLtCreate");
  *handle = new cublasLtContext;
  emulated::cublas_handles.insert(*handle);
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  if (!emulated::cublas_handles.erase(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  emulated::count_allocation("cublasLtDestroy"), emulated::count_wait("cublasLtDestroy");
  return delete handle, CUBLAS_STATUS_SUCCESS;
}

inline cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* made, cudaDataType type, std::uint64_t rows, std::uint64_t columns, std::int64_t ld) {
  if (!made) return CUBLAS_STATUS_INVALID_VALUE;
  *made = new cublasLtMatrixLayoutOpaque_t{type, CUBLASLT_ORDER_COL, 1, rows, columns, ld, 0};
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) { return delete layout, CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t name, const void* value, std::size_t bytes) {
  using emulated::take;
  if (!layout) return CUBLAS_STATUS_INVALID_VALUE;
  switch (name) {
    case CUBLASLT_MATRIX_LAYOUT_TYPE: return emulated::taken(take(layout->type, value, bytes));
    case CUBLASLT_MATRIX_LAYOUT_ORDER: return emulated::taken(take(layout->order, value, bytes) && (layout->order == CUBLASLT_ORDER_COL || layout->order == CUBLASLT_ORDER_ROW));
    case CUBLASLT_MATRIX_LAYOUT_ROWS: return emulated::taken(take(layout->rows, value, bytes));
    case CUBLASLT_MATRIX_LAYOUT_COLS: return emulated::taken(take(layout->columns, value, bytes));
    case CUBLASLT_MATRIX_LAYOUT_LD: return emulated::taken(take(layout->ld, value, bytes));
    case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT: return emulated::taken(take(layout->batches, value, bytes));
    case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET: return emulated::taken(take(layout->stride, value, bytes));
  }
  return CUBLAS_STATUS_INVALID_VALUE;
}

inline cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* made, cublasComputeType_t compute, cudaDataType_t scale) {
  if (!made) return CUBLAS_STATUS_INVALID_VALUE;
  *made = new cublasLtMatmulDescOpaque_t{compute, scale, CUBLASLT_POINTER_MODE_HOST, CUBLAS_OP_N, CUBLAS_OP_N, -1, CUBLASLT_EPILOGUE_DEFAULT, nullptr, nullptr, 0, 0};
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t work) { return delete work, CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t work, cublasLtMatmulDescAttributes_t name, const void* value, std::size_t bytes) {
  using emulated::take;
  if (!work) return CUBLAS_STATUS_INVALID_VALUE;
  switch (name) {
    case CUBLASLT_MATMUL_DESC_COMPUTE_TYPE: return emulated::taken(take(work->compute, value, bytes));
    case CUBLASLT_MATMUL_DESC_SCALE_TYPE: return emulated::taken(take(work->scale, value, bytes));
    case CUBLASLT_MATMUL_DESC_POINTER_MODE: return emulated::taken(take(work->pointer, value, bytes) && work->pointer <= CUBLASLT_POINTER_MODE_DEVICE);
    case CUBLASLT_MATMUL_DESC_TRANSA: return emulated::taken(take(work->op_a, value, bytes));
    case CUBLASLT_MATMUL_DESC_TRANSB: return emulated::taken(take(work->op_b, value, bytes));
    case CUBLASLT_MATMUL_DESC_EPILOGUE: return emulated::taken(take(work->epilogue, value, bytes));
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER: return emulated::taken(take(work->bias, value, bytes));
    case CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE: return emulated::taken(take(work->bias_stride, value, bytes));
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER: return emulated::taken(take(work->aux, value, bytes));
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD: return emulated::taken(take(work->aux_ld, value, bytes));
    case CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE: return emulated::taken(take(work->bias_type, value, bytes));
  }
  return CUBLAS_STATUS_INVALID_VALUE;
}

inline cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* made) {
  if (!made) return CUBLAS_STATUS_INVALID_VALUE;
  *made = new cublasLtMatmulPreferenceOpaque_t{0, 0, CUBLASLT_REDUCTION_SCHEME_MASK, {256, 256, 256, 256}};
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) { return delete preference, CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference, cublasLtMatmulPreferenceAttributes_t name, const void* value, std::size_t bytes) {
  using emulated::take;
  if (!preference) return CUBLAS_STATUS_INVALID_VALUE;
  switch (name) {
    case CUBLASLT_MATMUL_PREF_SEARCH_MODE: return emulated::taken(take(preference->search, value, bytes));
    case CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES: return emulated::taken(take(preference->workspace, value, bytes));
    case CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK: return emulated::taken(take(preference->schemes, value, bytes));
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES:
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES:
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES:
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES: return emulated::taken(take(preference->alignment[name - CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES], value, bytes));
  }
  return CUBLAS_STATUS_INVALID_VALUE;
}

/// One kernel for all that is supported, which relies on the alignments that it was asked for.
inline cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t work, cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                                     cublasLtMatmulPreference_t preference, int wanted, cublasLtMatmulHeuristicResult_t results[], int* found) {
  if (!emulated::cublas_handles.count(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (wanted < 1 || !results || !found || !preference) return CUBLAS_STATUS_INVALID_VALUE;
  *found = 0;
  emulated::matrix_product p;
  if (const cublasStatus_t e = emulated::described(work, a, b, c, d, p)) return e;
  results[0] = {};
  for (int i = 0; i < 4; ++i) results[0].algo.data[i] = preference->alignment[i];
  results[0].wavesCount = 1, *found = 1;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t work, const void* alpha, const void* a, cublasLtMatrixLayout_t a_layout, const void* b, cublasLtMatrixLayout_t b_layout,
                                     const void* beta, const void* c, cublasLtMatrixLayout_t c_layout, void* d, cublasLtMatrixLayout_t d_layout, const cublasLtMatmulAlgo_t* algorithm, void* workspace,
                                     std::size_t workspace_bytes, cudaStream_t stream) {
  if (!emulated::cublas_handles.count(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (const cublasStatus_t wanted = emulated::failed_product()) return wanted;
  emulated::matrix_product p;
  if (const cublasStatus_t e = emulated::described(work, a_layout, b_layout, c_layout, d_layout, p)) return e;
  if (!alpha || !beta) return CUBLAS_STATUS_INVALID_VALUE;
  if (workspace_bytes && !emulated::lies_in(emulated::region_near(workspace), workspace, workspace_bytes)) return CUBLAS_STATUS_INVALID_VALUE;
  if ((work->epilogue & CUBLASLT_EPILOGUE_BIAS) && !work->bias) return CUBLAS_STATUS_INVALID_VALUE;
  p.a = emulated::matrix_of(*a_layout, a, work->op_a != CUBLAS_OP_N), p.b = emulated::matrix_of(*b_layout, b, work->op_b != CUBLAS_OP_N);
  p.c = emulated::matrix_of(*c_layout, c, false), p.d = emulated::matrix_of(*d_layout, d, false);
  if (work->epilogue & CUBLASLT_EPILOGUE_BIAS) p.end.bias = work->bias;
  emulated::set_scalars(p, alpha, beta, work->pointer == CUBLASLT_POINTER_MODE_HOST);
  if (algorithm) {
    emulated::require_alignment("a", a, algorithm->data[0]), emulated::require_alignment("b", b, algorithm->data[1]);
    emulated::require_alignment("d", d, algorithm->data[3]);
    if (c && p.beta != 0) emulated::require_alignment("c", c, algorithm->data[2]);
  }
  return emulated::put_product(stream, p);
}

}  // extern "C"
