// Exponentials, logarithms, roots, powers and functions of angles of variables.
#pragma once
#include <amphora/autograd/function.hpp>  // apply_taped
#include <amphora/ops/erfinv.hpp>         // erfinv_function
#include <amphora/ops/exponential.hpp>    // exp_function
#include <amphora/ops/pow.hpp>            // pow_function
#include <amphora/ops/root.hpp>           // rsqrt_function
#include <amphora/ops/trigonometric.hpp>  // tan_function

namespace amphora { inline namespace AMPHORA_ABI {

/// As of ops/exponential.hpp, recorded. They have second derivatives, and by their gradients all; by x a third one is `no-derivative`.
template <class Policy, class Context, class X, detail::if_variables_t<X> = 0>
auto exp(const tape<Context>& recording, const X& x) { return detail::apply_taped<Policy, op::exp>("exp", recording, detail::exp_function{}, x); }
template <class Policy, class Context, class X, detail::if_variables_t<X> = 0>
auto expm1(const tape<Context>& recording, const X& x) { return detail::apply_taped<Policy, op::expm1>("expm1", recording, detail::expm1_function{}, x); }
template <class Policy, class Context, class X, detail::if_variables_t<X> = 0>
auto log(const tape<Context>& recording, const X& x) { return detail::apply_taped<Policy, op::log>("log", recording, detail::log_function{}, x); }
template <class Policy, class Context, class X, detail::if_variables_t<X> = 0>
auto log2(const tape<Context>& recording, const X& x) { return detail::apply_taped<Policy, op::log2>("log2", recording, detail::log2_function{}, x); }
template <class Policy, class Context, class X, detail::if_variables_t<X> = 0>
auto log10(const tape<Context>& recording, const X& x) { return detail::apply_taped<Policy, op::log10>("log10", recording, detail::log10_function{}, x); }
template <class Policy, class Context, class X, detail::if_variables_t<X> = 0>
auto log1p(const tape<Context>& recording, const X& x) { return detail::apply_taped<Policy, op::log1p>("log1p", recording, detail::log1p_function{}, x); }
template <class Policy, class Context, class X, detail::if_variables_t<X> = 0>
auto softplus(const tape<Context>& recording, const X& x, double beta = 1, double threshold = 20) {
  return detail::apply_taped<Policy, op::softplus>("softplus", recording, detail::softplus_function{beta, threshold}, x);
}

/// As of ops/trigonometric.hpp and ops/erfinv.hpp, recorded.
template <class Policy, class Context, class X, detail::if_variables_t<X> = 0>
auto tan(const tape<Context>& recording, const X& x) { return detail::apply_taped<Policy, op::tan>("tan", recording, detail::tan_function{}, x); }
template <class Policy, class Context, class X, detail::if_variables_t<X> = 0>
auto asin(const tape<Context>& recording, const X& x) { return detail::apply_taped<Policy, op::asin>("asin", recording, detail::asin_function{}, x); }
template <class Policy, class Context, class X, detail::if_variables_t<X> = 0>
auto acos(const tape<Context>& recording, const X& x) { return detail::apply_taped<Policy, op::acos>("acos", recording, detail::acos_function{}, x); }
template <class Policy, class Context, class X, detail::if_variables_t<X> = 0>
auto sinh(const tape<Context>& recording, const X& x) { return detail::apply_taped<Policy, op::sinh>("sinh", recording, detail::sinh_function{}, x); }
template <class Policy, class Context, class X, detail::if_variables_t<X> = 0>
auto cosh(const tape<Context>& recording, const X& x) { return detail::apply_taped<Policy, op::cosh>("cosh", recording, detail::cosh_function{}, x); }
template <class Policy, class Context, class X, detail::if_variables_t<X> = 0>
auto erfinv(const tape<Context>& recording, const X& x) { return detail::apply_taped<Policy, op::erfinv>("erfinv", recording, detail::erfinv_function{}, x); }

/// As of ops/root.hpp and ops/pow.hpp, recorded.
template <class Policy, class Context, class X, detail::if_variables_t<X> = 0>
auto rsqrt(const tape<Context>& recording, const X& x) { return detail::apply_taped<Policy, op::rsqrt>("rsqrt", recording, detail::rsqrt_function{}, x); }
template <class Policy, class Context, class X, detail::if_variables_t<X> = 0>
auto reciprocal(const tape<Context>& recording, const X& x) {
  return detail::apply_taped<Policy, op::reciprocal>("reciprocal", recording, detail::reciprocal_function{}, x);
}
template <class Policy, class Context, class A, class B, detail::if_variables_t<A, B> = 0>
auto pow(const tape<Context>& recording, const A& a, const B& b) {
  return detail::apply_taped<Policy, op::pow>("pow", recording, detail::pow_function{}, a, b);
}
template <class Policy, class Context, class X, detail::if_variables_t<X> = 0>
auto pow(const tape<Context>& recording, const X& x, double exponent) {
  return detail::apply_taped<Policy, op::pow>("pow", recording, detail::pow_number_function{exponent}, x);
}
template <class Policy, class Context, class X, detail::if_variables_t<X> = 0>
auto pow(const tape<Context>& recording, double base, const X& y) {
  return detail::apply_taped<Policy, op::rpow>("pow", recording, detail::number_pow_function{base}, y);
}

}}  // namespace amphora
