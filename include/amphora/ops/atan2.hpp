// The angle of a point, with broadcasting, forward and backward.
#pragma once
#include <amphora/detail/config.hpp>  // AMPHORA_HD
#include <amphora/op/promoting.hpp>   // op::atan2
#include <amphora/ops/function.hpp>   // applied, slopes

#include <cmath>  // atan2, hypot

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// The slopes at (0, 0) are 0. Over the distance, which overflows only where the coordinates do.
struct atan2_function {
  template <class Real> AMPHORA_HD Real value(Real a, Real b) const { return std::atan2(a, b); }
  template <class Real> AMPHORA_HD Real slope(by<0>, Real grad, Real a, Real b) const {
    const Real r = std::hypot(a, b);
    return r == 0 ? Real(0) : grad * (b / r / r);
  }
  template <class Real> AMPHORA_HD Real slope(by<1>, Real grad, Real a, Real b) const {
    const Real r = std::hypot(a, b);
    return r == 0 ? Real(0) : -grad * (a / r / r);
  }
  template <class Real> AMPHORA_HD Real curvature(by<0>, by<0>, Real h, Real a, Real b) const {
    const Real r = std::hypot(a, b);
    return -2 * h * (a / r * (b / r) / r / r);
  }
  template <class Real> AMPHORA_HD Real curvature(by<0>, by<1>, Real h, Real a, Real b) const {
    const Real r = std::hypot(a, b), u = b / r;
    return h * ((1 - 2 * u * u) / r / r);
  }
  template <class Real> AMPHORA_HD Real curvature(by<1>, by<0>, Real h, Real a, Real b) const { return curvature(by<0>{}, by<1>{}, h, a, b); }
  template <class Real> AMPHORA_HD Real curvature(by<1>, by<1>, Real h, Real a, Real b) const { return -curvature(by<0>{}, by<0>{}, h, a, b); }
};

}  // namespace detail

/// The angle of the point (b, a), from −π to π, in the widest input format.
///
/// a, b    shapes that broadcast
/// Value   the broadcast shape; atan2<Policy>(context, into(y), a, b) writes it to y, which may be an operand of that shape
/// Errors  shape
template <class Policy, class Context, class A, class B, std::enable_if_t<detail::is_operand_v<A> && detail::is_operand_v<B>, int> = 0>
auto atan2(Context& context, const A& a, const B& b) { return detail::applied<Policy, op::atan2>("atan2", context, detail::atan2_function{}, a, b); }
template <class Policy, class Context, class Y, class A, class B, std::enable_if_t<detail::is_operand_v<A> && detail::is_operand_v<B>, int> = 0>
void atan2(Context& context, into<Y> y, const A& a, const B& b) {
  detail::apply_into<Policy, op::atan2>("atan2", context, detail::atan2_function{}, y, a, b);
}

/// The gradients of atan2; 0 at the origin.
///
/// ga, gb  into(view), add_to(view) or no_gradient{}
template <class Policy, class Context, class G, class A, class B, class GA, class GB, std::enable_if_t<detail::is_gradient_choice_v<GA>, int> = 0>
void atan2_backward(Context& context, const G& grad, const A& a, const B& b, const GA& ga, const GB& gb) {
  detail::slopes_into<Policy, op::atan2>("atan2_backward", context, detail::atan2_function{}, grad, a, b, ga, gb);
}
template <class Policy, class Context, class G, class A, class B, std::enable_if_t<detail::is_operand_v<A> && detail::is_operand_v<B>, int> = 0>
auto atan2_backward(Context& context, const G& grad, const A& a, const B& b) {
  return detail::slopes<Policy, op::atan2>("atan2_backward", context, detail::atan2_function{}, grad, a, b);
}

}}  // namespace amphora
