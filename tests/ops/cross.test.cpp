#include <amphora/ops/cross.hpp>

#include <ops/indexing_case.hpp>

namespace amp = amphora;

static_assert(std::is_same_v<decltype(amp::cross<amp::o1<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<amp::float16>>(), std::declval<golden::tensor<float>>())), golden::tensor<float>>, "the widest");

TEST_CASE("cross agrees with the reference in every format, broadcast or not") {
  test_context context;
  int run = 0;
  for (const auto& c : golden::cases("widening.json", {"cross"})) {
    const int axis = c.option("dim");
    golden::in_each_format([&](auto s) {
      using setting = decltype(s);
      using policy = typename setting::policy;
      const auto a = c.input("input").template to<typename setting::input>(context);
      const auto b = c.input("other").template to<typename setting::input>(context);
      const double terms = 2 * (1 + c.input("input").largest()) * (1 + c.input("other").largest());
      const auto y = amp::cross<policy>(context, a, b, axis);
      golden::compare(context, c.name(), y, c.output(), setting::roundoff, terms, 2);
      const auto g = golden::upstream<std::remove_const_t<decltype(y)>>(context, c);
      const auto [ga, gb] = amp::cross_backward<policy>(context, g, a, b, axis);
      golden::compare_sum(context, c, "input", ga, setting::roundoff, 4, terms), golden::compare_sum(context, c, "other", gb, setting::roundoff, 4, terms);
      ++run;
    });
  }
  CHECK(run == 24);
}

TEST_CASE("the gradients of cross are slopes where both operands are broadcast") {
  using policy = amp::o0<>;
  test_context context;
  auto a = check::random<double>(context, {4, 3, 1}, 1), b = check::random<double>(context, {3, 5}, 2);
  const auto g = check::random<double>(context, {4, 3, 5}, 3);
  const auto [ga, gb] = amp::cross_backward<policy>(context, g, a, b, 1);
  const auto value = [&] { return check::dot(context, g, amp::cross<policy>(context, a, b, -2)); };
  check::slopes(context, value, a, ga), check::slopes(context, value, b, gb);
  auto sum = check::filled<double>(context, {3, 5}, 1.0);
  amp::cross_backward<policy>(context, g, a, b, amp::no_gradient{}, amp::add_to(sum), 1);
  const auto added = amp::wait_read(context, sum), fresh = amp::wait_read(context, gb);
  for (std::size_t i = 0; i < added.size(); ++i) CHECK(std::fabs(added[i] - fresh[i] - 1) < 1e-14);
  CHECK_THROWS_WITH_AS(amp::cross<policy>(context, a, b, 0), doctest::Contains("cross along axis 0 of [4, 3, 1] and [3, 5] needs three numbers"), amp::error);
  CHECK_THROWS_WITH_AS(amp::cross<policy>(context, check::random<double>(context, {1}, 1), check::random<double>(context, {3}, 1)), doctest::Contains("needs three numbers"), amp::error);
  auto y = check::filled<double>(context, {3}, 1.0);
  CHECK_THROWS_WITH_AS(amp::cross<policy>(context, amp::into(y), a, b, 1), doctest::Contains("cross has an output of shape [3] where [4, 3, 5] is due"), amp::error);
}
