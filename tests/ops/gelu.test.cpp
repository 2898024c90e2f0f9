#include <amphora/ops/gelu.hpp>

#include <ops/golden.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;

TEST_CASE("gelu and its gradient agree with the reference in every format") {
  test_context context;
  int run = 0;
  for (const auto& c : golden::cases("activation.json", {"gelu"})) {
    const amp::gelu_form form = c.option("approximate") == "none" ? amp::gelu_form::erf : amp::gelu_form::tanh;
    const golden::array a = c.input("input");
    golden::in_all_settings([&](auto s) {
      using setting = decltype(s);
      using T = typename setting::input;
      if (!a.template is_exact_in<T>()) return;
      ++run;
      const auto x = a.template to<T>(context);
      const auto value = amp::gelu<typename setting::policy>(context, x, form);
      golden::compare(context, c.name(), value, c.output(), setting::roundoff, a.largest() + 1, 8);
      const auto g = golden::upstream<std::remove_const_t<decltype(value)>>(context, c);
      golden::compare(context, c.name() + " x", amp::gelu_backward<typename setting::policy>(context, g, x, form), c.gradient("input"), setting::roundoff, c.grad_output().largest() * (a.largest() + 1), 8);
    });
  }
  CHECK(run > 40);
}

TEST_CASE("gelu's gradient is the slope of its value") {
  test_context context;
  auto x = check::random<double>(context, {40}, 1);
  const auto g = check::random<double>(context, {40}, 2);
  for (const auto form : {amp::gelu_form::erf, amp::gelu_form::tanh})
    check::slopes(context, [&] { return check::dot(context, g, amp::gelu<amp::o0<>>(context, x, form)); }, x, amp::gelu_backward<amp::o0<>>(context, g, x, form));
}

TEST_CASE("gelu keeps its digits for negative numbers, where 1 + erf has none left") {
  test_context context;
  const std::vector<float> numbers = {-3, -5, -8};
  const auto x = check::given(context, {3}, numbers);
  const auto exact = amp::wait_read(context, amp::gelu<amp::o0<>>(context, x));
  const auto bent = amp::wait_read(context, amp::gelu<amp::o0<>>(context, x, amp::gelu_form::tanh));
  for (std::size_t i = 0; i < 3; ++i) {
    const double v = static_cast<double>(numbers[i]), want = 0.5 * v * std::erfc(-v / std::sqrt(2.0));
    CHECK(std::fabs(static_cast<double>(exact[i]) / want - 1) <= amp::f32::unit_roundoff * (8 + v * v * 4));  // erfc(x)'s condition is 2 x²
    const double u = 2 * std::sqrt(2 / std::acos(-1.0)) * (v + 0.044715 * v * v * v);
    CHECK(std::fabs(static_cast<double>(bent[i]) / (v / (1 + std::exp(-u))) - 1) <= amp::f32::unit_roundoff * (8 - 4 * u));  // exp(u)'s condition is u
  }
}
