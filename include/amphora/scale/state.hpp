// Everything that a scaler remembers, and the bounds that its scale never leaves.
#pragma once
#include <amphora/detail/bit_cast.hpp>  // bit_cast
#include <amphora/detail/config.hpp>    // AMPHORA_HD
#include <amphora/error.hpp>            // fail

#include <cstdint>      // int64_t
#include <type_traits>  // is_trivially_copyable_v

namespace amphora { inline namespace AMPHORA_ABI {

/// A scale and its reciprocal are finite and normal floats in [2^-126, 2^126], whatever a rule would do.
inline constexpr float smallest_scale = 1.17549435082228750797e-38f;
inline constexpr float largest_scale = 8.50705917302346158658e+37f;

/// The state of a scaler. Complete: what is saved is all there is. It lies on the device.
struct scale_state {
  float scale = 1;     ///< for the next loss
  float upcoming = 1;  ///< what scale becomes at the next update; the same, but for a rule that is one step late
  std::int64_t clean = 0;          ///< steps without an overflow since the last overflow or growth (PyTorch's growth tracker)
  std::int64_t interval = 1;       ///< clean steps to a growth, now
  std::int64_t since_rescale = 1;  ///< the coming step's distance from the last change of the scale
  std::int64_t overflows_since_backoff = 0;
  std::int32_t hysteresis = 1;     ///< the overflow that brings this to 0 lowers the scale
  std::int32_t gave_up = 0;        ///< 1 once an overflow came where the system that the rule is from aborts
  std::int64_t taken = 0;          ///< updates in which every optimizer stepped
  std::int64_t skipped = 0;        ///< updates in which an optimizer did not
  std::int64_t overflows = 0;      ///< updates in which a gradient was not finite, skipped or repaired
  std::int64_t changed = 0;        ///< gradients that were saturated or set to zero instead

  friend constexpr bool operator==(const scale_state& a, const scale_state& b) {
    return a.scale == b.scale && a.upcoming == b.upcoming && a.clean == b.clean && a.interval == b.interval && a.since_rescale == b.since_rescale &&
           a.overflows_since_backoff == b.overflows_since_backoff && a.hysteresis == b.hysteresis && a.gave_up == b.gave_up &&
           a.taken == b.taken && a.skipped == b.skipped && a.overflows == b.overflows && a.changed == b.changed;
  }
  friend constexpr bool operator!=(const scale_state& a, const scale_state& b) { return !(a == b); }

  /// Calls visit(name, field) for each, in the order in which they are saved. State: scale_state, const or not.
  template <class State, class Visit> static constexpr void fields(State& state, Visit&& visit) {
    visit("scale", state.scale), visit("upcoming", state.upcoming), visit("_growth_tracker", state.clean), visit("interval", state.interval);
    visit("since_rescale", state.since_rescale), visit("overflows_since_backoff", state.overflows_since_backoff);
    visit("hysteresis_left", state.hysteresis), visit("gave_up", state.gave_up);
    visit("taken", state.taken), visit("skipped", state.skipped), visit("overflows", state.overflows), visit("changed", state.changed);
  }
};
static_assert(std::is_trivially_copyable_v<scale_state>);

namespace detail {

/// What is wrong with a rule's settings; no text if nothing is.
struct setting_problem {
  const char* text = nullptr;
  double value = 0;
};

/// By bits, so that -ffast-math cannot take it for granted.
constexpr bool is_finite_number(const double& value) { return (bit_cast<std::uint64_t>(value) >> 52 & 0x7ff) != 0x7ff; }

constexpr bool is_scale(double value) { return is_finite_number(value) && value >= smallest_scale && value <= largest_scale; }

/// The first thing wrong with bounds and start, which all rules have.
constexpr setting_problem scale_problem(double initial, double floor, double ceiling) {
  if (!is_scale(floor)) return {"the floor must lie in [2^-126, 2^126], not ", floor};
  if (!is_scale(ceiling)) return {"the ceiling must lie in [2^-126, 2^126], not ", ceiling};
  if (floor > ceiling) return {"the floor lies above the ceiling: ", floor};
  if (!is_scale(initial) || initial < floor || initial > ceiling) return {"the initial scale must lie between floor and ceiling, within [2^-126, 2^126], not be ", initial};
  return {};
}

/// Errors  scale-bounds  there is a problem; in a constant it does not compile
constexpr void require_no_problem(const char* rule, const setting_problem& problem) {
  if (problem.text) fail("scale-bounds", rule, ": ", problem.text, problem.value);
}

/// What all possible states have in common.
constexpr bool is_possible(const scale_state& state, float floor, float ceiling) {
  return is_scale(state.scale) && state.scale >= floor && state.scale <= ceiling && is_scale(state.upcoming) && state.upcoming >= floor &&
         state.upcoming <= ceiling && state.clean >= 0 && state.interval >= 1 && state.since_rescale >= 1 && state.overflows_since_backoff >= 0 &&
         state.hysteresis >= 0 && (state.gave_up == 0 || state.gave_up == 1) &&
         state.taken >= 0 && state.skipped >= 0 && state.overflows >= 0 && state.changed >= 0;
}

}  // namespace detail
}}  // namespace amphora
