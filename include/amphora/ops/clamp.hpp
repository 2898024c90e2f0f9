// Numbers held between two bounds, forward and backward.
#pragma once
#include <amphora/detail/config.hpp>   // AMPHORA_HD
#include <amphora/op/transparent.hpp>  // op::clamp
#include <amphora/ops/function.hpp>    // applied, slope

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// An infinite bound is none. Where the lower one is above, the upper one holds. The slope is 0 at a bound and at NaN.
struct clamp_function {
  double lowest, highest;
  template <class Real> AMPHORA_HD constexpr Real value(Real x) const {
    const Real raised = x < static_cast<Real>(lowest) ? static_cast<Real>(lowest) : x;
    return raised > static_cast<Real>(highest) ? static_cast<Real>(highest) : raised;
  }
  template <class Real> AMPHORA_HD constexpr Real slope(by<0>, Real grad, Real x) const {
    const bool above = x > static_cast<Real>(lowest) || (lowest < 0 && lowest * 2 == lowest && x == x);
    const bool below = x < static_cast<Real>(highest) || (highest > 0 && highest * 2 == highest && x == x);
    return above && below ? grad : Real(0);
  }
};
struct clamp_between_function {
  template <class Real> AMPHORA_HD constexpr Real value(Real x, Real lowest, Real highest) const {
    if (x != x) return x;
    if (lowest != lowest) return lowest;
    if (highest != highest) return highest;
    const Real raised = x < lowest ? lowest : x;
    return raised > highest ? highest : raised;
  }
  template <class Real> AMPHORA_HD constexpr Real slope(by<0>, Real grad, Real x, Real lowest, Real highest) const {
    if (x < lowest || x > highest) return 0;
    return (x == lowest) != (x == highest) ? grad / 2 : grad;
  }
  template <class Real> AMPHORA_HD constexpr Real slope(by<1>, Real grad, Real x, Real lowest, Real highest) const {
    if (lowest > highest) return 0;
    return x < lowest ? grad : x == lowest && x != highest && highest == highest ? grad / 2 : Real(0);
  }
  template <class Real> AMPHORA_HD constexpr Real slope(by<2>, Real grad, Real x, Real lowest, Real highest) const {
    if (x > highest || highest < lowest) return grad;
    return x == highest && x != lowest && lowest == lowest ? grad / 2 : Real(0);
  }
};

}  // namespace detail

/// min(max(x, lowest), highest) in the format that came in; an infinite bound is none.
///
/// x      any shape
/// Value  x's shape; clamp<Policy>(context, into(y), x, lowest, highest) writes it to y, which may be x itself
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto clamp(Context& context, const X& x, double lowest, double highest) {
  return detail::applied<Policy, op::clamp>("clamp", context, detail::clamp_function{lowest, highest}, x);
}
template <class Policy, class Context, class Y, class X>
void clamp(Context& context, into<Y> y, const X& x, double lowest, double highest) {
  detail::apply_into<Policy, op::clamp>("clamp", context, detail::clamp_function{lowest, highest}, y, x);
}

/// The gradient of clamp: grad strictly between the bounds, else 0; x is what forward was given.
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto clamp_backward(Context& context, const G& grad, const X& x, double lowest, double highest) {
  return detail::slope<Policy, op::clamp>("clamp_backward", context, detail::clamp_function{lowest, highest}, grad, x);
}
template <class Policy, class Context, class Target, class G, class X, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void clamp_backward(Context& context, const Target& gx, const G& grad, const X& x, double lowest, double highest) {
  detail::slope_into<0, Policy, op::clamp>("clamp_backward", context, detail::clamp_function{lowest, highest}, gx, grad, x);
}

/// min(max(x, lowest), highest) with bounds for each element; NaN in any of them is the answer.
///
/// x, lowest, highest  shapes that broadcast
/// Value               the broadcast shape
/// Errors              shape
template <class Policy, class Context, class X, class A, class B, std::enable_if_t<detail::is_operand_v<A>, int> = 0>
auto clamp(Context& context, const X& x, const A& lowest, const B& highest) {
  return detail::applied<Policy, op::clamp>("clamp", context, detail::clamp_between_function{}, x, lowest, highest);
}
template <class Policy, class Context, class Y, class X, class A, class B, std::enable_if_t<detail::is_operand_v<A>, int> = 0>
void clamp(Context& context, into<Y> y, const X& x, const A& lowest, const B& highest) {
  detail::apply_into<Policy, op::clamp>("clamp", context, detail::clamp_between_function{}, y, x, lowest, highest);
}

/// The gradients of clamp with such bounds: .first of x, .second of lowest, .third of highest. Where x is at a bound it is shared half and half.
///
/// gx, glowest, ghighest  into(view), add_to(view) or no_gradient{}
template <class Policy, class Context, class G, class X, class A, class B, class GX, class GA, class GB, std::enable_if_t<detail::is_gradient_choice_v<GX>, int> = 0>
void clamp_backward(Context& context, const G& grad, const X& x, const A& lowest, const B& highest, const GX& gx, const GA& glowest, const GB& ghighest) {
  detail::slopes_into<Policy, op::clamp>("clamp_backward", context, detail::clamp_between_function{}, grad, x, lowest, highest, gx, glowest, ghighest);
}
template <class Policy, class Context, class G, class X, class A, class B, std::enable_if_t<detail::is_operand_v<B>, int> = 0>
auto clamp_backward(Context& context, const G& grad, const X& x, const A& lowest, const B& highest) {
  return detail::slopes<Policy, op::clamp>("clamp_backward", context, detail::clamp_between_function{}, grad, x, lowest, highest);
}

}}  // namespace amphora
