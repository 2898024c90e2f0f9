// Exponentials and logarithms: exp, expm1, log, log2, log10, log1p and softplus, forward and backward.
#pragma once
#include <amphora/detail/config.hpp>      // AMPHORA_HD
#include <amphora/op/transcendental.hpp>  // op::exp, op::expm1, op::log, op::log2, op::log10, op::log1p, op::softplus
#include <amphora/ops/function.hpp>       // applied, slope

#include <cmath>  // exp, expm1, log, log10, log1p, log2

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

struct exp_function {
  template <class Real> AMPHORA_HD Real value(Real x) const { return std::exp(x); }
  template <class Real> AMPHORA_HD Real slope(by<0>, Real grad, Real x) const { return grad * std::exp(x); }
  template <class Real> AMPHORA_HD Real curvature(by<0>, by<0>, Real h, Real x) const { return h * std::exp(x); }
};
struct expm1_function : exp_function {
  template <class Real> AMPHORA_HD Real value(Real x) const { return std::expm1(x); }
};
/// The logarithm to a base, given the base's own: below 0 the value is NaN, the slope is not, as in PyTorch.
struct logarithm_slope {
  template <class Real> AMPHORA_HD static constexpr Real slope_of_base(Real grad, Real x, double base) { return grad / (x * static_cast<Real>(base)); }
  template <class Real> AMPHORA_HD static constexpr Real curvature_of_base(Real h, Real x, double base) { return -h / x / (x * static_cast<Real>(base)); }
};
struct log_function {
  template <class Real> AMPHORA_HD Real value(Real x) const { return std::log(x); }
  template <class Real> AMPHORA_HD constexpr Real slope(by<0>, Real grad, Real x) const { return grad / x; }
  template <class Real> AMPHORA_HD constexpr Real curvature(by<0>, by<0>, Real h, Real x) const { return -h / x / x; }
};
struct log2_function : logarithm_slope {
  template <class Real> AMPHORA_HD Real value(Real x) const { return std::log2(x); }
  template <class Real> AMPHORA_HD constexpr Real slope(by<0>, Real grad, Real x) const { return slope_of_base(grad, x, 0.69314718055994531); }
  template <class Real> AMPHORA_HD constexpr Real curvature(by<0>, by<0>, Real h, Real x) const { return curvature_of_base(h, x, 0.69314718055994531); }
};
struct log10_function : logarithm_slope {
  template <class Real> AMPHORA_HD Real value(Real x) const { return std::log10(x); }
  template <class Real> AMPHORA_HD constexpr Real slope(by<0>, Real grad, Real x) const { return slope_of_base(grad, x, 2.3025850929940457); }
  template <class Real> AMPHORA_HD constexpr Real curvature(by<0>, by<0>, Real h, Real x) const { return curvature_of_base(h, x, 2.3025850929940457); }
};
struct log1p_function {
  template <class Real> AMPHORA_HD Real value(Real x) const { return std::log1p(x); }
  template <class Real> AMPHORA_HD constexpr Real slope(by<0>, Real grad, Real x) const { return grad / (1 + x); }
  template <class Real> AMPHORA_HD constexpr Real curvature(by<0>, by<0>, Real h, Real x) const { return -h / (1 + x) / (1 + x); }
};
/// On the straight line from beyond the threshold on; its bend is 0 from the threshold on.
struct softplus_function {
  double beta, threshold;
  template <class Real> AMPHORA_HD Real value(Real x) const {
    const Real u = x * static_cast<Real>(beta);
    if (u > static_cast<Real>(threshold)) return x;
    return (u > 0 ? u + std::log1p(std::exp(-u)) : std::log1p(std::exp(u))) / static_cast<Real>(beta);
  }
  template <class Real> AMPHORA_HD Real slope(by<0>, Real grad, Real x) const {
    const Real u = x * static_cast<Real>(beta), e = std::exp(u > 0 ? -u : u);
    return u > static_cast<Real>(threshold) ? grad : grad * ((u > 0 ? Real(1) : e) / (1 + e));
  }
  template <class Real> AMPHORA_HD Real curvature(by<0>, by<0>, Real h, Real x) const {
    const Real u = x * static_cast<Real>(beta), e = std::exp(u > 0 ? -u : u);
    return u >= static_cast<Real>(threshold) ? Real(0) : h * (static_cast<Real>(beta) * (e / (1 + e) / (1 + e)));
  }
};

}  // namespace detail

/// e to the power of x: a sensitive op, in float whatever comes in, stored once in the policy's output format.
///
/// x      any shape
/// Value  x's shape; exp<Policy>(context, into(y), x) writes it to y
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto exp(Context& context, const X& x) { return detail::applied<Policy, op::exp>("exp", context, detail::exp_function{}, x); }
template <class Policy, class Context, class Y, class X>
void exp(Context& context, into<Y> y, const X& x) { detail::apply_into<Policy, op::exp>("exp", context, detail::exp_function{}, y, x); }

/// The gradient of exp; x is what forward was given.
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto exp_backward(Context& context, const G& grad, const X& x) {
  return detail::slope<Policy, op::exp>("exp_backward", context, detail::exp_function{}, grad, x);
}
template <class Policy, class Context, class Target, class G, class X, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void exp_backward(Context& context, const Target& gx, const G& grad, const X& x) {
  detail::slope_into<0, Policy, op::exp>("exp_backward", context, detail::exp_function{}, gx, grad, x);
}

