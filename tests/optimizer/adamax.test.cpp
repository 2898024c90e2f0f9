#include <amphora/optimizer/adamax.hpp>

#include "golden.hpp"

#include <doctest/doctest.h>

using amphora::adamax;

static_assert((adamax{}.check(), true));

TEST_CASE("adamax follows PyTorch's float64 trajectories") { CHECK(golden::follow<adamax>({"exp_avg", "exp_inf"}) == 2); }

TEST_CASE("adamax divides by no zero") { CHECK(golden::walk(adamax{}, 1.5f, {0, 0, 0}) == 1.5f); }

TEST_CASE("adamax refuses an eps of 0") {
  adamax rule;
  rule.eps = 0;
  CHECK(golden::refusal(rule) == "setting");
}
