#include <amphora/autograd/norm.hpp>

#include <autograd/golden.hpp>
#include <autograd/second_slopes.hpp>
#include <autograd/values.hpp>
#include <ops/gradient_check.hpp>
#include <ops/reduction_case.hpp>

namespace amp = amphora;
using policy = amp::o1<amp::f16>;

TEST_CASE("norm and vector_norm of variables have the reference's values, gradients and second derivatives, at kinks too") {
  test_context context;
  int second = 0;
  for (const auto& c : golden::cases("sensitive_reduction.json", {"norm"}))
    second += golden::taped(context, c, [&](const auto& tape, const auto& x) { return amp::norm<policy>(tape, x, golden::order_of(c), golden::axes_of(c)); }, "input");
  for (const auto& c : golden::cases("sensitive_reduction.json", {"vector_norm"}))
    second += golden::taped(context, c, [&](const auto& tape, const auto& x) { return amp::vector_norm<policy>(tape, x, golden::order_of(c), golden::axes_of(c)); }, "x");
  CHECK(second == 70);
}

TEST_CASE("second derivatives of norms hold over every axis and order") {
  test_context context;
  const auto x = check::random_from(context, {2, 3, 2}, 1, 0.5);
  for (double p : {2.0, 1.5, 3.0, 0.5, -1.0})
    for (const amp::axes& over : {amp::axes{}, amp::axes{1}, amp::axes{0, 2}.keep()}) {
      const auto g = check::random<double>(context, amp::norm<policy>(context, x, p, over).shape(), 2), v = check::random<double>(context, {2, 3, 2}, 3);
      check::second_slopes(context, check::filled<double>(context, {}, 1), check::copied(context, x.view()), check::copied(context, g.view()), v,
                           [&](const auto& t, const auto&, const auto& b) { return amp::norm<policy>(t, b, p, over); },
                           [&](const auto& s, const auto&, const auto& b) { return amp::norm_backward<policy>(context, s, b, p, over); });
    }
}

TEST_CASE("the gradient of a norm of variables has the bits of the explicit one, in the operand's format") {
  test_context context;
  const amp::tape tape(context);
  auto x = tape.leaf(check::random<amp::bfloat16>(context, {3, 50, 4}, 1));
  const auto g = check::random<float>(context, {3, 4}, 2);
  for (double p : {2.0, 1.0, golden::number("inf")}) {
    const auto y = amp::norm<policy>(tape, x, p, amp::axes{1});
    static_assert(std::is_same_v<std::decay_t<decltype(y)>::value_type, float>);
    x.clear_gradient();
    amp::backward(context, y, g.view());
    CHECK(values(context, x.gradient()) == values(context, amp::norm_backward<policy>(context, g, x.value(), p, amp::axes{1})));
  }
}
