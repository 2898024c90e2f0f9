// A scale that stays: a static loss scale, or one for none.
#pragma once
#include <amphora/scale/state.hpp>  // scale_state

namespace amphora { inline namespace AMPHORA_ABI {

/// The rule of `static_scale`, and with 1 of `no_scale`. Steps are still checked, skipped and counted.
struct fixed {
  float scale = 1;  ///< in [2^-126, 2^126]

  static constexpr const char* name = "fixed";

  constexpr detail::setting_problem problem() const { return detail::scale_problem(scale, smallest_scale, largest_scale); }
  /// Errors  scale-bounds  in a constant it does not compile
  constexpr void check() const { detail::require_no_problem(name, problem()); }
  AMPHORA_HD constexpr scale_state start() const { return adopted(scale_state{}); }
  AMPHORA_HD constexpr scale_state next(const scale_state& state, bool) const { return state; }
  /// Never: there is no floor to come to.
  AMPHORA_HD constexpr bool is_at_floor(const scale_state&) const { return false; }
  constexpr bool allows(const scale_state& state) const { return detail::is_possible(state, scale, scale) && state.clean == 0; }
  AMPHORA_HD constexpr scale_state adopted(scale_state state) const {
    state.scale = state.upcoming = scale;
    return state;
  }
  template <class Rule, class Visit> static constexpr void settings(Rule& rule, Visit&& visit) { visit("fixed_scale", rule.scale); }
};

}}  // namespace amphora
