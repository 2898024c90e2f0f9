#include <amphora/optimizer/adamw.hpp>
#include <amphora/format/convert.hpp>

#include "golden.hpp"

#include <doctest/doctest.h>

#include <cmath>

using amphora::adamw;

static_assert((adamw{}.check(), true));
static_assert(amphora::rule_traits<adamw>::states == 2);

TEST_CASE("adamw follows PyTorch's float64 trajectories") { CHECK(golden::follow<adamw>({"exp_avg", "exp_avg_sq"}) == 3); }

TEST_CASE("B32: a float master keeps a decay that bf16 weights alone would lose") {
  adamw rule;
  rule.learning_rate = 1e-4f;
  const std::vector<double> still(10000, 0.0);
  const float master = golden::walk(rule, 1, still);
  CHECK(std::fabs(master - std::pow(1 - 1e-6, 10000)) < 3e-4);
  CHECK(static_cast<float>(amphora::convert<amphora::bf16>(master)) == 0.98828125f);
  // The same steps with weights that are rounded to bf16 each time: nothing moves.
  float low = 1;
  for (int step = 0; step < 100; ++step) low = static_cast<float>(amphora::convert<amphora::bf16>(golden::walk(rule, low, {0})));
  CHECK(low == 1);
}

TEST_CASE("adamw's decay counts beside an update even where it is below the last place of 1 - lr · decay") {
  adamw rule;
  rule.learning_rate = 1e-6f, rule.weight_decay = 0.02;  // 2e-8 of w: 1 - 2e-8 is 1 in float
  const auto now = rule.at(rule.learning_rate, 1);
  CHECK(now.decay.x == doctest::Approx(2e-8));
  REQUIRE(1.0f - now.decay.x == 1.0f);
}

TEST_CASE("adamw refuses a decay that is nothing") {
  adamw rule;
  rule.learning_rate = 1e-20f, rule.weight_decay = 1e-20;
  CHECK(golden::refusal(rule) == "setting");
  rule.learning_rate = 0;  // a schedule that starts at nothing is legal
  CHECK(golden::refusal(rule) == "");
}
