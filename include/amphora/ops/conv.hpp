// Convolutions of one, two and three axes, forward and backward.
#pragma once
#include <amphora/op/contraction.hpp>           // op::conv1d, op::conv2d, op::conv3d
#include <amphora/ops/call.hpp>                 // result_t, require_into_on, made
#include <amphora/ops/convolution.hpp>          // convolution_kernels, convolution_result
#include <amphora/ops/convolution_options.hpp>  // convolution_options, convolution_sizes
#include <amphora/ops/linear.hpp>               // no_bias, linear_result
#include <amphora/ops/operand.hpp>              // into, add_to, no_gradient, operand
#include <amphora/ops/reduction.hpp>            // sum_over

#include <cstdint>      // int64_t
#include <type_traits>  // is_same_v

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// What tells one convolution from another before it has become a layout.
template <class Op> struct convolution_kind;
template <> struct convolution_kind<op::conv1d> { static constexpr int axes = 1; static constexpr bool transposed = false; static constexpr const char *call = "conv1d", *backward = "conv1d_backward"; };
template <> struct convolution_kind<op::conv2d> { static constexpr int axes = 2; static constexpr bool transposed = false; static constexpr const char *call = "conv2d", *backward = "conv2d_backward"; };
template <> struct convolution_kind<op::conv3d> { static constexpr int axes = 3; static constexpr bool transposed = false; static constexpr const char *call = "conv3d", *backward = "conv3d_backward"; };

template <class Op>
convolution_sizes sizes_of(const char* call, const shape& x, const shape& w, const convolution_options& options) {
  using kind = convolution_kind<Op>;
  return kind::transposed ? convolution_sizes::transposed(call, kind::axes, x, w, options) : convolution_sizes::of(call, kind::axes, x, w, options);
}
/// Channels of a call's value.
template <class Op> std::int64_t value_channels(const convolution& c) { return c.groups * (convolution_kind<Op>::transposed ? c.channels : c.features); }

/// One of a convolution's three arrays from the two others, in the order of convolution_kernels.
template <class Read, class Accumulate, class Context, class Z, class A, class B, class Bias>
void run_convolution(Context& context, const convolution& c, convolution_result result, const target<Z>& z, const view<const A>& a, const view<const B>& b, const view<const Bias>& bias) {
  using kernels = convolution_kernels<typename Context::device>;
  if (result == convolution_result::y) kernels::template forward<Accumulate>(context, c, z, read_as<Read>(a), read_as<Read>(b), read_as<Read>(bias));
  else if (result == convolution_result::x) kernels::template backward_data<Accumulate>(context, c, z, read_as<Read>(a), read_as<Read>(b), read_as<Read>(bias));
  else kernels::template backward_weights<Accumulate>(context, c, z, read_as<Read>(a), read_as<Read>(b));
}

template <class Policy, class Op, class Context, class Y, class X, class W, class B>
void convolve_into(Context& context, const into<Y>& y, const X& x, const W& w, const B& b, const convolution_options& options) {
  if constexpr (require_into_on<Context, Policy, Op, Y, X, W, B>()) {
    using kind = convolution_kind<Op>;
    const convolution_sizes sizes = sizes_of<Op>(kind::call, operand(x).shape(), operand(w).shape(), options);
    require_shape(kind::call, "an output", y.target.shape(), sizes.value);
    if (!std::is_same_v<B, no_bias>) require_shape(kind::call, "a bias", operand(b).shape(), shape{value_channels<Op>(sizes.layout)});
    run_convolution<compute_t<Policy, Op, given_t<X>, given_t<W>, given_t<B>>, accumulate_t<Policy, Op, given_t<X>, given_t<W>, given_t<B>>>(
        context, sizes.layout, kind::transposed ? convolution_result::x : convolution_result::y, write(y.target), operand(x), operand(w), operand(b));
  }
}
template <class Policy, class Op, class Context, class X, class W, class B>
auto convolved(Context& context, const X& x, const W& w, const B& b, const convolution_options& options) {
  using result = result_t<Policy, Op, Context, X, W, B>;
  if constexpr (may_call_on<Context, Policy, Op, X, W, B>())
    return made<result>(context, sizes_of<Op>(convolution_kind<Op>::call, operand(x).shape(), operand(w).shape(), options).value,
                        [&](auto y) { convolve_into<Policy, Op>(context, into(y), x, w, b, options); });
  else return result{};
}

