#include <amphora/cuda/cublas.cuh>

#include <amphora/cuda/matmul.cuh>
#include <amphora/cuda/scale.cuh>
#include <amphora/ops/linear.hpp>
#include <amphora/ops/matmul.hpp>
#include <amphora/policy/opt_level.hpp>
#include <device.hpp>

#include <doctest/doctest.h>

#include <type_traits>

namespace amp = amphora;
using namespace amphora::detail;
using amp::f16, amp::bf16, amp::f32, amp::f64, amp::tf32, amp::e4m3, amp::e5m2;

// B52: alpha and beta have the type that the compute type reads.
template <class Read, class Accumulate, cublasComputeType_t Compute, class Scalar, class Memory>
constexpr bool types_are = cublas_types<Read, Accumulate>::compute == Compute && std::is_same_v<typename cublas_types<Read, Accumulate>::scalar, Scalar> &&
                           std::is_same_v<typename cublas_types<Read, Accumulate>::memory, Memory>;
static_assert(types_are<f16, f32, CUBLAS_COMPUTE_32F, float, f16> && types_are<bf16, f32, CUBLAS_COMPUTE_32F, float, bf16> && types_are<f32, f32, CUBLAS_COMPUTE_32F, float, f32>);
static_assert(types_are<f16, f16, CUBLAS_COMPUTE_16F, __half, f16> && types_are<bf16, bf16, CUBLAS_COMPUTE_32F, float, bf16> && types_are<f32, f16, CUBLAS_COMPUTE_32F, float, f32>);
static_assert(types_are<f64, f64, CUBLAS_COMPUTE_64F, double, f64> && types_are<f16, f64, CUBLAS_COMPUTE_64F, double, f64> && types_are<tf32, f64, CUBLAS_COMPUTE_64F, double, f64>);
static_assert(types_are<tf32, f32, CUBLAS_COMPUTE_32F_FAST_TF32, float, f32> && types_are<e4m3, f32, CUBLAS_COMPUTE_32F, float, f16> && types_are<e5m2, f32, CUBLAS_COMPUTE_32F, float, f16>);

namespace {

template <class T> amp::view<const T> seen(const device_array<T>& x, const amp::shape& s) { return {x.data(), s}; }
template <class Read, class Accumulate>
double product_of_two_and_three(test_context& context) {
  using T = amp::storage_t<typename cublas_types<Read, Accumulate>::memory>;
  device_array<T> a(context, {amp::convert<amp::format_of_t<T>>(2.0)}), b(context, {amp::convert<amp::format_of_t<T>>(3.0)}), c(context, {amp::convert<amp::format_of_t<T>>(7.0)});
  product p;
  p.m = p.n = p.k = 1;
  matmul_kernels<test_device>::run<Accumulate>(context, p, write(c.view()), read_as<Read>(seen(a, {1})), read_as<Read>(seen(b, {1})), source<f32>{}, source<f32>{});
  return static_cast<double>(c.get()[0]);
}

struct half_sums : amp::policy<amp::compute<f16>, amp::output<f16>, amp::accumulate<f16, amp::narrow>> {};
struct in_tf32 : amp::policy<amp::compute<tf32>> {};

float one_product(test_context& context, bool tf) {
  // 1 + 2^-12 has 13 significant bits: TF32 keeps 11 of them
  const float near_one = 1 + 1.0f / 4096;
  device_array<float> x(context, {near_one, 0.0f}), w(context, {1.0f, 0.0f});
  const auto y = tf ? amp::linear<in_tf32>(context, seen(x, {1, 2}), seen(w, {1, 2})) : amp::linear<amp::o0<>>(context, seen(x, {1, 2}), seen(w, {1, 2}));
  return amp::wait_read(context, y)[0];
}
struct own_stream {
  cudaStream_t value = nullptr;
  own_stream() { REQUIRE(cudaStreamCreate(&value) == cudaSuccess); }
  ~own_stream() { cudaStreamDestroy(value); }
};
struct own_handle {
  cublasHandle_t value = nullptr;
  explicit own_handle(cudaStream_t stream) {
    REQUIRE(cublasCreate(&value) == CUBLAS_STATUS_SUCCESS);
    REQUIRE(cublasSetStream(value, stream) == CUBLAS_STATUS_SUCCESS);
  }
  ~own_handle() { cublasDestroy(value); }
  cublasMath_t math() const {
    cublasMath_t mode = CUBLAS_PEDANTIC_MATH;
    CHECK(cublasGetMathMode(value, &mode) == CUBLAS_STATUS_SUCCESS);
    return mode;
  }
  cublasPointerMode_t pointer() const {
    cublasPointerMode_t mode = CUBLAS_POINTER_MODE_HOST;
    CHECK(cublasGetPointerMode(value, &mode) == CUBLAS_STATUS_SUCCESS);
    return mode;
  }
};

}  // namespace

