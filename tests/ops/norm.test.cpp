#include <amphora/ops/norm.hpp>

#include <ops/golden.hpp>
#include <ops/gradient_check.hpp>
#include <ops/reduction_case.hpp>

namespace amp = amphora;

static_assert(std::is_same_v<decltype(amp::norm<amp::o1<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<amp::float16>>())), golden::tensor<float>>);
static_assert(std::is_same_v<decltype(amp::vector_norm<amp::o3<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<amp::float16>>())), golden::tensor<amp::float16>>);

TEST_CASE("norm, vector_norm and their gradients agree with the reference in every format, for every order") {
  test_context context;
  int run = 0;
  for (const auto& c : golden::cases("sensitive_reduction.json", {"norm", "vector_norm"})) {
    const amp::axes over = golden::axes_of(c);
    const bool vector = c.data.at("op") == "vector_norm";
    const double p = golden::order_of(c);
    const char* name = vector ? "x" : "input";
    const golden::array a = c.input(name);
    golden::in_all_settings([&](auto s) {
      using setting = decltype(s);
      using T = typename setting::input;
      using P = typename setting::policy;
      if (!a.template is_exact_in<T>()) return;
      ++run;
      const auto x = a.template to<T>(context);
      const double n = static_cast<double>(a.values.size());
      const auto value = vector ? amp::vector_norm<P>(context, x, p, over) : amp::norm<P>(context, x, p, over);
      golden::compare(context, c.name(), value, c.output(), setting::roundoff, c.output().largest(), 4);  // sums in double: few roundings of the norm itself
      const auto g = golden::upstream<std::remove_const_t<decltype(value)>>(context, c);
      const auto gx = vector ? amp::vector_norm_backward<P>(context, g, x, p, over) : amp::norm_backward<P>(context, g, x, p, over);
      golden::compare(context, c.name() + " x", gx, c.gradient(name), setting::roundoff, c.gradient(name).largest(), n + 8 * std::fabs(std::isinf(p) ? 1 : p));
    });
  }
  CHECK(run > 400);
}

TEST_CASE("the gradient of a norm is the slope of its value") {
  test_context context;
  auto x = check::random<double>(context, {2, 3, 2}, 1);
  auto numbers = amp::wait_read(context, x);
  for (double& v : numbers) v += v < 0 ? -1.5 : 1.5;  // away from the kinks
  amp::write(context, numbers, x);
  for (double p : {2.0, 1.0, 3.0, 0.5, 1.5, -1.0, golden::number("inf"), golden::number("-inf"), 0.0})
    for (const amp::axes& over : {amp::axes{}, amp::axes{1}, amp::axes{0, 2}.keep()}) {
      const auto g = check::random<double>(context, amp::norm<amp::o0<>>(context, x, p, over).shape(), 2);
      check::slopes(context, [&] { return check::dot(context, g, amp::norm<amp::o0<>>(context, x, p, over)); }, x, amp::norm_backward<amp::o0<>>(context, g, x, p, over));
    }
}

TEST_CASE("float norms of numbers near 1e20 and 1e-30 are right, in every direction, and so are their gradients") {
  test_context context;
  for (float size : {1e20f, 1e-30f, 3e38f})
    for (const amp::shape& shape : {amp::shape{2, 10000}, amp::shape{10000, 2}}) {
      const auto x = check::filled(context, shape, size), g = check::filled(context, {2}, 1.0f);
      const amp::axes over = shape[0] == 2 ? amp::axes{1} : amp::axes{0};
      const double root = 100 * static_cast<double>(size);  // of 10000 equal squares
      for (float v : amp::wait_read(context, amp::norm<amp::o0<>>(context, x, 2, over))) CHECK((root > amp::f32::largest ? std::isinf(v) : std::fabs(static_cast<double>(v) / root - 1) <= amp::f32::unit_roundoff));
      if (root > amp::f32::largest) continue;
      for (float v : amp::wait_read(context, amp::norm_backward<amp::o0<>>(context, g, x, 2, over))) CHECK(std::fabs(v - 0.01f) <= 2 * amp::f32::unit_roundoff * 0.01f);
      for (float v : amp::wait_read(context, amp::norm_backward<amp::o0<>>(context, g, x, 3, over))) CHECK(std::fabs(v - std::pow(10000.0f, -2.0f / 3)) <= 16 * amp::f32::unit_roundoff);
    }
  const auto halves = check::filled(context, {300}, amp::float16(600.0f));  // each square is past f16's range, and so is the norm of O3 not
  CHECK(static_cast<float>(amp::wait_read(context, amp::norm<amp::o3<amp::f16>>(context, halves)).at(0)) == static_cast<float>(amp::convert<amp::f16>(600 * std::sqrt(300.0))));
}

TEST_CASE("a norm that has nothing to pick from, an order that is none, and other shapes are refused") {
  test_context context;
  const golden::tensor<float> none(context, {0, 3}), x(context, {2, 3});
  const double most = golden::number("inf");
  CHECK_THROWS_WITH_AS(amp::norm<amp::o0<>>(context, none, most), doctest::Contains("[0, 3]"), amp::error);
  CHECK_THROWS_WITH_AS(amp::norm<amp::o0<>>(context, none, -1, amp::axes{0}), doctest::Contains("without elements"), amp::error);
  CHECK(amp::norm<amp::o0<>>(context, none, most, amp::axes{1}).size() == 0);
  CHECK_THROWS_WITH_AS(amp::norm<amp::o0<>>(context, x, golden::number("nan")), doctest::Contains("order NaN"), amp::error);
  golden::tensor<float> wrong(context, {3});
  CHECK_THROWS_WITH_AS(amp::norm<amp::o0<>>(context, amp::into(wrong), x, 2, amp::axes{1}), doctest::Contains("[3] where [2] is due"), amp::error);
  CHECK_THROWS_WITH_AS(amp::norm_backward<amp::o0<>>(context, wrong, x, 2, amp::axes{1}), doctest::Contains("[3] where [2] is due"), amp::error);
}
