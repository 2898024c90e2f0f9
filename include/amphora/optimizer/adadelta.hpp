// Adadelta: steps in the units of the weights, from running means of squares of gradients and of updates.
#pragma once
#include <amphora/detail/rounded.hpp>       // rounded
#include <amphora/detail/setting.hpp>       // require_in
#include <amphora/detail/weight_decay.hpp>  // weight_decay
#include <amphora/optimizer/rule.hpp>       // no_scalars

namespace amphora { inline namespace AMPHORA_ABI {

/// Adadelta on one element: v ← ρ · v + (1 − ρ) · g², d = √(a + eps) / √(v + eps) · g, a ← ρ · a + (1 − ρ) · d²,
/// w ← w − lr · d. The state is v, a.
///
/// Source  Zeiler 2012, algorithm 1; torch.optim.Adadelta
struct adadelta {
  float learning_rate = 1.0f;
  double rho = 0.9;         ///< of both means, in [0, 1)
  double eps = 1e-6;        ///< under both roots; at least 1.2e-38
  double weight_decay = 0;  ///< · w is added to the gradient
  bool maximize = false;    ///< follow the gradient instead of descending

  static constexpr const char* name = "adadelta";
  static constexpr int states = 2;
  struct now { detail::weight_decay decay; real size, keep, take, eps; };

  /// Errors  setting  a setting outside its range
  constexpr void check() const {
    detail::require_learning_rate(name, learning_rate);
    detail::require_in(name, "rho", rho, 0, 1);
    detail::require_epsilon(name, eps);
    detail::require_off_or_normal(name, "weight_decay", weight_decay);
  }
  AMPHORA_HD now at(float lr, std::int64_t) const {
    return {detail::weight_decay::at(lr, weight_decay, false, maximize), lr, static_cast<float>(rho), static_cast<float>(1 - rho),
            static_cast<float>(eps)};
  }
  AMPHORA_HD void operator()(real g, real& w, real* s, const now& n) const {
    g = n.decay.gradient(g, w);
    s[0] = s[0] * n.keep + g * g * n.take;
    const real d = sqrt(s[1] + n.eps) / sqrt(s[0] + n.eps) * g;
    s[1] = s[1] * n.keep + d * d * n.take;
    w = w - n.size * d;
  }
  template <class Rule, class Visit> static constexpr void settings(Rule& rule, Visit&& visit) {
    visit("learning_rate", rule.learning_rate), visit("rho", rule.rho), visit("eps", rule.eps);
    visit("weight_decay", rule.weight_decay), visit("maximize", rule.maximize);
  }
};

}}  // namespace amphora
