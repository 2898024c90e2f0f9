// Losses of a score against a sign: soft margin, hinge embedding and margin ranking, forward and backward.
#pragma once
#include <amphora/detail/config.hpp>  // AMPHORA_HD
#include <amphora/op/loss.hpp>        // op::soft_margin_loss, op::hinge_embedding_loss, op::margin_ranking_loss
#include <amphora/ops/loss.hpp>       // loss_made, loss_slope, reduction

#include <cmath>  // exp, log1p

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// log(1 + exp(−t x)), which nowhere leaves the range before its value does.
struct soft_margin_function {
  template <class Real> AMPHORA_HD Real value(Real x, Real t) const {
    const Real z = -t * x;
    return z > 0 ? z + std::log1p(std::exp(-z)) : std::log1p(std::exp(z));
  }
  template <class Real> AMPHORA_HD Real slope(by<0>, Real grad, Real x, Real t) const {
    const Real z = -t * x, e = std::exp(z > 0 ? -z : z);
    return -t * grad * ((z > 0 ? Real(1) : e) / (1 + e));
  }
  template <class Real> AMPHORA_HD Real curvature(by<0>, by<0>, Real h, Real x, Real t) const {
    const Real z = -t * x, e = std::exp(z > 0 ? -z : z);
    return t * t * h * (e / (1 + e) / (1 + e));
  }
};
/// x where t is 1, max(0, margin − x) where it is −1.
struct hinge_embedding_function {
  double margin;
  template <class Real> AMPHORA_HD constexpr Real value(Real x, Real t) const {
    const Real below = static_cast<Real>(margin) - x;
    return (t != -1 ? x : Real(0)) + (t != 1 && !(below < 0) ? below : Real(0));
  }
  template <class Real> AMPHORA_HD constexpr Real slope(by<0>, Real grad, Real x, Real t) const {
    return (t != -1 ? grad : Real(0)) - (t != 1 && static_cast<Real>(margin) - x > 0 ? grad : Real(0));
  }
};
struct margin_ranking_function {
  double margin;
  template <class Real> AMPHORA_HD constexpr Real missing(Real x, Real y, Real t) const { return add_once(static_cast<Real>(margin), -multiply_once(t, x - y)); }
  template <class Real> AMPHORA_HD constexpr Real value(Real x, Real y, Real t) const {
    const Real m = missing(x, y, t);
    return m < 0 ? Real(0) : m;
  }
  template <class Real> AMPHORA_HD constexpr Real slope(by<0>, Real grad, Real x, Real y, Real t) const { return missing(x, y, t) > 0 ? -t * grad : Real(0); }
  template <class Real> AMPHORA_HD constexpr Real slope(by<1>, Real grad, Real x, Real y, Real t) const { return missing(x, y, t) > 0 ? t * grad : Real(0); }
};

}  // namespace detail

/// log(1 + exp(−t · x)), averaged, added or left as it is, under the rules of l1_loss. It does not overflow: far on the wrong side it is −t · x.
///
/// x, t    shapes that broadcast
/// t       1 or −1, in a floating format
/// Errors  shape
template <class Policy, class Context, class X, class T, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto soft_margin_loss(Context& context, const X& x, const T& t, reduction r = reduction::mean) {
  return detail::loss_made<Policy, op::soft_margin_loss>("soft_margin_loss", context, detail::soft_margin_function{}, r, x, t);
}
template <class Policy, class Context, class Y, class X, class T>
void soft_margin_loss(Context& context, into<Y> y, const X& x, const T& t, reduction r = reduction::mean) {
  detail::loss_into<Policy, op::soft_margin_loss>("soft_margin_loss", context, detail::soft_margin_function{}, r, y, x, t);
}

/// The gradient of soft_margin_loss by x.
///
/// grad  of the loss: a scalar on the device, or the broadcast shape without a reduction
template <class Policy, class Context, class G, class X, class T, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto soft_margin_loss_backward(Context& context, const G& grad, const X& x, const T& t, reduction r = reduction::mean) {
  return detail::loss_slope<Policy, op::soft_margin_loss>("soft_margin_loss_backward", context, detail::soft_margin_function{}, r, grad, x, t);
}
template <class Policy, class Context, class Target, class G, class X, class T, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void soft_margin_loss_backward(Context& context, const Target& gx, const G& grad, const X& x, const T& t, reduction r = reduction::mean) {
  detail::loss_slope_into<0, Policy, op::soft_margin_loss>("soft_margin_loss_backward", context, detail::soft_margin_function{}, r, gx, grad, x, t);
}

