// Adam: both moments of the gradient, weight decay added to the gradient.
#pragma once
#include <amphora/detail/rounded.hpp>  // rounded
#include <amphora/detail/setting.hpp>  // require_in
#include <amphora/optimizer/rule.hpp>  // no_scalars

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// What the members of Adam's family share: bias-corrected running means of the gradient and of its square.
struct moments {
  real take1, keep2, take2, size, root, eps;

  AMPHORA_HD static moments at(rounded lr, std::int64_t step, rounded beta1, rounded beta2, rounded eps) {
    const rounded one = 1.0;
    return {(one - beta1).single(), beta2.single(), (one - beta2).single(), (lr / (one - power(beta1, step))).single(),
            (one / sqrt(one - power(beta2, step))).single(), eps.single()};
  }
  AMPHORA_HD void move(real g, real& first, real& second) const {
    first = first + (g - first) * take1;
    second = second * keep2 + g * g * take2;
  }
  /// lr · m̂ / (√v̂ + eps)
  AMPHORA_HD real update(real first, real second) const { return size * (first / (sqrt(second) * root + eps)); }
};

constexpr void require_moments(const char* rule, double beta1, double beta2, double eps) {
  require_in(rule, "beta1", beta1, 0, 1);
  require_in(rule, "beta2", beta2, 0, 1);
  require_epsilon(rule, eps);
}

}  // namespace detail

/// Adam on one element. Its weight decay is added to the gradient, so the moments see it; adamw's is not.
///
/// The state is m, v. Settings are PyTorch's; betas are double, since 1 − 0.999f is 5e-5 off.
/// Source  Kingma and Ba 2015, algorithm 1; torch.optim.Adam
struct adam {
  float learning_rate = 1e-3f;
  double beta1 = 0.9;         ///< of the mean of gradients, in [0, 1)
  double beta2 = 0.999;       ///< of the mean of squares, in [0, 1)
  double eps = 1e-8;          ///< added to √v̂; at least 1.2e-38
  double weight_decay = 0;    ///< · w is added to the gradient
  bool maximize = false;      ///< follow the gradient instead of descending

  static constexpr const char* name = "adam";
  static constexpr int states = 2;
  struct now { detail::moments moments; real sign, decay; };

  /// Errors  setting  a setting outside its range
  constexpr void check() const {
    detail::require_learning_rate(name, learning_rate);
    detail::require_moments(name, beta1, beta2, eps);
    detail::require_off_or_normal(name, "weight_decay", weight_decay);
  }
  AMPHORA_HD now at(float lr, std::int64_t step) const {
    return {detail::moments::at(lr, step, beta1, beta2, eps), maximize ? -1.0f : 1.0f, static_cast<float>(weight_decay)};
  }
  AMPHORA_HD void operator()(real g, real& w, real* s, const now& n) const {
    n.moments.move(g * n.sign + w * n.decay, s[0], s[1]);
    w = w - n.moments.update(s[0], s[1]);
  }
  template <class Rule, class Visit> static constexpr void settings(Rule& rule, Visit&& visit) {
    visit("learning_rate", rule.learning_rate), visit("beta1", rule.beta1), visit("beta2", rule.beta2), visit("eps", rule.eps), visit("weight_decay", rule.weight_decay);
    visit("maximize", rule.maximize);
  }
};

}}  // namespace amphora
