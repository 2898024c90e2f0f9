#include <amphora/optimizer/lamb.hpp>

#include "golden.hpp"

#include <doctest/doctest.h>

#include <cmath>

using amphora::lamb;

static_assert((lamb{}.check(), true));
static_assert(amphora::rule_traits<lamb>::needs_norms);

TEST_CASE("lamb follows timm's float64 trajectories") { CHECK(golden::follow<lamb>({"exp_avg", "exp_avg_sq"}) == 2); }

TEST_CASE("lamb's ratio is 1 where a norm is 0, and finite where the quotient is not a float") {
  const lamb rule;
  const auto now = rule.at(1e-3f, 1);
  CHECK(rule.trust(0, 3, now).x == 1);
  CHECK(rule.trust(3, 0, now).x == 1);
  CHECK(rule.trust(3, 4, now).x == 0.75f);
  CHECK(std::isfinite(rule.trust(1e30, 1e-30, now).x));
  CHECK(golden::walk(rule, 0, {0, 0}) == 0);
}

TEST_CASE("lamb adapts without decay only where it is told to, and holds the ratio where it is told to") {
  lamb rule;
  rule.weight_decay = 0;
  CHECK(rule.trust(3, 4, rule.at(1e-3f, 1)).x == 1);
  rule.always_adapt = true;
  CHECK(rule.trust(3, 4, rule.at(1e-3f, 1)).x == 0.75f);
  CHECK(rule.trust(4, 2, rule.at(1e-3f, 1)).x == 2);
  rule.trust_clip = true;
  CHECK(rule.trust(4, 2, rule.at(1e-3f, 1)).x == 1);
}
