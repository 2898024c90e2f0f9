// Reference cases of losses: what a case says of its reduction, and what is right where PyTorch overflows.
#pragma once
#include <amphora/ops/loss_reduction.hpp>
#include <ops/golden.hpp>

#include <cmath>
#include <string>
#include <vector>

namespace golden {

inline constexpr const char* losses = "sensitive_loss.json";

inline amp::reduction reduction_of(const test_case& c) {
  const std::string name = c.option("reduction");
  return name == "none" ? amp::reduction::none : name == "sum" ? amp::reduction::sum : amp::reduction::mean;
}

/// Replaces the losses (and gradients of the input) of a case's elements by these, and its output by their reduction.
inline void replace_losses(test_case& c, const std::vector<double>& losses_of_elements, const std::vector<double>& slopes = {}) {
  const amp::reduction r = reduction_of(c);
  const double count = static_cast<double>(losses_of_elements.size()), divisor = r == amp::reduction::mean ? count : 1;
  double sum = 0;
  for (double loss : losses_of_elements) sum += loss;
  auto& values = c.data["outputs"]["output"]["values"];
  if (r == amp::reduction::none) values = losses_of_elements;
  else values[0] = sum / divisor;
  const array upstream = c.grad_output();
  for (std::size_t i = 0; i < slopes.size(); ++i)
    c.data["grads"]["input"]["values"][i] = slopes[i] * upstream.values[r == amp::reduction::none ? i : 0] / divisor;
}
/// Those cases where PyTorch's formulas leave the range, or take 0 · ∞, though the loss is finite.
inline void correct(test_case& c) {
  if (c.name().find("/edge_") == std::string::npos) return;
  if (c.data.at("op") == "binary_cross_entropy_with_logits") replace_losses(c, {std::log(2.0), 100, 100, 0, 1000, 0, 0});
  if (c.data.at("op") == "soft_margin_loss") replace_losses(c, {std::log(2.0), 100, std::exp(-100.0), 1000}, {-0.5, 1, std::exp(-100.0), 1});
}
inline std::vector<test_case> loss_cases(const char* op) {
  auto result = cases(losses, {op});
  for (test_case& c : result) correct(c);
  return result;
}

}  // namespace golden
