// Stochastic gradient descent, with momentum or without.
#pragma once
#include <amphora/detail/rounded.hpp>       // rounded
#include <amphora/detail/setting.hpp>       // require_in
#include <amphora/detail/weight_decay.hpp>  // weight_decay
#include <amphora/optimizer/rule.hpp>       // no_scalars

namespace amphora { inline namespace AMPHORA_ABI {

/// SGD on one element: b ← momentum · b + (1 − dampening) · g, w ← w − lr · b. The state is b.
///
/// The first taken step of a tensor sets b to g, undamped, as PyTorch does. That it is the first follows from the tensor's
/// step count, so it is saved with it.
/// Source  Sutskever et al. 2013 in the form of torch.optim.SGD
struct sgd {
  float learning_rate = 1e-3f;
  double momentum = 0;                  ///< in [0, 1)
  double dampening = 0;                 ///< in [0, 1]
  double weight_decay = 0;
  bool nesterov = false;                ///< step along g + momentum · b; needs a momentum and no dampening
  bool decoupled_weight_decay = false;  ///< lr · weight_decay · w is taken from w; otherwise it joins the gradient
  bool maximize = false;                ///< follow the gradient instead of descending

  static constexpr const char* name = "sgd";
  static constexpr int states = 1;
  struct now { detail::weight_decay decay; real size, keep, take, along_g, along_b; };

  /// Errors  setting  a setting outside its range, or nesterov without momentum or with dampening
  constexpr void check() const {
    detail::require_learning_rate(name, learning_rate);
    detail::require_in(name, "momentum", momentum, 0, 1);
    detail::require_share(name, "dampening", dampening);
    detail::require_decay(name, decoupled_weight_decay ? learning_rate : 0, weight_decay);
    if (nesterov && (momentum == 0 || dampening != 0)) detail::fail("setting", "sgd with nesterov needs a momentum above 0 and dampening 0");
  }
  AMPHORA_HD now at(float lr, std::int64_t step) const {
    const bool plain = step == 1 || momentum == 0;
    return {detail::weight_decay::at(lr, weight_decay, decoupled_weight_decay, maximize), lr,
            plain ? 0.0f : static_cast<float>(momentum), plain ? 1.0f : static_cast<float>(1 - dampening),
            nesterov ? 1.0f : 0.0f, nesterov ? static_cast<float>(momentum) : 1.0f};
  }
  AMPHORA_HD void operator()(real g, real& w, real* s, const now& n) const {
    g = n.decay.gradient(g, w);
    s[0] = s[0] * n.keep + g * n.take;
    w = w - (n.size * (g * n.along_g + s[0] * n.along_b) + n.decay.lost(w));
  }
  template <class Rule, class Visit> static constexpr void settings(Rule& rule, Visit&& visit) {
    visit("learning_rate", rule.learning_rate), visit("momentum", rule.momentum), visit("dampening", rule.dampening);
    visit("weight_decay", rule.weight_decay), visit("nesterov", rule.nesterov);
    visit("decoupled_weight_decay", rule.decoupled_weight_decay), visit("maximize", rule.maximize);
  }
};

/// sgd without momentum, and so without state: w ← w − lr · g.
struct plain_sgd {
  float learning_rate = 1e-3f;
  double weight_decay = 0;
  bool decoupled_weight_decay = false;  ///< lr · weight_decay · w is taken from w; otherwise it joins the gradient
  bool maximize = false;                ///< follow the gradient instead of descending

  static constexpr const char* name = "plain_sgd";
  static constexpr int states = 0;
  struct now { detail::weight_decay decay; real size; };

  /// Errors  setting  a setting outside its range
  constexpr void check() const {
    detail::require_learning_rate(name, learning_rate);
    detail::require_decay(name, decoupled_weight_decay ? learning_rate : 0, weight_decay);
  }
  AMPHORA_HD now at(float lr, std::int64_t) const { return {detail::weight_decay::at(lr, weight_decay, decoupled_weight_decay, maximize), lr}; }
  AMPHORA_HD void operator()(real g, real& w, real*, const now& n) const { w = w - (n.size * n.decay.gradient(g, w) + n.decay.lost(w)); }
  template <class Rule, class Visit> static constexpr void settings(Rule& rule, Visit&& visit) {
    visit("learning_rate", rule.learning_rate), visit("weight_decay", rule.weight_decay);
    visit("decoupled_weight_decay", rule.decoupled_weight_decay), visit("maximize", rule.maximize);
  }
};

}}  // namespace amphora
