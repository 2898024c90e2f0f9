#include <amphora/optimizer/radam.hpp>

#include "golden.hpp"

#include <doctest/doctest.h>

#include <cmath>

using amphora::radam;

static_assert((radam{}.check(), true));

TEST_CASE("radam follows PyTorch's float64 trajectories") { CHECK(golden::follow<radam>({"exp_avg", "exp_avg_sq"}) == 2); }

TEST_CASE("radam does not divide in its first five steps, whatever the squares are") {
  radam rule;
  for (int step = 1; step <= 5; ++step) CHECK(rule.at(1e-3f, step).root.x == 0);
  CHECK(rule.at(1e-3f, 6).root.x == 1);
  // 1e30² is infinite: the division that is left out must not bring it back.
  CHECK(std::isfinite(golden::walk(rule, 1, {1e30})));
  CHECK(golden::walk(rule, 1, {0.5}) == 1 - 1e-3f * 0.5f);
}

TEST_CASE("radam's decay beside the gradient") {
  radam rule;
  rule.weight_decay = 0.5, rule.decoupled_weight_decay = true, rule.learning_rate = 0.25f;
  CHECK(golden::walk(rule, 2, {0}) == 1.75f);
}