TEST_CASE("B52: two times three is six in every compute type") {
  test_context context;
  CHECK(product_of_two_and_three<f16, f32>(context) == 6);
  CHECK(product_of_two_and_three<f16, f16>(context) == 6);
  CHECK(product_of_two_and_three<bf16, f32>(context) == 6);
  CHECK(product_of_two_and_three<f32, f32>(context) == 6);
  CHECK(product_of_two_and_three<tf32, f32>(context) == 6);
  CHECK(product_of_two_and_three<f64, f64>(context) == 6);
  CHECK(product_of_two_and_three<e4m3, f32>(context) == 6);
  CHECK(product_of_two_and_three<e5m2, f32>(context) == 6);
}

TEST_CASE("B54: sums run in float, unless the policy says half aloud") {
  test_context context;
  const device_array<amp::float16> ones(context, 4096, amp::float16(1.0f));
  CHECK(static_cast<float>(amp::wait_read(context, amp::matmul<amp::o1<f16>>(context, seen(ones, {1, 4096}), seen(ones, {4096, 1})))[0]) == 4096);
  const device_array<amp::float16> x(context, std::vector<amp::float16>(4, amp::float16(256.0f))),
      w(context, {amp::float16(256.0f), amp::float16(-256.0f), amp::float16(256.0f), amp::float16(-256.0f)});
  CHECK(static_cast<float>(amp::wait_read(context, amp::matmul<amp::o1<f16>>(context, seen(x, {1, 4}), seen(w, {4, 1})))[0]) == 0);
  const device_array<amp::float16> few(context, 8, amp::float16(0.5f));
  CHECK(static_cast<float>(amp::wait_read(context, amp::matmul<half_sums>(context, seen(few, {1, 8}), seen(few, {8, 1})))[0]) == 2);
}

TEST_CASE("floats are multiplied as TF32 on request only, whatever the caller's handle says") {
  own_stream stream;
  own_handle handle(stream.value);
  test_context own, theirs(stream.value, handle.value);
  for (test_context* context : {&own, &theirs}) {
    CHECK(one_product(*context, false) == 1 + 1.0f / 4096);
    REQUIRE(cublasSetMathMode(handle.value, CUBLAS_TF32_TENSOR_OP_MATH) == CUBLAS_STATUS_SUCCESS);
  }
  CHECK(one_product(theirs, false) == 1 + 1.0f / 4096);
  CHECK(handle.math() == CUBLAS_TF32_TENSOR_OP_MATH);
#if defined(AMPHORA_EMULATED_CUDA)  // a device may do more than it is asked for
  CHECK(one_product(theirs, true) == 1);
  CHECK(one_product(own, true) == 1);
#endif
}

