// The magnitude of a number, and the number with its sign turned, forward and backward.
#pragma once
#include <amphora/detail/config.hpp>   // AMPHORA_HD
#include <amphora/op/transparent.hpp>  // op::abs, op::neg
#include <amphora/ops/function.hpp>    // applied, slope

#include <cmath>  // fabs

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// The slope at 0 and at NaN is 0.
struct abs_function {
  template <class Real> AMPHORA_HD Real value(Real x) const { return std::fabs(x); }
  template <class Real> AMPHORA_HD constexpr Real slope(by<0>, Real grad, Real x) const { return x > 0 ? grad : x < 0 ? -grad : Real(0); }
};
struct neg_function {
  template <class Real> AMPHORA_HD constexpr Real value(Real x) const { return -x; }
  constexpr double factor(by<0>) const { return -1; }
};

}  // namespace detail

/// |x| in the format that came in.
///
/// x      any shape
/// Value  x's shape; abs<Policy>(context, into(y), x) writes it to y, which may be x itself
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto abs(Context& context, const X& x) { return detail::applied<Policy, op::abs>("abs", context, detail::abs_function{}, x); }
template <class Policy, class Context, class Y, class X>
void abs(Context& context, into<Y> y, const X& x) { detail::apply_into<Policy, op::abs>("abs", context, detail::abs_function{}, y, x); }

/// The gradient of abs; x is what forward was given.
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto abs_backward(Context& context, const G& grad, const X& x) {
  return detail::slope<Policy, op::abs>("abs_backward", context, detail::abs_function{}, grad, x);
}
template <class Policy, class Context, class Target, class G, class X, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void abs_backward(Context& context, const Target& gx, const G& grad, const X& x) {
  detail::slope_into<0, Policy, op::abs>("abs_backward", context, detail::abs_function{}, gx, grad, x);
}

/// −x, under the rules of abs.
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto neg(Context& context, const X& x) { return detail::applied<Policy, op::neg>("neg", context, detail::neg_function{}, x); }
template <class Policy, class Context, class Y, class X>
void neg(Context& context, into<Y> y, const X& x) { detail::apply_into<Policy, op::neg>("neg", context, detail::neg_function{}, y, x); }

/// The gradient of neg; of x only shape and format are looked at.
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto neg_backward(Context& context, const G& grad, const X& x) {
  return detail::slope<Policy, op::neg>("neg_backward", context, detail::neg_function{}, grad, x);
}
template <class Policy, class Context, class Target, class G, class X, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void neg_backward(Context& context, const Target& gx, const G& grad, const X& x) {
  detail::slope_into<0, Policy, op::neg>("neg_backward", context, detail::neg_function{}, gx, grad, x);
}

}}  // namespace amphora
