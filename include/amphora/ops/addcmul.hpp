// x + value · a · b and x + value · a / b with broadcasting, forward and backward.
#pragma once
#include <amphora/detail/config.hpp>  // AMPHORA_HD
#include <amphora/format/real.hpp>    // add_once, multiply_once
#include <amphora/op/promoting.hpp>   // op::addcmul, op::addcdiv
#include <amphora/ops/function.hpp>   // applied, slopes

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// value = 0 takes nothing of a and b, not even a NaN, and gives them a gradient of 0.
struct addcmul_function {
  double scale;
  template <class Real> AMPHORA_HD constexpr Real value(Real x, Real a, Real b) const {
    return scale == 0 ? x : add_once(x, multiply_once(static_cast<Real>(scale), multiply_once(a, b)));
  }
  constexpr double factor(by<0>) const { return 1; }
  template <class Real> AMPHORA_HD constexpr Real slope(by<1>, Real grad, Real, Real, Real b) const { return scale == 0 ? Real(0) : static_cast<Real>(scale) * grad * b; }
  template <class Real> AMPHORA_HD constexpr Real slope(by<2>, Real grad, Real, Real a, Real) const { return scale == 0 ? Real(0) : static_cast<Real>(scale) * grad * a; }
  constexpr double bend(by<1>, by<2>) const { return scale; }
  constexpr double bend(by<2>, by<1>) const { return scale; }
};
struct addcdiv_function {
  double scale;
  template <class Real> AMPHORA_HD constexpr Real value(Real x, Real a, Real b) const { return scale == 0 ? x : add_once(x, multiply_once(static_cast<Real>(scale), a / b)); }
  constexpr double factor(by<0>) const { return 1; }
  template <class Real> AMPHORA_HD constexpr Real slope(by<1>, Real grad, Real, Real, Real b) const { return scale == 0 ? Real(0) : static_cast<Real>(scale) * grad / b; }
  template <class Real> AMPHORA_HD constexpr Real slope(by<2>, Real grad, Real, Real a, Real b) const { return scale == 0 ? Real(0) : -static_cast<Real>(scale) * grad * (a / b / b); }
  template <class Real> AMPHORA_HD constexpr Real curvature(by<1>, by<2>, Real h, Real, Real, Real b) const { return scale == 0 ? Real(0) : -static_cast<Real>(scale) * h / b / b; }
  template <class Real> AMPHORA_HD constexpr Real curvature(by<2>, by<1>, Real h, Real, Real, Real b) const { return scale == 0 ? Real(0) : -static_cast<Real>(scale) * h / b / b; }
  template <class Real> AMPHORA_HD constexpr Real curvature(by<2>, by<2>, Real h, Real, Real a, Real b) const {
    return scale == 0 ? Real(0) : 2 * static_cast<Real>(scale) * h * (a / b / b / b);
  }
};

}  // namespace detail

/// x + value · a · b in the widest input format.
///
/// x, a, b  shapes that broadcast
/// Value    the broadcast shape; addcmul<Policy>(context, into(y), x, a, b) writes it to y, which may be an operand of that shape
/// Errors   shape
template <class Policy, class Context, class X, class A, class B, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto addcmul(Context& context, const X& x, const A& a, const B& b, double value = 1) {
  return detail::applied<Policy, op::addcmul>("addcmul", context, detail::addcmul_function{value}, x, a, b);
}
template <class Policy, class Context, class Y, class X, class A, class B, std::enable_if_t<detail::is_operand_v<A>, int> = 0>
void addcmul(Context& context, into<Y> y, const X& x, const A& a, const B& b, double value = 1) {
  detail::apply_into<Policy, op::addcmul>("addcmul", context, detail::addcmul_function{value}, y, x, a, b);
}

/// The gradients of addcmul: .first of x, .second of a, .third of b.
///
/// gx, ga, gb  into(view), add_to(view) or no_gradient{}
template <class Policy, class Context, class G, class X, class A, class B, class GX, class GA, class GB, std::enable_if_t<detail::is_gradient_choice_v<GX>, int> = 0>
void addcmul_backward(Context& context, const G& grad, const X& x, const A& a, const B& b, const GX& gx, const GA& ga, const GB& gb, double value = 1) {
  detail::slopes_into<Policy, op::addcmul>("addcmul_backward", context, detail::addcmul_function{value}, grad, x, a, b, gx, ga, gb);
}
template <class Policy, class Context, class G, class X, class A, class B, std::enable_if_t<detail::is_operand_v<B>, int> = 0>
auto addcmul_backward(Context& context, const G& grad, const X& x, const A& a, const B& b, double value = 1) {
  return detail::slopes<Policy, op::addcmul>("addcmul_backward", context, detail::addcmul_function{value}, grad, x, a, b);
}

/// x + value · a / b, under the rules of addcmul.
template <class Policy, class Context, class X, class A, class B, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto addcdiv(Context& context, const X& x, const A& a, const B& b, double value = 1) {
  return detail::applied<Policy, op::addcdiv>("addcdiv", context, detail::addcdiv_function{value}, x, a, b);
}
template <class Policy, class Context, class Y, class X, class A, class B, std::enable_if_t<detail::is_operand_v<A>, int> = 0>
void addcdiv(Context& context, into<Y> y, const X& x, const A& a, const B& b, double value = 1) {
  detail::apply_into<Policy, op::addcdiv>("addcdiv", context, detail::addcdiv_function{value}, y, x, a, b);
}

/// The gradients of addcdiv: .first of x, .second of a, .third of b.
///
/// gx, ga, gb  into(view), add_to(view) or no_gradient{}
template <class Policy, class Context, class G, class X, class A, class B, class GX, class GA, class GB, std::enable_if_t<detail::is_gradient_choice_v<GX>, int> = 0>
void addcdiv_backward(Context& context, const G& grad, const X& x, const A& a, const B& b, const GX& gx, const GA& ga, const GB& gb, double value = 1) {
  detail::slopes_into<Policy, op::addcdiv>("addcdiv_backward", context, detail::addcdiv_function{value}, grad, x, a, b, gx, ga, gb);
}
template <class Policy, class Context, class G, class X, class A, class B, std::enable_if_t<detail::is_operand_v<B>, int> = 0>
auto addcdiv_backward(Context& context, const G& grad, const X& x, const A& a, const B& b, double value = 1) {
  return detail::slopes<Policy, op::addcdiv>("addcdiv_backward", context, detail::addcdiv_function{value}, grad, x, a, b);
}

}}  // namespace amphora
