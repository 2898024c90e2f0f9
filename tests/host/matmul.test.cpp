#include <amphora/host/matmul.hpp>

#include <amphora/host/map.hpp>
#include <amphora/ops/gelu.hpp>
#include <amphora/ops/linear.hpp>
#include <amphora/ops/matmul.hpp>
#include <amphora/policy/opt_level.hpp>
#include <host/same_bits.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;

TEST_CASE_TEMPLATE("products have the same bits on any number of threads", T, float, amp::float16, double) {
  check::same_bits_on_any_threads([](amp::host_context& c) {
    const auto a = check::random<T>(c, {300, 520}, 1), b = check::random<T>(c, {520, 515}, 2);
    return amp::matmul<amp::policy<>>(c, a, b);
  });
  check::same_bits_on_any_threads([](amp::host_context& c) {
    const auto a = check::random<T>(c, {3, 1, 70, 65}, 1), b = check::random<T>(c, {4, 65, 33}, 2), g = check::random<T>(c, {3, 4, 70, 33}, 3);
    return amp::matmul_backward<amp::policy<>>(c, g, a, b).second;
  });
}

TEST_CASE("a 16-bit operand gives the bits of the same numbers in float") {
  amp::host_context c;
  const auto a = check::random<amp::bfloat16>(c, {70, 300}, 1), b = check::random<amp::bfloat16>(c, {300, 90}, 2);
  check::tensor<float> wide_a(c, a.shape()), wide_b(c, b.shape());
  for (std::int64_t i = 0; i < a.size(); ++i) wide_a.data()[i] = static_cast<float>(a.data()[i]);
  for (std::int64_t i = 0; i < b.size(); ++i) wide_b.data()[i] = static_cast<float>(b.data()[i]);
  const auto narrow = amp::matmul<amp::policy<amp::output<amp::f32>>>(c, a, b), wide = amp::matmul<amp::o0<>>(c, wide_a, wide_b);
  CHECK(std::memcmp(narrow.data(), wide.data(), sizeof(float) * 70 * 90) == 0);
}

TEST_CASE("a gelu in the same pass is that of the sums, before they are rounded") {
  amp::host_context c;
  const auto x = check::random<amp::float16>(c, {300, 20}, 1), w = check::random<amp::float16>(c, {33, 20}, 2), b = check::random<amp::float16>(c, {33}, 3);
  using wide = amp::amend<amp::o1<amp::f16>, amp::output<amp::f32>>;
  const auto sums = amp::linear<wide>(c, x, w, b), apart = amp::gelu<wide>(c, sums, amp::gelu_form::tanh), fused = amp::linear<wide>(c, x, w, b, amp::with_gelu{});
  CHECK(std::memcmp(fused.data(), apart.data(), sizeof(float) * 300 * 33) == 0);
  const auto narrow = amp::linear<amp::o1<amp::f16>>(c, x, w, b, amp::with_gelu{});
  for (std::int64_t i = 0; i < narrow.size(); ++i) CHECK(narrow.data()[i].bits() == amp::float16(apart.data()[i]).bits());
}

TEST_CASE("with nothing to add the product is 0, and beta is 0: what stood there does not matter") {
  amp::host_context c;
  const check::tensor<float> a(c, {3, 0}), b(c, {0, 2});
  check::tensor<float> y(c, {3, 2});
  for (int i = 0; i < 6; ++i) y.data()[i] = std::numeric_limits<float>::quiet_NaN();
  amp::matmul<amp::o0<>>(c, amp::into(y), a, b);
  for (int i = 0; i < 6; ++i) CHECK(y.data()[i] == 0);
}
