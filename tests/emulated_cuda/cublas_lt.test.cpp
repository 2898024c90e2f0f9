#include "run.hpp"

#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <cstdint>

namespace {

/// A product of floats that is described step by step: d = epilogue(op(a) · op(b) + beta · c).
struct described {
  cublasLtMatmulDesc_t work = nullptr;
  cublasLtMatrixLayout_t a = nullptr, b = nullptr, d = nullptr;
  cublasLtMatmulPreference_t preference = nullptr;
  described(int m, int n, int k, bool ta, bool tb, cudaDataType_t type = CUDA_R_32F, cublasComputeType_t compute = CUBLAS_COMPUTE_32F) {
    REQUIRE(cublasLtMatmulDescCreate(&work, compute, compute == CUBLAS_COMPUTE_64F ? CUDA_R_64F : CUDA_R_32F) == CUBLAS_STATUS_SUCCESS);
    const std::int32_t op_a = ta ? CUBLAS_OP_T : CUBLAS_OP_N, op_b = tb ? CUBLAS_OP_T : CUBLAS_OP_N;
    set(CUBLASLT_MATMUL_DESC_TRANSA, op_a), set(CUBLASLT_MATMUL_DESC_TRANSB, op_b);
    layout(a, type, ta ? k : m, ta ? m : k), layout(b, type, tb ? n : k, tb ? k : n), layout(d, type, m, n);
    REQUIRE(cublasLtMatmulPreferenceCreate(&preference) == CUBLAS_STATUS_SUCCESS);
    for (const auto name : {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES}) prefer(name, 4);
  }
  described(const described&) = delete;
  described& operator=(const described&) = delete;
  ~described() {
    cublasLtMatmulPreferenceDestroy(preference), cublasLtMatmulDescDestroy(work);
    for (const auto l : {a, b, d}) cublasLtMatrixLayoutDestroy(l);
  }
  static void layout(cublasLtMatrixLayout_t& l, cudaDataType_t type, int rows, int columns) {
    REQUIRE(cublasLtMatrixLayoutCreate(&l, type, static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(columns), rows) == CUBLAS_STATUS_SUCCESS);
  }
  template <class T> void set(cublasLtMatmulDescAttributes_t name, T value) { REQUIRE(cublasLtMatmulDescSetAttribute(work, name, &value, sizeof value) == CUBLAS_STATUS_SUCCESS); }
  template <class T> static void set(cublasLtMatrixLayout_t l, cublasLtMatrixLayoutAttribute_t name, T value) { REQUIRE(cublasLtMatrixLayoutSetAttribute(l, name, &value, sizeof value) == CUBLAS_STATUS_SUCCESS); }
  void prefer(cublasLtMatmulPreferenceAttributes_t name, std::uint32_t value) { REQUIRE(cublasLtMatmulPreferenceSetAttribute(preference, name, &value, sizeof value) == CUBLAS_STATUS_SUCCESS); }
  cublasStatus_t ask(cublasLtHandle_t h, cublasLtMatmulHeuristicResult_t& best) const {
    int found = -1;
    const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(h, work, a, b, d, d, preference, 1, &best, &found);
    CHECK(found == (status == CUBLAS_STATUS_SUCCESS));
    return status;
  }
  template <class T> cublasStatus_t run(cublasLtHandle_t h, const T* on_a, const T* on_b, T* on_d, float beta = 0, const cublasLtMatmulAlgo_t* kernel = nullptr) const {
    const float alpha = 1;
    return cublasLtMatmul(h, work, &alpha, on_a, a, on_b, b, &beta, on_d, d, on_d, d, kernel, nullptr, 0, nullptr);
  }
};
struct handle {
  cublasLtHandle_t of = nullptr;
  handle() { REQUIRE(cublasLtCreate(&of) == CUBLAS_STATUS_SUCCESS); }
  ~handle() { cublasLtDestroy(of); }
};
std::vector<float> some(int n, double seed) {
  std::vector<float> x;
  for (int i = 0; i < n; ++i) x.push_back(static_cast<float>(std::sin(1.3 * i + seed)));
  return x;
}
double gelu(double x) { return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x))); }

}  // namespace

