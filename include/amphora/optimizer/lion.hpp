// Lion: steps by the sign of a mean of gradients.
#pragma once
#include <amphora/detail/moments.hpp>       // moments
#include <amphora/detail/weight_decay.hpp>  // weight_decay
#include <amphora/optimizer/rule.hpp>       // no_scalars

namespace amphora { inline namespace AMPHORA_ABI {

/// Lion on one element: w ← w − lr · (sign(beta1 · m + (1 − beta1) · g) + weight_decay · w), m ← beta2 · m + (1 − beta2) · g.
/// The sign of zero is zero. The state is m.
///
/// Source  Chen et al. 2023, algorithm 2; lion-pytorch
struct lion {
  float learning_rate = 1e-4f;
  double beta1 = 0.9;        ///< of the mean whose sign is taken, in [0, 1)
  double beta2 = 0.99;       ///< of the mean that is kept, in [0, 1)
  double weight_decay = 0;   ///< · lr · w is taken from w
  bool maximize = false;     ///< follow the gradient instead of descending

  static constexpr const char* name = "lion";
  static constexpr int states = 1;
  struct now { real sign, size, decay, keep1, take1, keep2, take2; };

  /// Errors  setting  a setting outside its range
  constexpr void check() const {
    detail::require_learning_rate(name, learning_rate);
    detail::require_betas(name, beta1, beta2);
    detail::require_decay(name, learning_rate, weight_decay);
  }
  AMPHORA_HD now at(float lr, std::int64_t) const {
    return {maximize ? -1.0f : 1.0f, lr, (detail::rounded(lr) * weight_decay).single(), static_cast<float>(beta1), static_cast<float>(1 - beta1),
            static_cast<float>(beta2), static_cast<float>(1 - beta2)};
  }
  AMPHORA_HD void operator()(real g, real& w, real* s, const now& n) const {
    g = g * n.sign;
    const real mean = s[0] * n.keep1 + g * n.take1;
    w = w - ((mean > real(0) ? n.size : mean < real(0) ? -n.size : real(0)) + w * n.decay);
    s[0] = s[0] * n.keep2 + g * n.take2;
  }
  template <class Rule, class Visit> static constexpr void settings(Rule& rule, Visit&& visit) {
    visit("learning_rate", rule.learning_rate), visit("beta1", rule.beta1), visit("beta2", rule.beta2);
    visit("weight_decay", rule.weight_decay), visit("maximize", rule.maximize);
  }
};

}}  // namespace amphora
