#include <amphora/autograd/backward.hpp>
#include <amphora/autograd/cast.hpp>
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