TEST_CASE("a described product is that of a plain loop in double, with each epilogue and transposition") {
  const handle h;
  const int m = 5, n = 4, k = 7;
  const auto a = some(m * k, 1), b = some(k * n, 2), bias = some(m, 3), c = some(m * n, 4);
  const numbers<float> on_a(a), on_b(b), on_bias(bias);
  for (const std::uint32_t epilogue : {CUBLASLT_EPILOGUE_DEFAULT, CUBLASLT_EPILOGUE_RELU, CUBLASLT_EPILOGUE_BIAS, CUBLASLT_EPILOGUE_RELU_BIAS, CUBLASLT_EPILOGUE_GELU, CUBLASLT_EPILOGUE_GELU_BIAS})
    for (const bool ta : {false, true})
      for (const bool tb : {false, true})
        for (const float beta : {0.0f, 0.5f}) {
          const numbers<float> on_d(c);
          described p(m, n, k, ta, tb);
          p.set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue);
          p.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, static_cast<const void*>(on_bias.data()));
          cublasLtMatmulHeuristicResult_t best;
          REQUIRE(p.ask(h.of, best) == CUBLAS_STATUS_SUCCESS);
          REQUIRE(p.run(h.of, on_a.data(), on_b.data(), on_d.data(), beta, &best.algo) == CUBLAS_STATUS_SUCCESS);
          const auto have = on_d.get();
          int wrong = 0;
          for (int j = 0; j < n; ++j)
            for (int i = 0; i < m; ++i) {
              double want = static_cast<double>(beta * c[static_cast<std::size_t>(i + j * m)]);
              for (int l = 0; l < k; ++l) want += static_cast<double>(a[static_cast<std::size_t>(ta ? l + i * k : i + l * m)]) * static_cast<double>(b[static_cast<std::size_t>(tb ? j + l * n : l + j * k)]);
              if (epilogue & CUBLASLT_EPILOGUE_BIAS) want += static_cast<double>(bias[static_cast<std::size_t>(i)]);
              if (epilogue & CUBLASLT_EPILOGUE_RELU) want = want > 0 ? want : 0;
              if (epilogue & CUBLASLT_EPILOGUE_GELU) want = gelu(want);
              wrong += !(std::abs(static_cast<double>(have[static_cast<std::size_t>(i + j * m)]) - want) < 20 * 0x1p-24 * k);
            }
          CAPTURE(epilogue);
          CHECK(wrong == 0);
        }
}

TEST_CASE("a bias is added before the one rounding") {
  const handle h;
  const numbers<__half> a(std::vector<__half>{__float2half_rn(1 + 0x1p-10f)}), b(std::vector<__half>{__float2half_rn(1 + 0x1p-10f)}), bias(std::vector<__half>{__float2half_rn(-1 - 0x1p-9f)}), d(1);
  described p(1, 1, 1, false, false, CUDA_R_16F);
  p.set(CUBLASLT_MATMUL_DESC_EPILOGUE, static_cast<std::uint32_t>(CUBLASLT_EPILOGUE_BIAS));
  p.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, static_cast<const void*>(bias.data()));
  p.set(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, static_cast<std::int32_t>(CUDA_R_16F));
  REQUIRE(p.run(h.of, a.data(), b.data(), d.data()) == CUBLAS_STATUS_SUCCESS);
  CHECK(__half2float(d.get()[0]) == 0x1p-20f);  // 1 + 2^-9 + 2^-20 in half has lost its end
}

TEST_CASE("matrices by rows, and batches with strides") {
  const handle h;
  const std::vector<float> x = {1, 2, 3, 4, 5, 6};  // 2 rows of 3, by rows
  const numbers<float> a(x), b(std::vector<float>{1, 0, 0, 0, 1, 0, 0, 0, 2}), d(6);
  described p(2, 3, 3, false, false);
  for (const auto l : {p.a, p.d}) {
    described::set(l, CUBLASLT_MATRIX_LAYOUT_ORDER, static_cast<std::int32_t>(CUBLASLT_ORDER_ROW));
    described::set(l, CUBLASLT_MATRIX_LAYOUT_LD, std::int64_t(3));
  }
  REQUIRE(p.run(h.of, a.data(), b.data(), d.data()) == CUBLAS_STATUS_SUCCESS);
  CHECK(d.get() == std::vector<float>{1, 2, 6, 4, 5, 12});

  described q(1, 1, 1, false, false);
  for (const auto l : {q.a, q.b, q.d}) described::set(l, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, std::int32_t(3));
  described::set(q.a, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, std::int64_t(2));
  described::set(q.d, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, std::int64_t(1));
  REQUIRE(q.run(h.of, a.data(), b.data(), d.data()) == CUBLAS_STATUS_SUCCESS);  // b is the same for all
  CHECK(d.get() == std::vector<float>{1, 3, 5, 4, 5, 12});
}

