#include <amphora/autograd/reduction.hpp>

#include <autograd/golden.hpp>
#include <autograd/values.hpp>
#include <ops/gradient_check.hpp>
#include <ops/reduction_case.hpp>

namespace amp = amphora;
using policy = amp::o1<amp::f16>;

TEST_CASE("sum and mean of variables have the reference's values, gradients and second derivatives") {
  test_context context;
  int second = 0;
  for (const auto& c : golden::cases("sensitive_reduction.json", {"sum", "mean"}))
    second += golden::taped(context, c, [&](const auto& tape, const auto& x) {
      return c.data.at("op") == "mean" ? amp::mean<policy>(tape, x, golden::axes_of(c)) : amp::sum<policy>(tape, x, golden::axes_of(c));
    }, "input");
  CHECK(second == 30);
}

TEST_CASE("gradients of sum and mean of variables have the bits of the explicit ones, in the operand's format") {
  test_context context;
  const amp::tape tape(context);
  auto x = tape.leaf(check::random<amp::float16>(context, {3, 50, 7}, 1));
  const auto g = check::random<float>(context, {3, 7}, 2);
  amp::backward(context, amp::sum<policy>(tape, x, amp::axes{1}), g.view());
  CHECK(values(context, x.gradient()) == values(context, amp::sum_backward<policy>(context, g, x.value(), amp::axes{1})));
  x.clear_gradient();
  amp::backward(context, amp::mean<policy>(tape, x, amp::axes{1}), g.view());
  CHECK(values(context, x.gradient()) == values(context, amp::mean_backward<policy>(context, g, x.value(), amp::axes{1})));
}

TEST_CASE("the gradient of a mean can be differentiated as often as one likes") {
  test_context context;
  const amp::tape tape(context);
  const auto x = tape.leaf(check::random<double>(context, {4, 5}, 1));
  const auto seed = tape.leaf(check::filled<double>(context, {4}, 3));
  const auto [first] = amp::grad(context, amp::mean<policy>(tape, x, amp::axes{1}), seed, amp::graph::create, x);
  const auto along = tape.leaf(check::random<double>(context, {4, 5}, 2));
  const auto [second] = amp::grad(context, first, along, amp::graph::create, seed);
  const auto [third] = amp::grad(context, second, tape.constant(check::filled<double>(context, {4}, 10)), amp::graph::free, along);
  CHECK(values(context, third) == std::vector<double>(20, 2));
}
