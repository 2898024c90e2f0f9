// Products with a bias, and a gelu after it, in the same kernel, by cuBLASLt.
#pragma once
#include <amphora/cuda/cublas.cuh>        // require_cublas, cublas_state, cublas_type
#include <amphora/cuda/product_plan.cuh>  // gemm, product_name

#include <cublasLt.h>  // cublasLtMatmul

#include <cstddef>  // size_t
#include <cstdint>  // int64_t, uint64_t, uintptr_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// One product with a bias, ready to run: what cuBLASLt wants described, and the kernel that it chose.
struct fused_plan {
  cublasLtMatmulDesc_t work = nullptr;
  cublasLtMatrixLayout_t first = nullptr, second = nullptr, result = nullptr;
  cublasLtMatmulAlgo_t kernel = {};
  bool found = false;

  fused_plan() = default;
  fused_plan(const fused_plan&) = delete;
  fused_plan& operator=(const fused_plan&) = delete;
  ~fused_plan() {
    if (work) cublasLtMatmulDescDestroy(work);
    for (cublasLtMatrixLayout_t layout : {first, second, result})
      if (layout) cublasLtMatrixLayoutDestroy(layout);
  }
};

/// What a plan is for: compute type, formats, sizes, which operands are transposed, alignments, and whether a gelu follows.
struct fused_key {
  std::int64_t at[10];

  bool is(const fused_key& other) const {
    for (int k = 0; k < 10; ++k)
      if (at[k] != other.at[k]) return false;
    return true;
  }
  std::uint64_t hash() const {
    std::uint64_t mixed = 0;
    for (std::int64_t word : at) mixed = (mixed ^ static_cast<std::uint64_t>(word)) * 0x9E3779B97F4A7C15u, mixed ^= mixed >> 32;
    return mixed;
  }
};

/// The plans of a context, looked up once for each shape, format and alignment. Past `most` of them all are forgotten: a program
/// whose shapes never come back does not grow.
struct fused_plans {
  struct entry {
    fused_key key;
    entry* next;
    fused_plan plan;
  };
  static constexpr int most = 4096, rows = 1024;

  entry* row[rows] = {};
  int size = 0;

  fused_plans() = default;
  fused_plans(const fused_plans&) = delete;
  fused_plans& operator=(const fused_plans&) = delete;
  ~fused_plans() { clear(); }

  /// The plan of a key; is_new says that nothing was asked about it yet.
  fused_plan& find(const fused_key& key, bool& is_new) {
    entry*& first = row[key.hash() % rows];
    for (entry* one = first; one; one = one->next)
      if (one->key.is(key)) return is_new = false, one->plan;
    if (size >= most) clear();
    first = new entry{key, first, {}};
    return ++size, is_new = true, first->plan;
  }
  void clear() {
    for (entry*& first : row)
      while (entry* const one = first) first = one->next, delete one;
    size = 0;
  }
};

/// The largest power of two up to 256 that divides an address.
inline std::uint32_t alignment_of(const void* p) {
  const auto bits = reinterpret_cast<std::uintptr_t>(p) | 256u;
  return static_cast<std::uint32_t>(bits & (~bits + 1));
}

