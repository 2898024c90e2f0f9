// RAdam: Adam whose first steps leave out a division that too few gradients cannot support.
#pragma once
#include <amphora/detail/moments.hpp>       // moments
#include <amphora/detail/weight_decay.hpp>  // weight_decay
#include <amphora/optimizer/rule.hpp>       // no_scalars

namespace amphora { inline namespace AMPHORA_ABI {

/// RAdam on one element: w ← w − lr · r_t · √(1 − beta2^t) · m̂ / (√v + eps) once ρ_t > 5, and w ← w − lr · m̂ before.
/// The state is m, v.
///
/// Source  Liu et al. 2020, algorithm 2; torch.optim.RAdam, which takes 5 for the paper's 4 and adds eps to √v
struct radam {
  float learning_rate = 1e-3f;
  double beta1 = 0.9;                   ///< of the mean of gradients, in [0, 1)
  double beta2 = 0.999;                 ///< of the mean of squares, in [0, 1)
  double eps = 1e-8;                    ///< added to √v; at least 1.2e-38
  double weight_decay = 0;
  bool decoupled_weight_decay = false;  ///< lr · weight_decay · w is taken from w; otherwise it joins the gradient
  bool maximize = false;                ///< follow the gradient instead of descending

  static constexpr const char* name = "radam";
  static constexpr int states = 2;
  struct now { detail::moments moments; detail::weight_decay decay; real size, root, eps; };

  /// Errors  setting  a setting outside its range
  constexpr void check() const {
    detail::require_learning_rate(name, learning_rate);
    detail::require_moments(name, beta1, beta2, eps);
    detail::require_decay(name, decoupled_weight_decay ? learning_rate : 0, weight_decay);
  }
  AMPHORA_HD now at(float lr, std::int64_t step) const {
    const detail::rounded one = 1.0, two = 2.0, four = 4.0, count = static_cast<double>(step);
    const detail::rounded faded = power(detail::rounded(beta2), step), left = one - faded;
    const detail::rounded limit = two / (one - beta2) - one, length = limit - two * count * faded / left;
    const bool divides = length.x > 5;
    const detail::rounded rectified = sqrt((length - four) * (length - two) * limit / ((limit - four) * (limit - two) * length));
    const detail::rounded rate = detail::rounded(lr) / (one - power(detail::rounded(beta1), step));
    return {detail::moments::at(lr, step, beta1, beta2, eps), detail::weight_decay::at(lr, weight_decay, decoupled_weight_decay, maximize),
            (divides ? rate * rectified * sqrt(left) : rate).single(), divides ? 1.0f : 0.0f, divides ? static_cast<float>(eps) : 1.0f};
  }
  AMPHORA_HD void operator()(real g, real& w, real* s, const now& n) const {
    n.moments.move(n.decay.gradient(g, w), s[0], s[1]);
    const real spread = (min)(sqrt(s[1]), real(static_cast<float>(f32::largest))) * n.root + n.eps;  // 1 where it does not divide
    w = w - (n.size * (s[0] / spread) + n.decay.lost(w));
  }
  template <class Rule, class Visit> static constexpr void settings(Rule& rule, Visit&& visit) {
    visit("learning_rate", rule.learning_rate), visit("beta1", rule.beta1), visit("beta2", rule.beta2);
    visit("eps", rule.eps), visit("weight_decay", rule.weight_decay);
    visit("decoupled_weight_decay", rule.decoupled_weight_decay), visit("maximize", rule.maximize);
  }
};

}}  // namespace amphora
