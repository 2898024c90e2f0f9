#include <amphora/autograd/dropout.hpp>

#include <amphora/autograd/backward.hpp>
#include <amphora/policy/opt_level.hpp>
#include <autograd/values.hpp>
#include <ops/gradient_check.hpp>

#include <doctest/doctest.h>

namespace amp = amphora;
using policy = amp::o1<amp::f16>;

TEST_CASE("dropout of variables drops the same places forward, backward and in a second derivative") {
  test_context context;
  const amp::tape tape(context);
  const amp::dropout_settings settings{0.3, 11, 5};
  const auto x = tape.leaf(check::random<amp::float16>(context, {4, 300}, 1)), g = tape.leaf(check::random<amp::float16>(context, {4, 300}, 2));
  const auto y = amp::dropout<policy>(tape, x, settings);
  CHECK(values(context, y) == values(context, amp::dropout<policy>(context, x.value(), settings)));
  const auto [gx] = amp::grad(context, y, g, amp::graph::create, x);
  CHECK(values(context, gx) == values(context, amp::dropout_backward<policy>(context, g.value(), x.value(), settings)));
  const auto v = tape.constant(check::random<amp::float16>(context, {4, 300}, 3));
  const auto [gg] = amp::grad(context, gx, v, amp::graph::free, g);
  CHECK(values(context, gg) == values(context, amp::dropout_backward<policy>(context, v.value(), x.value(), settings)));
}

TEST_CASE("the gradient of dropout goes where a leaf's gradient stands, in that format, and is added there by itself") {
  test_context context;
  const amp::tape tape(context);
  const amp::dropout_settings settings{0.3, 11, 5};
  const auto numbers_of_x = check::random<amp::float16>(context, {4, 300}, 1), g = check::random<amp::float16>(context, {4, 300}, 2);
  auto memory = check::filled<float>(context, {4, 300}, 7.0f), direct = check::filled<float>(context, {4, 300}, 7.0f);
  const auto x = tape.leaf(numbers_of_x.view(), memory.view());
  amp::dropout_backward<policy>(context, amp::into(direct), g, settings);
  amp::backward(context, amp::dropout<policy>(tape, x, settings), g.view());
  CHECK(check::equal_bits(context, memory, direct));
  amp::dropout_backward<policy>(context, amp::add_to(direct), g, settings);
  amp::backward(context, amp::dropout<policy>(tape, x, settings), g.view());
  CHECK(check::equal_bits(context, memory, direct));
}

TEST_CASE("a probability that is none is refused by dropout of variables too; one of 1 leaves nothing, forward and backward") {
  test_context context;
  const amp::tape tape(context);
  const auto x = tape.leaf(check::random<float>(context, {2, 2}, 1)), g = tape.constant(check::random<float>(context, {2, 2}, 2));
  CHECK_THROWS_WITH_AS(amp::dropout<policy>(tape, x, {1.5, 1, 2}), doctest::Contains("amphora [setting]: dropout has probability = 1.5"), amp::error);
  const auto y = amp::dropout<policy>(tape, x, {1, 1, 2});
  amp::backward(context, y, g);
  CHECK(values(context, y) == std::vector<double>(4));
  CHECK(values(context, x.gradient()) == std::vector<double>(4));
}
