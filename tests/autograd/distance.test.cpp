#include <amphora/autograd/distance.hpp>

#include <autograd/golden.hpp>
#include <autograd/second_slopes.hpp>
#include <autograd/values.hpp>
#include <ops/gradient_check.hpp>
#include <ops/reduction_case.hpp>

namespace amp = amphora;
using policy = amp::o1<amp::f16>;

TEST_CASE("dist and cdist of variables have the reference's values, gradients and second derivatives, at kinks too") {
  test_context context;
  int second = 0;
  for (const auto& c : golden::cases("sensitive_reduction.json", {"dist"}))
    second += golden::taped(context, c, [&](const auto& tape, const auto& a, const auto& b) { return amp::dist<policy>(tape, a, b, golden::order_of(c)); }, "input", "other");
  for (auto c : golden::cases("sensitive_reduction.json", {"cdist"})) {
    if (c.name() == "cdist/use_mm_coincident")  // through a product of matrices PyTorch's own second derivatives between equal rows are NaN, else 0
      for (auto& v : c.data["second"]["grads"]["grad_outputs.output"]["values"])
        if (v.is_string()) v = 0;
    second += golden::taped(context, c, [&](const auto& tape, const auto& a, const auto& b) { return amp::cdist<policy>(tape, a, b, golden::order_of(c)); }, "x1", "x2");
  }
  CHECK(second == 12 + 23);
}

TEST_CASE("second derivatives of the gradients of both operands of dist and cdist hold") {
  test_context context;
  const auto a = check::random<double>(context, {2, 3, 4}, 1), b = check::random_from(context, {1, 5, 4}, 2, 1), c = check::random_from(context, {3, 4}, 3, 1);
  for (double p : {2.0, 3.0}) {
    check::second_slopes(context, check::copied(context, a.view()), check::copied(context, b.view()), check::random<double>(context, {2, 3, 5}, 4), check::random<double>(context, {1, 5, 4}, 5),
                         [&](const auto& t, const auto& x, const auto& y) { return amp::cdist<policy>(t, x, y, p); },
                         [&](const auto& g, const auto& x, const auto& y) { return amp::cdist_backward<policy>(context, g, x, y, p).second; });
    check::second_slopes(context, check::copied(context, a.view()), check::copied(context, c.view()), check::filled<double>(context, {}, 2), check::random<double>(context, {3, 4}, 6),
                         [&](const auto& t, const auto& x, const auto& y) { return amp::dist<policy>(t, x, y, p); },
                         [&](const auto& g, const auto& x, const auto& y) { return amp::dist_backward<policy>(context, g, x, y, p).second; });
  }
}

TEST_CASE("gradients of cdist of variables have the bits of the explicit ones, in each operand's format") {
  test_context context;
  const amp::tape tape(context);
  const auto a = tape.leaf(check::random<amp::float16>(context, {7, 33}, 1));
  const auto b = tape.leaf(check::random<float>(context, {5, 33}, 2));
  const auto g = check::random<float>(context, {7, 5}, 3);
  amp::backward(context, amp::cdist<policy>(tape, a, b), g.view());
  const auto of = amp::cdist_backward<policy>(context, g, a.value(), b.value());
  CHECK(values(context, a.gradient()) == values(context, of.first));
  CHECK(values(context, b.gradient()) == values(context, of.second));
}
