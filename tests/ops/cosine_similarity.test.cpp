#include <amphora/ops/cosine_similarity.hpp>

#include <ops/golden.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;

static_assert(std::is_same_v<decltype(amp::cosine_similarity<amp::o1<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<amp::float16>>(), std::declval<golden::tensor<amp::float16>>())),
                             golden::tensor<float>>);

TEST_CASE("cosine_similarity and its gradients agree with the reference in every format, below eps too") {
  test_context context;
  int run = 0;
  for (const auto& c : golden::cases("sensitive_reduction.json", {"cosine_similarity"})) {
    const golden::array a = c.input("x1"), b = c.input("x2");
    const int axis = c.option("dim");
    const double eps = c.option("eps");
    golden::in_all_settings([&](auto s) {
      using setting = decltype(s);
      using T = typename setting::input;
      using P = typename setting::policy;
      if (!a.template is_exact_in<T>() || !b.template is_exact_in<T>()) return;
      ++run;
      const auto x = a.template to<T>(context), y = b.template to<T>(context);
      const auto value = amp::cosine_similarity<P>(context, x, y, axis, eps);
      golden::compare(context, c.name(), value, c.output(), setting::roundoff, 1, 4);  // of the sums' terms none is larger
      const auto g = golden::upstream<std::remove_const_t<decltype(value)>>(context, c);
      const auto of = amp::cosine_similarity_backward<P>(context, g, x, y, axis, eps);
      const double n = static_cast<double>(a.values.size());  // the parts of a gradient are of the size of grad / norm
      golden::compare(context, c.name() + " x1", of.first, c.gradient("x1"), setting::roundoff, 8 * c.grad_output().largest() + c.gradient("x1").largest(), n);
      golden::compare(context, c.name() + " x2", of.second, c.gradient("x2"), setting::roundoff, 8 * c.grad_output().largest() + c.gradient("x2").largest(), n);
    });
  }
  CHECK(run > 60);
}

TEST_CASE("the gradients of cosine_similarity are the slopes of its value along every axis, also of operands that were broadcast") {
  test_context context;
  auto x = check::random<double>(context, {2, 1, 4}, 1), y = check::random<double>(context, {3, 4}, 2);
  for (int axis = 0; axis < 3; ++axis) {
    const auto g = check::random<double>(context, amp::cosine_similarity<amp::o0<>>(context, x, y, axis).shape(), 3);
    const auto value = [&] { return check::dot(context, g, amp::cosine_similarity<amp::o0<>>(context, x, y, axis)); };
    const auto of = amp::cosine_similarity_backward<amp::o0<>>(context, g, x, y, axis);
    check::slopes(context, value, x, of.first), check::slopes(context, value, y, of.second);
  }
}

TEST_CASE("the cosine of float vectors near 1e20 and 1e-25 is right, and of 16-bit vectors past their range") {
  test_context context;
  for (float size : {1e20f, 1e-25f}) {
    const auto x = check::filled(context, {2, 5000}, size);
    for (float v : amp::wait_read(context, amp::cosine_similarity<amp::o0<>>(context, x, x, 1, 0))) CHECK(std::fabs(v - 1) <= 2 * amp::f32::unit_roundoff);
  }
  const auto halves = check::filled(context, {1, 300}, amp::float16(60000.0f));
  CHECK(std::fabs(amp::wait_read(context, amp::cosine_similarity<amp::o1<amp::f16>>(context, halves, halves)).at(0) - 1) <= 2 * amp::f32::unit_roundoff);
}

TEST_CASE("vectors of other shapes and an axis that is not there are refused") {
  test_context context;
  const golden::tensor<float> x(context, {3, 4}), y(context, {3, 5});
  CHECK_THROWS_WITH_AS(amp::cosine_similarity<amp::o0<>>(context, x, y), doctest::Contains("[3, 4] with [3, 5]"), amp::error);
  CHECK_THROWS_WITH_AS(amp::cosine_similarity<amp::o0<>>(context, x, x, 2), doctest::Contains("axis 2"), amp::error);
  CHECK_THROWS_WITH_AS(amp::cosine_similarity_backward<amp::o0<>>(context, x, x, x), doctest::Contains("[3, 4] where [3] is due"), amp::error);
}
