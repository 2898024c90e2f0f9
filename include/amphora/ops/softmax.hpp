// Softmax, its logarithm and softmin along an axis, forward and backward.
#pragma once
#include <amphora/op/reduction.hpp>  // op::softmax, op::softmin, op::log_softmax
#include <amphora/ops/call.hpp>      // result_t, require_into, made
#include <amphora/ops/kernels.hpp>   // softmax_kernels, lines_of
#include <amphora/ops/operand.hpp>   // into, operand

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// Of x, its logarithm, or of −x.
enum class softmax_form { plain, logarithm, minimum };

/// The lines of an array along an axis; a scalar is one line of one number.
inline lines_of lines_along(const char* call, const shape& s, int axis) {
  if (s.rank() == 0 && (axis == 0 || axis == -1)) return {1, 1, 1};
  const int at = axis < 0 ? axis + s.rank() : axis;
  if (at < 0 || at >= s.rank()) fail("shape", call, " has no axis ", axis, " in ", s);
  return {s.product(0, at), s[at], s.product(at + 1, s.rank())};
}

template <class Policy, class Op, class Context, class Y, class X>
void softmax_into(const char* call, Context& context, softmax_form form, const into<Y>& y, const X& x, int axis) {
  if constexpr (require_into<Policy, Op, Y, X>()) {
    const lines_of lines = lines_along(call, operand(x).shape(), axis);
    require_shape(call, "an output", y.target.shape(), operand(x).shape());
    softmax_kernels<typename Context::device>::forward(context, lines, form == softmax_form::logarithm, write(y.target), read(operand(x)), form == softmax_form::minimum ? -1 : 1);
  }
}
template <class Policy, class Op, class Context, class X>
auto softmax_made(const char* call, Context& context, softmax_form form, const X& x, int axis) {
  using result = result_t<Policy, Op, Context, X>;
  if constexpr (detail::may_call<Policy, Op, X>())
    return made<result>(context, operand(x).shape(), [&](auto y) { softmax_into<Policy, Op>(call, context, form, into(y), x, axis); });
  else return result{};
}
template <class Policy, class Op, class Context, class Target, class G, class X>
void softmax_gradient_into(const char* call, Context& context, softmax_form form, const Target& gx, const G& grad, const X& x, int axis) {
  if constexpr (detail::may_call<Policy, Op, X>()) {
    const lines_of lines = lines_along(call, operand(x).shape(), axis);
    require_shape(call, "a gradient of the value", operand(grad).shape(), operand(x).shape());
    require_shape(call, "a gradient of x", memory_of(gx).shape(), operand(x).shape());
    softmax_kernels<typename Context::device>::backward(context, lines, form == softmax_form::logarithm, gradient_target(gx), read(operand(grad)), read(operand(x)),
                                                          form == softmax_form::minimum ? -1 : 1);
  }
}
template <class Policy, class Op, class Context, class G, class X>
auto softmax_gradient(const char* call, Context& context, softmax_form form, const G& grad, const X& x, int axis) {
  return made<gradient_of_t<X, Context>>(context, operand(x).shape(),
                                         [&](auto gx) { softmax_gradient_into<Policy, Op>(call, context, form, into(gx), grad, x, axis); });
}

}  // namespace detail

/// exp(x) / Σ exp(x) along an axis: a sensitive op, in float whatever comes in, stored once. A line of −inf, or with +inf, gives NaN.
///
/// axis    negative ones count from the end
/// Errors  shape
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto softmax(Context& context, const X& x, int axis = -1) { return detail::softmax_made<Policy, op::softmax>("softmax", context, detail::softmax_form::plain, x, axis); }
template <class Policy, class Context, class Y, class X>
void softmax(Context& context, into<Y> y, const X& x, int axis = -1) { detail::softmax_into<Policy, op::softmax>("softmax", context, detail::softmax_form::plain, y, x, axis); }

/// The gradient of softmax. x is what forward was given: the softmax is made anew in float, not read back rounded.
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto softmax_backward(Context& context, const G& grad, const X& x, int axis = -1) {
  return detail::softmax_gradient<Policy, op::softmax>("softmax_backward", context, detail::softmax_form::plain, grad, x, axis);
}
template <class Policy, class Context, class Target, class G, class X, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void softmax_backward(Context& context, const Target& gx, const G& grad, const X& x, int axis = -1) {
  detail::softmax_gradient_into<Policy, op::softmax>("softmax_backward", context, detail::softmax_form::plain, gx, grad, x, axis);
}

/// x − log Σ exp(x) along an axis, under the rules of softmax.
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto log_softmax(Context& context, const X& x, int axis = -1) { return detail::softmax_made<Policy, op::log_softmax>("log_softmax", context, detail::softmax_form::logarithm, x, axis); }
template <class Policy, class Context, class Y, class X>
void log_softmax(Context& context, into<Y> y, const X& x, int axis = -1) { detail::softmax_into<Policy, op::log_softmax>("log_softmax", context, detail::softmax_form::logarithm, y, x, axis); }

/// The gradient of log_softmax; x is what forward was given.
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto log_softmax_backward(Context& context, const G& grad, const X& x, int axis = -1) {
  return detail::softmax_gradient<Policy, op::log_softmax>("log_softmax_backward", context, detail::softmax_form::logarithm, grad, x, axis);
}
template <class Policy, class Context, class Target, class G, class X, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void log_softmax_backward(Context& context, const Target& gx, const G& grad, const X& x, int axis = -1) {
  detail::softmax_gradient_into<Policy, op::log_softmax>("log_softmax_backward", context, detail::softmax_form::logarithm, gx, grad, x, axis);
}

/// exp(−x) / Σ exp(−x) along an axis, under the rules of softmax: a line of +inf, or with −inf, gives NaN.
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto softmin(Context& context, const X& x, int axis = -1) { return detail::softmax_made<Policy, op::softmin>("softmin", context, detail::softmax_form::minimum, x, axis); }
template <class Policy, class Context, class Y, class X>
void softmin(Context& context, into<Y> y, const X& x, int axis = -1) { detail::softmax_into<Policy, op::softmin>("softmin", context, detail::softmax_form::minimum, y, x, axis); }

/// The gradient of softmin; x is what forward was given.
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto softmin_backward(Context& context, const G& grad, const X& x, int axis = -1) {
  return detail::softmax_gradient<Policy, op::softmin>("softmin_backward", context, detail::softmax_form::minimum, grad, x, axis);
}
template <class Policy, class Context, class Target, class G, class X, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void softmin_backward(Context& context, const Target& gx, const G& grad, const X& x, int axis = -1) {
  detail::softmax_gradient_into<Policy, op::softmin>("softmin_backward", context, detail::softmax_form::minimum, gx, grad, x, axis);
}

}}  // namespace amphora
