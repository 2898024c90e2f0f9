// The larger and the smaller of two numbers, with broadcasting, forward and backward.
#pragma once
#include <amphora/detail/config.hpp>  // AMPHORA_HD
#include <amphora/op/promoting.hpp>   // op::maximum, op::minimum
#include <amphora/ops/function.hpp>   // applied, slopes

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// The larger of two, or with sign −1 the smaller. NaN in either is NaN, and lets the gradient pass to both; equal ones share it.
struct extremum_function {
  int sign;

  template <class Real> AMPHORA_HD bool is_before(Real a, Real b) const { return sign > 0 ? a < b : a > b; }
  template <class Real> AMPHORA_HD Real value(Real a, Real b) const { return a != a || b != b ? a + b : is_before(a, b) ? b : a; }
  template <class Real> AMPHORA_HD Real slope(by<0>, Real grad, Real a, Real b) const { return a == b ? grad / 2 : is_before(a, b) ? Real(0) : grad; }
  template <class Real> AMPHORA_HD Real slope(by<1>, Real grad, Real a, Real b) const { return slope(by<0>{}, grad, b, a); }
};

}  // namespace detail

/// The larger of a and b in the widest input format; NaN where either is.
///
/// a, b    shapes that broadcast
/// Value   the broadcast shape; maximum<Policy>(context, into(y), a, b) writes it to y, which may be an operand of that shape
/// Errors  shape
template <class Policy, class Context, class A, class B, std::enable_if_t<detail::is_operand_v<A> && detail::is_operand_v<B>, int> = 0>
auto maximum(Context& context, const A& a, const B& b) { return detail::applied<Policy, op::maximum>("maximum", context, detail::extremum_function{1}, a, b); }
template <class Policy, class Context, class Y, class A, class B, std::enable_if_t<detail::is_operand_v<A> && detail::is_operand_v<B>, int> = 0>
void maximum(Context& context, into<Y> y, const A& a, const B& b) {
  detail::apply_into<Policy, op::maximum>("maximum", context, detail::extremum_function{1}, y, a, b);
}
/// The gradients of maximum: to the larger one; half to each of equal ones, as in PyTorch.
///
/// ga, gb  into(view), add_to(view) or no_gradient{}
template <class Policy, class Context, class G, class A, class B, class GA, class GB, std::enable_if_t<detail::is_gradient_choice_v<GA>, int> = 0>
void maximum_backward(Context& context, const G& grad, const A& a, const B& b, const GA& ga, const GB& gb) {
  detail::slopes_into<Policy, op::maximum>("maximum_backward", context, detail::extremum_function{1}, grad, a, b, ga, gb);
}
template <class Policy, class Context, class G, class A, class B, std::enable_if_t<detail::is_operand_v<A> && detail::is_operand_v<B>, int> = 0>
auto maximum_backward(Context& context, const G& grad, const A& a, const B& b) {
  return detail::slopes<Policy, op::maximum>("maximum_backward", context, detail::extremum_function{1}, grad, a, b);
}

/// The smaller of a and b, as maximum.
template <class Policy, class Context, class A, class B, std::enable_if_t<detail::is_operand_v<A> && detail::is_operand_v<B>, int> = 0>
auto minimum(Context& context, const A& a, const B& b) { return detail::applied<Policy, op::minimum>("minimum", context, detail::extremum_function{-1}, a, b); }
template <class Policy, class Context, class Y, class A, class B, std::enable_if_t<detail::is_operand_v<A> && detail::is_operand_v<B>, int> = 0>
void minimum(Context& context, into<Y> y, const A& a, const B& b) {
  detail::apply_into<Policy, op::minimum>("minimum", context, detail::extremum_function{-1}, y, a, b);
}
/// The gradients of minimum, as those of maximum.
template <class Policy, class Context, class G, class A, class B, class GA, class GB, std::enable_if_t<detail::is_gradient_choice_v<GA>, int> = 0>
void minimum_backward(Context& context, const G& grad, const A& a, const B& b, const GA& ga, const GB& gb) {
  detail::slopes_into<Policy, op::minimum>("minimum_backward", context, detail::extremum_function{-1}, grad, a, b, ga, gb);
}
template <class Policy, class Context, class G, class A, class B, std::enable_if_t<detail::is_operand_v<A> && detail::is_operand_v<B>, int> = 0>
auto minimum_backward(Context& context, const G& grad, const A& a, const B& b) {
  return detail::slopes<Policy, op::minimum>("minimum_backward", context, detail::extremum_function{-1}, grad, a, b);
}

}}  // namespace amphora
