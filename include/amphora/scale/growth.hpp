// How a dynamic scale moves: up after enough clean steps, down on an overflow.
#pragma once
#include <amphora/detail/config.hpp>  // AMPHORA_HD
#include <amphora/format/real.hpp>    // times
#include <amphora/scale/state.hpp>    // scale_state

#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI {

/// When the overflows that a rule absorbs may be spent anew.
enum class refill : std::int32_t {
  on_growth,                 ///< Megatron, DeepSpeed
  on_clean_step,             ///< and on growth: Apex's hysteresis kernel, DeepSpeed's consecutive_hysteresis
  on_clean_step_or_backoff,  ///< every n-th overflow in a row lowers the scale: Paddle
};

/// PyTorch's rule, with the additions of the other systems, all off by default. `preset` has each system's settings.
///
/// A scale that would leave [floor, ceiling] stops at the bound or, where hold_at_… says so, keeps its value.
/// Factors are double and a new scale is rounded to float once.
/// Source  PyTorch's GradScaler for the defaults
struct growth {
  double growth_factor = 2;
  double backoff_factor = 0.5;
  std::int64_t growth_interval = 2000;  ///< clean steps to a growth
  float initial_scale = 65536;
  float floor = smallest_scale;
  float ceiling = largest_scale;
  bool hold_at_floor = false;    ///< a backoff that would go below the floor does nothing
  bool hold_at_ceiling = true;   ///< a growth that would go above the ceiling does nothing
  std::int32_t hysteresis = 1;   ///< the n-th overflow lowers the scale; those before only restart the count of clean steps
  amphora::refill refill = amphora::refill::on_growth;
  double tolerance = 0;          ///< an overflow lowers the scale where overflows / steps, since the scale last moved, reach this
  bool first_growth_late = false;     ///< after the start and each overflow the first growth needs one clean step more
  bool interval_follows = false;      ///< the interval is multiplied by the same factors as the scale
  bool one_step_late = false;         ///< a new scale is used one step later than elsewhere
  float give_up_at = 0;          ///< an overflow at this scale or below leaves it and sets gave_up; 0: never

  static constexpr const char* name = "growth";

  constexpr detail::setting_problem problem() const {
    if (!detail::is_finite_number(growth_factor) || !(static_cast<float>(growth_factor) > 1)) return {"growth_factor must be finite and above 1, not ", growth_factor};
    if (!detail::is_finite_number(backoff_factor) || !(backoff_factor > 0) || !(static_cast<float>(backoff_factor) < 1)) return {"backoff_factor must lie between 0 and 1, not ", backoff_factor};
    if (growth_interval < 1) return {"growth_interval must be at least 1, not ", static_cast<double>(growth_interval)};
    if (hysteresis < 1) return {"hysteresis must be at least 1, not ", static_cast<double>(hysteresis)};
    if (refill < amphora::refill::on_growth || refill > amphora::refill::on_clean_step_or_backoff) return {"refill is none of the three, but ", static_cast<double>(refill)};
    if (!detail::is_finite_number(tolerance) || tolerance < 0 || tolerance > 1) return {"tolerance must lie in [0, 1], not ", tolerance};
    if (!detail::is_finite_number(give_up_at) || give_up_at < 0) return {"give_up_at must be finite and not negative, not ", give_up_at};
    return detail::scale_problem(initial_scale, floor, ceiling);
  }
  /// Errors  scale-bounds  a setting outside its range; in a constant it does not compile
  constexpr void check() const { detail::require_no_problem(name, problem()); }

