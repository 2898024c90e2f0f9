#include <amphora/autograd/arithmetic.hpp>

#include <autograd/golden.hpp>
#include <autograd/second_slopes.hpp>
#include <autograd/values.hpp>
#include <ops/gradient_check.hpp>
#include <ops/truths.hpp>

namespace amp = amphora;
using policy = amp::o1<amp::f16>;

TEST_CASE("sub, mul and div of variables have the reference's values, gradients and second derivatives, broadcast or not") {
  CHECK(golden::taped_cases(golden::widening_file, "sub", [](const auto& tape, const auto& a, const auto& b, const auto& c) { return amp::sub<policy>(tape, a, b, c.option("alpha").template get<double>()); }, "input", "other") == 14);
  CHECK(golden::taped_cases(golden::widening_file, "mul", [](const auto& tape, const auto& a, const auto& b, const auto&) { return amp::mul<policy>(tape, a, b); }, "input", "other") == 7);
  CHECK(golden::taped_cases(golden::widening_file, "div", [](const auto& tape, const auto& a, const auto& b, const auto& c) {
    const auto& mode = c.option("rounding_mode");
    return amp::div<policy>(tape, a, b, mode.is_null() ? amp::rounding::none : mode == "trunc" ? amp::rounding::trunc : amp::rounding::floor);
  }, "input", "other") == 9);
}

TEST_CASE("where of variables has the reference's value, gradients and second derivatives") {
  test_context context;
  int second = 0;
  for (const auto& c : golden::cases(golden::widening_file, {"where"})) {
    const golden::array condition = c.input("condition");
    const auto which = truths(context, condition.shape, condition.values);
    second += golden::taped(context, c, [&](const auto& tape, const auto& a, const auto& b) { return amp::where<policy>(tape, which, a, b); }, "input", "other");
  }
  CHECK(second == 5);
}

TEST_CASE("gradients of ops of two variables have the bits of the explicit ones, each in its operand's format") {
  test_context context;
  const amp::tape tape(context);
  const auto a = tape.leaf(check::random<amp::float16>(context, {4, 1, 33}, 1));
  const auto b = tape.leaf(check::random<float>(context, {5, 33}, 2));
  const auto g = check::random<float>(context, {4, 5, 33}, 3);
  const auto same = [&](const auto& y, const auto& gradients) {
    auto x1 = a;
    auto x2 = b;
    x1.clear_gradient(), x2.clear_gradient();
    amp::backward(context, y, g.view());
    CHECK(values(context, x1.gradient()) == values(context, gradients.first));
    CHECK(values(context, x2.gradient()) == values(context, gradients.second));
  };
  same(amp::sub<policy>(tape, a, b, 0.5), amp::sub_backward<policy>(context, g, a.value(), b.value(), 0.5));
  same(amp::mul<policy>(tape, a, b), amp::mul_backward<policy>(context, g, a.value(), b.value()));
  same(amp::div<policy>(tape, a, b), amp::div_backward<policy>(context, g, a.value(), b.value()));
}

TEST_CASE("gradients of the last operand can be differentiated too, broadcast or not") {
  test_context context;
  for (const amp::shape& of_b : {amp::shape{3, 4}, amp::shape{4}, amp::shape{3, 1}}) {
    const auto second = [&](const auto& function, const auto& gradient) {
      check::second_slopes(context, check::random<double>(context, {3, 4}, 1), check::random_from(context, of_b, 2, 1), check::random<double>(context, {3, 4}, 3),
                           check::random<double>(context, of_b, 4), function, gradient);
    };
    second([](const auto& tape, const auto& a, const auto& b) { return amp::mul<policy>(tape, a, b); },
           [&](const auto& g, const auto& a, const auto& b) { return amp::mul_backward<policy>(context, g, a, b).second; });
    second([](const auto& tape, const auto& a, const auto& b) { return amp::div<policy>(tape, a, b); },
           [&](const auto& g, const auto& a, const auto& b) { return amp::div_backward<policy>(context, g, a, b).second; });
  }
}

TEST_CASE("polynomials of mul, sub and addcmul have derivatives of any order, through what was broadcast too") {
  test_context context;
  const amp::tape tape(context);
  const auto x = tape.leaf(numbers<double>(context, {1}, {1.5}));
  const auto c = tape.constant(numbers<double>(context, {2}, {2, 3}));
  // y_i = c_i x³ − x² − ½ x⁴, summed over i by the seed
  const auto square = amp::mul<policy>(tape, x, x), cube = amp::mul<policy>(tape, square, x);
  const auto y = amp::addcmul<policy>(tape, amp::sub<policy>(tape, amp::mul<policy>(tape, cube, c), square), square, square, -0.5);
  const auto ones = tape.constant(numbers<double>(context, {2}, {1, 1})), one = tape.constant(numbers<double>(context, {1}, {1}));
  const auto [first] = amp::grad(context, y, ones, amp::graph::create, x);
  const auto [second] = amp::grad(context, first, one, amp::graph::create, x);
  const auto [third] = amp::grad(context, second, one, amp::graph::create, x);
  const auto [fourth] = amp::grad(context, third, one, amp::graph::create, x);
  const double v = 1.5;
  CHECK(values(context, first) == std::vector<double>{15 * v * v - 4 * v - 4 * v * v * v});
  CHECK(values(context, second) == std::vector<double>{30 * v - 4 - 12 * v * v});
  CHECK(values(context, third) == std::vector<double>{30 - 24 * v});
  CHECK(values(context, fourth) == std::vector<double>{-24});
}

TEST_CASE("a second derivative in f16 is that in f64 to its roundings") {
  test_context context;
  const amp::tape tape(context);
  const auto of = [&](auto zero) {
    using T = decltype(zero);
    const auto a = tape.leaf(numbers<T>(context, {2, 2}, {1, 0.5, -0.75, 2})), b = tape.leaf(numbers<T>(context, {2}, {1.5, -0.5}));
    const auto g = tape.constant(numbers<T>(context, {2, 2}, {1, 2, -1, 0.5}));
    const auto [ga] = amp::grad(context, amp::div<amp::policy<>>(tape, a, b), g, amp::graph::create, a);
    const auto [gb] = amp::grad(context, ga, tape.constant(numbers<T>(context, {2, 2}, {1, 1, 0.5, -1})), amp::graph::free, b);
    return values(context, gb);
  };
  const auto low = of(amp::float16()), high = of(0.0);
  for (std::size_t i = 0; i < 2; ++i) CHECK(std::fabs(low[i] - high[i]) <= 4 * amp::f16::unit_roundoff * std::fabs(high[i]));
}

TEST_CASE("products and quotients of a variable and a number have the derivatives of a hand's calculation") {
  test_context context;
  const amp::tape tape(context);
  const auto x = tape.leaf(numbers<double>(context, {3}, {2, -4, 0.5}));
  const auto g = tape.constant(numbers<double>(context, {3}, {1, 1, 2}));
  // 3 x² / 8 + 6 / x
  const auto y = amp::sub<policy>(tape, amp::div<policy>(tape, amp::mul<policy>(tape, amp::mul<policy>(tape, x, x), 3), 8), amp::div<policy>(tape, 6, x), -1);
  const auto [first] = amp::grad(context, y, g, amp::graph::create, x);
  const auto [second] = amp::grad(context, first, g, amp::graph::free, x);
  CHECK(values(context, y) == std::vector<double>{4.5, 4.5, 12.09375});
  CHECK(values(context, first) == std::vector<double>{0, -3.375, -47.25});
  CHECK(values(context, second) == std::vector<double>{2.25, 0.5625, 387});
}
