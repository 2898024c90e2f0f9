// The rules of a list of settings: the bare conditions, then the insistence, first broken rule first.
#pragma once
#include <amphora/detail/rows.hpp>       // list, row, each_once
#include <amphora/format/format.hpp>     // is_format_v, significand_bits_v
#include <amphora/op/tree.hpp>           // is_op_v, reads_v, is_below_v
#include <amphora/policy/scale_kind.hpp> // is_scale_kind_v
#include <amphora/policy/setting.hpp>    // setting, in, said

#include <type_traits>  // is_same_v

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

template <class Op, class Role, class Value> list<row<Role, Op, Value>> spread(const setting<Role, Value>*);
template <class Op> list<> spread(...);
template <class T> struct rows_of_setting {
  using t = decltype(spread<op::any>(pointer<T>));
  static constexpr bool known = !std::is_same_v<t, list<>>;
};
template <class Op, class... S> struct rows_of_setting<in<Op, S...>> {  // in<...> holds plain settings, not other in<...>
  using t = decltype((list<>{} + ... + decltype(spread<Op>(pointer<S>)){}));
  static constexpr bool known = is_op_v<Op> && sizeof...(S) > 0 && (!std::is_same_v<decltype(spread<Op>(pointer<S>)), list<>> && ...);
};
template <class... S> using rows_t = decltype((list<>{} + ... + typename rows_of_setting<S>::t{}));

template <class Format> inline constexpr bool is_stored_v = is_format_v<Format> && !std::is_same_v<Format, tf32>;

/// Whether Value answers Role; a role of the user's own takes anything.
template <class Role, class Value> inline constexpr bool answers_v = true;
template <class Value> inline constexpr bool answers_v<role::params, Value> = is_stored_v<unsaid_t<Value>>;
template <class Value> inline constexpr bool answers_v<role::compute, Value> = is_format_v<Value> || roles<widest, as_given>::has<Value>;
template <class Value> inline constexpr bool answers_v<role::accumulate, Value> = is_format_v<unsaid_t<Value>>;
template <class Value> inline constexpr bool answers_v<role::output, Value> = is_stored_v<Value> || roles<widest, as_given, as_computed>::has<Value>;
template <class Value> inline constexpr bool answers_v<role::master, Value> = is_stored_v<Value> || std::is_same_v<Value, none>;
template <class Value> inline constexpr bool answers_v<role::gradient, Value> = is_stored_v<Value>;
template <class... Role, class... Op, class... Value> constexpr bool answered(list<row<Role, Op, Value>...>) {
  return (answers_v<Role, Value> && ...);
}
template <class Role, class Value> inline constexpr bool names_kind_v = !std::is_same_v<Role, role::scale> || is_scale_kind_v<Value>;
template <class... Role, class... Op, class... Value> constexpr bool names_kinds(list<row<Role, Op, Value>...>) {
  return (names_kind_v<Role, Value> && ...);
}

/// Masters and gradients are read by the parameters of an op, casts by every call, scales by none.
template <class Op, class Role> inline constexpr bool is_asked_v = reads_v<Op, Role>;
template <class Op> inline constexpr bool is_asked_v<Op, role::master> = reads_v<Op, role::params>;
template <class Op> inline constexpr bool is_asked_v<Op, role::gradient> = reads_v<Op, role::params>;
template <class Op> inline constexpr bool is_asked_v<Op, role::casts> = true;
template <class... Role, class... Op, class... Value> constexpr bool asked(list<row<Role, Op, Value>...>) {
  return ((std::is_same_v<Op, op::any> || is_asked_v<Op, Role>) && ...);
}

template <class Role, class Op, class Value> inline constexpr bool is_wide_v = true;
template <class Op, class Value> inline constexpr bool is_wide_v<role::accumulate, Op, Value> = significand_bits_v<Value> >= significand_bits_v<f32>;
template <class Op, class Format>  // a sensitive op sums in f32, whatever is said
inline constexpr bool is_wide_v<role::accumulate, Op, said<Format, narrow>> = !is_below_v<Op, op::sensitive>;
template <class... Role, class... Op, class... Value> constexpr bool wide(list<row<Role, Op, Value>...>) {
  return (is_wide_v<Role, Op, Value> && ...);
}