  AMPHORA_HD constexpr scale_state start() const {
    scale_state state;
    state.scale = state.upcoming = initial_scale;
    state.interval = growth_interval, state.hysteresis = hysteresis;
    return state;
  }
  /// Moves everything but the counters of steps.
  AMPHORA_HD constexpr scale_state next(scale_state state, bool found_non_finite) const {
    const float now = state.upcoming;
    float then = now;
    bool moved = false;
    if (found_non_finite) {
      state.clean = 0;
      ++state.overflows_since_backoff;
      if (state.hysteresis > 0) --state.hysteresis;
      if (state.hysteresis == 0 && is_past_tolerance(state)) {
        if (now <= give_up_at) {
          state.gave_up = 1;
        } else {
          moved = true;
          state.overflows_since_backoff = 0;
          then = bounded(detail::times(now, backoff_factor), now);
          if (refill == amphora::refill::on_clean_step_or_backoff) state.hysteresis = hysteresis;
          if (interval_follows) state.interval = scaled_interval(state.interval, backoff_factor);
        }
      }
    } else {
      if (refill != amphora::refill::on_growth) state.hysteresis = hysteresis;
      ++state.clean;
      if (interval_follows ? state.clean % state.interval == 0 : state.clean == state.interval + (first_growth_late ? 1 : 0)) {
        moved = true;
        then = bounded(detail::times(now, growth_factor), now);
        state.hysteresis = hysteresis;
        if (interval_follows) state.interval = scaled_interval(state.interval, growth_factor);
        else state.clean = first_growth_late ? 1 : 0;
      }
    }
    if (moved) state.since_rescale = 1;
    else ++state.since_rescale;
    state.upcoming = then;
    state.scale = one_step_late ? now : then;
    return state;
  }
  /// Whether an overflow could not lower the scale any more.
  AMPHORA_HD constexpr bool is_at_floor(const scale_state& state) const {
    return bounded(detail::times(state.upcoming, backoff_factor), state.upcoming) >= state.upcoming;
  }
  /// Whether this rule can come to such a state.
  constexpr bool allows(const scale_state& state) const {
    if (!detail::is_possible(state, floor, ceiling) || state.hysteresis > hysteresis) return false;
    if (!one_step_late && state.scale != state.upcoming) return false;
    if (interval_follows) return true;
    return state.interval == growth_interval && state.clean < state.interval + (first_growth_late ? 1 : 0);
  }
  /// The nearest state that this rule allows: what a scaler does when its rule is replaced.
  AMPHORA_HD constexpr scale_state adopted(scale_state state) const {
    state.scale = state.upcoming = state.upcoming < floor ? floor : state.upcoming > ceiling ? ceiling : state.upcoming;
    state.interval = growth_interval;
    if (state.clean >= state.interval) state.clean = state.interval - 1;
    if (state.hysteresis > hysteresis) state.hysteresis = hysteresis;
    return state;
  }
  /// Calls visit(name, field) for each setting. Rule: growth, const or not.
  template <class Rule, class Visit> static constexpr void settings(Rule& rule, Visit&& visit) {
    visit("growth_factor", rule.growth_factor), visit("backoff_factor", rule.backoff_factor), visit("growth_interval", rule.growth_interval);
    visit("initial_scale", rule.initial_scale), visit("floor", rule.floor), visit("ceiling", rule.ceiling);
    visit("hold_at_floor", rule.hold_at_floor), visit("hold_at_ceiling", rule.hold_at_ceiling);
    visit("hysteresis", rule.hysteresis), visit("refill", rule.refill), visit("tolerance", rule.tolerance);
    visit("first_growth_late", rule.first_growth_late), visit("interval_follows", rule.interval_follows);
    visit("one_step_late", rule.one_step_late), visit("give_up_at", rule.give_up_at);
  }

 private:
  AMPHORA_HD constexpr bool is_past_tolerance(const scale_state& state) const {
    return static_cast<double>(state.overflows_since_backoff) / static_cast<double>(state.since_rescale) >= tolerance;
  }
  AMPHORA_HD constexpr float bounded(double value, float now) const {
    if (value > ceiling) return hold_at_ceiling ? now : ceiling;
    if (value < floor) return hold_at_floor ? now : floor;
    return static_cast<float>(value);
  }
  AMPHORA_HD static constexpr std::int64_t scaled_interval(std::int64_t interval, double factor) {
    const double product = detail::times(static_cast<double>(interval), factor);
    return product < 1 ? 1 : product > 4e18 ? interval : static_cast<std::int64_t>(product);
  }
};

}}  // namespace amphora
