#include <amphora/optimizer/amsgrad.hpp>
#include <amphora/optimizer/adamw.hpp>

#include "golden.hpp"

#include <doctest/doctest.h>

using amphora::amsgrad;

static_assert((amsgrad{}.check(), true));
static_assert(amphora::rule_traits<amsgrad>::states == 3);

TEST_CASE("amsgrad follows PyTorch's float64 trajectories") { CHECK(golden::follow<amsgrad>({"exp_avg", "exp_avg_sq", "max_exp_avg_sq"}) == 4); }

TEST_CASE("B36: amsgrad keeps the largest mean of squares") {
  amsgrad rule;
  rule.learning_rate = 0.1f;
  golden::tensor<amsgrad> one({1});
  for (double g : {1.0, 0.0, 0.0}) one.step(rule, {g}, rule.learning_rate);
  CHECK(one.weights[0] == doctest::Approx(0.7812837872).epsilon(3e-7));
  CHECK(one.state[2][0] == doctest::Approx(0.001).epsilon(1e-6));
  CHECK(one.state[1][0] == doctest::Approx(0.000998001).epsilon(1e-6));
}

TEST_CASE("amsgrad in adamw's form takes adamw's steps while squares grow") {
  amsgrad rule;
  rule.weight_decay = 0.01, rule.decoupled_weight_decay = true;
  CHECK(golden::walk(rule, 1.5f, {0.5, 1, 2, 4}) == golden::walk(amphora::adamw{}, 1.5f, {0.5, 1, 2, 4}));
}
