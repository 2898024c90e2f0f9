// Functions of angles: tan, asin, acos, sinh and cosh, forward and backward.
#pragma once
#include <amphora/detail/config.hpp>      // AMPHORA_HD
#include <amphora/op/transcendental.hpp>  // op::acos, op::asin, op::cosh, op::sinh, op::tan
#include <amphora/ops/function.hpp>       // applied, slope

#include <cmath>  // acos, asin, cosh, sinh, sqrt, tan

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

struct tan_function {
  template <class Real> AMPHORA_HD Real value(Real x) const { return std::tan(x); }
  template <class Real> AMPHORA_HD Real slope(by<0>, Real grad, Real x) const {
    const Real t = std::tan(x);
    return grad * (1 + t * t);
  }
  template <class Real> AMPHORA_HD Real curvature(by<0>, by<0>, Real h, Real x) const {
    const Real t = std::tan(x);
    return h * (2 * t * (1 + t * t));
  }
};
struct asin_function {
  template <class Real> AMPHORA_HD Real value(Real x) const { return std::asin(x); }
  template <class Real> AMPHORA_HD Real slope(by<0>, Real grad, Real x) const { return grad / std::sqrt((1 - x) * (1 + x)); }
  template <class Real> AMPHORA_HD Real curvature(by<0>, by<0>, Real h, Real x) const {
    const Real r = 1 / std::sqrt((1 - x) * (1 + x));
    return h * (x * r * r * r);
  }
};
struct acos_function {
  template <class Real> AMPHORA_HD Real value(Real x) const { return std::acos(x); }
  template <class Real> AMPHORA_HD Real slope(by<0>, Real grad, Real x) const { return -asin_function{}.slope(by<0>{}, grad, x); }
  template <class Real> AMPHORA_HD Real curvature(by<0>, by<0>, Real h, Real x) const { return -asin_function{}.curvature(by<0>{}, by<0>{}, h, x); }
};
struct sinh_function {
  template <class Real> AMPHORA_HD Real value(Real x) const { return std::sinh(x); }
  template <class Real> AMPHORA_HD Real slope(by<0>, Real grad, Real x) const { return grad * std::cosh(x); }
  template <class Real> AMPHORA_HD Real curvature(by<0>, by<0>, Real h, Real x) const { return h * std::sinh(x); }
};
struct cosh_function {
  template <class Real> AMPHORA_HD Real value(Real x) const { return std::cosh(x); }
  template <class Real> AMPHORA_HD Real slope(by<0>, Real grad, Real x) const { return grad * std::sinh(x); }
  template <class Real> AMPHORA_HD Real curvature(by<0>, by<0>, Real h, Real x) const { return h * std::cosh(x); }
};

}  // namespace detail

/// The tangent: a sensitive op, in float whatever comes in, stored once in the policy's output format.
///
/// x      any shape
/// Value  x's shape; tan<Policy>(context, into(y), x) writes it to y
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto tan(Context& context, const X& x) { return detail::applied<Policy, op::tan>("tan", context, detail::tan_function{}, x); }
template <class Policy, class Context, class Y, class X>
void tan(Context& context, into<Y> y, const X& x) { detail::apply_into<Policy, op::tan>("tan", context, detail::tan_function{}, y, x); }

/// The gradient of tan; x is what forward was given.
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto tan_backward(Context& context, const G& grad, const X& x) {
  return detail::slope<Policy, op::tan>("tan_backward", context, detail::tan_function{}, grad, x);
}
template <class Policy, class Context, class Target, class G, class X, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void tan_backward(Context& context, const Target& gx, const G& grad, const X& x) {
  detail::slope_into<0, Policy, op::tan>("tan_backward", context, detail::tan_function{}, gx, grad, x);
}

/// The inverse of the sine, under the rules of tan; NaN outside [−1, 1].
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto asin(Context& context, const X& x) { return detail::applied<Policy, op::asin>("asin", context, detail::asin_function{}, x); }
template <class Policy, class Context, class Y, class X>
void asin(Context& context, into<Y> y, const X& x) { detail::apply_into<Policy, op::asin>("asin", context, detail::asin_function{}, y, x); }

/// The gradient of asin; x is what forward was given. ±∞ at ±1.
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto asin_backward(Context& context, const G& grad, const X& x) {
  return detail::slope<Policy, op::asin>("asin_backward", context, detail::asin_function{}, grad, x);
}
template <class Policy, class Context, class Target, class G, class X, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void asin_backward(Context& context, const Target& gx, const G& grad, const X& x) {
  detail::slope_into<0, Policy, op::asin>("asin_backward", context, detail::asin_function{}, gx, grad, x);
}

/// The inverse of the cosine, under the rules of tan; NaN outside [−1, 1].
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto acos(Context& context, const X& x) { return detail::applied<Policy, op::acos>("acos", context, detail::acos_function{}, x); }
template <class Policy, class Context, class Y, class X>
void acos(Context& context, into<Y> y, const X& x) { detail::apply_into<Policy, op::acos>("acos", context, detail::acos_function{}, y, x); }

/// The gradient of acos; x is what forward was given. ±∞ at ±1.
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto acos_backward(Context& context, const G& grad, const X& x) {
  return detail::slope<Policy, op::acos>("acos_backward", context, detail::acos_function{}, grad, x);
}
template <class Policy, class Context, class Target, class G, class X, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void acos_backward(Context& context, const Target& gx, const G& grad, const X& x) {
  detail::slope_into<0, Policy, op::acos>("acos_backward", context, detail::acos_function{}, gx, grad, x);
}

/// The hyperbolic sine, under the rules of tan.
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto sinh(Context& context, const X& x) { return detail::applied<Policy, op::sinh>("sinh", context, detail::sinh_function{}, x); }
template <class Policy, class Context, class Y, class X>
void sinh(Context& context, into<Y> y, const X& x) { detail::apply_into<Policy, op::sinh>("sinh", context, detail::sinh_function{}, y, x); }

/// The gradient of sinh; x is what forward was given.
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto sinh_backward(Context& context, const G& grad, const X& x) {
  return detail::slope<Policy, op::sinh>("sinh_backward", context, detail::sinh_function{}, grad, x);
}
template <class Policy, class Context, class Target, class G, class X, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void sinh_backward(Context& context, const Target& gx, const G& grad, const X& x) {
  detail::slope_into<0, Policy, op::sinh>("sinh_backward", context, detail::sinh_function{}, gx, grad, x);
}

/// The hyperbolic cosine, under the rules of tan.
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto cosh(Context& context, const X& x) { return detail::applied<Policy, op::cosh>("cosh", context, detail::cosh_function{}, x); }
template <class Policy, class Context, class Y, class X>
void cosh(Context& context, into<Y> y, const X& x) { detail::apply_into<Policy, op::cosh>("cosh", context, detail::cosh_function{}, y, x); }

/// The gradient of cosh; x is what forward was given.
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto cosh_backward(Context& context, const G& grad, const X& x) {
  return detail::slope<Policy, op::cosh>("cosh_backward", context, detail::cosh_function{}, grad, x);
}
template <class Policy, class Context, class Target, class G, class X, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void cosh_backward(Context& context, const Target& gx, const G& grad, const X& x) {
  detail::slope_into<0, Policy, op::cosh>("cosh_backward", context, detail::cosh_function{}, gx, grad, x);
}

}}  // namespace amphora
