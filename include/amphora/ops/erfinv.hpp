// The inverse of the error function, forward and backward.
#pragma once
#include <amphora/detail/config.hpp>      // AMPHORA_HD
#include <amphora/op/transcendental.hpp>  // op::erfinv
#include <amphora/ops/function.hpp>       // applied, slope

#include <cmath>  // copysign, erf, erfc, exp, fabs, log, sqrt

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// y with erf(y) = x, for x from 0 to 1: a polynomial that is good to 2^-21, then steps of Halley's on erf, or on erfc from 1/2 on, where
/// 1 − x is exact. One step leaves a float's rounding, three a double's.
///
/// Source  M. Giles, "Approximating the erfinv function", GPU Computing Gems, Jade Edition, 2012, table 5 (single precision)
template <class Real>
AMPHORA_HD Real inverse_erf(Real x) {
  Real w = -std::log((1 - x) * (1 + x)), p, y;
  if (w < 5) {
    w -= Real(2.5);
    p = Real(2.81022636e-08);
    p = Real(3.43273939e-07) + p * w;
    p = Real(-3.5233877e-06) + p * w;
    p = Real(-4.39150654e-06) + p * w;
    p = Real(0.00021858087) + p * w;
    p = Real(-0.00125372503) + p * w;
    p = Real(-0.00417768164) + p * w;
    p = Real(0.246640727) + p * w;
    p = Real(1.50140941) + p * w;
  } else {
    w = std::sqrt(w) - 3;
    p = Real(-0.000200214257);
    p = Real(0.000100950558) + p * w;
    p = Real(0.00134934322) + p * w;
    p = Real(-0.00367342844) + p * w;
    p = Real(0.00573950773) + p * w;
    p = Real(-0.0076224613) + p * w;
    p = Real(0.00943887047) + p * w;
    p = Real(1.00167406) + p * w;
    p = Real(2.83297682) + p * w;
  }
  y = p * x;
  if (1 - x < Real(5.9604644775390625e-08)) {  // below 2^-24, past what the polynomial was made for: erfc(y) is nearly exp(−y²) / (√π y)
    const Real l = -std::log((1 - x) * Real(1.7724538509055161));
    y = std::sqrt(l - Real(0.5) * std::log(l));
  }
  for (int step = 0; step < (sizeof(Real) == 4 ? 1 : 3); ++step) {
    const Real too_much = x < Real(0.5) ? std::erf(y) - x : (1 - x) - std::erfc(y);
    const Real u = too_much * Real(0.88622692545275801) * std::exp(y * y);  // over the slope 2/√π exp(−y²)
    y -= u / (1 + y * u);
  }
  return y;
}
struct erfinv_function {
  template <class Real> AMPHORA_HD Real value(Real x) const {
    const Real size = std::fabs(x);
    if (!(size < 1)) return size == 1 ? x / (1 - size) : std::sqrt(1 - size);
    return x == 0 ? x : std::copysign(inverse_erf(size), x);
  }
  template <class Real> AMPHORA_HD Real slope(by<0>, Real grad, Real x) const {
    const Real y = value(x);
    return grad * (Real(0.88622692545275801) * std::exp(y * y));
  }
  template <class Real> AMPHORA_HD Real curvature(by<0>, by<0>, Real h, Real x) const {
    const Real y = value(x), e = std::exp(y * y);
    return h * (Real(1.5707963267948966) * y * e * e);
  }
};

}  // namespace detail

/// The y whose erf(y) is x: a sensitive op, in float whatever comes in, stored once in the policy's output format. ±∞ at ±1, NaN outside.
///
/// x      any shape
/// Value  x's shape; erfinv<Policy>(context, into(y), x) writes it to y
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto erfinv(Context& context, const X& x) { return detail::applied<Policy, op::erfinv>("erfinv", context, detail::erfinv_function{}, x); }
template <class Policy, class Context, class Y, class X>
void erfinv(Context& context, into<Y> y, const X& x) { detail::apply_into<Policy, op::erfinv>("erfinv", context, detail::erfinv_function{}, y, x); }

/// The gradient of erfinv; x is what forward was given. ±∞ at ±1.
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto erfinv_backward(Context& context, const G& grad, const X& x) {
  return detail::slope<Policy, op::erfinv>("erfinv_backward", context, detail::erfinv_function{}, grad, x);
}
template <class Policy, class Context, class Target, class G, class X, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void erfinv_backward(Context& context, const Target& gx, const G& grad, const X& x) {
  detail::slope_into<0, Policy, op::erfinv>("erfinv_backward", context, detail::erfinv_function{}, gx, grad, x);
}

}}  // namespace amphora
