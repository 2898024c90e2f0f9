#include <amphora/ops/distance.hpp>

#include <amphora/ops/norm.hpp>
#include <ops/golden.hpp>
#include <ops/gradient_check.hpp>
#include <ops/reduction_case.hpp>

namespace amp = amphora;

static_assert(std::is_same_v<decltype(amp::dist<amp::o1<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<amp::float16>>(), std::declval<golden::tensor<amp::float16>>())), golden::tensor<float>>);
static_assert(std::is_same_v<decltype(amp::cdist<amp::o3<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<amp::float16>>(), std::declval<golden::tensor<amp::float16>>())),
                             golden::tensor<amp::float16>>);

TEST_CASE("dist, cdist and their gradients agree with the reference in every format, for every order") {
  test_context context;
  int run = 0;
  for (const auto& c : golden::cases("sensitive_reduction.json", {"dist", "cdist"})) {
    const bool rows = c.data.at("op") == "cdist";
    const double p = golden::order_of(c);
    const char *first = rows ? "x1" : "input", *other = rows ? "x2" : "other";
    const golden::array a = c.input(first), b = c.input(other);
    golden::in_all_settings([&](auto s) {
      using setting = decltype(s);
      using T = typename setting::input;
      using P = typename setting::policy;
      if (!a.template is_exact_in<T>() || !b.template is_exact_in<T>()) return;
      ++run;
      const auto x = a.template to<T>(context), y = b.template to<T>(context);
      const double n = static_cast<double>(a.values.size() + b.values.size());
      const auto value = rows ? amp::cdist<P>(context, x, y, p) : amp::dist<P>(context, x, y, p);
      // A difference is rounded to float, by half a unit of the larger number.
      const double terms = c.output().largest() * (p < 1 ? 4 : 1) + n * (a.largest() + b.largest());
      golden::compare(context, c.name(), value, c.output(), setting::roundoff, terms, 4);
      if (!c.has_gradients()) return;
      const auto g = golden::upstream<std::remove_const_t<decltype(value)>>(context, c);
      const auto of = rows ? amp::cdist_backward<P>(context, g, x, y, p) : amp::dist_backward<P>(context, g, x, y, p);
      const double slopes = n * c.grad_output().largest() * (1 + terms);
      golden::compare(context, c.name() + " " + first, of.first, c.gradient(first), setting::roundoff, slopes, n);
      golden::compare(context, c.name() + " " + other, of.second, c.gradient(other), setting::roundoff, slopes, n);
    });
  }
  CHECK(run > 200);
}

TEST_CASE("the gradients of dist and cdist are the slopes of their values, also of operands that were broadcast") {
  test_context context;
  auto x = check::random<double>(context, {3, 1, 4}, 1), y = check::random<double>(context, {2, 4}, 2);
  auto a = check::random<double>(context, {2, 3, 4}, 3), b = check::random<double>(context, {1, 5, 4}, 4);
  const auto one = check::filled<double>(context, {}, 1), g = check::random<double>(context, {2, 3, 5}, 5);
  for (double p : {2.0, 1.0, 3.0, 1.5, golden::number("inf")}) {
    const auto value = [&] { return check::dot(context, one, amp::dist<amp::o0<>>(context, x, y, p)); };
    const auto of = amp::dist_backward<amp::o0<>>(context, one, x, y, p);
    check::slopes(context, value, x, of.first), check::slopes(context, value, y, of.second);
    const auto of_rows = amp::cdist_backward<amp::o0<>>(context, g, a, b, p);
    const auto rows = [&] { return check::dot(context, g, amp::cdist<amp::o0<>>(context, a, b, p)); };
    check::slopes(context, rows, a, of_rows.first), check::slopes(context, rows, b, of_rows.second);
  }
}

TEST_CASE("distances of many long rows stay within their bound") {
  test_context context;
  const auto a = check::random<float>(context, {37, 130}, 1), b = check::random<float>(context, {21, 130}, 2);
  const auto x = amp::wait_read(context, a), y = amp::wait_read(context, b), got = amp::wait_read(context, amp::cdist<amp::o0<>>(context, a, b));
  double worst = 0;
  for (std::size_t i = 0; i < 37; ++i)
    for (std::size_t j = 0; j < 21; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < 130; ++k) sum += std::pow(static_cast<double>(x[i * 130 + k]) - static_cast<double>(y[j * 130 + k]), 2);
      worst = (std::max)(worst, std::fabs(static_cast<double>(got[i * 21 + j]) / std::sqrt(sum) - 1));
    }
  CHECK(worst <= 2 * amp::f32::unit_roundoff);  // each difference is rounded once, and then the root
  const auto near = amp::wait_read(context, amp::cdist<amp::o0<>>(context, check::filled(context, {1, 3}, 4096.0f), check::filled(context, {1, 3}, 4096.5f)));
  CHECK(near.at(0) == std::sqrt(0.75f));  // by squares and a product it would be 0
}

TEST_CASE("distances of other shapes and orders are refused") {
  test_context context;
  const golden::tensor<float> a(context, {3, 4}), b(context, {5, 3}), row(context, {4}), none(context, {0});
  CHECK_THROWS_WITH_AS(amp::cdist<amp::o0<>>(context, a, b), doctest::Contains("[3, 4] and [5, 3]"), amp::error);
  CHECK_THROWS_WITH_AS(amp::cdist<amp::o0<>>(context, a, row), doctest::Contains("[4]"), amp::error);
  CHECK_THROWS_WITH_AS(amp::cdist<amp::o0<>>(context, a, a, -1), doctest::Contains("order -1"), amp::error);
  CHECK_THROWS_WITH_AS(amp::dist<amp::o0<>>(context, a, b), doctest::Contains("[3, 4] with [5, 3]"), amp::error);
  CHECK_THROWS_WITH_AS(amp::dist<amp::o0<>>(context, none, none, -2), doctest::Contains("without elements"), amp::error);
  golden::tensor<float> wrong(context, {2});
  CHECK_THROWS_WITH_AS(amp::cdist<amp::o0<>>(context, amp::into(wrong), a, a), doctest::Contains("[2] where [3, 3] is due"), amp::error);
  CHECK_THROWS_WITH_AS(amp::cdist_backward<amp::o0<>>(context, wrong, a, a), doctest::Contains("[2] where [3, 3] is due"), amp::error);
}
