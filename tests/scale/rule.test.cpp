#include <amphora/error.hpp>                  // error
#include <amphora/scale/additive_growth.hpp>  // additive_growth
#include <amphora/scale/fixed.hpp>            // fixed
#include <amphora/scale/growth.hpp>           // growth
#include <amphora/scale/rule.hpp>             // next, is_scale_rule_v

#include <doctest/doctest.h>

namespace amp = amphora;

// A rule of a user's own, from outside the namespace: halves at every overflow, never grows.
struct only_down {
  float start_at = 1024;
  static constexpr const char* name = "only_down";
  constexpr amp::detail::setting_problem problem() const { return amp::detail::scale_problem(start_at, amp::smallest_scale, amp::largest_scale); }
  constexpr void check() const { amp::detail::require_no_problem(name, problem()); }
  constexpr amp::scale_state start() const {
    amp::scale_state state;
    state.scale = state.upcoming = start_at;
    return state;
  }
  constexpr amp::scale_state next(amp::scale_state state, bool found) const {
    if (found && state.scale > amp::smallest_scale) state.scale = state.upcoming = state.scale / 2;
    return state;
  }
};

static_assert(amp::is_scale_rule_v<amp::growth> && amp::is_scale_rule_v<amp::fixed> && amp::is_scale_rule_v<amp::additive_growth> && amp::is_scale_rule_v<only_down>);
static_assert(!amp::is_scale_rule_v<int> && !amp::is_scale_rule_v<void> && !amp::is_scale_rule_v<amp::scale_state>);
static_assert(!amp::is_within_bounds(only_down{0}) && amp::is_within_bounds(only_down{}));
static_assert(amp::next(only_down{}, only_down{}.start(), true).scale == 512);

TEST_CASE("an update counts taken, skipped and repaired steps beside what the rule does") {
  const amp::growth rule{2, 0.5, 2, 8};
  amp::scale_state state = rule.start();
  state = amp::next(rule, state, false);
  CHECK(state.taken == 1);
  state = amp::next(rule, state, true);
  CHECK(state.taken == 1);
  CHECK(state.skipped == 1);
  CHECK(state.overflows == 1);
  CHECK(state.scale == 4);
  state = amp::next(rule, state, true, true, 3);  // the step was saturated: an overflow, and taken
  CHECK(state.taken == 2);
  CHECK(state.skipped == 1);
  CHECK(state.overflows == 2);
  CHECK(state.changed == 3);
  CHECK(state.scale == 2);
  state = amp::next(rule, state, false, false);  // clean, but the caller did not step
  CHECK(state.taken == 2);
  CHECK(state.skipped == 2);
  CHECK(state.overflows == 2);
  CHECK(state.clean == 1);
}

namespace {
constexpr amp::growth slow{2, 0.5, 4000};
}

TEST_CASE("a constant rule within its bounds passes the check when compiling") {
  amp::require_within_bounds<slow>();
  CHECK(amp::is_within_bounds(slow));
  CHECK_FALSE(amp::is_within_bounds(amp::growth{1}));
}
