// The bends between layers beside relu and gelu: sigmoid, tanh, silu, elu and leaky_relu, forward and backward.
#pragma once
#include <amphora/detail/config.hpp>   // AMPHORA_HD
#include <amphora/op/transparent.hpp>  // op::sigmoid, op::tanh, op::silu, op::elu, op::leaky_relu
#include <amphora/ops/function.hpp>    // applied, slope

#include <cmath>  // exp, expm1, fabs, tanh

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// Over the exponential of −|x|, which never overflows; the slope has no 1 − s that would lose its digits.
struct sigmoid_function {
  template <class Real> AMPHORA_HD Real value(Real x) const {
    const Real e = std::exp(-std::fabs(x));
    return (x < 0 ? e : Real(1)) / (1 + e);
  }
  template <class Real> AMPHORA_HD Real slope(by<0>, Real grad, Real x) const {
    const Real e = std::exp(-std::fabs(x)), one = 1 + e;
    return grad * (e / one / one);
  }
  template <class Real> AMPHORA_HD Real curvature(by<0>, by<0>, Real h, Real x) const {
    const Real e = std::exp(-std::fabs(x)), one = 1 + e, down = e / one / one * ((1 - e) / one);
    return x < 0 ? h * down : -h * down;
  }
};
/// 1 − tanh² as 4 e / (1 + e)², e = exp(−2 |x|).
struct tanh_function {
  template <class Real> AMPHORA_HD Real value(Real x) const { return std::tanh(x); }
  template <class Real> AMPHORA_HD Real slope(by<0>, Real grad, Real x) const {
    const Real e = std::exp(-2 * std::fabs(x)), one = 1 + e;
    return grad * (4 * e / one / one);
  }
  template <class Real> AMPHORA_HD Real curvature(by<0>, by<0>, Real h, Real x) const { return -2 * std::tanh(x) * slope(by<0>{}, h, x); }
};
/// NaN at −∞, and its slope at both ends, as in PyTorch.
struct silu_function {
  template <class Real> AMPHORA_HD Real value(Real x) const { return x * sigmoid_function{}.value(x); }
  template <class Real> AMPHORA_HD Real slope(by<0>, Real grad, Real x) const {
    const sigmoid_function sigmoid{};
    return grad * (sigmoid.value(x) * (1 + x * sigmoid.value(-x)));
  }
  template <class Real> AMPHORA_HD Real curvature(by<0>, by<0>, Real h, Real x) const {
    const sigmoid_function sigmoid{};
    return sigmoid.slope(by<0>{}, h, x) * (2 + x * (sigmoid.value(-x) - sigmoid.value(x)));
  }
};
/// The slope at 0 is alpha, the bend there 0; at NaN the gradient passes.
struct elu_function {
  double alpha;
  template <class Real> AMPHORA_HD Real value(Real x) const { return x > 0 ? x : static_cast<Real>(alpha) * std::expm1(x); }
  template <class Real> AMPHORA_HD Real slope(by<0>, Real grad, Real x) const { return x <= 0 ? grad * (static_cast<Real>(alpha) * std::exp(x)) : grad; }
  template <class Real> AMPHORA_HD Real curvature(by<0>, by<0>, Real h, Real x) const { return x < 0 ? h * (static_cast<Real>(alpha) * std::exp(x)) : Real(0); }
};
/// The slope at 0 and at NaN is that of the negative side.
struct leaky_relu_function {
  double negative;
  template <class Real> AMPHORA_HD constexpr Real value(Real x) const { return x > 0 ? x : static_cast<Real>(negative) * x; }
  template <class Real> AMPHORA_HD constexpr Real slope(by<0>, Real grad, Real x) const { return x > 0 ? grad : static_cast<Real>(negative) * grad; }
};

}  // namespace detail

/// 1 / (1 + exp(−x)) in the format that came in, computed in float.
///
/// x      any shape
/// Value  x's shape; sigmoid<Policy>(context, into(y), x) writes it to y, which may be x itself
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto sigmoid(Context& context, const X& x) { return detail::applied<Policy, op::sigmoid>("sigmoid", context, detail::sigmoid_function{}, x); }
template <class Policy, class Context, class Y, class X>
void sigmoid(Context& context, into<Y> y, const X& x) { detail::apply_into<Policy, op::sigmoid>("sigmoid", context, detail::sigmoid_function{}, y, x); }

