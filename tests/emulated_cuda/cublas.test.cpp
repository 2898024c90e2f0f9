#include "run.hpp"

#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>

namespace {

template <class T> double up(T x) {
  if constexpr (std::is_same_v<T, __half>) return static_cast<double>(__half2float(x));
  else if constexpr (std::is_same_v<T, __nv_bfloat16>) return static_cast<double>(__bfloat162float(x));
  else return static_cast<double>(x);
}
template <class T> T down(double x) {
  if constexpr (std::is_same_v<T, __half>) return __float2half_rn(static_cast<float>(x));
  else if constexpr (std::is_same_v<T, __nv_bfloat16>) return __float2bfloat16_rn(static_cast<float>(x));
  else return static_cast<T>(x);
}
template <class T> constexpr cudaDataType_t type_of() {
  return std::is_same_v<T, __half> ? CUDA_R_16F : std::is_same_v<T, __nv_bfloat16> ? CUDA_R_16BF : std::is_same_v<T, float> ? CUDA_R_32F : CUDA_R_64F;
}
template <class T> double unit() { return std::ldexp(1.0, std::is_same_v<T, __half> ? -11 : std::is_same_v<T, __nv_bfloat16> ? -8 : std::is_same_v<T, float> ? -24 : -53); }

/// Numbers between -1 and 1, other ones for each seed.
template <class T> std::vector<T> some(std::int64_t n, unsigned seed) {
  std::vector<T> x;
  for (std::int64_t i = 0; i < n; ++i) x.push_back(down<T>(std::sin(1.3 * static_cast<double>(i) + seed)));
  return x;
}
struct handle {
  cublasHandle_t of = nullptr;
  handle() { REQUIRE(cublasCreate(&of) == CUBLAS_STATUS_SUCCESS); }
  ~handle() { cublasDestroy(of); }
};

template <class In, class Out, class Scalar, cublasComputeType_t Compute> struct kind {
  using in = In;
  using out = Out;
  using scalar = Scalar;
  static constexpr cublasComputeType_t compute = Compute;
};
using half_half = kind<__half, __half, float, CUBLAS_COMPUTE_32F>;
using half_float = kind<__half, float, float, CUBLAS_COMPUTE_32F>;
using half_in_half = kind<__half, __half, __half, CUBLAS_COMPUTE_16F>;
using brain = kind<__nv_bfloat16, __nv_bfloat16, float, CUBLAS_COMPUTE_32F>;
using brain_float = kind<__nv_bfloat16, float, float, CUBLAS_COMPUTE_32F>;
using single = kind<float, float, float, CUBLAS_COMPUTE_32F>;
using tensor = kind<float, float, float, CUBLAS_COMPUTE_32F_FAST_TF32>;
using fast_half = kind<float, float, float, CUBLAS_COMPUTE_32F_FAST_16F>;
using fast_brain = kind<float, float, float, CUBLAS_COMPUTE_32F_FAST_16BF>;
using twice = kind<double, double, double, CUBLAS_COMPUTE_64F>;

/// How far a product of numbers up to 1 over k may be off.
template <class Kind> double bound(std::int64_t k) {
  const double read = Kind::compute == CUBLAS_COMPUTE_32F_FAST_TF32 || Kind::compute == CUBLAS_COMPUTE_32F_FAST_16F ? std::ldexp(1.0, -10) : Kind::compute == CUBLAS_COMPUTE_32F_FAST_16BF ? std::ldexp(1.0, -7) : 0;
  const double sum = Kind::compute == CUBLAS_COMPUTE_16F ? unit<__half>() : std::is_same_v<typename Kind::scalar, double> ? unit<double>() : unit<float>();
  const double size = static_cast<double>(k) + 1;
  return size * read + size * size * sum + size * unit<typename Kind::out>();
}

}  // namespace

