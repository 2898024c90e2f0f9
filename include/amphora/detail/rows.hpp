// How a policy is kept: rows of (role, op, value) that are its base classes, so that a look-up is one overload resolution.
#pragma once
#include <amphora/version.hpp>  // AMPHORA_ABI

#include <cstddef>      // size_t
#include <type_traits>  // conditional_t, is_convertible_v, is_void_v
#include <utility>      // index_sequence_for

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

template <class... T> struct list {};
template <class T> struct type { using t = T; };
template <class... A, class... B> list<A..., B...> operator+(list<A...>, list<B...>);
template <class T> constexpr const T* pointer = nullptr;

/// One choice of a policy.
template <class Role, class Op, class Value> struct row {};
template <class Rows> struct policy_rows;
template <class... Rows> struct policy_rows<list<Rows...>> : Rows... {};

template <class Role, class Op, class Value> type<Value> value_of(const row<Role, Op, Value>*);
template <class Role, class Op> type<void> value_of(...);
/// What Rows say about Role for exactly Op; void where they say nothing.
template <class Rows, class Role, class Op> using value_t = typename decltype(value_of<Role, Op>(pointer<Rows>))::t;

/// Twice the same role for the same op makes the conversion to the key ambiguous: linear, and no pairs are compared.
template <class Role, class Op> struct key {};
template <std::size_t, class Key> struct slot : Key {};
template <class Index, class... Rows> struct slots;
template <std::size_t... Position, class... Role, class... Op, class... Value>
struct slots<std::index_sequence<Position...>, row<Role, Op, Value>...> : slot<Position, key<Role, Op>>... {};
template <class... Role, class... Op, class... Value> constexpr bool each_once(list<row<Role, Op, Value>...>) {
  return (std::is_convertible_v<slots<std::index_sequence_for<Role...>, row<Role, Op, Value>...>*, key<Role, Op>*> && ...);
}

/// New rows, then those old ones that they do not replace.
template <class Old, class New> struct laid_over { using t = New; };
template <class... Role, class... Op, class... Value, class New> struct laid_over<list<row<Role, Op, Value>...>, New> {
  template <class Row, class Replacement> using kept = std::conditional_t<std::is_void_v<Replacement>, list<Row>, list<>>;
  using t = decltype((New{} + ... + kept<row<Role, Op, Value>, value_t<policy_rows<New>, Role, Op>>{}));
};

template <class Rows> Rows rows_of(const policy_rows<Rows>*);
void rows_of(...);
/// The rows of a policy; void for what is none. A class must be complete here.
template <class Policy> using rows_of_t = decltype(rows_of(pointer<Policy>));

}}}  // namespace amphora::detail
