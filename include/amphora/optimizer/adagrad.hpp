// Adagrad: divides by the root of the sum of all squares.
#pragma once
#include <amphora/detail/rounded.hpp>       // rounded
#include <amphora/detail/setting.hpp>       // require_in
#include <amphora/detail/weight_decay.hpp>  // weight_decay
#include <amphora/optimizer/rule.hpp>       // no_scalars

namespace amphora { inline namespace AMPHORA_ABI {

/// Adagrad on one element: h ← h + g², w ← w − lr / (1 + (t − 1) · lr_decay) · g / (√h + eps). The state is h.
///
/// The first taken step of a tensor adds initial_accumulator_value, so the state starts at zero like every other.
/// Source  Duchi, Hazan and Singer 2011; torch.optim.Adagrad
struct adagrad {
  float learning_rate = 1e-2f;
  double lr_decay = 0;                   ///< ≥ 0
  double weight_decay = 0;               ///< · w is added to the gradient
  double initial_accumulator_value = 0;  ///< ≥ 0
  double eps = 1e-10;                    ///< added to √h; at least 1.2e-38
  bool maximize = false;                 ///< follow the gradient instead of descending

  static constexpr const char* name = "adagrad";
  static constexpr int states = 1;
  struct now { detail::weight_decay decay; real size, start, eps; };

  /// Errors  setting  a setting outside its range
  constexpr void check() const {
    detail::require_learning_rate(name, learning_rate);
    detail::require_off_or_normal(name, "lr_decay", lr_decay);
    detail::require_off_or_normal(name, "weight_decay", weight_decay);
    detail::require_off_or_normal(name, "initial_accumulator_value", initial_accumulator_value);
    detail::require_epsilon(name, eps);
  }
  AMPHORA_HD now at(float lr, std::int64_t step) const {
    const detail::rounded past = static_cast<double>(step - 1), one = 1.0;
    return {detail::weight_decay::at(lr, weight_decay, false, maximize), (detail::rounded(lr) / (one + past * lr_decay)).single(),
            step == 1 ? static_cast<float>(initial_accumulator_value) : 0.0f, static_cast<float>(eps)};
  }
  AMPHORA_HD void operator()(real g, real& w, real* s, const now& n) const {
    g = n.decay.gradient(g, w);
    s[0] = s[0] + n.start + g * g;
    w = w - n.size * (g / (sqrt(s[0]) + n.eps));
  }
  template <class Rule, class Visit> static constexpr void settings(Rule& rule, Visit&& visit) {
    visit("learning_rate", rule.learning_rate), visit("lr_decay", rule.lr_decay);
    visit("weight_decay", rule.weight_decay), visit("initial_accumulator_value", rule.initial_accumulator_value);
    visit("eps", rule.eps), visit("maximize", rule.maximize);
  }
};

}}  // namespace amphora