TEST_CASE_TEMPLATE("a product is that of a plain loop in double, for every transposition", Kind, half_half, half_float, half_in_half, brain, brain_float, single, tensor, fast_half, fast_brain, twice) {
  using In = typename Kind::in;
  using Out = typename Kind::out;
  using Scalar = typename Kind::scalar;
  const handle h;
  const int m = 5, n = 4, k = 7, batches = 3;
  for (const bool ta : {false, true})
    for (const bool tb : {false, true})
      for (const double with_beta : {0.0, 0.5}) {
        const int lda = (ta ? k : m) + 2, ldb = (tb ? n : k) + 1, ldc = m + 3;
        const int size_a = lda * (ta ? m : k), size_b = ldb * (tb ? k : n), size_c = ldc * n;
        const auto a = some<In>(batches * size_a, 1), b = some<In>(batches * size_b, 2);
        const auto c = some<Out>(batches * size_c, 3);
        const numbers<In> on_a(a), on_b(b);
        const numbers<Out> on_c(c), on_one(c);
        const Scalar alpha = down<Scalar>(0.75), beta = down<Scalar>(with_beta);
        REQUIRE(cublasGemmStridedBatchedEx(h.of, ta ? CUBLAS_OP_T : CUBLAS_OP_N, tb ? CUBLAS_OP_T : CUBLAS_OP_N, m, n, k, &alpha, on_a.data(), type_of<In>(), lda, size_a, on_b.data(), type_of<In>(), ldb, size_b, &beta,
                                           on_c.data(), type_of<Out>(), ldc, size_c, batches, Kind::compute, CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_SUCCESS);
        REQUIRE(cublasGemmEx(h.of, ta ? CUBLAS_OP_C : CUBLAS_OP_N, tb ? CUBLAS_OP_T : CUBLAS_OP_N, m, n, k, &alpha, on_a.data(), type_of<In>(), lda, on_b.data(), type_of<In>(), ldb, &beta, on_one.data(), type_of<Out>(), ldc,
                             Kind::compute, CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_SUCCESS);
        const auto have = on_c.get(), one = on_one.get();
        int wrong = 0;
        for (int q = 0; q < batches; ++q)
          for (int j = 0; j < n; ++j)
            for (int i = 0; i < ldc; ++i) {
              const auto at = static_cast<std::size_t>(q * size_c + i + j * ldc);
              double want = up(c[at]);
              if (i < m) {
                want *= with_beta;
                for (int l = 0; l < k; ++l)
                  want += 0.75 * up(a[static_cast<std::size_t>(q * size_a + (ta ? l + i * lda : i + l * lda))]) * up(b[static_cast<std::size_t>(q * size_b + (tb ? j + l * ldb : l + j * ldb))]);
              }
              wrong += !(std::abs(up(have[at]) - want) <= (i < m ? bound<Kind>(k) : 0));
              if (q == 0) wrong += up(one[at]) != up(have[at]);
            }
        CAPTURE(ta);
        CAPTURE(tb);
        CHECK(wrong == 0);
      }
}

TEST_CASE("sums are rounded as the compute type says") {
  const handle h;
  std::vector<__half> a(4096, __float2half_rn(1.0f));
  const numbers<__half> on_a(a), on_b(a), c(1);
  const __half one = __float2half_rn(1.0f), zero = __float2half_rn(0.0f);
  REQUIRE(cublasGemmEx(h.of, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 4096, &one, on_a.data(), CUDA_R_16F, 1, on_b.data(), CUDA_R_16F, 4096, &zero, c.data(), CUDA_R_16F, 1, CUBLAS_COMPUTE_16F, CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_SUCCESS);
  CHECK(up(c.get()[0]) == 2048);
  const float f1 = 1, f0 = 0;
  REQUIRE(cublasGemmEx(h.of, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 4096, &f1, on_a.data(), CUDA_R_16F, 1, on_b.data(), CUDA_R_16F, 4096, &f0, c.data(), CUDA_R_16F, 1, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_SUCCESS);
  CHECK(up(c.get()[0]) == 4096);
}

TEST_CASE("TF32 keeps eleven bits of a float, where it is asked for in either way") {
  const handle h;
  const numbers<float> a(std::vector<float>{1 + 0x1p-11f + 0x1p-20f}), b(std::vector<float>{1}), c(1);
  const float one = 1, zero = 0;
  const auto product = [&](cublasComputeType_t compute) {
    REQUIRE(cublasGemmEx(h.of, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, a.data(), CUDA_R_32F, 1, b.data(), CUDA_R_32F, 1, &zero, c.data(), CUDA_R_32F, 1, compute, CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_SUCCESS);
    return c.get()[0];
  };
  CHECK(product(CUBLAS_COMPUTE_32F) == 1 + 0x1p-11f + 0x1p-20f);
  CHECK(product(CUBLAS_COMPUTE_32F_FAST_TF32) == 1 + 0x1p-10f);
  REQUIRE(cublasSetMathMode(h.of, CUBLAS_TF32_TENSOR_OP_MATH) == CUBLAS_STATUS_SUCCESS);
  cublasMath_t mode = CUBLAS_DEFAULT_MATH;
  REQUIRE(cublasGetMathMode(h.of, &mode) == CUBLAS_STATUS_SUCCESS);
  CHECK(mode == CUBLAS_TF32_TENSOR_OP_MATH);
  CHECK(product(CUBLAS_COMPUTE_32F) == 1 + 0x1p-10f);
  CHECK(product(CUBLAS_COMPUTE_32F_PEDANTIC) == 1 + 0x1p-11f + 0x1p-20f);
}

TEST_CASE("beta 0 does not read the result, k 0 reads no operand, and an empty result does nothing") {
  const handle h;
  const float one = 1, zero = 0, half = 0.5f;
  const numbers<float> a(std::vector<float>(4, 1)), fresh(4), c(std::vector<float>(4, 8));
  const auto product = [&](int m, int n, int k, const float* x, const float* beta, float* y) {
    return cublasGemmEx(h.of, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, x, CUDA_R_32F, 2, a.data(), CUDA_R_32F, 2, beta, y, CUDA_R_32F, 2, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  };
  CHECK(has(thrown([&] { product(2, 2, 2, a.data(), &one, fresh.data()); }), "a read of memory never written"));
  REQUIRE(product(2, 2, 2, a.data(), &zero, fresh.data()) == CUBLAS_STATUS_SUCCESS);
  CHECK(fresh.get() == std::vector<float>(4, 2));
  REQUIRE(product(2, 2, 0, nullptr, &half, c.data()) == CUBLAS_STATUS_SUCCESS);
  CHECK(c.get() == std::vector<float>(4, 4));
  REQUIRE(product(0, 2, 2, nullptr, &half, nullptr) == CUBLAS_STATUS_SUCCESS);
}

TEST_CASE("operands and results of a product are checked") {
  const handle h;
  const float one = 1, zero = 0;
  const numbers<float> a(std::vector<float>(6, 1)), fresh(6), c(6);
  const auto product = [&](int m, int n, int k, const float* x, const float* y, float* z) {
    cublasGemmEx(h.of, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, x, CUDA_R_32F, m, y, CUDA_R_32F, k, &zero, z, CUDA_R_32F, m, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  };
  CHECK(thrown([&] { product(2, 2, 3, a.data(), a.data(), c.data()); }).empty());
  CHECK(has(thrown([&] { product(2, 2, 4, a.data(), a.data(), c.data()); }), "an access outside every allocation"));
  CHECK(has(thrown([&] { product(2, 3, 3, a.data(), a.data(), c.data()); }), "an access outside every allocation"));
  CHECK(has(thrown([&] { product(3, 2, 2, a.data(), a.data(), c.data() + 1); }), "an access outside every allocation"));
  CHECK(has(thrown([&] { product(2, 2, 3, fresh.data(), a.data(), c.data()); }), "a read of memory never written"));
  CHECK(has(thrown([&] { product(2, 2, 3, a.data(), &one, c.data()); }), "memory of the host"));
  CHECK(has(thrown([&] { product(1, 1, 1, reinterpret_cast<float*>(reinterpret_cast<char*>(a.data()) + 2), a.data(), c.data()); }), "a misaligned matrix"));
}

TEST_CASE("a product with wrong arguments is refused by name") {
  const handle h;
  const float one = 1, zero = 0;
  const numbers<float> x(std::vector<float>(16, 1));
  const auto product = [&](cublasOperation_t op, int m, int lda, cudaDataType_t in, cudaDataType_t out, cublasComputeType_t compute) {
    return cublasGemmEx_64(h.of, op, CUBLAS_OP_N, m, 2, 3, &one, x.data(), in, lda, x.data(), in, 3, &zero, x.data(), out, 4, compute, CUBLAS_GEMM_DEFAULT);
  };
  const auto f = CUDA_R_32F;
  CHECK(product(CUBLAS_OP_N, 2, 2, f, f, CUBLAS_COMPUTE_32F) == CUBLAS_STATUS_SUCCESS);
  CHECK(product(CUBLAS_OP_N, 2, 1, f, f, CUBLAS_COMPUTE_32F) == CUBLAS_STATUS_INVALID_VALUE);
  CHECK(product(CUBLAS_OP_T, 2, 2, f, f, CUBLAS_COMPUTE_32F) == CUBLAS_STATUS_INVALID_VALUE);
  CHECK(product(CUBLAS_OP_T, 2, 3, f, f, CUBLAS_COMPUTE_32F) == CUBLAS_STATUS_SUCCESS);
  CHECK(product(CUBLAS_OP_N, 5, 5, f, f, CUBLAS_COMPUTE_32F) == CUBLAS_STATUS_INVALID_VALUE);  // the result's lines are 4
  CHECK(product(CUBLAS_OP_N, -1, 5, f, f, CUBLAS_COMPUTE_32F) == CUBLAS_STATUS_INVALID_VALUE);
  CHECK(product(static_cast<cublasOperation_t>(3), 2, 3, f, f, CUBLAS_COMPUTE_32F) == CUBLAS_STATUS_INVALID_VALUE);
  CHECK(product(CUBLAS_OP_N, 2, 2, f, f, CUBLAS_COMPUTE_16F) == CUBLAS_STATUS_NOT_SUPPORTED);
  CHECK(product(CUBLAS_OP_N, 2, 2, f, f, CUBLAS_COMPUTE_64F) == CUBLAS_STATUS_NOT_SUPPORTED);
  CHECK(product(CUBLAS_OP_N, 2, 2, CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_16F) == CUBLAS_STATUS_NOT_SUPPORTED);
  CHECK(product(CUBLAS_OP_N, 2, 2, CUDA_R_16F, CUDA_R_16BF, CUBLAS_COMPUTE_32F) == CUBLAS_STATUS_NOT_SUPPORTED);
  CHECK(product(CUBLAS_OP_N, 2, 2, CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F_FAST_TF32) == CUBLAS_STATUS_NOT_SUPPORTED);
  CHECK(product(CUBLAS_OP_N, 2, 2, f, CUDA_R_16F, CUBLAS_COMPUTE_32F) == CUBLAS_STATUS_NOT_SUPPORTED);
  emulated::capability_major = 7;
  CHECK(product(CUBLAS_OP_N, 2, 2, CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F) == CUBLAS_STATUS_NOT_SUPPORTED);
  emulated::capability_major = 9;
  emulated::fail_next_product = CUBLAS_STATUS_ALLOC_FAILED;
  CHECK(product(CUBLAS_OP_N, 2, 2, f, f, CUBLAS_COMPUTE_32F) == CUBLAS_STATUS_ALLOC_FAILED);
  CHECK(product(CUBLAS_OP_N, 2, 2, f, f, CUBLAS_COMPUTE_32F) == CUBLAS_STATUS_SUCCESS);
  CHECK(cublasGetStatusName(CUBLAS_STATUS_NOT_SUPPORTED) == std::string("CUBLAS_STATUS_NOT_SUPPORTED"));
  CHECK(cublasGetStatusString(static_cast<cublasStatus_t>(30)) == std::string("unknown status"));
}

TEST_CASE("scalars of the device are read when the work is done") {
  const handle h;
  const numbers<float> scalars(std::vector<float>{2, 0}), x(std::vector<float>{3}), y(1);
  REQUIRE(cublasSetPointerMode(h.of, CUBLAS_POINTER_MODE_DEVICE) == CUBLAS_STATUS_SUCCESS);
  cublasPointerMode_t mode = CUBLAS_POINTER_MODE_HOST;
  REQUIRE(cublasGetPointerMode(h.of, &mode) == CUBLAS_STATUS_SUCCESS);
  CHECK(mode == CUBLAS_POINTER_MODE_DEVICE);
  REQUIRE(cublasGemmEx(h.of, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, scalars.data(), x.data(), CUDA_R_32F, 1, x.data(), CUDA_R_32F, 1, scalars.data() + 1, y.data(), CUDA_R_32F, 1, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT) ==
          CUBLAS_STATUS_SUCCESS);
  CHECK(y.get()[0] == 18);
}

TEST_CASE("a product goes into the handle's stream, and into its capture") {
  const handle h;
  const numbers<float> x(std::vector<float>{3}), y(std::vector<float>{1});
  cudaStream_t s = nullptr, back = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking) == cudaSuccess);
  REQUIRE(cublasSetStream(h.of, s) == CUBLAS_STATUS_SUCCESS);
  REQUIRE(cublasGetStream(h.of, &back) == CUBLAS_STATUS_SUCCESS);
  CHECK(back == s);
  REQUIRE(cublasSetWorkspace(h.of, x.data(), 4) == CUBLAS_STATUS_SUCCESS);
  CHECK(cublasSetWorkspace(h.of, x.data(), 8) == CUBLAS_STATUS_INVALID_VALUE);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  REQUIRE(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal) == cudaSuccess);
  {
    const float one = 1;  // read now
    REQUIRE(cublasGemmEx(h.of, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, x.data(), CUDA_R_32F, 1, x.data(), CUDA_R_32F, 1, &one, y.data(), CUDA_R_32F, 1, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_SUCCESS);
  }
  REQUIRE(cudaStreamEndCapture(s, &graph) == cudaSuccess);
  REQUIRE(cudaGraphInstantiate(&ready, graph, 0) == cudaSuccess);
  CHECK(y.get()[0] == 1);
  REQUIRE(cudaGraphLaunch(ready, s) == cudaSuccess);
  REQUIRE(cudaGraphLaunch(ready, s) == cudaSuccess);
  CHECK(y.get()[0] == 19);
  REQUIRE(cudaGraphDestroy(graph) == cudaSuccess);
  REQUIRE(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal) == cudaSuccess);
  cublasHandle_t late = nullptr;
  CHECK(cublasCreate(&late) == CUBLAS_STATUS_ALLOC_FAILED);
  CHECK(cudaStreamEndCapture(s, &graph) == cudaErrorStreamCaptureInvalidated);
  cudaGraphExecDestroy(ready), cudaStreamDestroy(s);
  cudaGetLastError();
}

TEST_CASE("no handle, no product") {
  CHECK(cublasSetStream(nullptr, nullptr) == CUBLAS_STATUS_NOT_INITIALIZED);
  CHECK(cublasDestroy(nullptr) == CUBLAS_STATUS_NOT_INITIALIZED);
  emulated::no_device = true;
  cublasHandle_t h = nullptr;
  CHECK(cublasCreate(&h) == CUBLAS_STATUS_NOT_INITIALIZED);
  emulated::no_device = false;
}
