// A policy for each layer: a default, and overrides by layer.
#pragma once
#include <amphora/detail/rows.hpp>    // each_once, row, value_t
#include <amphora/policy/policy.hpp>  // require_policy, is_policy_v

#include <type_traits>  // conditional_t, is_void_v

namespace amphora { inline namespace AMPHORA_ABI {

/// Policy for Layer. A layer is any type, a declaration is enough: `namespace layer { struct head; }`.
template <class Layer, class Policy> struct at {};

/// Whether T is at<layer, policy>.
template <class T> inline constexpr bool is_override_v = false;
template <class Layer, class Policy> inline constexpr bool is_override_v<at<Layer, Policy>> = true;
template <class T> constexpr void require_override() {
  static_assert(is_override_v<T>, "amphora [unknown-setting]: after its default policy a plan takes amphora::at<layer, policy>");
}

/// Whether no layer is named twice.
template <class... Layers> inline constexpr bool layers_once_v = detail::each_once(detail::list<detail::row<void, Layers, void>...>{});
template <class... Layers> constexpr void require_layers_once() {
  static_assert(layers_once_v<Layers...>, "amphora [contradiction]: this plan names one layer twice; keep one");
}

/// A default policy, and other ones for some layers, each named once.
///
/// Errors   unknown-policy, unknown-setting, contradiction
/// Example  struct network : amphora::plan<amphora::o1<amphora::f16>, amphora::at<layer::head, amphora::o0<>>> {};
template <class Default, class... Overrides> struct plan {  // reached only with something that is no at<...>
  static_assert(((require_override<Overrides>(), true) && ...));
};
template <class Default, class... Layer, class... Policy> struct plan<Default, at<Layer, Policy>...> {
  static_assert((require_policy<Default>(), require_layers_once<Layer...>(), ((require_policy<Policy>(), true) && ...)));
};

namespace detail {
template <class T> using policy_or_empty = std::conditional_t<is_policy_v<T>, T, policy<>>;  // nothing after an error fails
template <class Default, class Own> struct own_or { using t = Own; };
template <class Default> struct own_or<Default, void> { using t = Default; };
template <class Layer, class Default, class... L, class... P> auto policy_at(const plan<Default, at<L, P>...>*)
    -> own_or<policy_or_empty<Default>,
        value_t<policy_rows<std::conditional_t<layers_once_v<L...>, list<row<void, L, policy_or_empty<P>>...>, list<>>>, void, Layer>>;
template <class Layer> own_or<void, void> policy_at(...);

template <class Default, class... L, class... P>
list<policy_or_empty<Default>, policy_or_empty<P>...> policies_of(const plan<Default, at<L, P>...>*);
void policies_of(...);
template <class T, class Found = decltype(policies_of(pointer<T>)), bool = is_policy_v<T>> struct policies { using t = list<>; };
template <class T> struct policies<T, void, true> { using t = list<T>; };
template <class T, class... P> struct policies<T, list<P...>, false> { using t = list<P...>; };
}  // namespace detail

/// The policy of Layer: its own, else the plan's default. A policy is a plan of one.
template <class Plan, class Layer> using policy_at_t = typename detail::own_or<Plan, typename decltype(detail::policy_at<Layer>(detail::pointer<Plan>))::t>::t;

/// Whether T is a plan.
template <class T> inline constexpr bool is_plan_v = !std::is_void_v<decltype(detail::policies_of(detail::pointer<T>))>;

}}  // namespace amphora
