// Losses that grow as the error does: l1, smooth l1 and Huber's, forward and backward.
#pragma once
#include <amphora/detail/config.hpp>  // AMPHORA_HD
#include <amphora/error.hpp>          // fail
#include <amphora/format/real.hpp>    // add_once, multiply_once
#include <amphora/op/loss.hpp>        // op::l1_loss, op::smooth_l1_loss, op::huber_loss
#include <amphora/ops/loss.hpp>       // loss_made, loss_slopes, error_function, reduction

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

template <class Real> AMPHORA_HD constexpr Real magnitude_of(Real d) { return d < 0 ? -d : d; }
/// 0 where d is 0 or NaN.
template <class Real> AMPHORA_HD constexpr Real signed_as(Real d, Real x) { return d > 0 ? x : d < 0 ? -x : Real(0); }

struct l1_error {
  template <class Real> AMPHORA_HD constexpr Real value(Real d) const { return magnitude_of(d); }
  template <class Real> AMPHORA_HD constexpr Real slope(Real grad, Real d) const { return signed_as(d, grad); }
};
/// Of the line from beta on; beta = 0 is l1.
struct smooth_l1_error {
  double beta;
  template <class Real> AMPHORA_HD constexpr Real value(Real d) const {
    const Real b = static_cast<Real>(beta), size = magnitude_of(d);
    return size >= b ? size - b / 2 : multiply_once(d, d) / (2 * b);
  }
  template <class Real> AMPHORA_HD constexpr Real slope(Real grad, Real d) const {
    const Real b = static_cast<Real>(beta);
    return magnitude_of(d) >= b ? signed_as(d, grad) : d * grad / b;
  }
  template <class Real> AMPHORA_HD constexpr Real curvature(Real h, Real d) const {
    const Real b = static_cast<Real>(beta);
    return magnitude_of(d) >= b ? Real(0) : h / b;
  }
};
struct huber_error {
  double delta;
  template <class Real> AMPHORA_HD constexpr Real value(Real d) const {
    const Real b = static_cast<Real>(delta), size = magnitude_of(d);
    return size >= b ? multiply_once(b, add_once(size, -b / 2)) : multiply_once(d / 2, d);
  }
  template <class Real> AMPHORA_HD constexpr Real slope(Real grad, Real d) const {
    const Real b = static_cast<Real>(delta);
    return magnitude_of(d) >= b ? signed_as(d, b * grad) : d * grad;
  }
  template <class Real> AMPHORA_HD constexpr Real curvature(Real h, Real d) const { return magnitude_of(d) >= static_cast<Real>(delta) ? Real(0) : h; }
};

using l1_function = error_function<l1_error>;
inline error_function<smooth_l1_error> smooth_l1_function(const char* call, double beta) {
  if (!(beta >= 0)) fail("setting", call, " has beta = ", beta, "; it must not be negative");
  return {{beta}};
}
inline error_function<huber_error> huber_function(const char* call, double delta) {
  if (!(delta > 0)) fail("setting", call, " has delta = ", delta, "; it must be positive");
  return {{delta}};
}

}  // namespace detail

/// |x − t|, averaged, added or left as it is, under the rules of mse_loss: in float whatever comes in, in one pass.
///
/// x, t    shapes that broadcast
/// Value   a scalar, or the broadcast shape without a reduction, in the policy's output format; the mean of nothing is NaN
/// Errors  shape
template <class Policy, class Context, class X, class T, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto l1_loss(Context& context, const X& x, const T& t, reduction r = reduction::mean) {
  return detail::loss_made<Policy, op::l1_loss>("l1_loss", context, detail::l1_function{}, r, x, t);
}
template <class Policy, class Context, class Y, class X, class T>
void l1_loss(Context& context, into<Y> y, const X& x, const T& t, reduction r = reduction::mean) {
  detail::loss_into<Policy, op::l1_loss>("l1_loss", context, detail::l1_function{}, r, y, x, t);
}

