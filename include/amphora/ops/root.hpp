// sqrt, rsqrt and reciprocal, forward and backward.
#pragma once
#include <amphora/detail/config.hpp>      // AMPHORA_HD
#include <amphora/op/transcendental.hpp>  // op::rsqrt, op::reciprocal
#include <amphora/op/transparent.hpp>     // op::sqrt
#include <amphora/ops/function.hpp>       // applied, slope

#include <cmath>  // sqrt

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// The slope at 0 is ±∞, and NaN below.
struct sqrt_function {
  template <class Real> AMPHORA_HD Real value(Real x) const { return std::sqrt(x); }
  template <class Real> AMPHORA_HD Real slope(by<0>, Real grad, Real x) const { return grad / (2 * std::sqrt(x)); }
  template <class Real> AMPHORA_HD Real curvature(by<0>, by<0>, Real h, Real x) const {
    const Real r = std::sqrt(x);
    return -h / (4 * r * r * r);
  }
};
struct rsqrt_function {
  template <class Real> AMPHORA_HD Real value(Real x) const { return 1 / std::sqrt(x); }
  template <class Real> AMPHORA_HD Real slope(by<0>, Real grad, Real x) const {
    const Real r = 1 / std::sqrt(x);
    return Real(-0.5) * grad * (r * r * r);
  }
  template <class Real> AMPHORA_HD Real curvature(by<0>, by<0>, Real h, Real x) const {
    const Real r = 1 / std::sqrt(x);
    return Real(0.75) * h * (r * r * r * r * r);
  }
};
struct reciprocal_function {
  template <class Real> AMPHORA_HD constexpr Real value(Real x) const { return 1 / x; }
  template <class Real> AMPHORA_HD constexpr Real slope(by<0>, Real grad, Real x) const { return -grad / x / x; }
  template <class Real> AMPHORA_HD constexpr Real curvature(by<0>, by<0>, Real h, Real x) const { return 2 * h / x / x / x; }
};

}  // namespace detail

/// √x in the format that came in, rounded once from float; NaN below 0.
///
/// x      any shape
/// Value  x's shape; sqrt<Policy>(context, into(y), x) writes it to y, which may be x itself
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto sqrt(Context& context, const X& x) { return detail::applied<Policy, op::sqrt>("sqrt", context, detail::sqrt_function{}, x); }
template <class Policy, class Context, class Y, class X>
void sqrt(Context& context, into<Y> y, const X& x) { detail::apply_into<Policy, op::sqrt>("sqrt", context, detail::sqrt_function{}, y, x); }

/// The gradient of sqrt; x is what forward was given. ±∞ at 0.
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto sqrt_backward(Context& context, const G& grad, const X& x) {
  return detail::slope<Policy, op::sqrt>("sqrt_backward", context, detail::sqrt_function{}, grad, x);
}
template <class Policy, class Context, class Target, class G, class X, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void sqrt_backward(Context& context, const Target& gx, const G& grad, const X& x) {
  detail::slope_into<0, Policy, op::sqrt>("sqrt_backward", context, detail::sqrt_function{}, gx, grad, x);
}

/// 1 / √x: a sensitive op, in float whatever comes in, stored once in the policy's output format.
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto rsqrt(Context& context, const X& x) { return detail::applied<Policy, op::rsqrt>("rsqrt", context, detail::rsqrt_function{}, x); }
template <class Policy, class Context, class Y, class X>
void rsqrt(Context& context, into<Y> y, const X& x) { detail::apply_into<Policy, op::rsqrt>("rsqrt", context, detail::rsqrt_function{}, y, x); }

/// The gradient of rsqrt; x is what forward was given.
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto rsqrt_backward(Context& context, const G& grad, const X& x) {
  return detail::slope<Policy, op::rsqrt>("rsqrt_backward", context, detail::rsqrt_function{}, grad, x);
}
template <class Policy, class Context, class Target, class G, class X, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void rsqrt_backward(Context& context, const Target& gx, const G& grad, const X& x) {
  detail::slope_into<0, Policy, op::rsqrt>("rsqrt_backward", context, detail::rsqrt_function{}, gx, grad, x);
}

/// 1 / x, under the rules of rsqrt.
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto reciprocal(Context& context, const X& x) { return detail::applied<Policy, op::reciprocal>("reciprocal", context, detail::reciprocal_function{}, x); }
template <class Policy, class Context, class Y, class X>
void reciprocal(Context& context, into<Y> y, const X& x) { detail::apply_into<Policy, op::reciprocal>("reciprocal", context, detail::reciprocal_function{}, y, x); }

/// The gradient of reciprocal; x is what forward was given.
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto reciprocal_backward(Context& context, const G& grad, const X& x) {
  return detail::slope<Policy, op::reciprocal>("reciprocal_backward", context, detail::reciprocal_function{}, grad, x);
}
template <class Policy, class Context, class Target, class G, class X, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void reciprocal_backward(Context& context, const Target& gx, const G& grad, const X& x) {
  detail::slope_into<0, Policy, op::reciprocal>("reciprocal_backward", context, detail::reciprocal_function{}, gx, grad, x);
}

}}  // namespace amphora