/// The gradient of sigmoid; x is what forward was given.
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto sigmoid_backward(Context& context, const G& grad, const X& x) {
  return detail::slope<Policy, op::sigmoid>("sigmoid_backward", context, detail::sigmoid_function{}, grad, x);
}
template <class Policy, class Context, class Target, class G, class X, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void sigmoid_backward(Context& context, const Target& gx, const G& grad, const X& x) {
  detail::slope_into<0, Policy, op::sigmoid>("sigmoid_backward", context, detail::sigmoid_function{}, gx, grad, x);
}

/// The hyperbolic tangent, under the rules of sigmoid.
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto tanh(Context& context, const X& x) { return detail::applied<Policy, op::tanh>("tanh", context, detail::tanh_function{}, x); }
template <class Policy, class Context, class Y, class X>
void tanh(Context& context, into<Y> y, const X& x) { detail::apply_into<Policy, op::tanh>("tanh", context, detail::tanh_function{}, y, x); }

/// The gradient of tanh; x is what forward was given.
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto tanh_backward(Context& context, const G& grad, const X& x) {
  return detail::slope<Policy, op::tanh>("tanh_backward", context, detail::tanh_function{}, grad, x);
}
template <class Policy, class Context, class Target, class G, class X, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void tanh_backward(Context& context, const Target& gx, const G& grad, const X& x) {
  detail::slope_into<0, Policy, op::tanh>("tanh_backward", context, detail::tanh_function{}, gx, grad, x);
}

/// x · sigmoid(x), under the rules of sigmoid.
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto silu(Context& context, const X& x) { return detail::applied<Policy, op::silu>("silu", context, detail::silu_function{}, x); }
template <class Policy, class Context, class Y, class X>
void silu(Context& context, into<Y> y, const X& x) { detail::apply_into<Policy, op::silu>("silu", context, detail::silu_function{}, y, x); }

/// The gradient of silu; x is what forward was given.
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto silu_backward(Context& context, const G& grad, const X& x) {
  return detail::slope<Policy, op::silu>("silu_backward", context, detail::silu_function{}, grad, x);
}
template <class Policy, class Context, class Target, class G, class X, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void silu_backward(Context& context, const Target& gx, const G& grad, const X& x) {
  detail::slope_into<0, Policy, op::silu>("silu_backward", context, detail::silu_function{}, gx, grad, x);
}

/// x where it is positive, else alpha · (exp(x) − 1).
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto elu(Context& context, const X& x, double alpha = 1) { return detail::applied<Policy, op::elu>("elu", context, detail::elu_function{alpha}, x); }
template <class Policy, class Context, class Y, class X>
void elu(Context& context, into<Y> y, const X& x, double alpha = 1) { detail::apply_into<Policy, op::elu>("elu", context, detail::elu_function{alpha}, y, x); }

/// The gradient of elu; x is what forward was given.
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto elu_backward(Context& context, const G& grad, const X& x, double alpha = 1) {
  return detail::slope<Policy, op::elu>("elu_backward", context, detail::elu_function{alpha}, grad, x);
}
template <class Policy, class Context, class Target, class G, class X, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void elu_backward(Context& context, const Target& gx, const G& grad, const X& x, double alpha = 1) {
  detail::slope_into<0, Policy, op::elu>("elu_backward", context, detail::elu_function{alpha}, gx, grad, x);
}

/// x where it is positive, else negative_slope · x.
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto leaky_relu(Context& context, const X& x, double negative_slope = 0.01) {
  return detail::applied<Policy, op::leaky_relu>("leaky_relu", context, detail::leaky_relu_function{negative_slope}, x);
}
template <class Policy, class Context, class Y, class X>
void leaky_relu(Context& context, into<Y> y, const X& x, double negative_slope = 0.01) {
  detail::apply_into<Policy, op::leaky_relu>("leaky_relu", context, detail::leaky_relu_function{negative_slope}, y, x);
}

/// The gradient of leaky_relu; x is what forward was given.
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto leaky_relu_backward(Context& context, const G& grad, const X& x, double negative_slope = 0.01) {
  return detail::slope<Policy, op::leaky_relu>("leaky_relu_backward", context, detail::leaky_relu_function{negative_slope}, grad, x);
}
template <class Policy, class Context, class Target, class G, class X, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void leaky_relu_backward(Context& context, const Target& gx, const G& grad, const X& x, double negative_slope = 0.01) {
  detail::slope_into<0, Policy, op::leaky_relu>("leaky_relu_backward", context, detail::leaky_relu_function{negative_slope}, gx, grad, x);
}

}}  // namespace amphora
