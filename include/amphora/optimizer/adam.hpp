// Adam: running means of the gradient and of its square, weight decay added to the gradient.
#pragma once
#include <amphora/detail/moments.hpp>       // moments
#include <amphora/detail/weight_decay.hpp>  // weight_decay
#include <amphora/optimizer/rule.hpp>       // no_scalars

namespace amphora { inline namespace AMPHORA_ABI {

/// Adam on one element: w ← w − lr · m̂ / (√v̂ + eps). Its weight decay is added to the gradient, so the moments see it;
/// adamw's is not. The state is m, v.
///
/// Settings are PyTorch's, by name and default; all but the learning rate are double, since 1 − 0.999f is 5e-5 off.
/// Source  Kingma and Ba 2015, algorithm 1; torch.optim.Adam
struct adam {
  float learning_rate = 1e-3f;
  double beta1 = 0.9;        ///< of the mean of gradients, in [0, 1)
  double beta2 = 0.999;      ///< of the mean of squares, in [0, 1)
  double eps = 1e-8;         ///< added to √v̂; at least 1.2e-38
  double weight_decay = 0;   ///< · w is added to the gradient
  bool maximize = false;     ///< follow the gradient instead of descending

  static constexpr const char* name = "adam";
  static constexpr int states = 2;
  struct now { detail::moments moments; detail::weight_decay decay; };

  /// Errors  setting  a setting outside its range
  constexpr void check() const {
    detail::require_learning_rate(name, learning_rate);
    detail::require_moments(name, beta1, beta2, eps);
    detail::require_off_or_normal(name, "weight_decay", weight_decay);
  }
  AMPHORA_HD now at(float lr, std::int64_t step) const {
    return {detail::moments::at(lr, step, beta1, beta2, eps), detail::weight_decay::at(lr, weight_decay, false, maximize)};
  }
  AMPHORA_HD void operator()(real g, real& w, real* s, const now& n) const {
    n.moments.move(n.decay.gradient(g, w), s[0], s[1]);
    w = w - n.moments.update(s[0], s[1]);
  }
  template <class Rule, class Visit> static constexpr void settings(Rule& rule, Visit&& visit) {
    visit("learning_rate", rule.learning_rate), visit("beta1", rule.beta1), visit("beta2", rule.beta2);
    visit("eps", rule.eps), visit("weight_decay", rule.weight_decay), visit("maximize", rule.maximize);
  }
};

}}  // namespace amphora