/// Describes one product with a bias in the format of the result and asks for a kernel. plan.found says whether there is one.
template <cublasComputeType_t Compute>
void look_up(fused_plan& plan, cublasLtHandle_t handle, const gemm& call, bool gelu, format_id operands, format_id result, const std::uint32_t (&alignment)[3], std::size_t workspace) {
  const auto set = [&](cublasLtMatmulDescAttributes_t name, const auto& value) {
    require_cublas(cublasLtMatmulDescSetAttribute(plan.work, name, &value, sizeof value), "cublasLtMatmulDescSetAttribute");
  };
  const auto layout = [&](cublasLtMatrixLayout_t& made, format_id format, std::int64_t rows, std::int64_t columns, std::int64_t ld) {
    require_cublas(cublasLtMatrixLayoutCreate(&made, cublas_type(format), static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(columns), ld), "cublasLtMatrixLayoutCreate");
  };
  constexpr cudaDataType_t scalar = Compute == CUBLAS_COMPUTE_64F ? CUDA_R_64F : Compute == CUBLAS_COMPUTE_16F ? CUDA_R_16F : CUDA_R_32F;
  require_cublas(cublasLtMatmulDescCreate(&plan.work, Compute, scalar), "cublasLtMatmulDescCreate");
  set(CUBLASLT_MATMUL_DESC_TRANSA, call.first_transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
  set(CUBLASLT_MATMUL_DESC_TRANSB, call.second_transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
  set(CUBLASLT_MATMUL_DESC_EPILOGUE, gelu ? CUBLASLT_EPILOGUE_GELU_BIAS : CUBLASLT_EPILOGUE_BIAS);
  const bool ft = call.first_transposed, st = call.second_transposed;
  layout(plan.first, operands, ft ? call.depth : call.rows, ft ? call.rows : call.depth, call.first_ld);
  layout(plan.second, operands, st ? call.columns : call.depth, st ? call.depth : call.columns, call.second_ld);
  layout(plan.result, result, call.rows, call.columns, call.result_ld);

  struct wish {
    cublasLtMatmulPreference_t value = nullptr;
    ~wish() {
      if (value) cublasLtMatmulPreferenceDestroy(value);
    }
  } preference;
  require_cublas(cublasLtMatmulPreferenceCreate(&preference.value), "cublasLtMatmulPreferenceCreate");
  const auto prefer = [&](cublasLtMatmulPreferenceAttributes_t name, const auto& value) {
    require_cublas(cublasLtMatmulPreferenceSetAttribute(preference.value, name, &value, sizeof value), "cublasLtMatmulPreferenceSetAttribute");
  };
  prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, workspace);
  // Parts of a sum may meet in float, never in the result's 16 bits: one rounding.
  prefer(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, static_cast<std::uint32_t>(CUBLASLT_REDUCTION_SCHEME_NONE | CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE));
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment[0]);
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment[1]);
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment[2]);
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment[2]);
  cublasLtMatmulHeuristicResult_t best = {};
  int count = 0;
  const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(handle, plan.work, plan.first, plan.second, plan.result, plan.result, preference.value, 1, &best, &count);
  plan.found = status == CUBLAS_STATUS_SUCCESS && count > 0 && best.state == CUBLAS_STATUS_SUCCESS, plan.kernel = best.algo;
}

/// c = op(a) · op(b) + bias, or its gelu (by tanh), rounded once. False, and nothing is done, where cuBLASLt has no kernel for it.
///
/// bias  [n], in the format of c
template <cublasComputeType_t Compute>
bool run_fused(cuda_context& context, const product_name& name, const void* a, const void* b, void* c, const void* bias) {
  const gemm call(name.p);
  if (call.rows < 2 || call.columns < 2 || call.depth < 2) return false;  // vectors are cuBLAS's own
  cublas_state& state = context.cache<cublas_state>();
  const auto handle = reinterpret_cast<cublasLtHandle_t>(state.handle());  // "any valid cublasHandle_t can be used in place of cublasLtHandle_t"
  const std::uint32_t end = alignment_of(c) < alignment_of(bias) ? alignment_of(c) : alignment_of(bias), alignment[3] = {alignment_of(b), alignment_of(a), end};
  const fused_key key = {{Compute, static_cast<int>(name.operands) * 16 + static_cast<int>(name.result), call.rows, call.columns, call.depth,
      call.first_transposed * 2 + call.second_transposed, alignment[0], alignment[1], alignment[2], name.p.gelu}};
  bool is_new = false;
  fused_plan& plan = context.cache<fused_plans>().find(key, is_new);
  if (is_new) look_up<Compute>(plan, handle, call, name.p.gelu, name.operands, name.result, alignment, state.workspace_bytes());
  if (!plan.found) return false;
  void* const memory = state.workspace();
  require_cublas(cublasLtMatmulDescSetAttribute(plan.work, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof bias), "cublasLtMatmulDescSetAttribute");
  const auto one = cublas_scalar<cublas_scalar_t<Compute>>(1), zero = cublas_scalar<cublas_scalar_t<Compute>>(0);
  require_cublas(cublasLtMatmul(handle, plan.work, &one, b, plan.first, a, plan.second, &zero, c, plan.result, c, plan.result, &plan.kernel, memory, state.workspace_bytes(), context.stream()),
                 "cublasLtMatmul", name);
  return true;
}

}}}  // namespace amphora::detail
