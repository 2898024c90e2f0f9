#include <amphora/autograd/convolution.hpp>

#include <amphora/autograd/backward.hpp>
#include <amphora/autograd/conv.hpp>
#include <amphora/autograd/conv_transpose.hpp>
#include <amphora/policy/opt_level.hpp>
#include <autograd/values.hpp>
#include <ops/gradient_check.hpp>

#include <doctest/doctest.h>

#include <vector>

namespace amp = amphora;
using policy = amp::o1<amp::f16>;
using options = amp::convolution_options;

TEST_CASE("the gradients of transposed convolutions of variables have the bits of the explicit ones, each in its operand's format") {
  test_context context;
  const amp::tape tape(context);
  const auto how = options{}.stride(2).padding(1).groups(2);
  const auto x = tape.leaf(check::random<amp::float16>(context, {3, 4, 5, 4}, 1));
  const auto w = tape.leaf(check::random<float>(context, {4, 3, 3, 3}, 2)), b = tape.leaf(check::random<float>(context, {6}, 3));
  const auto y = amp::conv_transpose2d<policy>(tape, x, w, b, how);
  const auto g = check::random<amp::float16>(context, y.shape(), 4);
  amp::backward(context, y, g.view());
  const auto direct = amp::conv_transpose2d_backward<policy>(context, g, x.value(), w.value(), how);
  CHECK(values(context, x.gradient()) == values(context, direct.x));
  CHECK(values(context, w.gradient()) == values(context, direct.w));
  CHECK(values(context, b.gradient()) == values(context, direct.b));
}

TEST_CASE("a convolution and the transposed one of the same weights are each other's gradients by x, to the bit") {
  test_context context;
  const amp::tape tape(context);
  const auto how = options{}.padding(1);
  const auto x = tape.leaf(check::random<float>(context, {2, 4, 6, 5}, 1)), w = tape.constant(check::random<float>(context, {3, 4, 3, 3}, 2));
  const auto g = tape.leaf(check::random<amp::float16>(context, {2, 3, 6, 5}, 3));
  const auto [gx] = amp::grad(context, amp::conv2d<policy>(tape, x, w, amp::no_bias{}, how), g, amp::graph::create, x);
  amp::tensor<amp::float16, test_context> rounded(context, gx.shape());
  amp::cast(context, amp::into(rounded), gx.value());
  CHECK(values(context, rounded) == values(context, amp::conv_transpose2d<policy>(context, g.value(), w.value(), amp::no_bias{}, how)));
  const auto v = tape.constant(check::random<float>(context, gx.shape(), 4));
  const auto [by_g] = amp::grad(context, gx, v, amp::graph::free, g);
  CHECK(values(context, by_g) == values(context, amp::conv2d<policy>(context, v.value(), w.value(), amp::no_bias{}, how)));
}

TEST_CASE("a transposed convolution can be differentiated as often as one likes, its bias too") {
  test_context context;
  const amp::tape tape(context);
  const auto x = tape.leaf(check::random<double>(context, {1, 1, 3}, 1)), w = tape.leaf(check::random<double>(context, {1, 1, 2}, 2)), b = tape.leaf(check::random<double>(context, {1}, 3));
  const auto ones = [&](const auto& of) { return tape.constant(check::filled<double>(context, of.shape(), 1)); };
  const auto y = amp::conv_transpose1d<policy>(tape, amp::conv_transpose1d<policy>(tape, x, w, b), w, b);
  const auto [by_w] = amp::grad(context, y, ones(y), amp::graph::create, w);
  const auto [by_w_w] = amp::grad(context, by_w, ones(by_w), amp::graph::create, w);
  const auto [by_w_w_x, by_w_w_b] = amp::grad(context, by_w_w, ones(by_w_w), amp::graph::free, x, b);
  CHECK(values(context, by_w_w_x) == std::vector<double>{8, 8, 8});  // Σ y = Σ x · (w₀ + w₁)² + b · (4 (w₀ + w₁) + 5): each of the four slopes by two w is 2 Σ x
  CHECK((!by_w_w_b || values(context, by_w_w_b) == std::vector<double>{0}));
  const auto [of_b] = amp::grad(context, amp::conv_transpose1d<policy>(tape, amp::conv_transpose1d<policy>(tape, x, w, b), w, b), ones(y), amp::graph::create, b);
  const auto [by_b_w] = amp::grad(context, of_b, ones(of_b), amp::graph::free, w);
  CHECK(values(context, by_b_w) == std::vector<double>{4, 4});
}
