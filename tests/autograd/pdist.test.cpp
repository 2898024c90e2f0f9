#include <amphora/autograd/pdist.hpp>

#include <autograd/golden.hpp>
#include <autograd/second_slopes.hpp>
#include <autograd/values.hpp>
#include <ops/gradient_check.hpp>
#include <ops/reduction_case.hpp>

namespace amp = amphora;
using policy = amp::o1<amp::f16>;

TEST_CASE("pdist of variables has the reference's value, gradient and second derivatives, at kinks too") {
  test_context context;
  int second = 0;
  for (const auto& c : golden::cases("sensitive_reduction.json", {"pdist"}))
    second += golden::taped(context, c, [&](const auto& tape, const auto& x) { return amp::pdist<policy>(tape, x, golden::order_of(c)); }, "input");
  CHECK(second == 13);
}

TEST_CASE("second derivatives of pdist hold") {
  test_context context;
  const auto x = check::random<double>(context, {4, 3}, 1);
  for (double p : {2.0, 3.0})
    check::second_slopes(context, check::filled<double>(context, {}, 1), check::copied(context, x.view()), check::random<double>(context, {6}, 2), check::random<double>(context, {4, 3}, 3),
                         [&](const auto& t, const auto&, const auto& b) { return amp::pdist<policy>(t, b, p); },
                         [&](const auto& s, const auto&, const auto& b) { return amp::pdist_backward<policy>(context, s, b, p); });
}

TEST_CASE("the gradient of pdist of variables has the bits of the explicit one, in the operand's format") {
  test_context context;
  const amp::tape tape(context);
  const auto x = tape.leaf(check::random<amp::float16>(context, {9, 5}, 1));
  const auto g = check::random<float>(context, {36}, 3);
  amp::backward(context, amp::pdist<policy>(tape, x), g.view());
  CHECK(values(context, x.gradient()) == values(context, amp::pdist_backward<policy>(context, g, x.value())));
}
