// Runs a rule over a pattern of finite (F) and non-finite (I) steps, and reads the reference data.
#pragma once
#include <amphora/scale/rule.hpp>  // next

#include <nlohmann/json.hpp>

#include <fstream>
#include <string>
#include <vector>

namespace scaling {

inline nlohmann::json data(const std::string& file) {
  std::ifstream in(std::string(AMPHORA_TEST_DATA) + "/scale/" + file);
  return nlohmann::json::parse(in);
}

/// The state after each step.
template <class Rule>
std::vector<amphora::scale_state> run(const Rule& rule, const std::string& pattern) {
  std::vector<amphora::scale_state> result;
  amphora::scale_state state = rule.start();
  for (char c : pattern) result.push_back(state = amphora::next(rule, state, c == 'I'));
  return result;
}

/// How many steps of one kind it takes until something is true of the state; -1 if it never is.
template <class Rule, class Until>
std::int64_t count(const Rule& rule, amphora::scale_state state, bool found, Until until, std::int64_t most = 500000) {
  for (std::int64_t steps = 1; steps <= most; ++steps)
    if (until(state = amphora::next(rule, state, found))) return steps;
  return -1;
}

}  // namespace scaling
