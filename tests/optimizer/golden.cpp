#include "golden.hpp"

#include <nlohmann/json.hpp>

#include <fstream>

namespace golden {
namespace {

trajectory read_trajectory(const nlohmann::json& j) {
  trajectory result;
  for (const auto& point : j.at("trajectory")) result.weights[point.at("step")] = point.at("params").get<tensors>();
  for (const auto& tensor : j.at("final_state")) {
    auto& state = result.state.emplace_back();
    for (const auto& [name, value] : tensor.items()) state[name] = value.is_array() ? value.get<std::vector<double>>() : std::vector<double>{value.get<double>()};
  }
  return result;
}

file read() {
  const auto j = nlohmann::json::parse(std::ifstream(AMPHORA_TEST_DATA "/optimizer/torch_optimizers.json"));
  file result{j.at("start").get<tensors>(), j.at("gradients").get<std::vector<tensors>>(), {}};
  for (const auto& c : j.at("cases")) {
    run r{c.at("rule"), c.at("rule").get<std::string>() + " " + c.at("settings").dump(), {}, read_trajectory(c.at("f64")), read_trajectory(c.at("f32"))};
    for (const auto& [name, value] : c.at("settings").items()) {
      if (name == "betas") r.settings["beta1"] = value[0], r.settings["beta2"] = value[1];
      else r.settings[name == "lr" ? "learning_rate" : name] = value.is_boolean() ? value.get<bool>() : value.get<double>();
    }
    result.runs.push_back(std::move(r));
  }
  return result;
}

}  // namespace

const file& data() {
  static const file all = read();
  return all;
}

}  // namespace golden
