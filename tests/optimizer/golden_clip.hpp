// PyTorch's clip_grad_norm_ and clip_grad_value_: values of the reference data.
#pragma once
#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

namespace golden_clip {

inline double number(const nlohmann::json& j) {
  if (!j.is_string()) return j.get<double>();
  return j == "inf" ? std::numeric_limits<double>::infinity() : j == "-inf" ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
}
inline std::vector<float> floats(const nlohmann::json& j) {
  std::vector<float> result;
  for (const auto& x : j) result.push_back(static_cast<float>(number(x)));
  return result;
}
inline std::vector<double> doubles(const nlohmann::json& j) {
  std::vector<double> result;
  for (const auto& x : j) result.push_back(number(x));
  return result;
}
inline nlohmann::json read(const char* key) { return nlohmann::json::parse(std::ifstream(AMPHORA_TEST_DATA "/optimizer/torch_optimizers.json")).at(key); }

}  // namespace golden_clip
