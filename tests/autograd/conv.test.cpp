#include <amphora/autograd/conv.hpp>

#include <amphora/autograd/scope.hpp>
#include <autograd/convolution_case.hpp>
#include <autograd/golden.hpp>
#include <autograd/values.hpp>
#include <ops/convolution_case.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;
using policy = amp::o1<amp::f16>;
using options = amp::convolution_options;

TEST_CASE("conv1d, conv2d and conv3d of variables have the reference's value, gradients and second derivatives") {
  CHECK(second_derivatives("conv1d", [](const auto& tape, const auto& how, const auto& x, const auto& w, const auto& b) { return amp::conv1d<policy>(tape, x, w, b, how); }) == 17);
  CHECK(second_derivatives("conv2d", [](const auto& tape, const auto& how, const auto& x, const auto& w, const auto& b) { return amp::conv2d<policy>(tape, x, w, b, how); }) == 20);
  CHECK(second_derivatives("conv3d", [](const auto& tape, const auto& how, const auto& x, const auto& w, const auto& b) { return amp::conv3d<policy>(tape, x, w, b, how); }) == 5);
}

TEST_CASE("the gradients of convolutions of variables have the bits of the explicit ones, each in its operand's format") {
  test_context context;
  const amp::tape tape(context);
  const auto how = options{}.stride(2).padding(1);
  const auto x = tape.leaf(check::random<amp::float16>(context, {3, 4, 9, 7}, 1));
  const auto w = tape.leaf(check::random<float>(context, {5, 4, 3, 3}, 2)), b = tape.leaf(check::random<float>(context, {5}, 3));
  const auto g = check::random<amp::float16>(context, {3, 5, 5, 4}, 4);
  amp::backward(context, amp::conv2d<policy>(tape, x, w, b, how), g.view());
  const auto direct = amp::conv2d_backward<policy>(context, g, x.value(), w.value(), how);
  CHECK(values(context, x.gradient()) == values(context, direct.x));
  CHECK(values(context, w.gradient()) == values(context, direct.w));
  CHECK(values(context, b.gradient()) == values(context, direct.b));
}

TEST_CASE("a convolution can be differentiated as often as one likes") {
  test_context context;
  const amp::tape tape(context);
  // Σ over i of (w ⋆ (w ⋆ x))[i] = Σ over i, a, b of w[a] w[b] x[i + a + b]: twice by w and once by x, each x[j] is left twice for each such sum that is j.
  const auto x = tape.leaf(check::random<double>(context, {1, 1, 4}, 1)), w = tape.leaf(check::random<double>(context, {1, 1, 2}, 2));
  const auto ones = [&](const auto& of) { return tape.constant(check::filled<double>(context, of.shape(), 1)); };
  const auto y = amp::conv1d<policy>(tape, amp::conv1d<policy>(tape, x, w), w);
  const auto [by_w] = amp::grad(context, y, ones(y), amp::graph::create, w);
  const auto [by_w_w] = amp::grad(context, by_w, ones(by_w), amp::graph::create, w);
  const auto [by_w_w_x] = amp::grad(context, by_w_w, ones(by_w_w), amp::graph::free, x);
  CHECK(values(context, by_w_w_x) == std::vector<double>{2, 6, 6, 2});
}

TEST_CASE("the gradient of a bias can be differentiated too") {
  test_context context;
  const amp::tape tape(context);
  const auto x = tape.leaf(check::random<double>(context, {2, 1, 3}, 1)), w = tape.leaf(check::random<double>(context, {2, 1, 2}, 2)), b = tape.leaf(check::random<double>(context, {2}, 3));
  const auto g = tape.leaf(check::random<double>(context, {2, 2, 2}, 4)), v = tape.leaf(numbers<double>(context, {2}, {3, 5}));
  const auto [gb] = amp::grad(context, amp::conv1d<policy>(tape, x, w, b), g, amp::graph::create, b);
  const auto [by_g] = amp::grad(context, gb, v, amp::graph::create, g);
  CHECK(values(context, by_g) == std::vector<double>{3, 3, 5, 5, 3, 3, 5, 5});
  const auto [by_v] = amp::grad(context, by_g, tape.constant(numbers<double>(context, {2, 2, 2}, {1, 2, 4, 8, 16, 32, 64, 128})), amp::graph::free, v);
  CHECK(values(context, by_v) == std::vector<double>{51, 204});
}

TEST_CASE("in a scope convolutions have the policy of the scope, of numbers and of variables") {
  test_context context;
  const amp::tape tape(context);
  const auto how = options{}.padding(1);
  const auto x = check::random<float>(context, {2, 4, 6, 5}, 1), w = check::random<float>(context, {4, 4, 3, 3}, 2), b = check::random<float>(context, {4}, 3);
  const auto vx = tape.constant(x.view()), vw = tape.constant(w.view()), vb = tape.constant(b.view());
  const auto want = amp::conv2d<policy>(context, x, w, b, how), spread = amp::conv_transpose2d<policy>(context, x, w, b, how);
  const auto in_scope = amp::autocast<policy>(context, [&](auto amp) { return amp.conv2d(x, w, b, how); });
  CHECK(check::equal_bits(context, in_scope, want));
  CHECK(values(context, amp::autocast<policy>(tape, [&](auto amp) { return amp.conv2d(vx, vw, vb, how); })) == values(context, want));
  CHECK(values(context, amp::autocast<policy>(tape, [&](auto amp) { return amp.conv_transpose2d(vx, vw, vb, how); })) == values(context, spread));
}
