#include <amphora/optimizer/adam.hpp>

#include "golden.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using amphora::adam;

static_assert((adam{}.check(), true));
static_assert(amphora::rule_traits<adam>::states == 2);

TEST_CASE("adam follows PyTorch's float64 trajectories") { CHECK(golden::follow<adam>({"exp_avg", "exp_avg_sq"}) == 4); }

TEST_CASE("B27: an eps of 1e-8 counts, since both moments and eps are float whatever the weights are") {
  adam rule;
  for (float w : {1.0f, -2.0f, 0.5f}) CHECK(golden::walk(rule, w, {0}) == w);
  rule.learning_rate = 0.01f;
  // v = 1e-11 would be nothing in f16; the first step is -lr within 0.02 %.
  CHECK(golden::walk(rule, 0, {1e-4}) == doctest::Approx(-0.01).epsilon(2e-4));
}

TEST_CASE("B27: an eps that is nothing in float is refused") {
  adam rule;
  for (double eps : {0.0, 1e-50, 1e-39, -1e-8, std::nan(""), double(INFINITY)}) {
    CAPTURE(eps);
    rule.eps = eps;
    CHECK(golden::refusal(rule) == "setting");
  }
  rule.eps = 2e-38;
  CHECK(golden::refusal(rule) == "");
}

TEST_CASE("B28: adam's first step after a skipped one is its step number 1") {
  adam rule;
  rule.learning_rate = 0.1f;
  CHECK(golden::walk(rule, 1, {1}) == doctest::Approx(0.900000001).epsilon(1e-7));
}

TEST_CASE("adam refuses betas outside [0, 1), and those that are 1 in float") {
  for (double beta : {1.0, -0.1, 1.5, 1 - 1e-9, std::nan("")}) {
    adam rule;
    rule.beta1 = beta;
    CHECK(golden::refusal(rule) == "setting");
    rule = adam{}, rule.beta2 = beta;
    CHECK(golden::refusal(rule) == "setting");
  }
  adam rule;
  rule.weight_decay = 1e-60;
  CHECK(golden::refusal(rule) == "setting");
  rule = adam{}, rule.learning_rate = std::numeric_limits<float>::infinity();
  CHECK(golden::refusal(rule) == "setting");
}

TEST_CASE("adam stays right for as many steps as a long run takes") {
  // Once both powers are nothing the step is lr · m / (√v + eps): 1 for a constant gradient.
  adam rule;
  const auto late = rule.at(1e-3f, std::int64_t(1) << 40);
  CHECK(late.moments.size.x == 1e-3f);
  CHECK(late.moments.root.x == 1.0f);
}