TEST_CASE("what is not supported, or does not fit, is refused when asked and when run") {
  const handle h;
  const numbers<float> x(std::vector<float>(64, 1));
  cublasLtMatmulHeuristicResult_t best;
  described p(4, 4, 4, false, false);
  CHECK(p.ask(h.of, best) == CUBLAS_STATUS_SUCCESS);
  p.set(CUBLASLT_MATMUL_DESC_EPILOGUE, static_cast<std::uint32_t>(CUBLASLT_EPILOGUE_GELU_AUX));
  CHECK(p.ask(h.of, best) == CUBLAS_STATUS_NOT_SUPPORTED);
  CHECK(p.run(h.of, x.data(), x.data(), x.data()) == CUBLAS_STATUS_NOT_SUPPORTED);
  p.set(CUBLASLT_MATMUL_DESC_EPILOGUE, static_cast<std::uint32_t>(CUBLASLT_EPILOGUE_BIAS));
  CHECK(p.run(h.of, x.data(), x.data(), x.data()) == CUBLAS_STATUS_INVALID_VALUE);  // no bias given
  described::set(p.b, CUBLASLT_MATRIX_LAYOUT_ROWS, std::uint64_t(5));
  CHECK(p.ask(h.of, best) == CUBLAS_STATUS_INVALID_VALUE);
  described q(4, 4, 4, false, false, CUDA_R_64F, CUBLAS_COMPUTE_32F);
  CHECK(q.ask(h.of, best) == CUBLAS_STATUS_NOT_SUPPORTED);
  described r(4, 4, 4, false, false);
  described::set(r.a, CUBLASLT_MATRIX_LAYOUT_LD, std::int64_t(3));
  CHECK(r.ask(h.of, best) == CUBLAS_STATUS_INVALID_VALUE);
  const std::int64_t wrong_size = 1;
  CHECK(cublasLtMatmulDescSetAttribute(p.work, CUBLASLT_MATMUL_DESC_TRANSA, &wrong_size, sizeof wrong_size) == CUBLAS_STATUS_INVALID_VALUE);
  const float one = 1, zero = 0;
  described w(1, 1, 1, false, false);
  CHECK(cublasLtMatmul(h.of, w.work, &one, x.data(), w.a, x.data(), w.b, &zero, x.data(), w.d, x.data(), w.d, nullptr, x.data(), 257, nullptr) == CUBLAS_STATUS_INVALID_VALUE);  // the workspace has 256
  CHECK(cublasLtMatmul(h.of, w.work, &one, x.data(), w.a, x.data(), w.b, &zero, x.data(), w.d, x.data(), w.d, nullptr, x.data(), 256, nullptr) == CUBLAS_STATUS_SUCCESS);
}

TEST_CASE("a kernel that was chosen for aligned memory is not given other memory") {
  const handle h;
  const numbers<float> x(std::vector<float>(16, 1)), y(16);
  described p(1, 1, 1, false, false);
  p.prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, 16);
  cublasLtMatmulHeuristicResult_t best;
  REQUIRE(p.ask(h.of, best) == CUBLAS_STATUS_SUCCESS);
  CHECK(p.run(h.of, x.data(), x.data() + 1, y.data() + 1, 0, &best.algo) == CUBLAS_STATUS_SUCCESS);
  CHECK(has(thrown([&] { p.run(h.of, x.data() + 1, x.data(), y.data(), 0, &best.algo); }), "a is not aligned to the 16 bytes"));
}

TEST_CASE("operands of a described product are checked, its bias too") {
  const handle h;
  const numbers<float> x(std::vector<float>(16, 1)), y(16), fresh(4);
  described p(4, 4, 4, false, false);
  p.set(CUBLASLT_MATMUL_DESC_EPILOGUE, static_cast<std::uint32_t>(CUBLASLT_EPILOGUE_BIAS));
  p.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, static_cast<const void*>(fresh.data()));
  CHECK(has(thrown([&] { p.run(h.of, x.data(), x.data(), y.data()); }), "a read of memory never written"));
  p.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, static_cast<const void*>(x.data() + 13));
  CHECK(has(thrown([&] { p.run(h.of, x.data(), x.data(), y.data()); }), "an access outside every allocation"));
  p.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, static_cast<const void*>(x.data()));
  CHECK(p.run(h.of, x.data(), x.data(), y.data()) == CUBLAS_STATUS_SUCCESS);
  CHECK(y.get() == std::vector<float>(16, 5));
}

TEST_CASE("a handle of cuBLAS serves cuBLASLt too") {
  cublasHandle_t full = nullptr;
  REQUIRE(cublasCreate(&full) == CUBLAS_STATUS_SUCCESS);
  const numbers<float> x(std::vector<float>{3}), y(1);
  described p(1, 1, 1, false, false);
  CHECK(p.run(reinterpret_cast<cublasLtHandle_t>(full), x.data(), x.data(), y.data()) == CUBLAS_STATUS_SUCCESS);
  CHECK(y.get()[0] == 9);
  REQUIRE(cublasDestroy(full) == CUBLAS_STATUS_SUCCESS);
  CHECK(p.run(reinterpret_cast<cublasLtHandle_t>(full), x.data(), x.data(), y.data()) == CUBLAS_STATUS_NOT_INITIALIZED);
}