/// The gradients of l1_loss: 0 where x and t are equal.
///
/// grad    of the loss: a scalar on the device, or the broadcast shape without a reduction
/// gx, gt  into(view), add_to(view) or no_gradient{}
template <class Policy, class Context, class G, class X, class T, class GX, class GT, std::enable_if_t<detail::is_gradient_choice_v<GX>, int> = 0>
void l1_loss_backward(Context& context, const G& grad, const X& x, const T& t, const GX& gx, const GT& gt, reduction r = reduction::mean) {
  detail::loss_slopes_into<Policy, op::l1_loss>("l1_loss_backward", context, detail::l1_function{}, r, gx, gt, grad, x, t);
}
template <class Policy, class Context, class G, class X, class T>
auto l1_loss_backward(Context& context, const G& grad, const X& x, const T& t, reduction r = reduction::mean) {
  return detail::loss_slopes<Policy, op::l1_loss>("l1_loss_backward", context, detail::l1_function{}, r, grad, x, t);
}

/// (x − t)² / (2 beta) within beta of t, |x − t| − beta / 2 beyond: l1_loss without its kink, under its rules.
///
/// beta    ≥ 0; 0 is l1_loss
/// Errors  shape, setting
template <class Policy, class Context, class X, class T, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto smooth_l1_loss(Context& context, const X& x, const T& t, reduction r = reduction::mean, double beta = 1) {
  return detail::loss_made<Policy, op::smooth_l1_loss>("smooth_l1_loss", context, detail::smooth_l1_function("smooth_l1_loss", beta), r, x, t);
}
template <class Policy, class Context, class Y, class X, class T>
void smooth_l1_loss(Context& context, into<Y> y, const X& x, const T& t, reduction r = reduction::mean, double beta = 1) {
  detail::loss_into<Policy, op::smooth_l1_loss>("smooth_l1_loss", context, detail::smooth_l1_function("smooth_l1_loss", beta), r, y, x, t);
}

/// The gradients of smooth_l1_loss, as of l1_loss.
template <class Policy, class Context, class G, class X, class T, class GX, class GT, std::enable_if_t<detail::is_gradient_choice_v<GX>, int> = 0>
void smooth_l1_loss_backward(Context& context, const G& grad, const X& x, const T& t, const GX& gx, const GT& gt, reduction r = reduction::mean, double beta = 1) {
  detail::loss_slopes_into<Policy, op::smooth_l1_loss>("smooth_l1_loss_backward", context, detail::smooth_l1_function("smooth_l1_loss", beta), r, gx, gt, grad, x, t);
}
template <class Policy, class Context, class G, class X, class T>
auto smooth_l1_loss_backward(Context& context, const G& grad, const X& x, const T& t, reduction r = reduction::mean, double beta = 1) {
  return detail::loss_slopes<Policy, op::smooth_l1_loss>("smooth_l1_loss_backward", context, detail::smooth_l1_function("smooth_l1_loss", beta), r, grad, x, t);
}

/// (x − t)² / 2 within delta of t, delta · (|x − t| − delta / 2) beyond, under the rules of l1_loss.
///
/// delta   > 0
/// Errors  shape, setting
template <class Policy, class Context, class X, class T, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto huber_loss(Context& context, const X& x, const T& t, reduction r = reduction::mean, double delta = 1) {
  return detail::loss_made<Policy, op::huber_loss>("huber_loss", context, detail::huber_function("huber_loss", delta), r, x, t);
}
template <class Policy, class Context, class Y, class X, class T>
void huber_loss(Context& context, into<Y> y, const X& x, const T& t, reduction r = reduction::mean, double delta = 1) {
  detail::loss_into<Policy, op::huber_loss>("huber_loss", context, detail::huber_function("huber_loss", delta), r, y, x, t);
}

/// The gradients of huber_loss, as of l1_loss.
template <class Policy, class Context, class G, class X, class T, class GX, class GT, std::enable_if_t<detail::is_gradient_choice_v<GX>, int> = 0>
void huber_loss_backward(Context& context, const G& grad, const X& x, const T& t, const GX& gx, const GT& gt, reduction r = reduction::mean, double delta = 1) {
  detail::loss_slopes_into<Policy, op::huber_loss>("huber_loss_backward", context, detail::huber_function("huber_loss", delta), r, gx, gt, grad, x, t);
}
template <class Policy, class Context, class G, class X, class T>
auto huber_loss_backward(Context& context, const G& grad, const X& x, const T& t, reduction r = reduction::mean, double delta = 1) {
  return detail::loss_slopes<Policy, op::huber_loss>("huber_loss_backward", context, detail::huber_function("huber_loss", delta), r, grad, x, t);
}

}}  // namespace amphora
