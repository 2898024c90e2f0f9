#include <amphora/optimizer/nadam.hpp>
#include <amphora/optimizer/adamw.hpp>

#include "golden.hpp"

#include <doctest/doctest.h>

#include <cmath>

using amphora::nadam;

static_assert((nadam{}.check(), true));
static_assert(amphora::rule_traits<nadam>::has_scalars);

TEST_CASE("nadam follows PyTorch's float64 trajectories") { CHECK(golden::follow<nadam>({"exp_avg", "exp_avg_sq"}) == 2); }

TEST_CASE("nadam's product of momentums follows float64") {
  for (const auto& run : golden::data().runs) {
    if (run.rule != "nadam") continue;
    const nadam rule = golden::configured<nadam>(run);
    nadam::scalars own;
    for (int step = 1; step <= 120; ++step) rule.at(rule.learning_rate, step, own);
    // 120 products, each of which multiplies an error of a few units: 2^-53 · 120 · 8.
    CHECK(own.momentum_product == doctest::Approx(run.f64.state[0].at("mu_product")[0]).epsilon(1.1e-13));
  }
}

TEST_CASE("nadam's momentum needs no pow: it is 0.96^(t · decay) to the last digits") {
  for (double decay : {0.0, 0.004, 0.1, 1.0, 50.0}) {
    nadam rule;
    rule.momentum_decay = decay;
    nadam::scalars own;
    rule.at(1e-3f, 7, own);  // the product is the momentum itself
    CHECK(own.momentum_product == doctest::Approx(0.9 * (1 - 0.5 * std::pow(0.96, 7 * decay))).epsilon(1e-13));
  }
}

TEST_CASE("nadam's own number moves with `at` alone and resumes from what was saved") {
  nadam rule;
  golden::tensor<nadam> straight({1}), resumed({1});
  for (double g : {1.0, -2.0}) straight.step(rule, {g}, 1e-2f);
  resumed.weights = straight.weights, resumed.state = straight.state, resumed.steps = straight.steps, resumed.scalars = straight.scalars;
  straight.step(rule, {0.5}, 1e-2f), resumed.step(rule, {0.5}, 1e-2f);
  CHECK(straight.weights == resumed.weights);
  CHECK(straight.scalars.momentum_product == resumed.scalars.momentum_product);
  CHECK(straight.scalars.momentum_product < 0.2);
}

TEST_CASE("nadam's decay beside the gradient leaves the moments alone") {
  nadam rule;
  rule.weight_decay = 0.1, rule.decoupled_weight_decay = true;
  golden::tensor<nadam> one({2});
  one.step(rule, {0}, 0.5f);
  CHECK(one.state[0][0] == 0);
  CHECK(one.weights[0] == doctest::Approx(2 - 0.5 * 0.1 * 2));
  rule.momentum_decay = -1;
  CHECK(golden::refusal(rule) == "setting");
}