TEST_CASE("the modes of the caller's handle are as they were, also after an error") {
  own_stream stream;
  own_handle handle(stream.value);
  test_context context(stream.value, handle.value);
  REQUIRE(cublasSetMathMode(handle.value, CUBLAS_TF32_TENSOR_OP_MATH) == CUBLAS_STATUS_SUCCESS);
  REQUIRE(cublasSetPointerMode(handle.value, CUBLAS_POINTER_MODE_DEVICE) == CUBLAS_STATUS_SUCCESS);
  CHECK(product_of_two_and_three<f16, f32>(context) == 6);
  CHECK((handle.math() == CUBLAS_TF32_TENSOR_OP_MATH && handle.pointer() == CUBLAS_POINTER_MODE_DEVICE));
  const auto fails = [&] {
    cublas_modes modes(handle.value);
    modes.set();
    CHECK((handle.math() != CUBLAS_TF32_TENSOR_OP_MATH && handle.pointer() == CUBLAS_POINTER_MODE_HOST));
    fail("shape", "an error in the middle");
  };
  CHECK_THROWS_AS(fails(), amp::error);
  CHECK((handle.math() == CUBLAS_TF32_TENSOR_OP_MATH && handle.pointer() == CUBLAS_POINTER_MODE_DEVICE));
}

TEST_CASE("a caller's handle on another stream is refused, with what to do") {
  own_stream stream, other;
  own_handle handle(other.value);
  test_context context(stream.value, handle.value);
  CHECK_THROWS_WITH_AS((product_of_two_and_three<f16, f32>(context)), doctest::Contains("[device]"), amp::error);
  CHECK_THROWS_WITH_AS((product_of_two_and_three<f16, f32>(context)), doctest::Contains("cublasSetStream(handle, context.stream())"), amp::error);
  REQUIRE(cublasSetStream(handle.value, stream.value) == CUBLAS_STATUS_SUCCESS);
  CHECK(product_of_two_and_three<f16, f32>(context) == 6);
}

TEST_CASE("what cuBLAS refuses is an error with the call, shapes, formats and the status by name") {
  product p;
  p.m = 3, p.n = 5, p.k = 4;
  const product_name name{p, amp::format_id::f16, amp::format_id::f32};
  CHECK_NOTHROW(require_cublas(CUBLAS_STATUS_SUCCESS, "cublasGemmEx_64", name));
  CHECK_THROWS_WITH_AS(require_cublas(CUBLAS_STATUS_NOT_SUPPORTED, "cublasGemmEx_64", name),
                       "amphora [cuda-call]: cublasGemmEx_64 of a [3, 4] · b [4, 5] in f16 to f32 failed: CUBLAS_STATUS_NOT_SUPPORTED", amp::error);
  CHECK_THROWS_WITH_AS(require_cublas(CUBLAS_STATUS_ARCH_MISMATCH, "cublasGemmEx_64", name), doctest::Contains("amphora [arch]: cublasGemmEx_64 of a [3, 4]"), amp::error);
}

TEST_CASE("a handle is made before a capture, or it is an error") {
  test_context context, ready;
  device_array<float> x(context, 4, 1.0f), y(context, 4, 0.0f);
  amp::prepare_products(ready);
  const auto allocated = ready.allocations();
  CHECK(allocated > 0);
  amp::prepare_products(ready);
  CHECK(ready.allocations() == allocated);
  cudaGraph_t graph = nullptr;
  REQUIRE(cudaStreamBeginCapture(context.stream(), cudaStreamCaptureModeThreadLocal) == cudaSuccess);
  CHECK_THROWS_WITH_AS(amp::matmul<amp::o0<>>(context, amp::into(amp::view<float>(y.data(), {2, 2})), seen(x, {2, 2}), seen(x, {2, 2})), doctest::Contains("[capture]"), amp::error);
  REQUIRE(cudaStreamEndCapture(context.stream(), &graph) == cudaSuccess);
  REQUIRE(cudaGraphDestroy(graph) == cudaSuccess);
  amp::matmul<amp::o0<>>(context, amp::into(amp::view<float>(y.data(), {2, 2})), seen(x, {2, 2}), seen(x, {2, 2}));
  CHECK(y.get()[3] == 2);
}
