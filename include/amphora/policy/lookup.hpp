// What a policy says about a role for an op.
#pragma once
#include <amphora/detail/rows.hpp>    // value_t
#include <amphora/format/format.hpp>  // as_given, as_computed, f32
#include <amphora/op/tree.hpp>        // parent_t
#include <amphora/policy/policy.hpp>  // insisted

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

struct unset_t {};  // for roles whose default follows from other answers
template <class Role> struct unset { using t = unset_t; };
template <> struct unset<role::params> { using t = f32; };
template <> struct unset<role::compute> { using t = as_given; };
template <> struct unset<role::accumulate> { using t = f32; };
template <> struct unset<role::output> { using t = as_computed; };

template <class Policy, class Role, class Op, class Found = value_t<Policy, Role, Op>> struct find { using t = Found; };
template <class Policy, class Role, class Op> struct find<Policy, Role, Op, void> : find<Policy, Role, parent_t<Op>> {};
template <class Policy, class Role> struct find<Policy, Role, op::any, void> : unset<Role> {};
template <class Policy, class Role> struct find<Policy, Role, void, void> : unset<Role> {};

}  // namespace detail

/// What Policy says about Role for Op: the nearest setting up the tree, else the role's default.
///
/// Errors  unknown-policy
template <class Policy, class Role, class Op = op::any>
using setting_t = typename detail::find<typename decltype(detail::insisted<Policy>())::t, Role, Op>::t;

}}  // namespace amphora
