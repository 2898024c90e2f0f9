// Adamax: Adam with the largest recent gradient in place of the root of the mean of squares.
#pragma once
#include <amphora/detail/moments.hpp>       // moments
#include <amphora/detail/weight_decay.hpp>  // weight_decay
#include <amphora/optimizer/rule.hpp>       // no_scalars

namespace amphora { inline namespace AMPHORA_ABI {

/// Adamax on one element: u ← max(beta2 · u, |g| + eps), w ← w − lr · m̂ / u. The state is m, u.
///
/// Source  Kingma and Ba 2015, algorithm 2; torch.optim.Adamax, which puts eps there
struct adamax {
  float learning_rate = 2e-3f;
  double beta1 = 0.9;       ///< of the mean of gradients, in [0, 1)
  double beta2 = 0.999;     ///< by which the largest gradient fades, in [0, 1)
  double eps = 1e-8;        ///< added to |g|; at least 1.2e-38
  double weight_decay = 0;  ///< · w is added to the gradient
  bool maximize = false;    ///< follow the gradient instead of descending

  static constexpr const char* name = "adamax";
  static constexpr int states = 2;
  struct now { detail::weight_decay decay; real take, keep, size, eps; };

  /// Errors  setting  a setting outside its range
  constexpr void check() const {
    detail::require_learning_rate(name, learning_rate);
    detail::require_moments(name, beta1, beta2, eps);
    detail::require_off_or_normal(name, "weight_decay", weight_decay);
  }
  AMPHORA_HD now at(float lr, std::int64_t step) const {
    const detail::rounded one = 1.0;
    return {detail::weight_decay::at(lr, weight_decay, false, maximize), static_cast<float>(1 - beta1), static_cast<float>(beta2),
            (detail::rounded(lr) / (one - power(detail::rounded(beta1), step))).single(), static_cast<float>(eps)};
  }
  AMPHORA_HD void operator()(real g, real& w, real* s, const now& n) const {
    g = n.decay.gradient(g, w);
    s[0] = s[0] + (g - s[0]) * n.take;
    s[1] = (max)(s[1] * n.keep, abs(g) + n.eps);
    w = w - n.size * (s[0] / s[1]);
  }
  template <class Rule, class Visit> static constexpr void settings(Rule& rule, Visit&& visit) {
    visit("learning_rate", rule.learning_rate), visit("beta1", rule.beta1), visit("beta2", rule.beta2);
    visit("eps", rule.eps), visit("weight_decay", rule.weight_decay), visit("maximize", rule.maximize);
  }
};

}}  // namespace amphora
