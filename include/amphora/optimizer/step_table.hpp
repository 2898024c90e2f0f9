// What the loops of a step read: plain structs of pointers, made on the host.
#pragma once
#include <amphora/optimizer/clip.hpp>         // clip_global_norm, clip_value, no_clip
#include <amphora/optimizer/gradients.hpp>    // gradient_view
#include <amphora/optimizer/rule.hpp>         // rule_traits
#include <amphora/scale/gradient_facts.hpp>   // gradient_facts
#include <amphora/scale/outcome.hpp>          // step_record, step_result
#include <amphora/tensor/parameter_view.hpp>  // model_pointer

#include <cstdint>  // int32_t, int64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// One parameter, without its gradient. What is null does not exist.
struct step_tensor {
  float* master;                                          ///< float weights that the rule updates, or null: targets[0] is updated in place
  model_pointer targets[1 + parameter_view::max_copies];  ///< written from the updated weights
  float* state;                                           ///< array k starts at state + k * stride
  std::int64_t stride;
  std::int64_t n;
  std::int32_t group;
  bool stochastic;
};

/// A clip as numbers, so that the kernels are compiled once for all clips.
struct clip_numbers {
  bool by_norm = false;
  double max = 0;
  double order = 2;
  float limit = 0;

  clip_numbers(const no_clip&) {}
  clip_numbers(const clip_global_norm& c) : by_norm(true), max{static_cast<double>(c.max)}, order(c.norm) {}
  clip_numbers(const clip_value& c) : limit(c.limit) {}
};

/// Narrows facts by a clip. norm_now is that of the values as they are read now, in the clip's order. Runs on the device.
AMPHORA_HD inline void narrow_facts(gradient_facts& f, const clip_numbers& clip, double norm_now) {
  if (clip.limit > 0) f.limit = f.limit > 0 && f.limit < clip.limit ? f.limit : clip.limit;
  if (!clip.by_norm || (f.found_non_finite && f.choice == on_overflow::skip)) return;
  const double ratio = clip.max / (norm_now + 1e-6);
  if (!(ratio < 1)) return;
  f.coefficient = static_cast<float>(static_cast<double>(f.coefficient) * ratio);
  if (f.limit > 0) f.limit = static_cast<float>(static_cast<double>(f.limit) * ratio);
}

struct step_counters {
  std::int64_t taken;    ///< what a schedule is a function of
  std::int64_t skipped;
};

/// The device memory of an optimizer.
template <class Rule>
struct step_memory {
  gradient_facts* facts;
  step_record* record;
  step_counters* counters;
  const Rule* rules;                            // [groups]
  const float* rates;                           // [groups]: base learning rates
  std::int64_t* steps;                          // [tensors]
  typename rule_traits<Rule>::scalars* scalars;  // [tensors]
  typename rule_traits<Rule>::now* nows;         // [tensors]
  real* trusts;                                 // [tensors], where the rule needs norms
};

/// Between the passes, on the device: nothing, skip, or step and with which numbers. `begin` runs once; where it says so, `tensor`
/// once for each parameter, in any order or at the same time.
template <class Rule, class Schedule>
struct step_decision {
  step_memory<Rule> memory;
  const step_tensor* tensors;
  const gradient_view* gradients;
  std::int64_t count;
  Schedule schedule;
  clip_numbers clip;

  static constexpr std::int64_t not_taken = -1;

  /// Value  how many steps were taken before this one, or not_taken
  AMPHORA_HD std::int64_t begin(double norm_now) const {
    gradient_facts& f = *memory.facts;
    step_record& r = *memory.record;
    r.found_non_finite = f.found_non_finite, r.changed = 0;
    if (!f.present) {
      r.result = step_result::nothing;
      return not_taken;
    }
    if (f.found_non_finite && f.choice == on_overflow::skip) {
      r.result = step_result::skipped;
      ++memory.counters->skipped;
      return not_taken;
    }
    r.result = step_result::stepped;
    r.changed = f.non_finite;
    narrow_facts(f, clip, norm_now);
    return memory.counters->taken++;
  }
  AMPHORA_HD void tensor(std::int64_t k, std::int64_t taken) const {
    if (!gradients[k].data) return;
    const int group = tensors[k].group;
    memory.nows[k] = rule_traits<Rule>::at(memory.rules[group], schedule(taken, memory.rates[group]), ++memory.steps[k], memory.scalars[k]);
  }
};

}}}  // namespace amphora::detail
