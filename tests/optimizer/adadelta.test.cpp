#include <amphora/optimizer/adadelta.hpp>

#include "golden.hpp"

#include <doctest/doctest.h>

using amphora::adadelta;

static_assert((adadelta{}.check(), true));

TEST_CASE("adadelta follows PyTorch's float64 trajectories") { CHECK(golden::follow<adadelta>({"square_avg", "acc_delta"}) == 2); }

TEST_CASE("adadelta refuses a rho of 1") {
  adadelta rule;
  rule.rho = 1;
  CHECK(golden::refusal(rule) == "setting");
}
