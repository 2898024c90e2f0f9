// Steps all parameters of a list by one rule: unscale, finite check, clip, skip, masters and model weights, in two passes.
#pragma once
#include <amphora/optimizer/clip.hpp>         // no_clip, on_overflow
#include <amphora/optimizer/gradients.hpp>    // gradient_list
#include <amphora/optimizer/rule.hpp>         // rule_traits
#include <amphora/optimizer/schedule.hpp>     // constant
#include <amphora/scale/outcome.hpp>          // outcome
#include <amphora/scale/scaled.hpp>           // scaled, unscaled
#include <amphora/tensor/parameter_view.hpp>  // parameter_view

#include <cstdint>  // int64_t
#include <vector>   // vector

namespace amphora { inline namespace AMPHORA_ABI {

/// What is being written; see the declarations for the interface that neighbours may rely on.
template <class Rule, class Context, class Schedule = constant>
class mixed_optimizer {
 public:
  mixed_optimizer(Context& context, const Rule& rule, std::vector<parameter_view> parameters, const Schedule& schedule = {});
  /// Groups: parameter_view::group is an index into rules.
  mixed_optimizer(Context& context, std::vector<Rule> rules, std::vector<parameter_view> parameters, const Schedule& schedule = {});

  /// The parameters' own gradient pointers, in their order.
  gradient_list gradients() const;
  const std::vector<parameter_view>& parameters() const;
  void set_parameters(Context& context, std::vector<parameter_view> parameters);  // other pointers, same sizes and order

  // outcome is [[nodiscard]]. Clip: no_clip, clip_global_norm, clip_value.
  template <class Gradients, class Clip = no_clip> outcome<Context> step(Context& context, scaled<Gradients>&& gradients, const Clip& clip = {});
  template <class Gradients, class Clip = no_clip> outcome<Context> step(Context& context, const unscaled<Gradients>& gradients, const Clip& clip = {});
  template <class Clip = no_clip> outcome<Context> step(Context& context, gradient_list gradients, const Clip& clip = {});

  // The same step in three calls, for what must join in between.
  template <class Gradients> void check(Context& context, scaled<Gradients>&& gradients);
  template <class Clip = no_clip> void decide(Context& context, const Clip& clip = {});
  outcome<Context> update(Context& context);

  void set_on_overflow(on_overflow choice);
  void set_learning_rate(Context& context, float learning_rate);             // all groups
  void set_learning_rate(Context& context, int group, float learning_rate);
  int groups() const;
  const Rule& rule(int group = 0) const;
  const Schedule& schedule() const;

  std::int64_t workspace_bytes() const;

  // For state files. Everything that a resumed run needs beside masters and model weights.
  float* state(int parameter, int which);                          // device, [n]: array `which` of Rule::states
  std::int64_t wait_step_count(Context& context, int parameter);   // PyTorch's state["step"], per tensor
  std::int64_t wait_taken(Context& context);                       // steps taken by the optimizer (what the schedule sees)
  std::int64_t wait_skipped(Context& context);
  typename rule_traits<Rule>::scalars wait_scalars(Context& context, int parameter);
  void load_step_count(Context& context, int parameter, std::int64_t count, const typename rule_traits<Rule>::scalars& scalars);
  void load_counters(Context& context, std::int64_t taken, std::int64_t skipped);
};

}}  // namespace amphora
