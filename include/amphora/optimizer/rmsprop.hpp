// RMSprop: divides by the root of the running mean of squares, centred or not, with momentum or without.
#pragma once
#include <amphora/detail/rounded.hpp>       // rounded
#include <amphora/detail/setting.hpp>       // require_in
#include <amphora/detail/weight_decay.hpp>  // weight_decay
#include <amphora/optimizer/rule.hpp>       // no_scalars

namespace amphora { inline namespace AMPHORA_ABI {

/// RMSprop on one element: v ← α · v + (1 − α) · g², b ← momentum · b + g / (√v + eps), w ← w − lr · b.
/// Centred: √(v − a²) in place of √v, where a is the running mean of g. The state is v, a, b.
///
/// v − a² is held at 0 where rounding would make it negative (PyTorch's root is NaN there).
/// Source  Tieleman and Hinton 2012; Graves 2013, section 4.2, for the centred form; torch.optim.RMSprop
struct rmsprop {
  float learning_rate = 1e-2f;
  double alpha = 0.99;      ///< of the means, in [0, 1)
  double eps = 1e-8;        ///< added to the root; at least 1.2e-38
  double weight_decay = 0;  ///< · w is added to the gradient
  double momentum = 0;      ///< in [0, 1)
  bool centered = false;    ///< divide by the spread about the mean
  bool maximize = false;    ///< follow the gradient instead of descending

  static constexpr const char* name = "rmsprop";
  static constexpr int states = 3;
  struct now { detail::weight_decay decay; real size, keep, take, centre, momentum, eps; };

  /// Errors  setting  a setting outside its range
  constexpr void check() const {
    detail::require_learning_rate(name, learning_rate);
    detail::require_in(name, "alpha", alpha, 0, 1);
    detail::require_in(name, "momentum", momentum, 0, 1);
    detail::require_epsilon(name, eps);
    detail::require_off_or_normal(name, "weight_decay", weight_decay);
  }
  AMPHORA_HD now at(float lr, std::int64_t) const {
    return {detail::weight_decay::at(lr, weight_decay, false, maximize), lr, static_cast<float>(alpha), static_cast<float>(1 - alpha),
            centered ? 1.0f : 0.0f, static_cast<float>(momentum), static_cast<float>(eps)};
  }
  AMPHORA_HD void operator()(real g, real& w, real* s, const now& n) const {
    g = n.decay.gradient(g, w);
    s[0] = s[0] * n.keep + g * g * n.take;
    s[1] = (s[1] + (g - s[1]) * n.take) * n.centre;
    s[2] = s[2] * n.momentum + g / (sqrt((max)(s[0] - s[1] * s[1], real(0))) + n.eps);
    w = w - n.size * s[2];
  }
  template <class Rule, class Visit> static constexpr void settings(Rule& rule, Visit&& visit) {
    visit("learning_rate", rule.learning_rate), visit("alpha", rule.alpha), visit("eps", rule.eps);
    visit("weight_decay", rule.weight_decay), visit("momentum", rule.momentum), visit("centered", rule.centered);
    visit("maximize", rule.maximize);
  }
};

}}  // namespace amphora
