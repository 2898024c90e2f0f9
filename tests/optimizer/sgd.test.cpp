#include <amphora/optimizer/sgd.hpp>

#include "golden.hpp"

#include <doctest/doctest.h>

#include <cmath>

using amphora::sgd;
using amphora::plain_sgd;

static_assert((sgd{}.check(), plain_sgd{}.check(), true));
static_assert(amphora::rule_traits<sgd>::states == 1 && amphora::rule_traits<plain_sgd>::states == 0);
static_assert(!amphora::rule_traits<sgd>::has_scalars && !amphora::rule_traits<sgd>::needs_norms);

TEST_CASE("sgd follows PyTorch's float64 trajectories") { CHECK(golden::follow<sgd>({"momentum_buffer"}) == 6); }

TEST_CASE("B34: the first step of sgd fills its buffer undamped") {
  sgd rule;
  rule.learning_rate = 0.1f, rule.momentum = 0.9, rule.dampening = 0.5;
  CHECK(golden::walk(rule, 1, {1}) == doctest::Approx(0.9).epsilon(1e-7));
  CHECK(golden::walk(rule, 1, {1, 1}) == doctest::Approx(0.76).epsilon(1e-7));
}

TEST_CASE("B34: an overflow before the first step leaves the next one the first") {
  sgd rule;
  rule.learning_rate = 0.1f, rule.momentum = 0.9, rule.dampening = 0.5;
  golden::tensor<sgd> skipped({1}), clean({1});  // a skipped step calls no rule and counts no step
  REQUIRE(skipped.steps == 0);
  for (double g : {1.0, 1.0}) skipped.step(rule, {g}, rule.learning_rate), clean.step(rule, {g}, rule.learning_rate);
  CHECK(skipped.weights == clean.weights);
  golden::tensor<sgd> loaded({1});  // what a file holds: weights, state, step count
  loaded.step(rule, {1}, rule.learning_rate);
  golden::tensor<sgd> resumed({1});
  resumed.weights = loaded.weights, resumed.state = loaded.state, resumed.steps = loaded.steps;
  resumed.step(rule, {1}, rule.learning_rate);
  CHECK(resumed.weights == clean.weights);
}

TEST_CASE("sgd's two orders of weight decay") {
  sgd rule;
  rule.learning_rate = 0.25f, rule.weight_decay = 0.5, rule.momentum = 0.5;
  // In the gradient: b = 1 + 0.5 · 2 = 2; then b = 0.5 · 2 + 1 + 0.5 · 1.5.
  CHECK(golden::walk(rule, 2, {1, 1}) == 2 - 0.25f * 2 - 0.25f * (0.5f * 2 + 1 + 0.5f * 1.5f));
  // Beside it: w loses a quarter of a half of itself, b sees the gradient alone.
  rule.decoupled_weight_decay = true;
  CHECK(golden::walk(rule, 2, {1, 1}) == (2 - 0.25f - 0.25f) - 0.25f * 1.5f - 0.125f * 1.5f);
}

TEST_CASE("plain_sgd takes sgd's steps without a state") {
  sgd full;
  plain_sgd plain;
  for (bool decoupled : {false, true}) {
    full.learning_rate = plain.learning_rate = 0.05f, full.weight_decay = plain.weight_decay = 0.1;
    full.decoupled_weight_decay = plain.decoupled_weight_decay = decoupled, full.maximize = plain.maximize = decoupled;
    CHECK(golden::walk(plain, 1.3f, {0.7, -0.2, 3}) == golden::walk(full, 1.3f, {0.7, -0.2, 3}));
  }
}

TEST_CASE("sgd refuses settings that mean nothing") {
  sgd rule;
  rule.momentum = 1;
  CHECK(golden::refusal(rule) == "setting");
  rule = sgd{}, rule.nesterov = true;
  CHECK(golden::refusal(rule) == "setting");
  rule.momentum = 0.9;
  CHECK(golden::refusal(rule) == "");
  rule.dampening = 0.1;
  CHECK(golden::refusal(rule) == "setting");
  rule = sgd{}, rule.dampening = 1.5;
  CHECK(golden::refusal(rule) == "setting");
  rule = sgd{}, rule.learning_rate = -1;
  CHECK(golden::refusal(rule) == "setting");
  rule = sgd{}, rule.weight_decay = -0.1;
  CHECK(golden::refusal(rule) == "setting");
  rule = sgd{}, rule.weight_decay = std::nan("");
  CHECK(golden::refusal(rule) == "setting");
}
