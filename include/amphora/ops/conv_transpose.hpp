// Transposed convolutions of one, two and three axes, forward and backward.
#pragma once
#include <amphora/op/contraction.hpp>           // op::conv_transpose1d, op::conv_transpose2d, op::conv_transpose3d
#include <amphora/ops/conv.hpp>                 // convolved, convolution_gradients
#include <amphora/ops/convolution_options.hpp>  // convolution_options
#include <amphora/ops/linear.hpp>               // no_bias
#include <amphora/ops/operand.hpp>              // into, add_to, no_gradient

#include <type_traits>  // enable_if_t

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

template <> struct convolution_kind<op::conv_transpose1d> { static constexpr int axes = 1; static constexpr bool transposed = true; static constexpr const char *call = "conv_transpose1d", *backward = "conv_transpose1d_backward"; };
template <> struct convolution_kind<op::conv_transpose2d> { static constexpr int axes = 2; static constexpr bool transposed = true; static constexpr const char *call = "conv_transpose2d", *backward = "conv_transpose2d_backward"; };
template <> struct convolution_kind<op::conv_transpose3d> { static constexpr int axes = 3; static constexpr bool transposed = true; static constexpr const char *call = "conv_transpose3d", *backward = "conv_transpose3d_backward"; };

}  // namespace detail

/// The transposed convolution over one axis, which takes the value of a convolution to its input: each number of x is spread over a window. A
/// contraction under the rules of conv1d; no number is added that is 0 by the stride alone.
///
/// x        [n, in, length], or [in, length] for one
/// w        [in, out / groups, window]
/// b        [out], or no_bias{}
/// options  stride, padding (in numbers), dilation, groups, output_padding (below the stride or the dilation)
/// Value    [n, out, …], (length − 1) · stride − 2 · padding + dilation · (window − 1) + output_padding + 1 numbers along the axis
/// Errors   shape, size; nothing is written before
template <class Policy, class Context, class X, class W, class B = no_bias, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto conv_transpose1d(Context& context, const X& x, const W& w, const B& b = {}, const convolution_options& options = {}) { return detail::convolved<Policy, op::conv_transpose1d>(context, x, w, b, options); }
template <class Policy, class Context, class Y, class X, class W, class B = no_bias>
void conv_transpose1d(Context& context, into<Y> y, const X& x, const W& w, const B& b = {}, const convolution_options& options = {}) { detail::convolve_into<Policy, op::conv_transpose1d>(context, y, x, w, b, options); }

/// The same over two axes: x [n, in, height, width], w [in, out / groups, height, width].
template <class Policy, class Context, class X, class W, class B = no_bias, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto conv_transpose2d(Context& context, const X& x, const W& w, const B& b = {}, const convolution_options& options = {}) { return detail::convolved<Policy, op::conv_transpose2d>(context, x, w, b, options); }
template <class Policy, class Context, class Y, class X, class W, class B = no_bias>
void conv_transpose2d(Context& context, into<Y> y, const X& x, const W& w, const B& b = {}, const convolution_options& options = {}) { detail::convolve_into<Policy, op::conv_transpose2d>(context, y, x, w, b, options); }

/// The same over three axes: x [n, in, depth, height, width], w [in, out / groups, depth, height, width].
template <class Policy, class Context, class X, class W, class B = no_bias, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto conv_transpose3d(Context& context, const X& x, const W& w, const B& b = {}, const convolution_options& options = {}) { return detail::convolved<Policy, op::conv_transpose3d>(context, x, w, b, options); }
template <class Policy, class Context, class Y, class X, class W, class B = no_bias>
void conv_transpose3d(Context& context, into<Y> y, const X& x, const W& w, const B& b = {}, const convolution_options& options = {}) { detail::convolve_into<Policy, op::conv_transpose3d>(context, y, x, w, b, options); }

/// The gradients of conv_transpose1d, as those of conv1d.
template <class Policy, class Context, class G, class X, class W, class GX, class GW, class GB, std::enable_if_t<detail::is_gradient_choice_v<GX>, int> = 0>
void conv_transpose1d_backward(Context& context, const G& grad, const X& x, const W& w, const GX& gx, const GW& gw, const GB& gb, const convolution_options& options = {}) {
  detail::convolution_gradients<Policy, op::conv_transpose1d>(context, grad, x, w, gx, gw, gb, options);
}
template <class Policy, class Context, class G, class X, class W>
auto conv_transpose1d_backward(Context& context, const G& grad, const X& x, const W& w, const convolution_options& options = {}) { return detail::fresh_convolution_gradients<Policy, op::conv_transpose1d>(context, grad, x, w, options); }

/// The gradients of conv_transpose2d, as those of conv1d.
template <class Policy, class Context, class G, class X, class W, class GX, class GW, class GB, std::enable_if_t<detail::is_gradient_choice_v<GX>, int> = 0>
void conv_transpose2d_backward(Context& context, const G& grad, const X& x, const W& w, const GX& gx, const GW& gw, const GB& gb, const convolution_options& options = {}) {
  detail::convolution_gradients<Policy, op::conv_transpose2d>(context, grad, x, w, gx, gw, gb, options);
}
template <class Policy, class Context, class G, class X, class W>
auto conv_transpose2d_backward(Context& context, const G& grad, const X& x, const W& w, const convolution_options& options = {}) { return detail::fresh_convolution_gradients<Policy, op::conv_transpose2d>(context, grad, x, w, options); }

/// The gradients of conv_transpose3d, as those of conv1d.
template <class Policy, class Context, class G, class X, class W, class GX, class GW, class GB, std::enable_if_t<detail::is_gradient_choice_v<GX>, int> = 0>
void conv_transpose3d_backward(Context& context, const G& grad, const X& x, const W& w, const GX& gx, const GW& gw, const GB& gb, const convolution_options& options = {}) {
  detail::convolution_gradients<Policy, op::conv_transpose3d>(context, grad, x, w, gx, gw, gb, options);
}
template <class Policy, class Context, class G, class X, class W>
auto conv_transpose3d_backward(Context& context, const G& grad, const X& x, const W& w, const convolution_options& options = {}) { return detail::fresh_convolution_gradients<Policy, op::conv_transpose3d>(context, grad, x, w, options); }

}}  // namespace amphora
