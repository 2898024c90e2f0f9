// A point on the line between two numbers, with broadcasting, forward and backward.
#pragma once
#include <amphora/detail/config.hpp>  // AMPHORA_HD
#include <amphora/format/real.hpp>    // add_once, multiply_once
#include <amphora/op/promoting.hpp>   // op::lerp
#include <amphora/ops/function.hpp>   // applied, slopes

#include <cmath>  // fabs

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// a + weight · (b − a), from the nearer end, so that it is a at 0 and b at 1.
template <class Real> AMPHORA_HD Real between(Real a, Real b, Real weight) {
  const Real way = add_once(b, -a);
  return std::fabs(weight) < Real(0.5) ? add_once(a, multiply_once(weight, way)) : add_once(b, -multiply_once(way, 1 - weight));
}
struct lerp_function {
  template <class Real> AMPHORA_HD Real value(Real a, Real b, Real weight) const { return between(a, b, weight); }
  template <class Real> AMPHORA_HD Real slope(by<0>, Real grad, Real, Real, Real weight) const { return grad * (1 - weight); }
  template <class Real> AMPHORA_HD Real slope(by<1>, Real grad, Real, Real, Real weight) const { return grad * weight; }
  template <class Real> AMPHORA_HD Real slope(by<2>, Real grad, Real a, Real b, Real) const { return grad * (b - a); }
  constexpr double bend(by<0>, by<2>) const { return -1; }
  constexpr double bend(by<2>, by<0>) const { return -1; }
  constexpr double bend(by<1>, by<2>) const { return 1; }
  constexpr double bend(by<2>, by<1>) const { return 1; }
};
struct lerp_number_function {
  double weight;
  template <class Real> AMPHORA_HD Real value(Real a, Real b) const { return between(a, b, static_cast<Real>(weight)); }
  constexpr double factor(by<0>) const { return 1 - weight; }
  constexpr double factor(by<1>) const { return weight; }
};

}  // namespace detail

/// a + weight · (b − a) in the widest input format: a at weight 0, b at 1; beyond them the line goes on.
///
/// a, b    shapes that broadcast
/// weight  a number, or an operand that broadcasts with them
/// Value   the broadcast shape; lerp<Policy>(context, into(y), a, b, weight) writes it to y, which may be an operand of that shape
/// Errors  shape
template <class Policy, class Context, class A, class B, std::enable_if_t<detail::is_operand_v<A> && detail::is_operand_v<B>, int> = 0>
auto lerp(Context& context, const A& a, const B& b, double weight) { return detail::applied<Policy, op::lerp>("lerp", context, detail::lerp_number_function{weight}, a, b); }
template <class Policy, class Context, class Y, class A, class B, std::enable_if_t<detail::is_operand_v<A> && detail::is_operand_v<B>, int> = 0>
void lerp(Context& context, into<Y> y, const A& a, const B& b, double weight) {
  detail::apply_into<Policy, op::lerp>("lerp", context, detail::lerp_number_function{weight}, y, a, b);
}
template <class Policy, class Context, class A, class B, class W, std::enable_if_t<detail::is_operand_v<A> && detail::is_operand_v<B> && detail::is_operand_v<W>, int> = 0>
auto lerp(Context& context, const A& a, const B& b, const W& weight) {
  return detail::applied<Policy, op::lerp>("lerp", context, detail::lerp_function{}, a, b, weight);
}
template <class Policy, class Context, class Y, class A, class B, class W, std::enable_if_t<detail::is_operand_v<A> && detail::is_operand_v<B> && detail::is_operand_v<W>, int> = 0>
void lerp(Context& context, into<Y> y, const A& a, const B& b, const W& weight) {
  detail::apply_into<Policy, op::lerp>("lerp", context, detail::lerp_function{}, y, a, b, weight);
}

/// The gradients of lerp.
///
/// ga, gb, gw  into(view), add_to(view) or no_gradient{}; the weight has one where it is an operand
template <class Policy, class Context, class G, class A, class B, class GA, class GB, std::enable_if_t<detail::is_gradient_choice_v<GA>, int> = 0>
void lerp_backward(Context& context, const G& grad, const A& a, const B& b, double weight, const GA& ga, const GB& gb) {
  detail::slopes_into<Policy, op::lerp>("lerp_backward", context, detail::lerp_number_function{weight}, grad, a, b, ga, gb);
}
template <class Policy, class Context, class G, class A, class B, std::enable_if_t<detail::is_operand_v<A> && detail::is_operand_v<B>, int> = 0>
auto lerp_backward(Context& context, const G& grad, const A& a, const B& b, double weight) {
  return detail::slopes<Policy, op::lerp>("lerp_backward", context, detail::lerp_number_function{weight}, grad, a, b);
}
template <class Policy, class Context, class G, class A, class B, class W, class GA, class GB, class GW, std::enable_if_t<detail::is_operand_v<W> && detail::is_gradient_choice_v<GA>, int> = 0>
void lerp_backward(Context& context, const G& grad, const A& a, const B& b, const W& weight, const GA& ga, const GB& gb, const GW& gw) {
  detail::slopes_into<Policy, op::lerp>("lerp_backward", context, detail::lerp_function{}, grad, a, b, weight, ga, gb, gw);
}
template <class Policy, class Context, class G, class A, class B, class W, std::enable_if_t<detail::is_operand_v<A> && detail::is_operand_v<B> && detail::is_operand_v<W>, int> = 0>
auto lerp_backward(Context& context, const G& grad, const A& a, const B& b, const W& weight) {
  return detail::slopes<Policy, op::lerp>("lerp_backward", context, detail::lerp_function{}, grad, a, b, weight);
}

}}  // namespace amphora
