// Every run of the reference data through the whole step: masters in float, 16-bit copies, and the host's levels of instructions.
#include <amphora/optimizer/adadelta.hpp>
#include <amphora/optimizer/adagrad.hpp>
#include <amphora/optimizer/adam.hpp>
#include <amphora/optimizer/adamax.hpp>
#include <amphora/optimizer/adamw.hpp>
#include <amphora/optimizer/amsgrad.hpp>
#include <amphora/optimizer/lamb.hpp>
#include <amphora/optimizer/lars.hpp>
#include <amphora/optimizer/lion.hpp>
#include <amphora/optimizer/mixed_optimizer.hpp>  // mixed_optimizer
#include <amphora/optimizer/nadam.hpp>
#include <amphora/optimizer/radam.hpp>
#include <amphora/optimizer/rmsprop.hpp>
#include <amphora/optimizer/sgd.hpp>

#include "golden.hpp"

#include <device.hpp>  // test_context, device_array

namespace amp = amphora;

namespace {

/// The reference's gradients are exact in f16 and in bf16, so its float64 weights are the truth for them too.
template <class Gradient, class Rule>
void follow_run(const golden::run& r, const Rule& rule, int level) {
  const auto& file = golden::data();
  test_context context;
  std::vector<device_array<float>> masters;
  std::vector<device_array<Gradient>> gradients;
  std::vector<device_array<amp::float16>> models;
  for (const auto& start : file.start) {
    masters.emplace_back(context, std::vector<float>(start.begin(), start.end()));
    gradients.emplace_back(context, start.size(), Gradient(0.0f)), models.emplace_back(context, start.size());
  }
  std::vector<amp::parameter_view> list;
  for (std::size_t t = 0; t < masters.size(); ++t) list.emplace_back(masters[t].data(), models[t].data(), gradients[t].data(), nullptr, static_cast<std::int64_t>(masters[t].size()));
  amp::mixed_optimizer optimizer{context, rule, list};
  optimizer.limit_level(level);
  for (std::size_t step = 1; step <= file.gradients.size(); ++step) {
    for (std::size_t t = 0; t < masters.size(); ++t) {
      std::vector<Gradient> gradient;
      for (double g : file.gradients[step - 1][t]) {
        gradient.emplace_back(static_cast<float>(g));
        REQUIRE(static_cast<double>(static_cast<float>(gradient.back())) == g);
      }
      gradients[t].set(gradient);
    }
    auto outcome = optimizer.step(context, optimizer.gradients());
    REQUIRE(outcome.wait_result(context) == amp::step_result::stepped);
    const auto recorded = r.f64.weights.find(static_cast<int>(step));
    if (recorded == r.f64.weights.end()) continue;
    CAPTURE(step);
    for (std::size_t t = 0; t < masters.size(); ++t) {
      const std::vector<float> weights = masters[t].get();
      const std::vector<amp::float16> copies = models[t].get();
      golden::check_close(weights, recorded->second[t], r.f32.weights.at(static_cast<int>(step))[t]);
      for (std::size_t i = 0; i < weights.size(); ++i) CHECK(static_cast<float>(copies[i]) == static_cast<float>(amp::float16(weights[i])));
    }
  }
}

template <class Rule> int follow() {
  int runs = 0;
  for (const golden::run& r : golden::data().runs) {
    if (r.rule != Rule::name) continue;
    ++runs;
    CAPTURE(r.text);
    const Rule rule = golden::configured<Rule>(r);
    if (!tests_cuda) follow_run<amp::float16>(r, rule, 0);
    follow_run<amp::float16>(r, rule, 2);
    follow_run<float>(r, rule, 1);
  }
  return runs;
}

}  // namespace

TEST_CASE("every reference run of every rule comes out of the mixed step as out of the bare rule") {
  CHECK(follow<amp::sgd>() == 6);
  CHECK(follow<amp::adam>() == 4);
  CHECK(follow<amp::amsgrad>() == 4);
  CHECK(follow<amp::adamw>() == 3);
  CHECK(follow<amp::adagrad>() == 2);
  CHECK(follow<amp::rmsprop>() == 4);
  CHECK(follow<amp::adadelta>() == 2);
  CHECK(follow<amp::adamax>() == 2);
  CHECK(follow<amp::nadam>() == 2);
  CHECK(follow<amp::radam>() == 2);
  CHECK(follow<amp::lion>() == 2);
  CHECK(follow<amp::lamb>() == 2);
  CHECK(follow<amp::lars>() == 2);
}
