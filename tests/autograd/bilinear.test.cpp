#include <amphora/autograd/bilinear.hpp>

#include <amphora/autograd/backward.hpp>
#include <amphora/policy/opt_level.hpp>
#include <autograd/values.hpp>
#include <ops/gradient_check.hpp>

#include <doctest/doctest.h>

namespace amp = amphora;
using policy = amp::o1<amp::f16>;

TEST_CASE("the gradients of bilinear with a bias have the bits of the explicit ones, each in its operand's format and where it is wanted") {
  test_context context;
  const amp::tape tape(context);
  const auto x = tape.leaf(check::random<amp::float16>(context, {3, 4}, 1));
  const auto y = tape.constant(check::random<float>(context, {3, 5}, 2)), w = tape.leaf(check::random<float>(context, {2, 4, 5}, 3)), b = tape.leaf(check::random<float>(context, {2}, 4));
  const auto value = amp::bilinear<policy>(tape, x, y, w, b);
  const auto seed = check::random<float>(context, {3, 2}, 5);
  amp::tensor<decltype(value)::value_type, test_context> given(context, {3, 2});
  amp::cast(context, amp::into(given), seed);
  amp::backward(context, value, seed.view());
  const auto direct = amp::bilinear_backward<policy>(context, given, x.value(), y.value(), w.value());
  CHECK(values(context, x.gradient()) == values(context, direct.x1));
  CHECK(values(context, w.gradient()) == values(context, direct.w));
  CHECK(values(context, b.gradient()) == values(context, direct.b));
  CHECK(!y.gradient());
}
