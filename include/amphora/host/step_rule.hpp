// A rule on one block of 64 elements, in the loops that the compiler makes vectors of.
#pragma once
#include <amphora/format/real.hpp>           // real
#include <amphora/host/level.hpp>            // AMPHORA_INLINE, AMPHORA_INDEPENDENT
#include <amphora/host/step_place.hpp>       // state_slots
#include <amphora/optimizer/rule.hpp>        // rule_traits
#include <amphora/optimizer/sum_order.hpp>   // step_block

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpass-failed"  // below -O2 nothing is vectorised
#endif

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// The rule on one block. Copies of all that is not written, so that no store can be thought to change it.
template <class Rule>
AMPHORA_INLINE void apply_rule(const Rule& rule, const typename rule_traits<Rule>::now& now, float factor, const float* x, float* w, float* const* state) {
  constexpr int states = rule_traits<Rule>::states;
  float* s[state_slots<Rule>];
  for (int k = 0; k < states; ++k) s[k] = state[k];
  AMPHORA_INDEPENDENT
  for (int i = 0; i < step_block; ++i) {
    real weight = w[i], own[state_slots<Rule>];
    for (int k = 0; k < states; ++k) own[k] = s[k][i];
    rule(real(x[i]) * real(factor), weight, own, now);
    w[i] = weight.x;
    for (int k = 0; k < states; ++k) s[k][i] = own[k].x;
  }
}
/// The direction on one block, left in x.
template <class Rule>
AMPHORA_INLINE void find_direction(const Rule& rule, const typename rule_traits<Rule>::now& now, float factor, float* x, const float* w, float* const* s) {
  constexpr int states = rule_traits<Rule>::states;
  for (int i = 0; i < step_block; ++i) {
    real own[state_slots<Rule>];
    for (int k = 0; k < states; ++k) own[k] = s[k][i];
    x[i] = rule.direction(real(x[i]) * real(factor), real(w[i]), own, now).x;
    for (int k = 0; k < states; ++k) s[k][i] = own[k].x;
  }
}
/// The second pass of a rule with norms on one block.
template <class Rule>
AMPHORA_INLINE void apply_trust(const Rule& rule, const typename rule_traits<Rule>::now& now, real trust, float factor, const float* x, float* w, float* const* s) {
  constexpr int states = rule_traits<Rule>::states;
  for (int i = 0; i < step_block; ++i) {
    real weight = w[i], own[state_slots<Rule>];
    for (int k = 0; k < states; ++k) own[k] = s[k][i];
    rule.apply(real(x[i]) * real(factor), trust, weight, own, now);
    w[i] = weight.x;
    for (int k = 0; k < states; ++k) s[k][i] = own[k].x;
  }
}

}}}  // namespace amphora::detail

#if defined(__clang__)
#pragma clang diagnostic pop
#endif
