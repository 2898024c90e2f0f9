#include <amphora/ops/renorm.hpp>

#include <ops/golden.hpp>
#include <ops/gradient_check.hpp>
#include <ops/reduction_case.hpp>

namespace amp = amphora;

static_assert(std::is_same_v<decltype(amp::renorm<amp::o1<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<amp::float16>>(), 2, 0, 1)), golden::tensor<float>>);

TEST_CASE("renorm and its gradient agree with the reference in every format") {
  test_context context;
  int run = 0;
  for (const auto& c : golden::cases("sensitive_reduction.json", {"renorm"})) {
    const golden::array a = c.input("input");
    const double p = golden::order_of(c), most = c.option("maxnorm");
    const int axis = c.option("dim");
    golden::in_all_settings([&](auto s) {
      using setting = decltype(s);
      using T = typename setting::input;
      using P = typename setting::policy;
      if (!a.template is_exact_in<T>()) return;
      ++run;
      const auto x = a.template to<T>(context);
      const double n = static_cast<double>(a.values.size());
      const auto value = amp::renorm<P>(context, x, p, axis, most);
      golden::compare(context, c.name(), value, c.output(), setting::roundoff, a.largest(), 4);
      const auto g = golden::upstream<std::remove_const_t<decltype(value)>>(context, c);
      golden::compare(context, c.name() + " x", amp::renorm_backward<P>(context, g, x, p, axis, most), c.gradient("input"), setting::roundoff, n * c.grad_output().largest() * (1 + a.largest()), 8);
    });
  }
  CHECK(run > 45);
}

TEST_CASE("the gradient of renorm is the slope of its value, in slices that are cut and in those that are not") {
  test_context context;
  auto x = check::random<double>(context, {4, 3, 5}, 1);
  const auto g = check::random<double>(context, {4, 3, 5}, 2);
  for (double p : {2.0, 1.0, 3.0, golden::number("inf")})
    for (int axis = 0; axis < 3; ++axis) {
      const double most = p == 2 ? 2.1 : p == 1 ? 7 : p == 3 ? 1.5 : 0.93;
      check::slopes(context, [&] { return check::dot(context, g, amp::renorm<amp::o0<>>(context, x, p, axis, most)); }, x, amp::renorm_backward<amp::o0<>>(context, g, x, p, axis, most));
    }
}

TEST_CASE("renorm of 16-bit numbers whose norm is past their range is right") {
  test_context context;
  const auto halves = check::filled(context, {2, 300}, amp::float16(60000.0f));
  for (const auto v : amp::wait_read(context, amp::renorm<amp::o3<amp::f16>>(context, halves, 2, 0, 1))) CHECK(static_cast<float>(v) == static_cast<float>(amp::convert<amp::f16>(1 / std::sqrt(300.0))));
}

TEST_CASE("renorm of an order or a limit that is none, and of other shapes, is refused") {
  test_context context;
  const golden::tensor<float> x(context, {3, 4}), row(context, {4});
  CHECK_THROWS_WITH_AS(amp::renorm<amp::o0<>>(context, x, 0, 0, 1), doctest::Contains("order 0"), amp::error);
  CHECK_THROWS_WITH_AS(amp::renorm<amp::o0<>>(context, x, 2, 0, -1), doctest::Contains("-1"), amp::error);
  CHECK_THROWS_WITH_AS(amp::renorm<amp::o0<>>(context, row, 2, 0, 1), doctest::Contains("[4]"), amp::error);
  CHECK_THROWS_WITH_AS(amp::renorm<amp::o0<>>(context, x, 2, 2, 1), doctest::Contains("axis 2"), amp::error);
  CHECK_THROWS_WITH_AS(amp::renorm_backward<amp::o0<>>(context, row, x, 2, 0, 1), doctest::Contains("[4] where [3, 4] is due"), amp::error);
}
