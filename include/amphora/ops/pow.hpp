// Powers, forward and backward: of a tensor to a number, of a number to a tensor, and of a tensor to a tensor.
#pragma once
#include <amphora/detail/config.hpp>      // AMPHORA_HD
#include <amphora/op/transcendental.hpp>  // op::pow, op::rpow
#include <amphora/ops/function.hpp>       // applied, slope

#include <cmath>  // log, pow, sqrt

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// As PyTorch's: whole and half exponents by their own arithmetic, so that the square root of −∞ is NaN.
template <class Real> AMPHORA_HD Real power(Real x, double exponent) {
  if (exponent == 2) return x * x;
  if (exponent == 3) return x * x * x;
  if (exponent == 1) return x;
  if (exponent == 0.5) return std::sqrt(x);
  if (exponent == -0.5) return 1 / std::sqrt(x);
  if (exponent == -1) return 1 / x;
  if (exponent == -2) return 1 / (x * x);
  return std::pow(x, static_cast<Real>(exponent));
}
/// A tensor to the power of a number. To the power of 0, and a slope to the power of 1, do not depend on x.
struct pow_number_function {
  double exponent;
  template <class Real> AMPHORA_HD Real value(Real x) const { return power(x, exponent); }
  template <class Real> AMPHORA_HD Real slope(by<0>, Real grad, Real x) const {
    return exponent == 0 ? Real(0) : grad * (static_cast<Real>(exponent) * power(x, exponent - 1));
  }
  template <class Real> AMPHORA_HD Real curvature(by<0>, by<0>, Real h, Real x) const {
    return exponent == 0 || exponent == 1 ? Real(0) : h * (static_cast<Real>(exponent * (exponent - 1)) * power(x, exponent - 2));
  }
};
/// A number to the power of a tensor. 0^y is flat for y ≥ 0, and is not bent there: a 0 where PyTorch's second derivative is NaN.
struct number_pow_function {
  double base;
  template <class Real> AMPHORA_HD Real value(Real y) const { return std::pow(static_cast<Real>(base), y); }
  template <class Real> AMPHORA_HD Real slope(by<0>, Real grad, Real y) const {
    return base == 0 && y >= 0 ? Real(0) : grad * (value(y) * std::log(static_cast<Real>(base)));
  }
  template <class Real> AMPHORA_HD Real curvature(by<0>, by<0>, Real h, Real y) const {
    const Real logarithm = std::log(static_cast<Real>(base));
    return base == 0 && y >= 0 ? Real(0) : h * (value(y) * logarithm * logarithm);
  }
};
/// A tensor to the power of a tensor: both rules above.
struct pow_function {
  template <class Real> AMPHORA_HD Real value(Real x, Real y) const { return std::pow(x, y); }
  template <class Real> AMPHORA_HD Real slope(by<0>, Real grad, Real x, Real y) const { return y == 0 ? Real(0) : grad * (y * std::pow(x, y - 1)); }
  template <class Real> AMPHORA_HD Real slope(by<1>, Real grad, Real x, Real y) const { return x == 0 && y >= 0 ? Real(0) : grad * (std::pow(x, y) * std::log(x)); }
  template <class Real> AMPHORA_HD Real curvature(by<0>, by<0>, Real h, Real x, Real y) const {
    return y == 0 || y == 1 ? Real(0) : h * (y * (y - 1) * std::pow(x, y - 2));
  }
  template <class Real> AMPHORA_HD Real curvature(by<0>, by<1>, Real h, Real x, Real y) const {
    const Real p = std::pow(x, y - 1);
    return h * (y == 0 || (x == 0 && y >= 1) ? p : p + y * p * std::log(x));
  }
  template <class Real> AMPHORA_HD Real curvature(by<1>, by<0>, Real h, Real x, Real y) const { return curvature(by<0>{}, by<1>{}, h, x, y); }
  template <class Real> AMPHORA_HD Real curvature(by<1>, by<1>, Real h, Real x, Real y) const {
    const Real logarithm = std::log(x);
    return x == 0 && y >= 0 ? Real(0) : h * (std::pow(x, y) * logarithm * logarithm);
  }
};

}  // namespace detail

