#include <amphora/ops/logsumexp.hpp>

#include <ops/golden.hpp>
#include <ops/gradient_check.hpp>
#include <ops/reduction_case.hpp>

namespace amp = amphora;

static_assert(std::is_same_v<decltype(amp::logsumexp<amp::o1<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<amp::float16>>())), golden::tensor<float>>);
static_assert(std::is_same_v<decltype(amp::logsumexp<amp::o3<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<amp::float16>>())), golden::tensor<amp::float16>>);

TEST_CASE("logsumexp and its gradient agree with the reference in every format") {
  test_context context;
  int run = 0;
  for (const auto& c : golden::cases("sensitive_reduction.json", {"logsumexp"})) {
    const amp::axes over = golden::axes_of(c);
    const golden::array a = c.input("input");
    golden::in_all_settings([&](auto s) {
      using setting = decltype(s);
      using T = typename setting::input;
      using P = typename setting::policy;
      if (!a.template is_exact_in<T>()) return;
      ++run;
      const auto x = a.template to<T>(context);
      const double n = static_cast<double>(a.values.size()), terms = a.largest() + 4;
      const auto value = amp::logsumexp<P>(context, x, over);
      golden::compare(context, c.name(), value, c.output(), setting::roundoff, terms, n);
      const auto g = golden::upstream<std::remove_const_t<decltype(value)>>(context, c);
      const auto gx = amp::logsumexp_backward<P>(context, g, x, over);
      golden::compare(context, c.name() + " x", gx, c.gradient("input"), setting::roundoff, terms * c.grad_output().largest(), n);
    });
  }
  CHECK(run > 70);
}

TEST_CASE("the gradient of logsumexp is the slope of its value") {
  test_context context;
  auto x = check::random<double>(context, {2, 5, 3}, 1);
  for (const amp::axes& over : {amp::axes{}, amp::axes{1}, amp::axes{0, 2}.keep()}) {
    const auto g = check::random<double>(context, amp::logsumexp<amp::o0<>>(context, x, over).shape(), 2);
    check::slopes(context, [&] { return check::dot(context, g, amp::logsumexp<amp::o0<>>(context, x, over)); }, x, amp::logsumexp_backward<amp::o0<>>(context, g, x, over));
  }
}

TEST_CASE("logsumexp of long lines stays within its bound in every direction, and of large logits is finite") {
  test_context context;
  const auto wide = check::filled(context, {20000, 3}, amp::float16(60000.0f));
  for (float v : amp::wait_read(context, amp::logsumexp<amp::o1<amp::f16>>(context, wide, amp::axes{0}))) CHECK(v == static_cast<float>(60000 + std::log(20000.0)));
  const auto flat = check::filled(context, {3, 20000}, -80.0f);  // each exponential is 1.8e-35
  for (float v : amp::wait_read(context, amp::logsumexp<amp::o0<>>(context, flat, amp::axes{1}))) CHECK(std::fabs(v - (-80 + std::log(20000.0))) <= 80 * amp::f32::unit_roundoff);
  const auto x = check::random<float>(context, {5, 9001}, 1);
  const auto numbers = amp::wait_read(context, x);
  const auto got = amp::wait_read(context, amp::logsumexp<amp::o0<>>(context, x, amp::axes{1}));
  for (std::size_t i = 0; i < 5; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < 9001; ++j) sum += std::exp(static_cast<double>(numbers[i * 9001 + j]));
    CHECK(std::fabs(static_cast<double>(got[i]) - std::log(sum)) <= 16 * amp::f32::unit_roundoff);
  }
}

TEST_CASE("logsumexp writes to memory of the caller's, adds a gradient, and refuses other shapes") {
  test_context context;
  const auto x = check::random<float>(context, {2, 3}, 1), g = check::random<float>(context, {2}, 2);
  golden::tensor<float> y(context, {2}), wrong(context, {3});
  amp::logsumexp<amp::o0<>>(context, amp::into(y), x, amp::axes{1});
  CHECK(check::equal_bits(context, y, amp::logsumexp<amp::o0<>>(context, x, amp::axes{1})));
  auto sum = check::filled<float>(context, {2, 3}, 1);
  amp::logsumexp_backward<amp::o0<>>(context, amp::add_to(sum), g, x, amp::axes{1});
  const auto alone = amp::wait_read(context, amp::logsumexp_backward<amp::o0<>>(context, g, x, amp::axes{1})), added = amp::wait_read(context, sum);
  for (std::size_t i = 0; i < 6; ++i) CHECK(added[i] == 1 + alone[i]);
  CHECK_THROWS_WITH_AS(amp::logsumexp<amp::o0<>>(context, amp::into(wrong), x, amp::axes{1}), doctest::Contains("[3] where [2] is due"), amp::error);
  CHECK_THROWS_WITH_AS(amp::logsumexp_backward<amp::o0<>>(context, wrong, x, amp::axes{1}), doctest::Contains("[3] where [2] is due"), amp::error);
}
