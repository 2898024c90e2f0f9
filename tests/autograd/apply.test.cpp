#include <amphora/autograd/add.hpp>
#include <amphora/autograd/apply.hpp>
#include <amphora/autograd/backward.hpp>
#include <amphora/autograd/linear.hpp>
#include <amphora/autograd/scope.hpp>
#include <amphora/policy/opt_level.hpp>

#include <autograd/values.hpp>
#include <ops/gradient_check.hpp>

#include <doctest/doctest.h>

namespace theirs {

//! [op]
// x + share · relu(x · wᵀ), whose inner values are computed again on the way back instead of being kept.
struct residual {
  using parent = amphora::op::linear;
  double share;

  template <class Policy, class Context, class X, class W>
  auto forward(Context& context, const X& x, const W& w) const {
    return amphora::add<Policy>(context, x, inner<Policy>(context, x, w), share);
  }
  template <class Policy, class Pass, class G, class X, class W>
  void backward(Pass& pass, const G& gradient, const G&, const X& x, const W& w) const {
    auto& context = pass.context();
    const auto h = inner<Policy>(context, x.value(), w.value());
    const auto [of_x, of_h] = amphora::add_backward<Policy>(context, gradient.value(), x.value(), h, share);
    const auto of_sum = amphora::relu_backward<Policy>(context, of_h, h);
    const amphora::no_gradient none;
    pass.write(x, [&, &direct = of_x](auto target) { amphora::cast_backward(context, target, direct); });
    pass.write(x, [&](auto target) { amphora::linear_backward<Policy>(context, of_sum, x.value(), w.value(), target, none); });
    pass.write(w, [&](auto target) { amphora::linear_backward<Policy>(context, of_sum, x.value(), w.value(), none, target); });
  }

 private:
  template <class Policy, class Context, class X, class W>
  static auto inner(Context& context, const X& x, const W& w) { return amphora::linear<Policy>(context, x, w, amphora::no_bias{}, amphora::with_relu{}); }
};
//! [op]

//! [again]
// Twice x: its gradient is this op of the gradient.
struct doubled {
  using parent = amphora::op::add;

  template <class Policy, class Context, class X>
  static auto forward(Context& context, const X& x) { return amphora::add<Policy>(context, x, x); }
  template <class Policy, class Pass, class G, class X>
  static void backward(Pass& pass, const G& gradient, const G&, const X& x) { pass.give(x, amphora::apply<Policy>(pass.tape(), doubled{}, gradient)); }
};
//! [again]

}  // namespace theirs

namespace amp = amphora;
using mixed = amp::o1<amp::f16>;

TEST_CASE("a user's op runs back under the policy that it ran forward under, with the bits of the ops that it is made of") {
  test_context context;
  const amp::tape tape(context);
  const auto x = tape.leaf(check::random<float>(context, {5, 6}, 1)), w = tape.leaf(check::random<float>(context, {6, 6}, 2));
  const auto seed = check::random<float>(context, {5, 6}, 3);
  const auto y = amp::apply<mixed>(tape, theirs::residual{0.5}, x, w);
  static_assert(std::is_same_v<decltype(y), decltype(x)>, "a sum of f32 and f16");
  amp::backward(context, y, seed.view());
  const auto a = tape.leaf(check::random<float>(context, {5, 6}, 1)), b = tape.leaf(check::random<float>(context, {6, 6}, 2));
  const auto z = amp::add<mixed>(tape, a, amp::relu<mixed>(tape, amp::linear<mixed>(tape, a, b)), 0.5);
  amp::backward(context, z, seed.view());
  CHECK(values(context, y) == values(context, z));
  CHECK(values(context, w.gradient()) == values(context, b.gradient()));
  const auto gx = values(context, x.gradient()), ga = values(context, a.gradient());
  for (std::size_t i = 0; i < gx.size(); ++i) CHECK(gx[i] == doctest::Approx(ga[i]).epsilon(1e-6));  // the sum of two in float, in another order
}

TEST_CASE("a scope over a tape records its ops, the library's and the user's") {
  test_context context;
  amp::tape tape(context);
  const auto x = tape.leaf(check::random<float>(context, {5, 6}, 1)), w = tape.leaf(check::random<float>(context, {6, 6}, 2));
  const auto run = [&](auto amp) { return amp.relu(amp.with(amp::o0<>{}).linear(amp(theirs::residual{2}, x, w), w)); };
  const auto y = amp::autocast<mixed>(tape, run);
  const auto z = amp::relu<mixed>(tape, amp::linear<amp::o0<>>(tape, amp::apply<mixed>(tape, theirs::residual{2}, x, w), w));
  CHECK(values(context, y) == values(context, z));
  CHECK(y.needs_gradient());
  const auto& unchanging = tape;
  CHECK(values(context, amp::autocast<mixed>(unchanging, run)) == values(context, z));
}

TEST_CASE("a user's op has second derivatives where its backward is made of recorded ops, and else an error that says so") {
  test_context context;
  const amp::tape tape(context);
  const auto x = tape.leaf(check::random<float>(context, {4, 4}, 1)), w = tape.leaf(check::random<float>(context, {4, 4}, 2)), seed = tape.leaf(check::random<float>(context, {4, 4}, 3));
  const auto [gx] = amp::grad(context, amp::apply<mixed>(tape, theirs::doubled{}, x), seed, amp::graph::create, x);
  const auto [by_seed] = amp::grad(context, gx, seed, amp::graph::free, seed);
  const auto once = values(context, seed), twice = values(context, by_seed);
  for (std::size_t i = 0; i < once.size(); ++i) CHECK(twice[i] == 2 * once[i]);
  const auto [g] = amp::grad(context, amp::apply<mixed>(tape, theirs::residual{1}, x, w), seed, amp::graph::create, x);
  CHECK_THROWS_WITH_AS(amp::grad(context, g, seed, amp::graph::free, w), doctest::Contains("amphora [no-derivative]"), amp::error);
}
