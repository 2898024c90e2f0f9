#include <amphora/ops/prod.hpp>

#include <ops/golden.hpp>
#include <ops/gradient_check.hpp>
#include <ops/reduction_case.hpp>

namespace amp = amphora;

static_assert(std::is_same_v<decltype(amp::prod<amp::o1<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<amp::float16>>())), golden::tensor<float>>);
static_assert(std::is_same_v<decltype(amp::prod<amp::o3<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<amp::float16>>())), golden::tensor<amp::float16>>);

TEST_CASE("prod and its gradient agree with the reference in every format, zeros, infinities and NaN included") {
  test_context context;
  int run = 0;
  for (const auto& c : golden::cases("sensitive_reduction.json", {"prod"})) {
    const amp::axes over = golden::axes_of(c);
    const golden::array a = c.input("input");
    golden::in_all_settings([&](auto s) {
      using setting = decltype(s);
      using T = typename setting::input;
      using P = typename setting::policy;
      if (!a.template is_exact_in<T>()) return;
      ++run;
      const auto x = a.template to<T>(context);
      const auto value = amp::prod<P>(context, x, over);
      golden::compare(context, c.name(), value, c.output(), amp::f64::unit_roundoff, c.output().largest(), 16);  // in double in every format
      const auto g = golden::upstream<std::remove_const_t<decltype(value)>>(context, c);
      const auto gx = amp::prod_backward<P>(context, g, x, over);
      golden::compare(context, c.name() + " x", gx, c.gradient("input"), amp::f64::unit_roundoff, c.gradient("input").largest(), 32);
    });
  }
  CHECK(run > 80);
}

TEST_CASE("the gradient of prod is the slope of its value, with none, one and two zeros") {
  test_context context;
  for (int zeros : {0, 1, 2}) {
    auto x = check::random<double>(context, {2, 5, 3}, 1);
    auto numbers = amp::wait_read(context, x);
    for (int i = 0; i < zeros; ++i) numbers[static_cast<std::size_t>(4 + 6 * i)] = 0;
    amp::write(context, numbers, x);
    for (const amp::axes& over : {amp::axes{}, amp::axes{1}, amp::axes{0, 2}.keep()}) {
      const auto g = check::random<double>(context, amp::prod<amp::o0<>>(context, x, over).shape(), 2);
      check::slopes(context, [&] { return check::dot(context, g, amp::prod<amp::o0<>>(context, x, over)); }, x, amp::prod_backward<amp::o0<>>(context, g, x, over));
    }
  }
}

TEST_CASE("B47: products of 16-bit numbers leave no range on the way, in every direction") {
  test_context context;
  const auto halves = check::given(context, {3}, std::vector<amp::float16>{amp::float16(512.0f), amp::float16(512.0f), amp::float16(0.0009765625f)});
  CHECK(static_cast<float>(amp::wait_read(context, amp::prod<amp::o3<amp::f16>>(context, halves)).at(0)) == 256);
  std::vector<amp::bfloat16> near_one(2 * 400, amp::bfloat16(1.0078125f));
  for (const amp::shape& shape : {amp::shape{2, 400}, amp::shape{400, 2}}) {
    const auto x = check::given(context, shape, near_one);
    for (float v : amp::wait_read(context, amp::prod<amp::o1<amp::bf16>>(context, x, shape[0] == 2 ? amp::axes{1} : amp::axes{0}))) {
      CHECK(v == static_cast<float>(std::pow(1.0078125, 400)));
    }
  }
  const auto wide = check::given(context, {2, 10000}, std::vector<float>(20000, -1.0f));
  for (float v : amp::wait_read(context, amp::prod<amp::o0<>>(context, wide, amp::axes{1}))) CHECK(v == 1);
}

TEST_CASE("prod writes to memory of the caller's, adds a gradient, and refuses other shapes") {
  test_context context;
  const auto x = check::random<float>(context, {2, 3}, 1), g = check::random<float>(context, {2}, 2);
  golden::tensor<float> y(context, {2}), wrong(context, {3});
  amp::prod<amp::o0<>>(context, amp::into(y), x, amp::axes{1});
  CHECK(check::equal_bits(context, y, amp::prod<amp::o0<>>(context, x, amp::axes{1})));
  auto sum = check::filled<double>(context, {2, 3}, 1);
  golden::tensor<double> alone(context, {2, 3});
  amp::prod_backward<amp::o0<>>(context, amp::add_to(sum), g, x, amp::axes{1}), amp::prod_backward<amp::o0<>>(context, amp::into(alone), g, x, amp::axes{1});
  const auto one = amp::wait_read(context, alone), added = amp::wait_read(context, sum);
  for (std::size_t i = 0; i < 6; ++i) CHECK(added[i] == 1 + one[i]);
  CHECK_THROWS_WITH_AS(amp::prod<amp::o0<>>(context, amp::into(wrong), x, amp::axes{1}), doctest::Contains("[3] where [2] is due"), amp::error);
  CHECK_THROWS_WITH_AS(amp::prod_backward<amp::o0<>>(context, wrong, x, amp::axes{1}), doctest::Contains("[3] where [2] is due"), amp::error);
}
