// A tensor times a number, divided by one, and a number divided by a tensor, forward and backward.
#pragma once
#include <amphora/detail/config.hpp>      // AMPHORA_HD
#include <amphora/op/promoting.hpp>       // op::mul, op::div
#include <amphora/op/transcendental.hpp>  // op::rdiv
#include <amphora/ops/function.hpp>       // applied, slope

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

struct mul_number_function {
  double number;
  template <class Real> AMPHORA_HD constexpr Real value(Real x) const { return x * static_cast<Real>(number); }
  constexpr double factor(by<0>) const { return number; }
};
/// The slope is a quotient too: a reciprocal would be rounded first.
struct div_number_function {
  double number;
  template <class Real> AMPHORA_HD constexpr Real value(Real x) const { return x / static_cast<Real>(number); }
  template <class Real> AMPHORA_HD constexpr Real slope(by<0>, Real grad, Real) const { return grad / static_cast<Real>(number); }
};
struct number_div_function {
  double number;
  template <class Real> AMPHORA_HD constexpr Real value(Real x) const { return static_cast<Real>(number) / x; }
  template <class Real> AMPHORA_HD constexpr Real slope(by<0>, Real grad, Real x) const { return -grad * (static_cast<Real>(number) / x / x); }
  template <class Real> AMPHORA_HD constexpr Real curvature(by<0>, by<0>, Real h, Real x) const { return 2 * h * (static_cast<Real>(number) / x / x / x); }
};

}  // namespace detail

/// x times a number, in the format that x comes in under o1; the number is rounded to the float (or double) that is computed in.
///
/// x      any shape
/// Value  x's shape; mul<Policy>(context, into(y), x, number) writes it to y, which may be x itself
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto mul(Context& context, const X& x, double number) { return detail::applied<Policy, op::mul>("mul", context, detail::mul_number_function{number}, x); }
template <class Policy, class Context, class Y, class X>
void mul(Context& context, into<Y> y, const X& x, double number) { detail::apply_into<Policy, op::mul>("mul", context, detail::mul_number_function{number}, y, x); }
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto mul_backward(Context& context, const G& grad, const X& x, double number) {
  return detail::slope<Policy, op::mul>("mul_backward", context, detail::mul_number_function{number}, grad, x);
}
template <class Policy, class Context, class Target, class G, class X, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void mul_backward(Context& context, const Target& gx, const G& grad, const X& x, double number) {
  detail::slope_into<0, Policy, op::mul>("mul_backward", context, detail::mul_number_function{number}, gx, grad, x);
}

/// x divided by a number, under the rules of such a mul.
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto div(Context& context, const X& x, double number) { return detail::applied<Policy, op::div>("div", context, detail::div_number_function{number}, x); }
template <class Policy, class Context, class Y, class X>
void div(Context& context, into<Y> y, const X& x, double number) { detail::apply_into<Policy, op::div>("div", context, detail::div_number_function{number}, y, x); }
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto div_backward(Context& context, const G& grad, const X& x, double number) {
  return detail::slope<Policy, op::div>("div_backward", context, detail::div_number_function{number}, grad, x);
}
template <class Policy, class Context, class Target, class G, class X, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void div_backward(Context& context, const Target& gx, const G& grad, const X& x, double number) {
  detail::slope_into<0, Policy, op::div>("div_backward", context, detail::div_number_function{number}, gx, grad, x);
}

/// A number divided by x: a sensitive op as reciprocal, in float whatever comes in.
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto div(Context& context, double number, const X& x) { return detail::applied<Policy, op::rdiv>("div", context, detail::number_div_function{number}, x); }
template <class Policy, class Context, class Y, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
void div(Context& context, into<Y> y, double number, const X& x) { detail::apply_into<Policy, op::rdiv>("div", context, detail::number_div_function{number}, y, x); }
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G> && detail::is_operand_v<X>, int> = 0>
auto div_backward(Context& context, const G& grad, double number, const X& x) {
  return detail::slope<Policy, op::rdiv>("div_backward", context, detail::number_div_function{number}, grad, x);
}
template <class Policy, class Context, class Target, class G, class X, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void div_backward(Context& context, const Target& gx, const G& grad, double number, const X& x) {
  detail::slope_into<0, Policy, op::rdiv>("div_backward", context, detail::number_div_function{number}, gx, grad, x);
}

}}  // namespace amphora
