// LARS: SGD whose gradient is as long as a share of each tensor's own norm.
#pragma once
#include <amphora/detail/rounded.hpp>       // rounded
#include <amphora/detail/setting.hpp>       // require_in
#include <amphora/detail/weight_decay.hpp>  // weight_decay
#include <amphora/optimizer/rule.hpp>       // no_scalars

namespace amphora { inline namespace AMPHORA_ABI {

/// LARS on one element: d = r · (g + weight_decay · w) with r = trust_coeff · ‖w‖ / (‖g‖ + weight_decay · ‖w‖ + eps), then
/// sgd's momentum with d. The state is b.
///
/// r is 1 where either norm is 0. The first taken step of a tensor sets b to d, undamped.
/// Source  You, Gitman and Ginsburg 2017, algorithm 1; timm.optim.Lars
struct lars {
  float learning_rate = 1.0f;
  double momentum = 0;          ///< in [0, 1)
  double dampening = 0;         ///< in [0, 1]
  double weight_decay = 0;      ///< · w is added to the gradient
  double trust_coeff = 0.001;   ///< > 0
  double eps = 1e-8;            ///< added to the norms; at least 1.2e-38
  bool nesterov = false;        ///< step along d + momentum · b; needs a momentum and no dampening
  bool always_adapt = false;    ///< use the ratio with a weight decay of 0 too
  bool trust_clip = false;      ///< LARC: hold r · lr at lr at most, r being divided by lr

  static constexpr const char* name = "lars";
  static constexpr int states = 1;
  static constexpr bool needs_norms = true;
  struct now { real size, decay, keep, take, along_d, along_b, adapts; };

  /// Errors  setting  a setting outside its range, or nesterov without momentum or with dampening
  constexpr void check() const {
    detail::require_learning_rate(name, learning_rate);
    detail::require_in(name, "momentum", momentum, 0, 1);
    detail::require_share(name, "dampening", dampening);
    detail::require_off_or_normal(name, "weight_decay", weight_decay);
    detail::require_epsilon(name, eps);
    if (!detail::is_setting_in(trust_coeff, 0, f32::largest) || trust_coeff == 0) detail::fail("setting", "lars has trust_coeff = ", trust_coeff, "; it must be above 0");
    if (nesterov && (momentum == 0 || dampening != 0)) detail::fail("setting", "lars with nesterov needs a momentum above 0 and dampening 0");
  }
  AMPHORA_HD now at(float lr, std::int64_t step) const {
    const bool plain = step == 1 || momentum == 0;
    return {lr, static_cast<float>(weight_decay), plain ? 0.0f : static_cast<float>(momentum), plain ? 1.0f : static_cast<float>(1 - dampening),
            nesterov ? 1.0f : 0.0f, nesterov ? static_cast<float>(momentum) : 1.0f, weight_decay != 0 || always_adapt ? 1.0f : 0.0f};
  }
  /// The gradient itself: its norm is the one that is asked for. Writes nothing.
  AMPHORA_HD real direction(real g, real, real*, const now&) const { return g; }
  AMPHORA_HD real trust(double weight_norm, double gradient_norm, const now& n) const {
    if (n.adapts.x == 0 || !(weight_norm > 0 && gradient_norm > 0)) return 1.0f;
    const detail::rounded norm = weight_norm, sum = detail::rounded(gradient_norm) + norm * weight_decay + eps;
    const detail::rounded ratio = norm * trust_coeff / sum;
    const double clipped = trust_clip && n.size.x > 0 ? (ratio / n.size.x).x : ratio.x;
    const double most = trust_clip ? 1.0 : f32::largest;
    return static_cast<float>(clipped < most ? clipped : most);
  }
  AMPHORA_HD void apply(real g, real trust, real& w, real* s, const now& n) const {
    g = (g + w * n.decay) * trust;
    s[0] = s[0] * n.keep + g * n.take;
    w = w - n.size * (g * n.along_d + s[0] * n.along_b);
  }
  template <class Rule, class Visit> static constexpr void settings(Rule& rule, Visit&& visit) {
    visit("learning_rate", rule.learning_rate), visit("momentum", rule.momentum), visit("dampening", rule.dampening);
    visit("weight_decay", rule.weight_decay), visit("trust_coeff", rule.trust_coeff), visit("eps", rule.eps);
    visit("nesterov", rule.nesterov), visit("always_adapt", rule.always_adapt), visit("trust_clip", rule.trust_clip);
  }
};

}}  // namespace amphora
