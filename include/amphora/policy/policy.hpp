// A policy is a list of settings; amend lays new ones over old ones; strict refuses casts. All of them are empty types.
#pragma once
#include <amphora/detail/rows.hpp>   // policy_rows, laid_over, rows_of_t
#include <amphora/policy/rules.hpp>  // require_settings

#include <type_traits>  // is_void_v

namespace amphora { inline namespace AMPHORA_ABI {

/// Whether T is a policy: a list of settings, an amended one, a level, or a struct derived from one.
template <class T> inline constexpr bool is_policy_v = !std::is_void_v<detail::rows_of_t<T>>;

template <class T> constexpr void require_policy() {
  static_assert(is_policy_v<T>,
      "amphora [unknown-policy]: not a policy; derive a struct from amphora::policy<...>, or write a level such as amphora::o1<amphora::f16>");
}

namespace detail {  // a broken list counts as empty: nothing after the error can fail
template <bool Legal, class... S> struct own_rows { using t = list<>; };
template <class... S> struct own_rows<true, S...> { using t = rows_t<S...>; };
template <class Base, class... S> using amended_t = typename laid_over<rows_of_t<Base>, typename own_rows<is_settings_v<S...>, S...>::t>::t;
template <class Policy> constexpr auto insisted() { require_policy<Policy>(); return type<Policy>{}; }  // how an alias asks with one error
}  // namespace detail

/// A list of settings, in any order, each role at most once for the same branch.
///
/// Settings  params, compute, accumulate, output, master, gradient, loss_scale, in<op, settings…>, or your own
/// Errors    unknown-setting, unknown-format, unread-setting, contradiction, narrow-accumulator, no-master
/// Example   struct mixed : amphora::policy<amphora::compute<amphora::f16>, amphora::in<amphora::op::reduction, amphora::compute<amphora::f32>>> {};
template <class... Settings>
struct policy : detail::policy_rows<typename detail::own_rows<is_settings_v<Settings...>, Settings...>::t> {
  static_assert(require_settings<Settings...>());
};

/// Base with Settings laid over it. The branch nearest to an op wins, wherever it was laid; at the same branch the newer one.
template <class Base, class... Settings>
struct amend : detail::policy_rows<detail::amended_t<Base, Settings...>> {
  static_assert((require_policy<Base>(), require_settings<Settings...>()));
};

/// The same choices; a cast that Policy would insert does not compile. A conversion in registers is no cast; a converted
/// operand in memory is one, and so is an output narrower than what was computed.
template <class Policy> struct strict : amend<Policy, setting<role::casts, refused>> {};

}}  // namespace amphora
