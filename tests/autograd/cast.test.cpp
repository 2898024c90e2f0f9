#include <amphora/autograd/backward.hpp>
#include <amphora/autograd/cast.hpp>
#include <amphora/autograd/dropout.hpp>
#include <amphora/autograd/matmul.hpp>
#include <amphora/policy/opt_level.hpp>

#include <autograd/values.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;
using policy = amp::o1<amp::f16>;

TEST_CASE("the gradient of a cast is cast back, and a second time") {
  test_context context;
  const amp::tape tape(context);
  const auto x = tape.leaf(check::random<float>(context, {70}, 1));
  const auto low = amp::cast<amp::bf16>(tape, x);
  CHECK(values(context, low) == values(context, amp::cast<amp::bf16>(context, x.value())));
  const auto g = tape.leaf(check::random<amp::bfloat16>(context, {70}, 2));
  const auto [gx] = amp::grad(context, low, g, amp::graph::create, x);
  static_assert(std::is_same_v<decltype(gx)::value_type, float>);
  CHECK(values(context, gx) == values(context, g));
  const auto v = tape.constant(check::random<float>(context, {70}, 3));
  const auto [gg] = amp::grad(context, gx, v, amp::graph::free, g);
  CHECK(values(context, gg) == values(context, amp::cast<amp::bf16>(context, v.value())));
}

TEST_CASE("reshape shares its memory, and its gradient has the shape before it") {
  test_context context;
  const amp::tape tape(context);
  const auto a = tape.leaf(check::random<double>(context, {2, 6}, 1)), b = tape.leaf(check::random<double>(context, {3, 2}, 2));
  const auto wide = amp::reshape(tape, a, {4, 3});
  CHECK(wide.value().data() == a.value().data());
  CHECK_THROWS_WITH_AS(amp::reshape(tape, a, {5}), doctest::Contains("amphora [shape]"), amp::error);
  const auto seed = tape.leaf(check::random<double>(context, {4, 2}, 3));
  const auto [ga] = amp::grad(context, amp::matmul<policy>(tape, wide, b), seed, amp::graph::create, a);
  CHECK(ga.shape() == amp::shape{2, 6});
  CHECK(values(context, ga) == values(context, amp::matmul_backward<policy>(context, seed.value(), wide.value(), b.value()).first));
  const auto v = tape.constant(check::random<double>(context, {2, 6}, 4));
  const auto [gb] = amp::grad(context, ga, v, amp::graph::free, b);
  const auto direct = amp::matmul_backward<policy>(context, seed.value(), v.value().reshaped({4, 3}), b.value());  // ga = seed · bᵀ
  CHECK(values(context, gb) == values(context, direct.second));
}

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
