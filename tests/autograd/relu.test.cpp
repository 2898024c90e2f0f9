#include <amphora/autograd/relu.hpp>

#include <autograd/golden.hpp>
#include <autograd/values.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;

TEST_CASE("relu of variables has the reference's value, gradient and second derivatives") {
  test_context context;
  int second = 0;
  for (const auto& c : golden::cases("second.json", {"relu"}))
    second += golden::taped(context, c, [](const auto& tape, const auto& x) { return amp::relu<amp::o1<amp::f16>>(tape, x); }, "input");
  CHECK(second == 5);
}

TEST_CASE("the gradient of relu of variables has the bits of relu_backward") {
  test_context context;
  const amp::tape tape(context);
  const auto x = tape.leaf(check::random<amp::float16>(context, {3, 50}, 1));
  const auto g = check::random<amp::float16>(context, {3, 50}, 2);
  amp::backward(context, amp::relu<amp::o1<amp::f16>>(tape, x), g.view());
  const auto explicit_one = amp::relu_backward<amp::o1<amp::f16>>(context, g, x.value());
  CHECK(values(context, x.gradient()) == values(context, explicit_one));
}
