#include <amphora/error.hpp>                  // error
#include <amphora/scale/additive_growth.hpp>  // additive_growth
#include <amphora/scale/rule.hpp>             // next

#include "patterns.hpp"  // run

#include <doctest/doctest.h>

#include <limits>

namespace amp = amphora;

namespace {
constexpr amp::additive_growth by_ten{10, 0.25, 3, 100, 20, 125, 0, 0};
}
static_assert(amp::is_within_bounds(by_ten) && !amp::is_within_bounds(amp::additive_growth{0}));
static_assert(amp::next(by_ten, by_ten.start(), true).scale == 25);

TEST_CASE("an additive growth adds after its interval, up to the ceiling, and backs off by a factor, down to the floor") {
  const auto states = scaling::run(by_ten, "FFFFFFFFFIFFFI");
  const float expected[] = {100, 100, 110, 110, 110, 120, 120, 120, 125, 31.25f, 31.25f, 31.25f, 41.25f, 20};
  for (int i = 0; i < 14; ++i) CHECK(states[i].scale == expected[i]);
  CHECK(by_ten.is_at_floor(states.back()));
  CHECK_FALSE(by_ten.is_at_floor(states.front()));
  for (const auto& state : states) CHECK(by_ten.allows(state));
}

TEST_CASE("settings of an additive growth outside their ranges are refused") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (float bad : {0.0f, -2.0f, nan}) CHECK_THROWS_WITH_AS(amp::additive_growth{bad}.check(), doctest::Contains("increment"), amp::error);
  for (double bad : {0.0, 1.0, -1.0}) CHECK_THROWS_WITH_AS((amp::additive_growth{2, bad}.check()), doctest::Contains("backoff_factor"), amp::error);
  CHECK_THROWS_WITH_AS((amp::additive_growth{2, 0.5, 0}.check()), doctest::Contains("growth_interval"), amp::error);
  CHECK_THROWS_WITH_AS((amp::additive_growth{2, 0.5, 1, 64000}.check()), doctest::Contains("initial scale"), amp::error);
}

TEST_CASE("an additive growth that takes over a state comes to its own bounds and interval") {
  amp::scale_state state;
  state.scale = state.upcoming = 1000, state.clean = 7;
  state = by_ten.adopted(state);
  CHECK(state.scale == 125);
  CHECK(state.clean == 2);
  CHECK(by_ten.allows(state));
}