/// x where t is 1, max(0, margin − x) where t is −1: for a distance x of two things that are alike, or not. Under the rules of soft_margin_loss.
template <class Policy, class Context, class X, class T, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto hinge_embedding_loss(Context& context, const X& x, const T& t, reduction r = reduction::mean, double margin = 1) {
  return detail::loss_made<Policy, op::hinge_embedding_loss>("hinge_embedding_loss", context, detail::hinge_embedding_function{margin}, r, x, t);
}
template <class Policy, class Context, class Y, class X, class T>
void hinge_embedding_loss(Context& context, into<Y> y, const X& x, const T& t, reduction r = reduction::mean, double margin = 1) {
  detail::loss_into<Policy, op::hinge_embedding_loss>("hinge_embedding_loss", context, detail::hinge_embedding_function{margin}, r, y, x, t);
}

/// The gradient of hinge_embedding_loss by x: 0 at the corner.
template <class Policy, class Context, class G, class X, class T, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto hinge_embedding_loss_backward(Context& context, const G& grad, const X& x, const T& t, reduction r = reduction::mean, double margin = 1) {
  return detail::loss_slope<Policy, op::hinge_embedding_loss>("hinge_embedding_loss_backward", context, detail::hinge_embedding_function{margin}, r, grad, x, t);
}
template <class Policy, class Context, class Target, class G, class X, class T, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void hinge_embedding_loss_backward(Context& context, const Target& gx, const G& grad, const X& x, const T& t, reduction r = reduction::mean, double margin = 1) {
  detail::loss_slope_into<0, Policy, op::hinge_embedding_loss>("hinge_embedding_loss_backward", context, detail::hinge_embedding_function{margin}, r, gx, grad, x, t);
}

/// max(0, margin − t · (x − y)): x is to stand above y where t is 1, below it where t is −1, under the rules of l1_loss.
///
/// x, y, t  shapes that broadcast
/// t        1 or −1, in a floating format
/// Errors   shape
template <class Policy, class Context, class X, class Z, class T, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto margin_ranking_loss(Context& context, const X& x, const Z& y, const T& t, reduction r = reduction::mean, double margin = 0) {
  return detail::loss_made<Policy, op::margin_ranking_loss>("margin_ranking_loss", context, detail::margin_ranking_function{margin}, r, x, y, t);
}
template <class Policy, class Context, class V, class X, class Z, class T>
void margin_ranking_loss(Context& context, into<V> value, const X& x, const Z& y, const T& t, reduction r = reduction::mean, double margin = 0) {
  detail::loss_into<Policy, op::margin_ranking_loss>("margin_ranking_loss", context, detail::margin_ranking_function{margin}, r, value, x, y, t);
}

/// The gradients of margin_ranking_loss by x and y: 0 where the loss is.
///
/// gx, gy  into(view), add_to(view) or no_gradient{}
template <class Policy, class Context, class G, class X, class Z, class T, class GX, class GY, std::enable_if_t<detail::is_gradient_choice_v<GX>, int> = 0>
void margin_ranking_loss_backward(Context& context, const G& grad, const X& x, const Z& y, const T& t, const GX& gx, const GY& gy, reduction r = reduction::mean, double margin = 0) {
  detail::loss_slopes_into<Policy, op::margin_ranking_loss>("margin_ranking_loss_backward", context, detail::margin_ranking_function{margin}, r, gx, gy, grad, x, y, t);
}
template <class Policy, class Context, class G, class X, class Z, class T, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto margin_ranking_loss_backward(Context& context, const G& grad, const X& x, const Z& y, const T& t, reduction r = reduction::mean, double margin = 0) {
  return detail::loss_slopes<Policy, op::margin_ranking_loss>("margin_ranking_loss_backward", context, detail::margin_ranking_function{margin}, r, grad, x, y, t);
}

}}  // namespace amphora
