// LAMB: Adam's direction with weight decay, as long as a share of each tensor's own norm.
#pragma once
#include <amphora/detail/moments.hpp>       // moments
#include <amphora/detail/weight_decay.hpp>  // weight_decay
#include <amphora/optimizer/rule.hpp>       // no_scalars

namespace amphora { inline namespace AMPHORA_ABI {

/// LAMB on one element: u = m̂ / (√v̂ + eps) + weight_decay · w, w ← w − lr · (‖w‖ / ‖u‖) · u. The state is m, v.
///
/// Pass one moves the moments and gives u for its norm; pass two makes u again from the moments and w, so no array holds
/// it. The ratio is 1 where either norm is 0. The paper's clipping by the global norm is the step's clip, not the rule's.
/// Source  You et al. 2020, algorithm 2; timm.optim.Lamb
struct lamb {
  float learning_rate = 1e-3f;
  double beta1 = 0.9;           ///< of the mean of gradients, in [0, 1)
  double beta2 = 0.999;         ///< of the mean of squares, in [0, 1)
  double eps = 1e-6;            ///< added to √v̂; at least 1.2e-38
  double weight_decay = 0.01;   ///< · w joins the direction
  bool always_adapt = false;    ///< use the ratio with a weight decay of 0 too
  bool trust_clip = false;      ///< hold the ratio at 1 at most

  static constexpr const char* name = "lamb";
  static constexpr int states = 2;
  static constexpr bool needs_norms = true;
  struct now { detail::moments moments; real size, decay, adapts, largest; };

  /// Errors  setting  a setting outside its range
  constexpr void check() const {
    detail::require_learning_rate(name, learning_rate);
    detail::require_moments(name, beta1, beta2, eps);
    detail::require_off_or_normal(name, "weight_decay", weight_decay);
  }
  AMPHORA_HD now at(float lr, std::int64_t step) const {
    return {detail::moments::at(1.0, step, beta1, beta2, eps), lr, static_cast<float>(weight_decay),
            weight_decay != 0 || always_adapt ? 1.0f : 0.0f, trust_clip ? 1.0f : static_cast<float>(f32::largest)};
  }
  AMPHORA_HD real direction(real g, real w, real* s, const now& n) const {
    n.moments.move(g, s[0], s[1]);
    return n.moments.update(s[0], s[1]) + w * n.decay;
  }
  AMPHORA_HD real trust(double weight_norm, double direction_norm, const now& n) const {
    const bool adapts = n.adapts.x != 0 && weight_norm > 0 && direction_norm > 0;
    const double ratio = adapts ? weight_norm / direction_norm : 1.0;
    return ratio < n.largest.x ? static_cast<float>(ratio) : n.largest.x;
  }
  AMPHORA_HD void apply(real, real trust, real& w, real* s, const now& n) const {
    w = w - n.size * (trust * (n.moments.update(s[0], s[1]) + w * n.decay));
  }
  template <class Rule, class Visit> static constexpr void settings(Rule& rule, Visit&& visit) {
    visit("learning_rate", rule.learning_rate), visit("beta1", rule.beta1), visit("beta2", rule.beta2);
    visit("eps", rule.eps), visit("weight_decay", rule.weight_decay), visit("always_adapt", rule.always_adapt);
    visit("trust_clip", rule.trust_clip);
  }
};

}}  // namespace amphora
