#include <amphora/ops/pdist.hpp>

#include <ops/golden.hpp>
#include <ops/gradient_check.hpp>
#include <ops/reduction_case.hpp>

namespace amp = amphora;

static_assert(std::is_same_v<decltype(amp::pdist<amp::o1<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<amp::float16>>())), golden::tensor<float>>);

TEST_CASE("pdist and its gradient agree with the reference in every format, for every order") {
  test_context context;
  int run = 0;
  for (const auto& c : golden::cases("sensitive_reduction.json", {"pdist"})) {
    const double p = golden::order_of(c);
    const golden::array a = c.input("input");
    golden::in_all_settings([&](auto s) {
      using setting = decltype(s);
      using T = typename setting::input;
      using P = typename setting::policy;
      if (!a.template is_exact_in<T>()) return;
      ++run;
      const auto x = a.template to<T>(context);
      const double n = static_cast<double>(a.values.size()), terms = c.output().largest() * (p < 1 ? 4 : 1) + 2 * n * a.largest();
      const auto value = amp::pdist<P>(context, x, p);
      golden::compare(context, c.name(), value, c.output(), setting::roundoff, terms, 4);
      if (!c.has_gradients()) return;
      const auto g = golden::upstream<std::remove_const_t<decltype(value)>>(context, c);
      golden::compare(context, c.name() + " x", amp::pdist_backward<P>(context, g, x, p), c.gradient("input"), setting::roundoff, n * c.grad_output().largest() * (1 + terms), n);
    });
  }
  CHECK(run > 80);
}

TEST_CASE("pdist is what stands above the diagonal of cdist, and its gradient the slope of its value") {
  test_context context;
  for (std::int64_t n : {0, 1, 2, 3, 34, 35}) {
    const auto x = check::random<float>(context, {n, 5}, 1);
    const auto pairs = amp::wait_read(context, amp::pdist<amp::o0<>>(context, x)), all = amp::wait_read(context, amp::cdist<amp::o0<>>(context, x, x));
    std::vector<float> above;
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = i + 1; j < n; ++j) above.push_back(all[static_cast<std::size_t>(i * n + j)]);
    CHECK(pairs == above);
    CHECK(amp::pdist_backward<amp::o0<>>(context, amp::pdist<amp::o0<>>(context, x), x).size() == x.size());
  }
  auto x = check::random<double>(context, {6, 3}, 2);
  const auto g = check::random<double>(context, {15}, 3);
  for (double p : {2.0, 1.0, 3.0, golden::number("inf")})
    check::slopes(context, [&] { return check::dot(context, g, amp::pdist<amp::o0<>>(context, x, p)); }, x, amp::pdist_backward<amp::o0<>>(context, g, x, p));
}

TEST_CASE("pdist of other shapes and orders is refused") {
  test_context context;
  const golden::tensor<float> x(context, {3, 4}), row(context, {4});
  CHECK_THROWS_WITH_AS(amp::pdist<amp::o0<>>(context, row), doctest::Contains("not [4]"), amp::error);
  CHECK_THROWS_WITH_AS(amp::pdist<amp::o0<>>(context, x, -1), doctest::Contains("order -1"), amp::error);
  CHECK_THROWS_WITH_AS(amp::pdist_backward<amp::o0<>>(context, row, x), doctest::Contains("[4] where [3] is due"), amp::error);
}
