// What all tests of recipes share: the reference data, batches, settings, and how far from float64 a number may be.
#pragma once
#include <device_ops.hpp>  // of CUDA everything, of the host the kernels
#if !defined(AMPHORA_TEST_CUDA)
#include <amphora/amphora.hpp>
#endif
#include <amphora/ops.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

namespace amp = amphora;
using json = nlohmann::json;
using context_type = test_context;

inline std::vector<float> numbers(const json& tensor) { return tensor.at("values").get<std::vector<float>>(); }

inline amp::shape shape_of(const json& tensor) {
  const auto extents = tensor.at("shape").get<std::vector<std::int64_t>>();
  return {extents.data(), static_cast<int>(extents.size())};
}

inline json recipe(const std::string& name) {
  std::ifstream file(AMPHORA_TEST_DATA "/recipes/torch_recipes.json");
  const json all = json::parse(file);
  for (const json& each : all.at("recipes"))
    if (each.at("recipe") == name) return each;
  FAIL("no recipe ", name);
  return {};
}

inline amp::adamw adamw_of(const json& settings) {
  amp::adamw rule;
  rule.learning_rate = settings.at("lr"), rule.weight_decay = settings.at("weight_decay");
  return rule;
}
inline amp::sgd sgd_of(const json& settings) {
  amp::sgd rule;
  rule.learning_rate = settings.at("lr"), rule.momentum = settings.value("momentum", 0.0);
  return rule;
}
inline amp::growth growth() {
  amp::growth rule;
  rule.initial_scale = 1024, rule.growth_interval = 3;
  return rule;
}
/// The batch of a step.
struct batch {
  amp::tensor<float, context_type> inputs;
  amp::tensor<std::int64_t, context_type> targets;
  batch(context_type& context, const json& recipe, std::size_t i)
      : inputs(context, shape_of(recipe.at("inputs")[i])), targets(context, {static_cast<std::int64_t>(recipe.at("targets")[i].size())}) {
    amp::write(context, numbers(recipe.at("inputs")[i]), inputs);
    amp::write(context, recipe.at("targets")[i].get<std::vector<std::int64_t>>(), targets);
  }
};

/// The one number of a loss.
inline float wait_number(context_type& context, const amp::tensor<float, context_type>& loss) { return amp::wait_read(context, loss).at(0); }

/// Ours against float64, where PyTorch's float32 shows what error is normal: four times that, and at least the roundoff.
struct comparison {
  double error = 0, normal = 0, largest = 0;
  void add(double ours, double f64, double f32) {
    error = std::max(error, std::abs(ours - f64)), normal = std::max(normal, std::abs(f32 - f64)), largest = std::max(largest, std::abs(f64));
  }
  void check(const std::string& what) const {
    INFO(what, ": error ", error, ", PyTorch's in float32 ", normal);
    CHECK(error <= 4 * normal + 2 * amp::unit_roundoff_v<amp::f32> * largest);
  }
};

inline void check_list(const json& recipe, const char* what, const std::vector<double>& ours) {
  const json &f64 = recipe.at("f64").at(what), &f32 = recipe.at("f32_scaled").at(what);
  REQUIRE(ours.size() == f64.size());
  REQUIRE(ours.size() > 0);
  comparison all;
  for (std::size_t i = 0; i < ours.size(); ++i) all.add(ours[i], f64[i], f32[i]);
  all.check(what);
}
template <class Model>
void check_weights(context_type& context, const json& recipe, const std::string& name, const Model& m) {
  const char* names[] = {".w1", ".b1", ".w2", ".b2"};
  for (int which = 0; which < 4; ++which) {
    const auto f64 = recipe.at("f64").at("final").at(name + names[which]).at("values").get<std::vector<double>>();
    const auto f32 = recipe.at("f32_scaled").at("final").at(name + names[which]).at("values").get<std::vector<double>>();
    const auto ours = m.wait_master(context, which);
    REQUIRE(ours.size() == f64.size());
    comparison all;
    for (std::size_t i = 0; i < f64.size(); ++i) all.add(ours[i], f64[i], f32[i]);
    all.check(name + names[which]);
  }
}
inline void check_scales(const json& recipe, const std::vector<double>& ours) { CHECK(ours == recipe.at("f32_scaled").at("scale").get<std::vector<double>>()); }

inline bool holds(const json& list, std::size_t i) { return std::find(list.begin(), list.end(), i) != list.end(); }
