// Which kind of loss scaling a policy or a plan asks for, and whether its formats need one.
#pragma once
#include <amphora/policy/lookup.hpp>      // setting_t, unset_t
#include <amphora/policy/plan.hpp>        // policies
#include <amphora/policy/scale_kind.hpp>  // no_scale, dynamic_scale

#include <type_traits>  // conditional_t, is_same_v

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// Gradients pass through this format and may vanish in it. Scales and casts hold no numbers; what masters store is no gradient.
template <class Role, class Value> inline constexpr bool loses_small_v = !std::is_same_v<Role, role::master> && !std::is_same_v<Role, role::accumulate> &&
    exponent_bits_v<unsaid_t<Value>> != 0 && exponent_bits_v<unsaid_t<Value>> < exponent_bits_v<f32>;
template <class... Role, class... Op, class... Value> constexpr bool loses_small(list<row<Role, Op, Value>...>) {
  return (loses_small_v<Role, Value> || ...);
}
template <class... Policy> constexpr bool any_loses_small(list<Policy...>) { return (loses_small(rows_of_t<Policy>{}) || ...); }

}  // namespace detail

/// Whether gradients can pass through a format with fewer than f32's eight exponent bits, where small ones become zero.
///
/// Plan   a policy or a plan; of a plan, any of its policies
/// Value  false for what is neither. It is a fact of the formats: o3<f16> needs scaling and by default has none
template <class Plan> inline constexpr bool needs_loss_scaling_v = detail::any_loses_small(typename detail::policies<Plan>::t{});

namespace detail {

template <class Policy, class Set = setting_t<Policy, role::scale>> struct scale_of { using t = Set; };
template <class Policy> struct scale_of<Policy, unset_t> { using t = std::conditional_t<needs_loss_scaling_v<Policy>, dynamic_scale<>, no_scale>; };

template <class Policies> struct first_scale { using t = no_scale; };
template <class First, class... Rest> struct first_scale<list<First, Rest...>> {
  using own = typename scale_of<First>::t;
  using t = std::conditional_t<std::is_same_v<own, no_scale>, typename first_scale<list<Rest...>>::t, own>;
};
template <class Plan> constexpr void require_plan_or_policy() {
  if constexpr (!is_plan_v<Plan>) require_policy<Plan>();
}
template <class Plan> constexpr auto insisted_plan() { require_plan_or_policy<Plan>(); return type<Plan>{}; }

}  // namespace detail

/// The kind of loss scaling: as set, else dynamic where needs_loss_scaling_v, else none. A plan scales as the first of its
/// policies that scales, its default before its overrides.
///
/// Errors  unknown-policy
template <class Plan> using loss_scale_t =
    typename detail::first_scale<typename detail::policies<typename decltype(detail::insisted_plan<Plan>())::t>::t>::t;

}}  // namespace amphora
