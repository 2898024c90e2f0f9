#include <amphora/optimizer/lars.hpp>
#include <amphora/optimizer/sgd.hpp>

#include "golden.hpp"

#include <doctest/doctest.h>

#include <cmath>

using amphora::lars;

static_assert((lars{}.check(), true));
static_assert(amphora::rule_traits<lars>::needs_norms);

TEST_CASE("lars follows timm's float64 trajectories") { CHECK(golden::follow<lars>({"momentum_buffer"}) == 2); }

TEST_CASE("lars without decay is sgd") {
  lars rule;
  amphora::sgd plain;
  rule.learning_rate = plain.learning_rate = 0.1f, rule.momentum = plain.momentum = 0.9, rule.dampening = plain.dampening = 0.25;
  CHECK(golden::walk(rule, 1.5f, {1, -0.5, 2}) == golden::walk(plain, 1.5f, {1, -0.5, 2}));
}

TEST_CASE("lars' ratio is 1 where a norm is 0, and clipped as LARC does") {
  lars rule;
  rule.weight_decay = 0.5, rule.trust_coeff = 0.5;
  CHECK(rule.trust(0, 1, rule.at(1, 1)).x == 1);
  CHECK(rule.trust(1, 0, rule.at(1, 1)).x == 1);
  CHECK(rule.trust(4, 2, rule.at(1, 1)).x == doctest::Approx(0.5 * 4 / (2 + 0.5 * 4)));
  rule.trust_clip = true;
  CHECK(rule.trust(4, 2, rule.at(0.25f, 1)).x == 1);                          // 0.5 / 0.25 is held
  CHECK(rule.trust(4, 2, rule.at(2, 1)).x == doctest::Approx(0.25));          // 0.5 / 2 is not
  rule.trust_coeff = 0;
  CHECK(golden::refusal(rule) == "setting");
}
