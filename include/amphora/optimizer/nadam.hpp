// NAdam: Adam with Nesterov's look ahead and a momentum that warms up.
#pragma once
#include <amphora/detail/moments.hpp>       // moments
#include <amphora/detail/weight_decay.hpp>  // weight_decay
#include <amphora/optimizer/rule.hpp>       // no_scalars

namespace amphora { inline namespace AMPHORA_ABI {

/// NAdam on one element. With µ_t = beta1 · (1 − ½ · 0.96^(t · momentum_decay)) and M_t the product of µ_1 … µ_t,
/// w ← w − lr · ((1 − µ_t) / (1 − M_t) · g + µ_{t+1} / (1 − M_{t+1}) · m) / (√v̂ + eps). The state is m, v.
///
/// M_t is a number of the rule's own: it moves on taken steps alone and is saved. It is a double; PyTorch's is a float.
/// Source  Dozat 2016; torch.optim.NAdam
struct nadam {
  float learning_rate = 2e-3f;
  double beta1 = 0.9;                   ///< of the mean of gradients, in [0, 1)
  double beta2 = 0.999;                 ///< of the mean of squares, in [0, 1)
  double eps = 1e-8;                    ///< added to √v̂; at least 1.2e-38
  double weight_decay = 0;
  double momentum_decay = 4e-3;         ///< from 0 to 1000
  bool decoupled_weight_decay = false;  ///< lr · weight_decay · w is taken from w; otherwise it joins the gradient
  bool maximize = false;                ///< follow the gradient instead of descending

  static constexpr const char* name = "nadam";
  static constexpr int states = 2;
  struct scalars {
    double momentum_product = 1;
    template <class Scalars, class Visit> static constexpr void fields(Scalars& own, Visit&& visit) { visit("momentum_product", own.momentum_product); }
  };
  struct now { detail::moments moments; detail::weight_decay decay; real along_g, along_m; };

  /// Errors  setting  a setting outside its range
  constexpr void check() const {
    detail::require_learning_rate(name, learning_rate);
    detail::require_moments(name, beta1, beta2, eps);
    detail::require_decay(name, decoupled_weight_decay ? learning_rate : 0, weight_decay);
    if (!detail::is_setting_in(momentum_decay, 0, 1000)) detail::fail("setting", "nadam has momentum_decay = ", momentum_decay, "; it must be from 0 to 1000");
  }
  AMPHORA_HD now at(float lr, std::int64_t step, scalars& own) const {
    const detail::rounded one = 1.0, rate = lr, here = momentum(step), next = momentum(step + 1);
    const detail::rounded product = here * own.momentum_product;
    own.momentum_product = product.x;
    return {detail::moments::at(lr, step, beta1, beta2, eps), detail::weight_decay::at(lr, weight_decay, decoupled_weight_decay, maximize),
            (rate * (one - here) / (one - product)).single(), (rate * next / (one - product * next)).single()};
  }
  AMPHORA_HD void operator()(real g, real& w, real* s, const now& n) const {
    g = n.decay.gradient(g, w);
    n.moments.move(g, s[0], s[1]);
    const real spread = n.moments.spread(s[1]);
    w = w - (n.along_g * (g / spread) + n.along_m * (s[0] / spread) + n.decay.lost(w));
  }
  template <class Rule, class Visit> static constexpr void settings(Rule& rule, Visit&& visit) {
    visit("learning_rate", rule.learning_rate), visit("beta1", rule.beta1), visit("beta2", rule.beta2);
    visit("eps", rule.eps), visit("weight_decay", rule.weight_decay), visit("momentum_decay", rule.momentum_decay);
    visit("decoupled_weight_decay", rule.decoupled_weight_decay), visit("maximize", rule.maximize);
  }

 private:
  AMPHORA_HD detail::rounded momentum(std::int64_t step) const {
    const detail::rounded log_of_fade = -0.040821994520255166;  // ln 0.96
    const detail::rounded fade = power(detail::exponential_of(log_of_fade * momentum_decay), step);
    return detail::rounded(beta1) * (detail::rounded(1.0) - fade * 0.5);
  }
};

}}  // namespace amphora