template <class Policy, class Op, class Context, class G, class X, class W, class GX, class GW, class GB>
void convolution_gradients(Context& context, const G& grad, const X& x, const W& w, const GX& gx, const GW& gw, const GB& gb, const convolution_options& options) {
  if constexpr (may_call_on<Context, Policy, Op, X, W>()) {
    using kind = convolution_kind<Op>;
    using read = compute_t<Policy, Op, given_t<X>, given_t<W>>;
    using accumulate = accumulate_t<Policy, Op, given_t<X>, given_t<W>>;
    const convolution_sizes sizes = sizes_of<Op>(kind::backward, operand(x).shape(), operand(w).shape(), options);
    const convolution& c = sizes.layout;
    const std::int64_t channels = value_channels<Op>(c);
    require_shape(kind::backward, "a gradient of the value", operand(grad).shape(), sizes.value);
    if constexpr (is_gradient_target_v<GX>) require_shape(kind::backward, "a gradient of x", memory_of(gx).shape(), operand(x).shape());
    if constexpr (is_gradient_target_v<GW>) require_shape(kind::backward, "a gradient of w", memory_of(gw).shape(), operand(w).shape());
    if constexpr (is_gradient_target_v<GB>) require_shape(kind::backward, "a gradient of b", memory_of(gb).shape(), shape{channels});
    if constexpr (is_gradient_target_v<GW>)
      kind::transposed ? run_convolution<read, accumulate>(context, c, convolution_result::w, gradient_target(gw), operand(x), operand(grad), operand(no_bias{}))
                       : run_convolution<read, accumulate>(context, c, convolution_result::w, gradient_target(gw), operand(grad), operand(x), operand(no_bias{}));
    if constexpr (is_gradient_target_v<GB>)
      sum_over<accumulate>(context, gradient_target(gb), read_as<read>(operand(grad)),
                           reduction_of(shape{c.batch, channels, kind::transposed ? c.in_size() : c.out_size()}, axis_set::of({0, 2}, 3)), 1);
    if constexpr (is_gradient_target_v<GX>)
      run_convolution<read, accumulate>(context, c, kind::transposed ? convolution_result::y : convolution_result::x, gradient_target(gx), operand(grad), operand(w), operand(no_bias{}));
  }
}
template <class Policy, class Op, class Context, class G, class X, class W>
auto fresh_convolution_gradients(Context& context, const G& grad, const X& x, const W& w, const convolution_options& options) {
  using gradient_w = gradient_of_t<W, Context>;
  const convolution_sizes sizes = sizes_of<Op>(convolution_kind<Op>::backward, operand(x).shape(), operand(w).shape(), options);
  linear_result<gradient_of_t<X, Context>, gradient_w> result{{context, operand(x).shape()}, gradient_w(context, operand(w).shape()), gradient_w(context, shape{value_channels<Op>(sizes.layout)})};
  convolution_gradients<Policy, Op>(context, grad, x, w, into(result.x), into(result.w), into(result.b), options);
  return result;
}

}  // namespace detail

/// x ⋆ w + b over one axis, a contraction: operands are read in the policy's compute format, sums run in float, the result is rounded once.
/// As in PyTorch the window is not turned around.
///
/// x        [n, in, length], or [in, length] for one
/// w        [out, in / groups, window]
/// b        [out], or no_bias{}
/// options  stride, padding, dilation, groups
/// Value    [n, out, …] in the policy's output format, (length + padding − dilation · (window − 1) − 1) / stride + 1 numbers along the axis;
///          conv1d<Policy>(context, into(y), x, …) writes it to y instead
/// Errors   shape, size; nothing is written before
/// Cost     beside the products, the patches of some places at a time are copied: not all of them, whatever the sizes
template <class Policy, class Context, class X, class W, class B = no_bias, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto conv1d(Context& context, const X& x, const W& w, const B& b = {}, const convolution_options& options = {}) { return detail::convolved<Policy, op::conv1d>(context, x, w, b, options); }
template <class Policy, class Context, class Y, class X, class W, class B = no_bias>
void conv1d(Context& context, into<Y> y, const X& x, const W& w, const B& b = {}, const convolution_options& options = {}) { detail::convolve_into<Policy, op::conv1d>(context, y, x, w, b, options); }

