// AdamW: Adam with weight decay beside the gradient, not in it.
#pragma once
#include <amphora/detail/moments.hpp>       // moments
#include <amphora/detail/weight_decay.hpp>  // weight_decay
#include <amphora/optimizer/rule.hpp>       // no_scalars

namespace amphora { inline namespace AMPHORA_ABI {

/// AdamW on one element: w ← w − (lr · m̂ / (√v̂ + eps) + lr · weight_decay · w). The state is m, v.
///
/// The decay joins the update before either is rounded into w, so that a decay below w's last place still counts on average
/// (PyTorch first multiplies w by a rounded 1 − lr · weight_decay).
/// Source  Loshchilov and Hutter 2019, algorithm 2; torch.optim.AdamW
struct adamw {
  float learning_rate = 1e-3f;
  double beta1 = 0.9;          ///< of the mean of gradients, in [0, 1)
  double beta2 = 0.999;        ///< of the mean of squares, in [0, 1)
  double eps = 1e-8;           ///< added to √v̂; at least 1.2e-38
  double weight_decay = 0.01;  ///< · lr · w is taken from w
  bool maximize = false;       ///< follow the gradient instead of descending

  static constexpr const char* name = "adamw";
  static constexpr int states = 2;
  struct now { detail::moments moments; real sign, decay; };

  /// Errors  setting  a setting outside its range
  constexpr void check() const {
    detail::require_learning_rate(name, learning_rate);
    detail::require_moments(name, beta1, beta2, eps);
    detail::require_decay(name, learning_rate, weight_decay);
  }
  AMPHORA_HD now at(float lr, std::int64_t step) const {
    return {detail::moments::at(lr, step, beta1, beta2, eps), maximize ? -1.0f : 1.0f, (detail::rounded(lr) * weight_decay).single()};
  }
  AMPHORA_HD void operator()(real g, real& w, real* s, const now& n) const {
    n.moments.move(g * n.sign, s[0], s[1]);
    w = w - (n.moments.update(s[0], s[1]) + w * n.decay);
  }
  template <class Rule, class Visit> static constexpr void settings(Rule& rule, Visit&& visit) {
    visit("learning_rate", rule.learning_rate), visit("beta1", rule.beta1), visit("beta2", rule.beta2);
    visit("eps", rule.eps), visit("weight_decay", rule.weight_decay), visit("maximize", rule.maximize);
  }
};

}}  // namespace amphora
