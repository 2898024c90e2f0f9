#include <amphora/autograd/renorm.hpp>

#include <autograd/golden.hpp>
#include <autograd/second_slopes.hpp>
#include <autograd/values.hpp>
#include <ops/gradient_check.hpp>
#include <ops/reduction_case.hpp>

namespace amp = amphora;
using policy = amp::o1<amp::f16>;

TEST_CASE("renorm of variables has the reference's value, gradient and second derivatives") {
  test_context context;
  int second = 0;
  for (auto c : golden::cases("sensitive_reduction.json", {"renorm"})) {
    if (c.name() == "renorm/at_limit")  // PyTorch's second derivatives by a zero slice are NaN, though it is not cut
      for (auto& v : c.data["second"]["grads"]["input"]["values"])
        if (v.is_string()) v = 0;
    second += golden::taped(context, c, [&](const auto& tape, const auto& x) {
      return amp::renorm<policy>(tape, x, golden::order_of(c), c.option("dim").template get<int>(), c.option("maxnorm").template get<double>());
    }, "input");
  }
  CHECK(second == 8);
}

TEST_CASE("second derivatives of renorm hold in slices that are cut and in those that are not") {
  test_context context;
  const auto x = check::random_from(context, {4, 3, 2}, 1, 0.1);
  for (double p : {2.0, 3.0, 1.5})
    check::second_slopes(context, check::filled<double>(context, {}, 1), check::copied(context, x.view()), check::random<double>(context, {4, 3, 2}, 2), check::random<double>(context, {4, 3, 2}, 3),
                         [&](const auto& t, const auto&, const auto& b) { return amp::renorm<policy>(t, b, p, 0, 2.5); },
                         [&](const auto& s, const auto&, const auto& b) { return amp::renorm_backward<policy>(context, s, b, p, 0, 2.5); });
}

TEST_CASE("the gradient of renorm of variables has the bits of the explicit one, in the operand's format") {
  test_context context;
  const amp::tape tape(context);
  const auto x = tape.leaf(check::random<amp::float16>(context, {7, 33}, 1));
  const auto g = check::random<float>(context, {7, 33}, 3);
  amp::backward(context, amp::renorm<policy>(tape, x, 2, 0, 3.3), g.view());
  CHECK(values(context, x.gradient()) == values(context, amp::renorm_backward<policy>(context, g, x.value(), 2, 0, 3.3)));
}
