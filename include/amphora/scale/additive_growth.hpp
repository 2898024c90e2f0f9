// A dynamic scale that grows by adding: flashlight's.
#pragma once
#include <amphora/format/real.hpp>  // real, times
#include <amphora/scale/state.hpp>  // scale_state

#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI {

/// Adds on clean steps, halves on an overflow.
///
/// Source  flashlight's dynamic scaler; its host version compares the scale with its interval and doubles where they meet,
///         which doubles_at reproduces
struct additive_growth {
  float increment = 2;
  double backoff_factor = 0.5;
  std::int64_t growth_interval = 1;  ///< clean steps to a growth
  float initial_scale = 4096;
  float floor = smallest_scale;
  float ceiling = 32000;             ///< where the scale stops
  float doubles_at = 2000;           ///< a scale that is exactly this is doubled instead; 0: never
  float give_up_at = 1e-4f;          ///< an overflow at this scale or below leaves it and sets gave_up; 0: never

  static constexpr const char* name = "additive_growth";

  constexpr detail::setting_problem problem() const {
    if (!detail::is_finite_number(increment) || !(increment > 0)) return {"increment must be finite and above 0, not ", increment};
    if (!detail::is_finite_number(backoff_factor) || !(backoff_factor > 0) || !(static_cast<float>(backoff_factor) < 1)) return {"backoff_factor must lie between 0 and 1, not ", backoff_factor};
    if (growth_interval < 1) return {"growth_interval must be at least 1, not ", static_cast<double>(growth_interval)};
    if (!detail::is_finite_number(doubles_at) || doubles_at < 0) return {"doubles_at must be finite and not negative, not ", doubles_at};
    if (!detail::is_finite_number(give_up_at) || give_up_at < 0) return {"give_up_at must be finite and not negative, not ", give_up_at};
    return detail::scale_problem(initial_scale, floor, ceiling);
  }
  /// Errors  scale-bounds  a setting outside its range; in a constant it does not compile
  constexpr void check() const { detail::require_no_problem(name, problem()); }
  AMPHORA_HD constexpr scale_state start() const {
    scale_state state;
    state.scale = state.upcoming = initial_scale;
    state.interval = growth_interval;
    return state;
  }
  AMPHORA_HD constexpr scale_state next(scale_state state, bool found_non_finite) const {
    if (found_non_finite) {
      state.clean = 0;
      if (state.scale <= give_up_at) state.gave_up = 1;
      else state.scale = bounded(detail::times(state.scale, backoff_factor));
    } else if (++state.clean == growth_interval) {
      state.clean = 0;
      state.scale = bounded(state.scale == doubles_at ? static_cast<double>(state.scale) * 2 : static_cast<double>(state.scale) + increment);
    }
    state.upcoming = state.scale;
    return state;
  }
  AMPHORA_HD constexpr bool is_at_floor(const scale_state& state) const { return bounded(detail::times(state.scale, backoff_factor)) >= state.scale; }
  constexpr bool allows(const scale_state& state) const {
    return detail::is_possible(state, floor, ceiling) && state.scale == state.upcoming && state.interval == growth_interval && state.clean < growth_interval;
  }
  AMPHORA_HD constexpr scale_state adopted(scale_state state) const {
    state.scale = state.upcoming = bounded(state.upcoming);
    state.interval = growth_interval;
    if (state.clean >= growth_interval) state.clean = growth_interval - 1;
    return state;
  }
  template <class Rule, class Visit> static constexpr void settings(Rule& rule, Visit&& visit) {
    visit("increment", rule.increment), visit("backoff_factor", rule.backoff_factor), visit("growth_interval", rule.growth_interval);
    visit("initial_scale", rule.initial_scale), visit("floor", rule.floor), visit("ceiling", rule.ceiling);
    visit("doubles_at", rule.doubles_at), visit("give_up_at", rule.give_up_at);
  }

 private:
  AMPHORA_HD constexpr float bounded(double value) const { return value > ceiling ? ceiling : value < floor ? floor : static_cast<float>(value); }
};

}}  // namespace amphora
