// The formats of one parameter: as stored, as its op reads it, as the optimizer updates it, and its gradient's.
#pragma once
#include <amphora/policy/compute.hpp>  // compute_t, in_memory_t

#include <type_traits>  // conditional_t, is_same_v

namespace amphora { inline namespace AMPHORA_ABI {

/// The format in which Policy stores the weights of Op.
template <class Policy, class Op> using params_t = detail::unsaid_t<setting_t<Policy, role::params, Op>>;

namespace detail {

template <class Policy, bool = is_policy_v<Policy>> struct total_setting { template <class Role, class Op> using t = unset_t; };
template <class Policy> struct total_setting<Policy, true> { template <class Role, class Op> using t = setting_t<Policy, Role, Op>; };

/// A contraction needs its operands in memory in the format it computes in. Other ops convert in registers: they read a
/// copy only where it is the smaller one.
template <class Op, class Params, class Compute> inline constexpr bool reads_copy_v =
    is_format_v<Compute> && (is_below_v<Op, op::contraction> || bits_v<in_memory_t<Compute>> < bits_v<Params>);

template <class Set, class Params, bool Stochastic> struct master_of { using t = Set; };  // a format, or none
template <class Params, bool Stochastic> struct master_of<unset_t, Params, Stochastic> { using t = std::conditional_t<Stochastic, none, f32>; };

}  // namespace detail

/// Whether Policy stores the weights of Op by stochastic rounding; false for what is no policy.
template <class Policy, class Op> inline constexpr bool is_stochastic_v =
    std::is_same_v<typename detail::total_setting<Policy>::template t<role::params, Op>, detail::said<bf16, stochastic>>;

/// What the optimizer updates: the format of the masters, which weights of f32 or wider are themselves; or `none`, where the
/// low-precision weights are updated in place, since the policy says so aloud.
template <class Policy, class Op> using master_t =
    std::conditional_t<!is_low_precision_v<params_t<Policy, Op>> && !is_format_v<setting_t<Policy, role::master, Op>>, params_t<Policy, Op>,
        typename detail::master_of<setting_t<Policy, role::master, Op>, params_t<Policy, Op>, is_stochastic_v<Policy, Op>>::t>;

/// The format in which Op reads its weights in the forward pass: that of the model weights. Weights without a master have no
/// second copy; a contraction in another format then casts them at its door.
///
/// o1<f16>: f16 for linear, f32 for layer_norm. o2<f16>: f16, and f32 for batch_norm.
template <class Policy, class Op> using model_t = std::conditional_t<
    !std::is_same_v<master_t<Policy, Op>, none> && detail::reads_copy_v<Op, params_t<Policy, Op>, compute_t<Policy, Op>>,
    detail::in_memory_t<compute_t<Policy, Op>>, params_t<Policy, Op>>;

/// The format of the gradient of Op's weights: as set, else that in which Op reads them.
template <class Policy, class Op> using gradient_t = std::conditional_t<
    std::is_same_v<setting_t<Policy, role::gradient, Op>, detail::unset_t>, model_t<Policy, Op>, setting_t<Policy, role::gradient, Op>>;

/// Whether an optimizer may step the weights of Op: they are wide, have a master, or do without one said aloud.
///
/// Value  false for what is no policy or no op
template <class Policy, class Op> inline constexpr bool may_step_v = is_policy_v<Policy> && is_op_v<Op> &&
    (bits_v<detail::unsaid_t<typename detail::total_setting<Policy>::template t<role::params, Op>>> >= 32 || is_stochastic_v<Policy, Op> ||
        !std::is_same_v<typename detail::total_setting<Policy>::template t<role::master, Op>, detail::unset_t>);

/// Insists on may_step_v. Host code only.
template <class Policy, class Op> constexpr bool require_may_step() {
  static_assert(may_step_v<Policy, Op>,
      "amphora [no-master]: low-precision weights would be stepped without a master and lose small updates; add amphora::master<amphora::f32>, or say amphora::master<amphora::none>");
  return true;
}

}}  // namespace amphora