/// exp(x) − 1, exact near 0, under the rules of exp.
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto expm1(Context& context, const X& x) { return detail::applied<Policy, op::expm1>("expm1", context, detail::expm1_function{}, x); }
template <class Policy, class Context, class Y, class X>
void expm1(Context& context, into<Y> y, const X& x) { detail::apply_into<Policy, op::expm1>("expm1", context, detail::expm1_function{}, y, x); }

/// The gradient of expm1; x is what forward was given.
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto expm1_backward(Context& context, const G& grad, const X& x) {
  return detail::slope<Policy, op::expm1>("expm1_backward", context, detail::expm1_function{}, grad, x);
}
template <class Policy, class Context, class Target, class G, class X, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void expm1_backward(Context& context, const Target& gx, const G& grad, const X& x) {
  detail::slope_into<0, Policy, op::expm1>("expm1_backward", context, detail::expm1_function{}, gx, grad, x);
}

/// The natural logarithm, under the rules of exp.
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto log(Context& context, const X& x) { return detail::applied<Policy, op::log>("log", context, detail::log_function{}, x); }
template <class Policy, class Context, class Y, class X>
void log(Context& context, into<Y> y, const X& x) { detail::apply_into<Policy, op::log>("log", context, detail::log_function{}, y, x); }

/// The gradient of log; x is what forward was given.
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto log_backward(Context& context, const G& grad, const X& x) {
  return detail::slope<Policy, op::log>("log_backward", context, detail::log_function{}, grad, x);
}
template <class Policy, class Context, class Target, class G, class X, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void log_backward(Context& context, const Target& gx, const G& grad, const X& x) {
  detail::slope_into<0, Policy, op::log>("log_backward", context, detail::log_function{}, gx, grad, x);
}

/// The logarithm to base 2, under the rules of exp.
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto log2(Context& context, const X& x) { return detail::applied<Policy, op::log2>("log2", context, detail::log2_function{}, x); }
template <class Policy, class Context, class Y, class X>
void log2(Context& context, into<Y> y, const X& x) { detail::apply_into<Policy, op::log2>("log2", context, detail::log2_function{}, y, x); }

/// The gradient of log2; x is what forward was given.
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto log2_backward(Context& context, const G& grad, const X& x) {
  return detail::slope<Policy, op::log2>("log2_backward", context, detail::log2_function{}, grad, x);
}
template <class Policy, class Context, class Target, class G, class X, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void log2_backward(Context& context, const Target& gx, const G& grad, const X& x) {
  detail::slope_into<0, Policy, op::log2>("log2_backward", context, detail::log2_function{}, gx, grad, x);
}

/// The logarithm to base 10, under the rules of exp.
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto log10(Context& context, const X& x) { return detail::applied<Policy, op::log10>("log10", context, detail::log10_function{}, x); }
template <class Policy, class Context, class Y, class X>
void log10(Context& context, into<Y> y, const X& x) { detail::apply_into<Policy, op::log10>("log10", context, detail::log10_function{}, y, x); }

/// The gradient of log10; x is what forward was given.
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto log10_backward(Context& context, const G& grad, const X& x) {
  return detail::slope<Policy, op::log10>("log10_backward", context, detail::log10_function{}, grad, x);
}
template <class Policy, class Context, class Target, class G, class X, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void log10_backward(Context& context, const Target& gx, const G& grad, const X& x) {
  detail::slope_into<0, Policy, op::log10>("log10_backward", context, detail::log10_function{}, gx, grad, x);
}

/// log(1 + x), exact near 0, under the rules of exp.
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto log1p(Context& context, const X& x) { return detail::applied<Policy, op::log1p>("log1p", context, detail::log1p_function{}, x); }
template <class Policy, class Context, class Y, class X>
void log1p(Context& context, into<Y> y, const X& x) { detail::apply_into<Policy, op::log1p>("log1p", context, detail::log1p_function{}, y, x); }

/// The gradient of log1p; x is what forward was given.
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto log1p_backward(Context& context, const G& grad, const X& x) {
  return detail::slope<Policy, op::log1p>("log1p_backward", context, detail::log1p_function{}, grad, x);
}
template <class Policy, class Context, class Target, class G, class X, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void log1p_backward(Context& context, const Target& gx, const G& grad, const X& x) {
  detail::slope_into<0, Policy, op::log1p>("log1p_backward", context, detail::log1p_function{}, gx, grad, x);
}

/// log(1 + exp(beta · x)) / beta, and x where beta · x is past the threshold, under the rules of exp.
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto softplus(Context& context, const X& x, double beta = 1, double threshold = 20) {
  return detail::applied<Policy, op::softplus>("softplus", context, detail::softplus_function{beta, threshold}, x);
}
template <class Policy, class Context, class Y, class X>
void softplus(Context& context, into<Y> y, const X& x, double beta = 1, double threshold = 20) {
  detail::apply_into<Policy, op::softplus>("softplus", context, detail::softplus_function{beta, threshold}, y, x);
}

/// The gradient of softplus; x is what forward was given.
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto softplus_backward(Context& context, const G& grad, const X& x, double beta = 1, double threshold = 20) {
  return detail::slope<Policy, op::softplus>("softplus_backward", context, detail::softplus_function{beta, threshold}, grad, x);
}
template <class Policy, class Context, class Target, class G, class X, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void softplus_backward(Context& context, const Target& gx, const G& grad, const X& x, double beta = 1, double threshold = 20) {
  detail::slope_into<0, Policy, op::softplus>("softplus_backward", context, detail::softplus_function{beta, threshold}, gx, grad, x);
}

}}  // namespace amphora
