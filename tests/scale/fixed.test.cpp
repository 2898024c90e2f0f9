#include <amphora/error.hpp>        // error
#include <amphora/scale/fixed.hpp>  // fixed
#include <amphora/scale/rule.hpp>   // next

#include "patterns.hpp"  // run

#include <doctest/doctest.h>

#include <limits>

namespace amp = amphora;

static_assert(amp::fixed{}.start().scale == 1 && amp::fixed{128}.start().scale == 128);
static_assert(!amp::is_within_bounds(amp::fixed{0}) && !amp::is_within_bounds(amp::fixed{-1}));

TEST_CASE("a fixed scale stays, while steps are counted") {
  const auto states = scaling::run(amp::fixed{128}, "FFIFIII");
  for (const auto& state : states) CHECK(state.scale == 128);
  CHECK(states.back().taken == 3);
  CHECK(states.back().skipped == 4);
  CHECK(states.back().overflows == 4);
  CHECK_FALSE(amp::fixed{128}.is_at_floor(states.back()));
  CHECK(amp::fixed{128}.allows(states.back()));
  CHECK_FALSE(amp::fixed{64}.allows(states.back()));
  CHECK(amp::fixed{64}.adopted(states.back()).scale == 64);
  CHECK(amp::fixed{64}.adopted(states.back()).taken == 3);
}

TEST_CASE("a fixed scale outside [2^-126, 2^126] is refused") {
  for (float bad : {0.0f, -128.0f, 1e-38f, 1e38f, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()})
    CHECK_THROWS_WITH_AS(amp::fixed{bad}.check(), doctest::Contains("[scale-bounds]: fixed"), amp::error);
  amp::fixed{amp::smallest_scale}.check();
  amp::fixed{amp::largest_scale}.check();
}
