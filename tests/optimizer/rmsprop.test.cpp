#include <amphora/optimizer/rmsprop.hpp>

#include "golden.hpp"

#include <doctest/doctest.h>

#include <cmath>

using amphora::rmsprop;

static_assert((rmsprop{}.check(), true));

TEST_CASE("rmsprop follows PyTorch's float64 trajectories") {
  CHECK(golden::follow<rmsprop>({"square_avg", "grad_avg", "momentum_buffer"}) == 4);
}

TEST_CASE("rmsprop's centred form divides by no root of a negative number") {
  rmsprop rule;
  rule.centered = true, rule.alpha = 0.5;
  // With a constant gradient v − a² goes to 0, and rounding takes it below.
  int below = 0;
  for (float g : {0.1f, 0.3f, 0.7f, 1.1f}) {
    golden::tensor<rmsprop> one({1});
    for (int step = 0; step < 40; ++step) {
      one.step(rule, {g}, rule.learning_rate);
      below += one.state[0][0] - one.state[1][0] * one.state[1][0] < 0;
      REQUIRE(std::isfinite(one.weights[0]));
    }
  }
  CHECK(below > 0);
}

TEST_CASE("rmsprop refuses an alpha of 1") {
  rmsprop rule;
  rule.alpha = 1;
  CHECK(golden::refusal(rule) == "setting");
  rule = rmsprop{}, rule.momentum = 1;
  CHECK(golden::refusal(rule) == "setting");
}