template <class Role, class Value> inline constexpr bool is_master_v = true;
template <class Value>
inline constexpr bool is_master_v<role::master, Value> = std::is_same_v<Value, none> || significand_bits_v<Value> >= significand_bits_v<f32>;
template <class... Role, class... Op, class... Value> constexpr bool masters(list<row<Role, Op, Value>...>) {
  return (is_master_v<Role, Value> && ...);
}

}  // namespace detail

/// Whether T is a setting, or a branch with settings; says nothing of their values.
template <class T> inline constexpr bool is_setting_v = detail::rows_of_setting<T>::known && detail::names_kinds(typename detail::rows_of_setting<T>::t{});
/// Whether each role is given a format or an answer that it can have.
template <class... Settings> inline constexpr bool names_formats_v = detail::answered(detail::rows_t<Settings...>{});
/// Whether the branch that each setting names reads its role.
template <class... Settings> inline constexpr bool is_read_v = detail::asked(detail::rows_t<Settings...>{});
/// Whether no role is set twice for the same ops.
template <class... Settings> inline constexpr bool each_once_v = detail::each_once(detail::rows_t<Settings...>{});
/// Whether sums have at least f32's significand, or less was said aloud where it can be.
template <class... Settings> inline constexpr bool sums_wide_v = detail::wide(detail::rows_t<Settings...>{});
/// Whether masters, where named, have at least f32's significand or are none.
template <class... Settings> inline constexpr bool keeps_small_updates_v = detail::masters(detail::rows_t<Settings...>{});
/// All of them.
template <class... Settings> inline constexpr bool is_settings_v = (is_setting_v<Settings> && ...) && names_formats_v<Settings...> &&
    is_read_v<Settings...> && each_once_v<Settings...> && sums_wide_v<Settings...> && keeps_small_updates_v<Settings...>;

template <class T> constexpr void require_setting() {
  static_assert(is_setting_v<T>,
      "amphora [unknown-setting]: not a setting of a policy; write a role, e.g. amphora::compute<amphora::f16>, or amphora::in<op, settings...>");
}
template <class T> constexpr void require_formats() {
  static_assert(names_formats_v<T>,
      "amphora [unknown-format]: a role takes a format, not a C++ type, and nothing is stored as tf32; write amphora::f32 for float, amphora::f16 for __half");
}
template <class T> constexpr void require_read() {
  static_assert(is_read_v<T>, "amphora [unread-setting]: no op of this branch has that role; remove the setting or name another branch");
}
template <class... Settings> constexpr void require_each_once() {
  static_assert(each_once_v<Settings...>,
      "amphora [contradiction]: one role is set twice for the same ops; keep one, or lay a second list over the first with amphora::amend");
}
template <class T> constexpr void require_wide_sums() {
  static_assert(sums_wide_v<T>,
      "amphora [narrow-accumulator]: a long sum loses its terms here; write amphora::accumulate<amphora::f32>, or say accumulate<Format, narrow> (sensitive ops always sum in f32)");
}
template <class T> constexpr void require_wide_master() {
  static_assert(keeps_small_updates_v<T>,
      "amphora [no-master]: a master narrower than f32 loses small updates; write amphora::master<amphora::f32>, or amphora::master<amphora::none> to go without");
}

/// Insists on is_settings_v. The first rule broken is the only one reported, so that one mistake is one error.
template <class... Settings> constexpr bool require_settings() {
  if constexpr (!(is_setting_v<Settings> && ...)) (require_setting<Settings>(), ...);
  else if constexpr (!names_formats_v<Settings...>) (require_formats<Settings>(), ...);
  else if constexpr (!is_read_v<Settings...>) (require_read<Settings>(), ...);
  else if constexpr (!each_once_v<Settings...>) require_each_once<Settings...>();
  else if constexpr (!sums_wide_v<Settings...>) (require_wide_sums<Settings>(), ...);
  else (require_wide_master<Settings>(), ...);
  return true;
}

}}  // namespace amphora
