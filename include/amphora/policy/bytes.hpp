// How much memory one weight takes in training.
#pragma once
#include <amphora/policy/weights.hpp>  // params_t, model_t, master_t, gradient_t

#include <type_traits>  // is_same_v, void_t

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

template <class Rule, class = void> inline constexpr int states_v = -1;
template <class Rule> inline constexpr int states_v<Rule, std::void_t<decltype(Rule::states)>> = Rule::states;

template <class Policy, class Op, class Rule, bool> inline constexpr int bytes_per_parameter = 0;
template <class Policy, class Op, class Rule> inline constexpr int bytes_per_parameter<Policy, Op, Rule, true> =
    (bits_v<master_t<Policy, Op>> + (std::is_same_v<master_t<Policy, Op>, model_t<Policy, Op>> ? 0 : bits_v<model_t<Policy, Op>>) +
     bits_v<gradient_t<Policy, Op>> + states_v<Rule> * bits_v<f32>) / 8;

}  // namespace detail

/// Bytes kept for one weight of Op: master, model weights where they are another copy, gradient, and the optimizer's floats.
///
/// Rule   an optimizer rule: adamw has two floats an element
/// Value  0 where Policy is no policy, Rule no rule, or Op has no weights
template <class Policy, class Op, class Rule> inline constexpr int bytes_per_parameter_v =
    detail::bytes_per_parameter<Policy, Op, Rule, (is_policy_v<Policy> && reads_v<Op, role::params> && detail::states_v<Rule> >= 0)>;

}}  // namespace amphora
