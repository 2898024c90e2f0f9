// What of an optimizer outlives a step: settings of its groups, state arrays, counts; and what the last step found.
#pragma once
#include <amphora/error.hpp>                       // fail
#include <amphora/optimizer/kernels.hpp>           // step_kernels
#include <amphora/optimizer/optimizer_memory.hpp>  // optimizer_memory
#include <amphora/optimizer/rule.hpp>              // rule_traits
#include <amphora/optimizer/step_list.hpp>         // step_list
#include <amphora/scale/gradient_facts.hpp>        // gradient_facts
#include <amphora/scale/kernels.hpp>               // scale_kernels
#include <amphora/tensor/parameter_view.hpp>       // parameter_view

#include <cstddef>  // size_t
#include <cstdint>  // int64_t
#include <utility>  // move
#include <vector>   // vector

namespace amphora { inline namespace AMPHORA_ABI {

/// The part of a mixed_optimizer that does not step: made by it, and asked through it.
///
/// Rule     as the optimizer's
/// Context  as the optimizer's. Calls named wait_ wait for it; no other call here does
template <class Rule, class Context>
class optimizer_state {
 protected:
  using device = typename Context::device;
  using traits = rule_traits<Rule>;
  using scalars = typename traits::scalars;

 public:
  const std::vector<parameter_view>& parameters() const { return parameters_; }

  int groups() const { return static_cast<int>(groups_.size()); }
  /// The settings of a group; its learning rate is the base that a schedule is given.
  ///
  /// Errors  setting  there is no such group
  const Rule& rule(int group = 0) const {
    if (group < 0 || group >= groups()) detail::fail("setting", "there is no group ", group, "; the optimizer has ", groups());
    return groups_[static_cast<std::size_t>(group)];
  }
  /// Other settings for a group, its learning rate included. In stream order.
  ///
  /// Errors  setting  there is no such group, or the rule refuses them; nothing is changed then
  void set_rule(Context& context, int group, const Rule& changed) {
    static_cast<void>(rule(group));
    traits::check(changed);
    groups_[static_cast<std::size_t>(group)] = changed;
    const float rate = changed.learning_rate;
    scale_kernels<device>::write(context, &rate, memory_.rates.data() + group, sizeof rate);
    scale_kernels<device>::write(context, &groups_[static_cast<std::size_t>(group)], memory_.rules.data() + group, sizeof(Rule));
  }
  /// The base learning rate of all groups, or of one. In stream order.
  ///
  /// Errors  setting; nothing is changed then
  void set_learning_rate(Context& context, float learning_rate) {
    for (int group = 0; group < groups(); ++group) traits::check(with_rate(group, learning_rate));
    for (int group = 0; group < groups(); ++group) set_learning_rate(context, group, learning_rate);
  }
  void set_learning_rate(Context& context, int group, float learning_rate) { set_rule(context, group, with_rate(group, learning_rate)); }

  /// What the last check found, and its norm before clipping: device pointers, valid as long as the optimizer.
  gradient_facts* facts() { return memory_.facts.data(); }
  const double* norm() const { return &memory_.facts.data()->norm; }
  gradient_facts wait_facts(Context& context) { return read(context, memory_.facts.data()); }

  /// Bytes that an optimizer takes from the context for such a list: state that no view points to, and the tables.
  static std::int64_t workspace_bytes(const std::vector<parameter_view>& parameters, int groups = 1) {
    return detail::optimizer_memory<Rule, Context>::bytes(parameters, groups);
  }
  std::int64_t workspace_bytes() const { return workspace_bytes(parameters_, groups()); }

  // For state files: with masters and model weights, all that a resumed run needs. A parameter is its place in the list.

  /// Array `which` of Rule::states of a parameter.  [n], device
  float* state(int parameter, int which) const {
    const detail::step_tensor& t = list_.tensors()[parameter];
    return t.state + which * t.stride;
  }
  /// Steps that this parameter took; PyTorch's state["step"].
  std::int64_t wait_step_count(Context& context, int parameter) const { return read(context, memory_.steps.data() + parameter); }
  /// Steps that were taken: what a schedule is given.
  std::int64_t wait_taken(Context& context) const { return read(context, memory_.counters.data()).taken; }
  std::int64_t wait_skipped(Context& context) const { return read(context, memory_.counters.data()).skipped; }
  /// The rule's own numbers for this parameter.
  scalars wait_scalars(Context& context, int parameter) const { return read(context, memory_.scalars.data() + parameter); }
  void load_step_count(Context& context, int parameter, std::int64_t count, const scalars& own = {}) {
    scale_kernels<device>::write(context, &count, memory_.steps.data() + parameter, sizeof count);
    scale_kernels<device>::write(context, &own, memory_.scalars.data() + parameter, sizeof own);
  }
  void load_counters(Context& context, std::int64_t taken, std::int64_t skipped) {
    const detail::step_counters counters = {taken, skipped};
    scale_kernels<device>::write(context, &counters, memory_.counters.data(), sizeof counters);
  }

 protected:
  optimizer_state(Context& context, std::vector<Rule> rules, std::vector<parameter_view> parameters)
      : groups_(checked(std::move(rules))), parameters_(checked(std::move(parameters), groups())), memory_(context, parameters_, groups()) {
    list_.set_parameters(parameters_, traits::states, groups(), memory_.state.data());
    clear(context, memory_.state), clear(context, memory_.counters), clear(context, memory_.record), clear(context, memory_.steps);
    std::vector<float> rates;
    for (const Rule& rule : groups_) rates.push_back(rule.learning_rate);
    const std::vector<scalars> start(parameters_.size());
    const gradient_facts no_facts;
    send(context, groups_.data(), memory_.rules), send(context, rates.data(), memory_.rates);
    send(context, start.data(), memory_.scalars), send(context, &no_facts, memory_.facts);
  }

  std::vector<Rule> groups_;
  std::vector<parameter_view> parameters_;
  detail::optimizer_memory<Rule, Context> memory_;
  detail::step_list<> list_;

 private:
  static std::vector<Rule> checked(std::vector<Rule> rules) {
    for (const Rule& rule : rules) traits::check(rule);
    return rules;
  }
  static std::vector<parameter_view> checked(std::vector<parameter_view> parameters, int groups) {
    detail::step_list<>::require_parameters(parameters, groups);
    return parameters;
  }
  Rule with_rate(int group, float learning_rate) const {
    Rule changed = rule(group);
    changed.learning_rate = learning_rate;
    return changed;
  }
  template <class T> static void clear(Context& context, tensor<T, Context>& memory) {
    step_kernels<device>::clear(context, memory.data(), static_cast<std::size_t>(memory.size()) * sizeof(T));
  }
  template <class T> static void send(Context& context, const T* from, tensor<T, Context>& to) {
    scale_kernels<device>::write(context, from, to.data(), static_cast<std::size_t>(to.size()) * sizeof(T));
  }
  template <class T> static T read(Context& context, const T* from) {
    T result;
    scale_kernels<device>::wait_read(context, from, &result, sizeof result);
    return result;
  }
};

}}  // namespace amphora
