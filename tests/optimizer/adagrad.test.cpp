#include <amphora/optimizer/adagrad.hpp>

#include "golden.hpp"

#include <doctest/doctest.h>

using amphora::adagrad;

static_assert((adagrad{}.check(), true));

TEST_CASE("adagrad follows PyTorch's float64 trajectories") { CHECK(golden::follow<adagrad>({"sum"}) == 2); }

TEST_CASE("adagrad's initial value is added once, on the first step") {
  adagrad rule;
  rule.initial_accumulator_value = 0.25;
  golden::tensor<adagrad> one({1});
  one.step(rule, {1}, rule.learning_rate);
  CHECK(one.state[0][0] == 1.25f);
  one.step(rule, {2}, rule.learning_rate);
  CHECK(one.state[0][0] == 5.25f);
}

TEST_CASE("adagrad refuses negative numbers") {
  adagrad rule;
  rule.lr_decay = -1;
  CHECK(golden::refusal(rule) == "setting");
  rule = adagrad{}, rule.initial_accumulator_value = -1;
  CHECK(golden::refusal(rule) == "setting");
}
