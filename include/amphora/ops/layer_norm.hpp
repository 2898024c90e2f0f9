// Layer and root-mean-square normalization over the last axes, forward and backward.
#pragma once
#include <amphora/op/normalization.hpp>   // op::layer_norm, op::rms_norm
#include <amphora/ops/call.hpp>           // result_t, made
#include <amphora/ops/normalization.hpp>  // line_call, normalize_into, normalize_gradients, no_weight

#include <type_traits>  // is_same_v

namespace amphora { inline namespace AMPHORA_ABI {

/// An eps of rms_norm: 2^-23 where it computes in float, 2^-52 in double.
inline constexpr double machine_epsilon = -1;

namespace detail {

/// The shape that is normalized over: that of the weights, or the shape itself.
template <class W> shape normalized_shape(const W& w) {
  if constexpr (std::is_same_v<W, shape>) return w;
  else return operand(w).shape();
}
template <class W> inline constexpr bool is_over_v = is_operand_v<W> || std::is_same_v<W, shape>;

template <class X, class W> lines_call layer_norm_call(const char* call, const X& x, const W& w, double eps) {
  return line_call(call, operand(x).shape(), normalized_shape(w), true, eps);
}
template <class X, class W> lines_call rms_norm_call(const char* call, const X& x, const W& w, double eps) {
  if (eps == machine_epsilon) eps = std::is_same_v<given_t<X>, f64> ? 2 * f64::unit_roundoff : 2 * f32::unit_roundoff;
  return line_call(call, operand(x).shape(), normalized_shape(w), false, eps);
}

}  // namespace detail

/// (x − mean) / √(variance + eps) · w + b over the last axes: a sensitive op, in float whatever comes in, stored once.
///
/// x       any shape
/// w       [the last axes of x]; or their shape alone, where nothing is multiplied: layer_norm<Policy>(context, x, shape{768})
/// b       of w's shape, or no_bias{}
/// Value   x's shape; layer_norm<Policy>(context, into(y), x, w, …) writes it to y, which may be x itself
/// Errors  shape, setting; nothing is written before
/// Cost    one launch; reads x once where a line fits a block's registers
/// Source  conventions of PyTorch's layer_norm; the variance in two passes with a corrected mean (Chan, Golub, LeVeque 1983)
template <class Policy, class Context, class X, class W, class B = no_bias, std::enable_if_t<detail::is_operand_v<X> && detail::is_over_v<W>, int> = 0>
auto layer_norm(Context& context, const X& x, const W& w, const B& b = {}, double eps = 1e-5) {
  using result = detail::result_t<Policy, op::layer_norm, Context, X>;
  if constexpr (detail::may_call<Policy, op::layer_norm, X>())
    return detail::made<result>(context, detail::operand(x).shape(), [&](auto y) { layer_norm<Policy>(context, into(y), x, w, b, eps); });
  else return result{};
}
template <class Policy, class Context, class Y, class X, class W, class B = no_bias>
void layer_norm(Context& context, into<Y> y, const X& x, const W& w, const B& b = {}, double eps = 1e-5) {
  detail::normalize_into<Policy, op::layer_norm>("layer_norm", context, detail::layer_norm_call("layer_norm", x, w, eps), y, x, w, b);
}

/// The gradients of layer_norm, each written where the caller says, in the format of that memory. The statistics are made anew in float.
///
/// grad        the gradient of the value
/// x, w        as forward had them
/// gx, gw, gb  into(view), add_to(view) or no_gradient{}
/// Errors      shape, setting; nothing is written before
template <class Policy, class Context, class G, class X, class W, class GX, class GW, class GB = no_gradient, std::enable_if_t<detail::is_gradient_choice_v<GX>, int> = 0>
void layer_norm_backward(Context& context, const G& grad, const X& x, const W& w, const GX& gx, const GW& gw, const GB& gb = {}, double eps = 1e-5) {
  detail::normalize_gradients<Policy, op::layer_norm>("layer_norm_backward", context, detail::layer_norm_call("layer_norm_backward", x, w, eps), grad, x, w, gx, gw, gb);
}
/// The same as fresh tensors: x's and w's in their own formats, b's in w's; where w is a shape, x's alone.
template <class Policy, class Context, class G, class X, class W, std::enable_if_t<detail::is_operand_v<G> && detail::is_over_v<W>, int> = 0>
auto layer_norm_backward(Context& context, const G& grad, const X& x, const W& w, double eps = 1e-5) {
  auto result = detail::fresh_norm_gradients<Context, X, W, W>(context, detail::layer_norm_call("layer_norm_backward", x, w, eps), x);
  layer_norm_backward<Policy>(context, grad, x, w, into(result.x), detail::into_affine<W>(result.w), detail::into_affine<W>(result.b), eps);
  return result;
}

/// x / √(mean x² + eps) · w over the last axes, under the rules of layer_norm.
///
/// eps  machine_epsilon, as in PyTorch, is that of the arithmetic
template <class Policy, class Context, class X, class W, std::enable_if_t<detail::is_operand_v<X> && detail::is_over_v<W>, int> = 0>
auto rms_norm(Context& context, const X& x, const W& w, double eps = machine_epsilon) {
  using result = detail::result_t<Policy, op::rms_norm, Context, X>;
  if constexpr (detail::may_call<Policy, op::rms_norm, X>())
    return detail::made<result>(context, detail::operand(x).shape(), [&](auto y) { rms_norm<Policy>(context, into(y), x, w, eps); });
  else return result{};
}
template <class Policy, class Context, class Y, class X, class W>
void rms_norm(Context& context, into<Y> y, const X& x, const W& w, double eps = machine_epsilon) {
  detail::normalize_into<Policy, op::rms_norm>("rms_norm", context, detail::rms_norm_call("rms_norm", x, w, eps), y, x, w, no_bias{});
}

/// The gradients of rms_norm.
///
/// gx, gw  into(view), add_to(view) or no_gradient{}
template <class Policy, class Context, class G, class X, class W, class GX, class GW, std::enable_if_t<detail::is_gradient_choice_v<GX>, int> = 0>
void rms_norm_backward(Context& context, const G& grad, const X& x, const W& w, const GX& gx, const GW& gw, double eps = machine_epsilon) {
  detail::normalize_gradients<Policy, op::rms_norm>("rms_norm_backward", context, detail::rms_norm_call("rms_norm_backward", x, w, eps), grad, x, w, gx, gw, no_gradient{});
}
template <class Policy, class Context, class G, class X, class W, std::enable_if_t<detail::is_operand_v<G> && detail::is_over_v<W>, int> = 0>
auto rms_norm_backward(Context& context, const G& grad, const X& x, const W& w, double eps = machine_epsilon) {
  auto result = detail::fresh_norm_gradients<Context, X, W, no_bias>(context, detail::rms_norm_call("rms_norm_backward", x, w, eps), x);
  rms_norm_backward<Policy>(context, grad, x, w, into(result.x), detail::into_affine<W>(result.w), eps);
  return result;
}

}}  // namespace amphora