/// x to the power of y: a sensitive op, in float whatever comes in, stored once in the policy's output format. 0 to the power of 0 is 1.
///
/// a, b    shapes that broadcast; one of them may be a number
/// Value   the broadcast shape; pow<Policy>(context, into(y), a, b) writes it to y
/// Errors  shape
template <class Policy, class Context, class A, class B, std::enable_if_t<detail::is_operand_v<A> && detail::is_operand_v<B>, int> = 0>
auto pow(Context& context, const A& a, const B& b) { return detail::applied<Policy, op::pow>("pow", context, detail::pow_function{}, a, b); }
template <class Policy, class Context, class Y, class A, class B, std::enable_if_t<detail::is_operand_v<A> && detail::is_operand_v<B>, int> = 0>
void pow(Context& context, into<Y> y, const A& a, const B& b) {
  detail::apply_into<Policy, op::pow>("pow", context, detail::pow_function{}, y, a, b);
}

/// The gradients of pow.
///
/// ga, gb  into(view), add_to(view) or no_gradient{}
template <class Policy, class Context, class G, class A, class B, class GA, class GB, std::enable_if_t<detail::is_gradient_choice_v<GA>, int> = 0>
void pow_backward(Context& context, const G& grad, const A& a, const B& b, const GA& ga, const GB& gb) {
  detail::slopes_into<Policy, op::pow>("pow_backward", context, detail::pow_function{}, grad, a, b, ga, gb);
}
template <class Policy, class Context, class G, class A, class B, std::enable_if_t<detail::is_operand_v<A> && detail::is_operand_v<B>, int> = 0>
auto pow_backward(Context& context, const G& grad, const A& a, const B& b) {
  return detail::slopes<Policy, op::pow>("pow_backward", context, detail::pow_function{}, grad, a, b);
}

/// A tensor to the power of a number.
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto pow(Context& context, const X& x, double exponent) { return detail::applied<Policy, op::pow>("pow", context, detail::pow_number_function{exponent}, x); }
template <class Policy, class Context, class Y, class X>
void pow(Context& context, into<Y> y, const X& x, double exponent) { detail::apply_into<Policy, op::pow>("pow", context, detail::pow_number_function{exponent}, y, x); }
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto pow_backward(Context& context, const G& grad, const X& x, double exponent) {
  return detail::slope<Policy, op::pow>("pow_backward", context, detail::pow_number_function{exponent}, grad, x);
}
template <class Policy, class Context, class Target, class G, class X, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void pow_backward(Context& context, const Target& gx, const G& grad, const X& x, double exponent) {
  detail::slope_into<0, Policy, op::pow>("pow_backward", context, detail::pow_number_function{exponent}, gx, grad, x);
}

/// A number to the power of a tensor.
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto pow(Context& context, double base, const X& y) { return detail::applied<Policy, op::rpow>("pow", context, detail::number_pow_function{base}, y); }
template <class Policy, class Context, class Z, class X>
void pow(Context& context, into<Z> z, double base, const X& y) { detail::apply_into<Policy, op::rpow>("pow", context, detail::number_pow_function{base}, z, y); }
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto pow_backward(Context& context, const G& grad, double base, const X& y) {
  return detail::slope<Policy, op::rpow>("pow_backward", context, detail::number_pow_function{base}, grad, y);
}
template <class Policy, class Context, class Target, class G, class X, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void pow_backward(Context& context, const Target& gy, const G& grad, double base, const X& y) {
  detail::slope_into<0, Policy, op::rpow>("pow_backward", context, detail::number_pow_function{base}, gy, grad, y);
}

}}  // namespace amphora
