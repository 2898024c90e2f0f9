// The state machine of a scale: one function, for constants, the host and kernels.
#pragma once
#include <amphora/scale/state.hpp>  // scale_state

#include <type_traits>  // decay_t

namespace amphora { inline namespace AMPHORA_ABI {

/// What an update makes of the state: `rule.next` moves the scale, this counts the steps.
///
/// Rule     growth, fixed, additive_growth, or a user's own with the members of `fixed`
/// stepped  whether every optimizer stepped, which with saturate and zero it does in spite of an overflow
/// changed  gradients repaired in this update
/// Example  static_assert(next(growth{}, growth{}.start(), true).scale == 32768);
template <class Rule>
AMPHORA_HD constexpr scale_state next(const Rule& rule, const scale_state& state, bool found_non_finite, bool stepped, std::int64_t changed = 0) {
  scale_state result = rule.next(state, found_non_finite);
  if (stepped) ++result.taken;
  else ++result.skipped;
  if (found_non_finite) ++result.overflows;
  result.changed += changed;
  return result;
}
template <class Rule>
AMPHORA_HD constexpr scale_state next(const Rule& rule, const scale_state& state, bool found_non_finite) {
  return next(rule, state, found_non_finite, !found_non_finite);
}

/// Whether Rule is one for a scaler; false for anything else.
template <class Rule, class = void> inline constexpr bool is_scale_rule_v = false;
template <class Rule>
inline constexpr bool is_scale_rule_v<Rule, decltype((std::declval<const Rule&>().next(std::declval<const scale_state&>(), true),
                                                      std::declval<const Rule&>().start(), std::declval<const Rule&>().problem(), void()))> = true;

/// Whether a rule's settings are within their ranges. Usable in constants, where a bad one is false and not an error.
template <class Rule>
constexpr bool is_within_bounds(const Rule& rule) {
  return !rule.problem().text;
}

/// Insists, when compiling, that a constant rule is within its bounds. Value is a constexpr variable of static storage.
template <const auto& Value>
constexpr void require_within_bounds() {
  static_assert(is_within_bounds(Value),
      "amphora [scale-bounds]: this scaling rule cannot work; growth above 1, backoff in (0,1), interval at least 1, floor <= initial <= ceiling in [2^-126, 2^126]");
}

}}  // namespace amphora
