// x · Φ(x), exactly or by tanh, forward and backward.
#pragma once
#include <amphora/detail/config.hpp>    // AMPHORA_HD
#include <amphora/op/transparent.hpp>   // op::gelu
#include <amphora/ops/elementwise.hpp>  // unary, unary_gradient

#include <cmath>    // erfc, exp
#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI {

/// How gelu computes the normal distribution function.
enum class gelu_form {
  erf,   ///< exactly
  tanh,  ///< as 1/2 (1 + tanh(√(2/π) (x + 0.044715 x³)))
};

namespace detail {

/// Written over erfc and a sigmoid, since 1 + erf and 1 + tanh lose all digits for negative x.
///
/// Source  Hendrycks and Gimpel, "Gaussian error linear units", 2016, section 2
struct gelu_value {
  gelu_form form;
  template <class Real> AMPHORA_HD static Real bent(Real x) { return Real(1.5957691216057307) * (x + Real(0.044715) * x * x * x); }  // 2 √(2/π) (…)
  template <class Real> AMPHORA_HD Real operator()(std::int64_t, Real x) const {
    if (form == gelu_form::erf) return Real(0.5) * x * std::erfc(-x * Real(0.70710678118654752));
    return x / (1 + std::exp(-bent(x)));
  }
};
struct gelu_slope {
  gelu_form form;
  template <class Real> AMPHORA_HD Real operator()(std::int64_t, Real grad, Real x) const {
    if (form == gelu_form::erf)
      return grad * (Real(0.5) * std::erfc(-x * Real(0.70710678118654752)) + x * Real(0.39894228040143268) * std::exp(Real(-0.5) * x * x));
    const Real u = gelu_value::bent(x), s = 1 / (1 + std::exp(-u)), rest = 1 / (1 + std::exp(u));
    return grad * (s + x * (s * rest) * (Real(1.5957691216057307) * (1 + Real(3 * 0.044715) * x * x)));
  }
};

}  // namespace detail

/// x · Φ(x) in the format that came in, computed in float.
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto gelu(Context& context, const X& x, gelu_form form = gelu_form::erf) { return detail::unary<Policy, op::gelu>("gelu", context, detail::gelu_value{form}, x); }
template <class Policy, class Context, class Y, class X>
void gelu(Context& context, into<Y> y, const X& x, gelu_form form = gelu_form::erf) {
  detail::unary_into<Policy, op::gelu>("gelu", context, detail::gelu_value{form}, y, x);
}

/// The gradient of gelu; x is what forward was given.
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto gelu_backward(Context& context, const G& grad, const X& x, gelu_form form = gelu_form::erf) {
  return detail::unary_gradient<Policy, op::gelu>("gelu_backward", context, detail::gelu_slope{form}, grad, x);
}
template <class Policy, class Context, class Target, class G, class X, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void gelu_backward(Context& context, const Target& gx, const G& grad, const X& x, gelu_form form = gelu_form::erf) {
  detail::unary_gradient_into<Policy, op::gelu>("gelu_backward", context, detail::gelu_slope{form}, gx, grad, x);
}

}}  // namespace amphora
