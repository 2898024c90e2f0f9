#include <amphora/optimizer/lion.hpp>

#include "golden.hpp"

#include <doctest/doctest.h>

using amphora::lion;

static_assert((lion{}.check(), true));
static_assert(amphora::rule_traits<lion>::states == 1);

TEST_CASE("lion follows lion-pytorch's float64 trajectories") { CHECK(golden::follow<lion>({"exp_avg"}) == 2); }

TEST_CASE("lion steps by the sign alone, and the sign of zero is zero") {
  lion rule;
  rule.learning_rate = 0.25f;
  CHECK(golden::walk(rule, 1, {1e-30}) == 0.75f);
  CHECK(golden::walk(rule, 1, {-1e20}) == 1.25f);
  CHECK(golden::walk(rule, 1, {0}) == 1);
  rule.maximize = true;
  CHECK(golden::walk(rule, 1, {3}) == 1.25f);
}
