// AMSGrad: Adam that divides by the largest mean of squares so far.
#pragma once
#include <amphora/detail/moments.hpp>       // moments
#include <amphora/detail/weight_decay.hpp>  // weight_decay
#include <amphora/optimizer/rule.hpp>       // no_scalars

namespace amphora { inline namespace AMPHORA_ABI {

/// AMSGrad on one element, in Adam's form or in AdamW's. The state is m, v, the largest v so far.
///
/// The largest v is kept before its bias correction, and corrected with the newest factor, as PyTorch does.
/// Source  Reddi, Kale and Kumar 2018, algorithm 2; torch.optim.Adam and AdamW with amsgrad = True
struct amsgrad {
  float learning_rate = 1e-3f;
  double beta1 = 0.9;                   ///< of the mean of gradients, in [0, 1)
  double beta2 = 0.999;                 ///< of the mean of squares, in [0, 1)
  double eps = 1e-8;                    ///< added to the root; at least 1.2e-38
  double weight_decay = 0;
  bool decoupled_weight_decay = false;  ///< AdamW's: lr · weight_decay · w is taken from w; otherwise it joins the gradient
  bool maximize = false;                ///< follow the gradient instead of descending

  static constexpr const char* name = "amsgrad";
  static constexpr int states = 3;
  struct now { detail::moments moments; detail::weight_decay decay; };

  /// Errors  setting  a setting outside its range
  constexpr void check() const {
    detail::require_learning_rate(name, learning_rate);
    detail::require_moments(name, beta1, beta2, eps);
    detail::require_decay(name, decoupled_weight_decay ? learning_rate : 0, weight_decay);
  }
  AMPHORA_HD now at(float lr, std::int64_t step) const {
    return {detail::moments::at(lr, step, beta1, beta2, eps), detail::weight_decay::at(lr, weight_decay, decoupled_weight_decay, maximize)};
  }
  AMPHORA_HD void operator()(real g, real& w, real* s, const now& n) const {
    n.moments.move(n.decay.gradient(g, w), s[0], s[1]);
    s[2] = (max)(s[2], s[1]);
    w = w - (n.moments.update(s[0], s[2]) + n.decay.lost(w));
  }
  template <class Rule, class Visit> static constexpr void settings(Rule& rule, Visit&& visit) {
    visit("learning_rate", rule.learning_rate), visit("beta1", rule.beta1), visit("beta2", rule.beta2);
    visit("eps", rule.eps), visit("weight_decay", rule.weight_decay);
    visit("decoupled_weight_decay", rule.decoupled_weight_decay), visit("maximize", rule.maximize);
  }
};

}}  // namespace amphora
