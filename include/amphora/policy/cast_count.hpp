// How many casts a policy inserts along a chain of ops.
#pragma once
#include <amphora/policy/call.hpp>  // cast_operand_t, narrows_output_v
#include <amphora/policy/plan.hpp>  // policy_at_t

namespace amphora { inline namespace AMPHORA_ABI {

/// Op in Layer: how chains of ops are written for cast_count_v and describe.
template <class Layer, class Op> struct on {};

namespace detail {

/// One op of a chain, given what the op before it stored.
template <class Plan, class Have, class On> struct link;
template <class Plan, class Have, class Layer, class Op> struct link<Plan, Have, on<Layer, Op>> {
  using policy = policy_at_t<Plan, Layer>;
  using layer = Layer;
  using op = Op;
  using have = Have;
  using want = operand_t<policy, Op, Have>;
  using stored = output_t<policy, Op, Have>;
  static constexpr bool casts_operand = is_below_v<Op, amphora::op::contraction> && is_cast_v<Have, want>;
  static constexpr bool casts_output = narrows_output_v<policy, Op, Have>;
};

template <class Plan, class Have, class... On> inline constexpr int casts_along = 0;
template <class Plan, class Have, class First, class... Rest> inline constexpr int casts_along<Plan, Have, First, Rest...> =
    link<Plan, Have, First>::casts_operand + link<Plan, Have, First>::casts_output + casts_along<Plan, typename link<Plan, Have, First>::stored, Rest...>;

template <class T> inline constexpr bool is_on_v = false;
template <class Layer, class Op> inline constexpr bool is_on_v<on<Layer, Op>> = is_op_v<Op>;

template <bool, class Plan, class... On> inline constexpr int cast_count = 0;
template <class Plan, class... On> inline constexpr int cast_count<true, Plan, On...> = casts_along<Plan, f32, On...>;

}  // namespace detail

/// Casts in memory of the activations along a chain: each op reads what the one before it stored, the first reads f32.
/// Weights are never cast in a forward pass, and conversions in registers are no casts.
///
/// Plan   a policy or a plan
/// On     on<layer, op>, in order
/// Value  0 where Plan is neither, or one of On is no on<layer, op>
template <class Plan, class... On> inline constexpr int cast_count_v =
    detail::cast_count<((is_policy_v<Plan> || is_plan_v<Plan>) && ... && detail::is_on_v<On>), Plan, On...>;

}}  // namespace amphora