/// The same over two axes: x [n, in, height, width], w [out, in / groups, height, width].
template <class Policy, class Context, class X, class W, class B = no_bias, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto conv2d(Context& context, const X& x, const W& w, const B& b = {}, const convolution_options& options = {}) { return detail::convolved<Policy, op::conv2d>(context, x, w, b, options); }
template <class Policy, class Context, class Y, class X, class W, class B = no_bias>
void conv2d(Context& context, into<Y> y, const X& x, const W& w, const B& b = {}, const convolution_options& options = {}) { detail::convolve_into<Policy, op::conv2d>(context, y, x, w, b, options); }

/// The same over three axes: x [n, in, depth, height, width], w [out, in / groups, depth, height, width].
template <class Policy, class Context, class X, class W, class B = no_bias, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto conv3d(Context& context, const X& x, const W& w, const B& b = {}, const convolution_options& options = {}) { return detail::convolved<Policy, op::conv3d>(context, x, w, b, options); }
template <class Policy, class Context, class Y, class X, class W, class B = no_bias>
void conv3d(Context& context, into<Y> y, const X& x, const W& w, const B& b = {}, const convolution_options& options = {}) { detail::convolve_into<Policy, op::conv3d>(context, y, x, w, b, options); }

/// The gradients of conv1d, each written where the caller says, in the format of that memory.
///
/// grad        of the value's shape
/// x, w        as forward had them
/// gx, gw, gb  into(view) to write, add_to(view) to accumulate, no_gradient{} for what is not wanted; without them fresh tensors
///             { x, w, b }: x and w in their own formats, b in w's
/// options     as forward had them
/// Errors      shape, size; nothing is written before
template <class Policy, class Context, class G, class X, class W, class GX, class GW, class GB, std::enable_if_t<detail::is_gradient_choice_v<GX>, int> = 0>
void conv1d_backward(Context& context, const G& grad, const X& x, const W& w, const GX& gx, const GW& gw, const GB& gb, const convolution_options& options = {}) {
  detail::convolution_gradients<Policy, op::conv1d>(context, grad, x, w, gx, gw, gb, options);
}
template <class Policy, class Context, class G, class X, class W>
auto conv1d_backward(Context& context, const G& grad, const X& x, const W& w, const convolution_options& options = {}) { return detail::fresh_convolution_gradients<Policy, op::conv1d>(context, grad, x, w, options); }

/// The gradients of conv2d, as those of conv1d.
template <class Policy, class Context, class G, class X, class W, class GX, class GW, class GB, std::enable_if_t<detail::is_gradient_choice_v<GX>, int> = 0>
void conv2d_backward(Context& context, const G& grad, const X& x, const W& w, const GX& gx, const GW& gw, const GB& gb, const convolution_options& options = {}) {
  detail::convolution_gradients<Policy, op::conv2d>(context, grad, x, w, gx, gw, gb, options);
}
template <class Policy, class Context, class G, class X, class W>
auto conv2d_backward(Context& context, const G& grad, const X& x, const W& w, const convolution_options& options = {}) { return detail::fresh_convolution_gradients<Policy, op::conv2d>(context, grad, x, w, options); }

/// The gradients of conv3d, as those of conv1d.
template <class Policy, class Context, class G, class X, class W, class GX, class GW, class GB, std::enable_if_t<detail::is_gradient_choice_v<GX>, int> = 0>
void conv3d_backward(Context& context, const G& grad, const X& x, const W& w, const GX& gx, const GW& gw, const GB& gb, const convolution_options& options = {}) {
  detail::convolution_gradients<Policy, op::conv3d>(context, grad, x, w, gx, gw, gb, options);
}
template <class Policy, class Context, class G, class X, class W>
auto conv3d_backward(Context& context, const G& grad, const X& x, const W& w, const convolution_options& options = {}) { return detail::fresh_convolution_gradients<Policy, op::conv3d>(context, grad, x, w, options); }

}}  // namespace amphora
