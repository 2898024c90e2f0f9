// Steps all parameters of a list by one rule: unscale, finite check, clip, skip, masters and model weights, in two passes.
#pragma once
#include <amphora/optimizer/clip.hpp>         // no_clip, is_clip_v
#include <amphora/optimizer/gradients.hpp>    // gradient_list
#include <amphora/optimizer/kernels.hpp>      // step_kernels, step_job, subnormals
#include <amphora/optimizer/rule.hpp>         // rule_traits
#include <amphora/optimizer/schedule.hpp>     // constant
#include <amphora/optimizer/step_list.hpp>    // step_list
#include <amphora/scale/kernels.hpp>          // scale_kernels
#include <amphora/scale/outcome.hpp>          // outcome
#include <amphora/scale/scaled.hpp>           // scaled, is_scaled_v
#include <amphora/scale/unscaled.hpp>         // is_unscaled_v
#include <amphora/tensor/parameter_view.hpp>  // parameter_view
#include <amphora/tensor/tensor.hpp>          // tensor

#include <cstdint>      // int64_t, uint64_t
#include <type_traits>  // is_invocable_v, remove_reference_t
#include <utility>      // move
#include <vector>       // vector

namespace amphora { inline namespace AMPHORA_ABI {

/// Insists on what a step may be given as its gradients. Host code only.
///
/// Gradients  scaled by move, unscaled, or what a gradient_list is made from. Not a function that computes the loss again
template <class Gradients>
constexpr bool require_step_gradients() {
  using plain = std::remove_cv_t<std::remove_reference_t<Gradients>>;
  constexpr bool closure = std::is_invocable_v<plain&>;
  constexpr bool copied = is_scaled_v<plain> && (std::is_lvalue_reference_v<Gradients> || std::is_const_v<std::remove_reference_t<Gradients>>);
  static_assert(!closure, "amphora [closure]: a step that evaluates the loss again would do so with scaled gradients; call backward first and pass its gradients");
  static_assert(!copied, "amphora [scaled-gradient]: a step uses scaled gradients up; write std::move(gradients)");
  return !closure && !copied;
}

/// The optimizer of a list of parameters of any formats, by one rule with a group of settings for each group.
///
/// Rule      adamw, sgd, … or a user's own (optimizer/rule.hpp)
/// Schedule  a functor of the number of taken steps (optimizer/schedule.hpp)
/// Context   where the parameters lie; must outlive the optimizer
/// Effect    of a step: one read-only pass over the gradients (finite check and norm), a decision, one pass that writes masters,
///           state and model weights. A skipped step changes nothing but the count of skipped steps
/// Cost      with f16 gradients, float masters, two states and a 16-bit copy 30 bytes a parameter. Does not synchronise, and
///           allocates nothing from the second step on
template <class Rule, class Context, class Schedule = constant>
class mixed_optimizer {
  using device = typename Context::device;
  using traits = rule_traits<Rule>;
  using scalars = typename traits::scalars;

 public:
  /// Errors  setting, unknown-format, no-master, shape, same-buffer
  mixed_optimizer(Context& context, const Rule& rule, std::vector<parameter_view> parameters, const Schedule& schedule = {})
      : mixed_optimizer(context, std::vector<Rule>(1, rule), std::move(parameters), schedule) {}
  /// rules  one for each group; parameter_view::group is an index into them
  mixed_optimizer(Context& context, std::vector<Rule> rules, std::vector<parameter_view> parameters, const Schedule& schedule = {})
      : context_(&context), groups_(std::move(rules)), parameters_(std::move(parameters)), schedule_(schedule) {
    for (const Rule& rule : groups_) traits::check(rule), rates_host_.push_back(rule.learning_rate);
    detail::check_schedule(schedule_);
    own_state_ = tensor<float, Context>(context, {own_floats(parameters_)});
    list_.set_parameters(parameters_, traits::states, groups(), own_state_.data());
    const std::int64_t n = list_.count();
    facts_ = {context, {1}}, record_ = {context, {1}}, counters_ = {context, {1}}, rules_ = {context, {groups()}}, rates_ = {context, {groups()}};
    steps_ = {context, {n}}, scalars_ = {context, {n}}, nows_ = {context, {n}}, trusts_ = {context, {traits::needs_norms ? n : 0}};
    partial_ = {context, {list_.chunks() * sums}};
    clear(own_state_), clear(counters_), clear(record_), clear(steps_);
    const std::vector<scalars> start(static_cast<std::size_t>(n));
    const gradient_facts no_facts;
    send(groups_.data(), rules_), send(rates_host_.data(), rates_), send(start.data(), scalars_), send(&no_facts, facts_);
    own_gradients_of(parameters_);
  }

  /// The parameters' own gradients, in their order: what a step is given where the backward pass writes to where the views point.
  gradient_list gradients() const { return own_gradients_; }
  const std::vector<parameter_view>& parameters() const { return parameters_; }
  /// The same parameters at other addresses or in other formats. State that the optimizer keeps stays with its place in the list.
  ///
  /// Errors  shape  another number or size of parameters; and the constructor's
  void set_parameters(std::vector<parameter_view> parameters) {
    if (parameters.size() != parameters_.size()) detail::fail("shape", "set_parameters: ", list_.count(), " parameters cannot become ", static_cast<std::int64_t>(parameters.size()));
    for (std::size_t k = 0; k < parameters.size(); ++k)
      if (parameters[k].n != parameters_[k].n || !parameters[k].state != !parameters_[k].state)
        detail::fail("shape", "set_parameters: parameter ", static_cast<std::int64_t>(k), " has another size, or its state is kept elsewhere");
    list_.set_parameters(parameters, traits::states, groups(), own_state_.data());
    parameters_ = std::move(parameters);
    own_gradients_of(parameters_);
  }

  /// Reads the masters anew from model weights that were written by somebody else (a file, another optimizer), so that the next
  /// step does not copy the old ones back. State and counts stay. Does not synchronise.
  void refresh_masters(Context& context) {
    for (const parameter_view& p : parameters_)
      if (p.master && p.model.data && p.model.data != p.master) step_kernels<device>::widen(context, gradient_view({p.model.data, p.model.format}, p.n), p.master);
  }

  /// One step: check, decide, update.
  ///
  /// gradients  scaled(gradients, ticket) by move, unscaled gradients, or plain ones whose scale is one
  /// clip       no_clip, clip_global_norm or clip_value
  /// Value      the outcome, on the device: nothing, stepped or skipped
  /// Errors     setting, shape, unknown-format, same-buffer, used-twice, stale-ticket; nothing is changed then
  template <class Gradients, class Clip = no_clip>
  outcome<Context> step(Context& context, Gradients&& gradients, const Clip& clip = {}) {
    ticket used;
    if constexpr (require_step_gradients<Gradients>()) used = run(context, static_cast<Gradients&&>(gradients), checked(clip), true, "step");
    return {record_.data(), std::move(used)};
  }
  /// The step's first pass alone. Its facts can then be joined with other ranks' or optimizers', in stream order.
  template <class Gradients>
  void check(Context& context, Gradients&& gradients) {
    if constexpr (require_step_gradients<Gradients>()) pending_ = run(context, static_cast<Gradients&&>(gradients), no_clip(), false, "check"), checked_ = true;
  }
  /// Nothing, skip or step, and with which numbers, from the facts as they are now. After check.
  template <class Clip = no_clip>
  void decide(Context& context, const Clip& clip = {}) {
    require_checked("decide");
    auto job = job_of(checked(clip));
    job.check = job.update = false;
    step_kernels<device>::step(context, job);
    decided_ = true;
  }
  /// The step's second pass. After decide.
  outcome<Context> update(Context& context) {
    require_checked("update");
    if (!decided_) detail::fail("pending-gradients", "update: nothing was decided; call decide first");
    auto job = job_of(no_clip());
    job.check = job.decide = false;
    step_kernels<device>::step(context, job);
    checked_ = decided_ = false;
    return {record_.data(), std::move(pending_)};
  }

  /// Device pointers, valid as long as the optimizer: what the last check found, and its norm (before clipping).
  gradient_facts* facts() { return facts_.data(); }
  const double* norm() const { return &facts_.data()->norm; }
  gradient_facts wait_facts(Context& context) { return read(context, facts_.data()); }

  void set_on_overflow(on_overflow choice) { choice_ = choice; }
  void set_subnormals(subnormals choice) { subnormals_ = choice; }
  /// The base learning rate of all groups, or of one. In stream order; does not synchronise.
  void set_learning_rate(Context& context, float learning_rate) {
    for (int group = 0; group < groups(); ++group) set_learning_rate(context, group, learning_rate);
  }
  void set_learning_rate(Context& context, int group, float learning_rate) {
    Rule changed = rule(group);
    changed.learning_rate = learning_rate;
    set_rule(context, group, changed);
  }
  /// Other settings for a group, its learning rate included. In stream order; does not synchronise.
  ///
  /// Errors  setting
  void set_rule(Context& context, int group, const Rule& changed) {
    (void)rule(group);
    traits::check(changed);
    groups_[static_cast<std::size_t>(group)] = changed, rates_host_[static_cast<std::size_t>(group)] = changed.learning_rate;
    scale_kernels<device>::write(context, &rates_host_[static_cast<std::size_t>(group)], rates_.data() + group, sizeof(float));
    scale_kernels<device>::write(context, &groups_[static_cast<std::size_t>(group)], rules_.data() + group, sizeof(Rule));
  }
  int groups() const { return static_cast<int>(groups_.size()); }
  const Rule& rule(int group = 0) const {
    if (group < 0 || group >= groups()) detail::fail("setting", "there is no group ", group, "; the optimizer has ", groups());
    return groups_[static_cast<std::size_t>(group)];
  }
  const Schedule& schedule() const { return schedule_; }
  /// Of stochastic rounding; saved with the state.
  void set_seed(std::uint64_t seed) { seed_ = seed; }
  std::uint64_t seed() const { return seed_; }

  /// What the optimizer takes from the context for such a list: state that no view points to, and the tables.
  static std::int64_t workspace_bytes(const std::vector<parameter_view>& parameters, int groups = 1) {
    const auto n = static_cast<std::int64_t>(parameters.size());
    std::int64_t chunks = 0;
    for (const parameter_view& p : parameters) chunks += detail::chunks_of(p.n);
    return own_floats(parameters) * 4 + bytes<gradient_facts>(1) + bytes<step_record>(1) + bytes<detail::step_counters>(1) + bytes<Rule>(groups) + bytes<float>(groups) +
           bytes<std::int64_t>(n) + bytes<scalars>(n) + bytes<typename traits::now>(n) + bytes<real>(traits::needs_norms ? n : 0) + bytes<double>(chunks * sums);
  }
  std::int64_t workspace_bytes() const { return workspace_bytes(parameters_, groups()); }

  // For state files: with masters and model weights, all that a resumed run needs.

  /// Array `which` of Rule::states of a parameter, on the device, [n].
  float* state(int parameter, int which) const {
    const detail::step_tensor& t = list_.tensors()[parameter];
    return t.state + which * t.stride;
  }
  /// Steps that this parameter took; PyTorch's state["step"].
  std::int64_t wait_step_count(Context& context, int parameter) const { return read(context, steps_.data() + parameter); }
  std::int64_t wait_taken(Context& context) const { return read(context, counters_.data()).taken; }
  std::int64_t wait_skipped(Context& context) const { return read(context, counters_.data()).skipped; }
  scalars wait_scalars(Context& context, int parameter) const { return read(context, scalars_.data() + parameter); }
  void load_step_count(Context& context, int parameter, std::int64_t count, const scalars& own = {}) {
    scale_kernels<device>::write(context, &count, steps_.data() + parameter, sizeof count);
    scale_kernels<device>::write(context, &own, scalars_.data() + parameter, sizeof own);
  }
  void load_counters(Context& context, std::int64_t taken, std::int64_t skipped) {
    const detail::step_counters counters = {taken, skipped};
    scale_kernels<device>::write(context, &counters, counters_.data(), sizeof counters);
  }

  /// For tests: the highest level of the host's instructions, 0 to 2. No result depends on it.
  void limit_level(int level) { level_ = level; }

 private:
  static constexpr int sums = traits::needs_norms ? 2 : 1;  // in a chunk

  template <class T> static constexpr std::int64_t bytes(std::int64_t n) { return n * static_cast<std::int64_t>(sizeof(T)); }
  static std::int64_t own_floats(const std::vector<parameter_view>& parameters) {
    std::int64_t floats = 0;
    for (const parameter_view& p : parameters) floats += p.state ? 0 : traits::states * detail::state_stride(p.n);
    return floats;
  }
  void own_gradients_of(const std::vector<parameter_view>& parameters) {
    own_gradients_.clear();
    for (const parameter_view& p : parameters) own_gradients_.emplace_back(p.gradient, p.n);
  }
  template <class T> void clear(tensor<T, Context>& memory) { step_kernels<device>::clear(*context_, memory.data(), static_cast<std::size_t>(memory.size()) * sizeof(T)); }
  template <class T> void send(const T* from, tensor<T, Context>& to) { scale_kernels<device>::write(*context_, from, to.data(), static_cast<std::size_t>(to.size()) * sizeof(T)); }
  template <class T> static T read(Context& context, const T* from) {
    T result;
    scale_kernels<device>::wait_read(context, from, &result, sizeof result);
    return result;
  }
  template <class Clip> static detail::clip_numbers checked(const Clip& clip) {
    static_assert(is_clip_v<Clip>, "amphora [unknown-setting]: a step's clip is amphora::clip_global_norm, amphora::clip_value or amphora::no_clip");
    if constexpr (is_clip_v<Clip>) {
      clip.check();
      return clip;
    } else {
      return no_clip();
    }
  }
  void require_checked(const char* call) const {
    if (!checked_) detail::fail("pending-gradients", call, ": no gradients were checked; call check first");
  }

  detail::step_job<Rule, Schedule> job_of(const detail::clip_numbers& clip) {
    detail::step_job<Rule, Schedule> job = {{{facts_.data(), record_.data(), counters_.data(), rules_.data(), rates_.data(), steps_.data(), scalars_.data(), nows_.data(), trusts_.data()},
                                             list_.tensors(), list_.gradients(), list_.count(), schedule_, clip}};
    job.choice = choice_, job.partial = partial_.data(), job.seed = seed_, job.subnormals = subnormals_, job.level = level_;
    return job;
  }
  template <class Gradients>
  ticket run(Context& context, Gradients&& gradients, const detail::clip_numbers& clip, bool whole, const char* call) {
    using plain = std::remove_cv_t<std::remove_reference_t<Gradients>>;
    ticket used;
    const gradient_facts* known = nullptr;
    if constexpr (is_scaled_v<plain> || is_unscaled_v<plain>) require_new(gradients.ticket(), call);
    if constexpr (is_scaled_v<plain>) {
      auto parts = std::move(gradients).take(call);
      list_.set_gradients(parts.gradients, parameters_, call);
      used = std::move(parts.used);
    } else if constexpr (is_unscaled_v<plain>) {
      gradients.ticket().require_fresh(call);
      known = gradients.facts(), used = gradients.ticket();
      list_.set_gradients(gradients.gradients(), parameters_, call);
    } else {
      list_.set_gradients(gradients, parameters_, call);
    }
    auto job = job_of(clip);
    job.known = known, job.inverse = used.inverse(), job.decide = job.update = whole;
    step_kernels<device>::step(context, job);
    stepped_ = used;
    return used;
  }
  /// One step for each update of the scaler, as in PyTorch: the gradients of a second one could only be the first one's.
  void require_new(const ticket& given, const char* call) const {
    if (given.has_scaler() && given.valid() && given == stepped_)
      detail::fail("used-twice", call, ": this optimizer has used gradients of generation ", given.generation(), " of their scaler; update the scaler, then scale the next loss");
  }

  Context* context_;
  std::vector<Rule> groups_;
  std::vector<float> rates_host_;
  std::vector<parameter_view> parameters_;
  std::vector<gradient_view> own_gradients_;
  Schedule schedule_;
  detail::step_list list_;
  tensor<float, Context> own_state_;
  tensor<gradient_facts, Context> facts_;
  tensor<step_record, Context> record_;
  tensor<detail::step_counters, Context> counters_;
  tensor<Rule, Context> rules_;
  tensor<float, Context> rates_;
  tensor<std::int64_t, Context> steps_;
  tensor<scalars, Context> scalars_;
  tensor<typename traits::now, Context> nows_;
  tensor<real, Context> trusts_;
  tensor<double, Context> partial_;
  ticket pending_, stepped_;
  on_overflow choice_ = on_overflow::skip;
  subnormals subnormals_ = subnormals::keep;
  std::uint64_t seed_ = 0;
  int level_ = 2;
  bool checked_ = false, decided_ = false;
};

template <class Context, class Rule>
mixed_optimizer(Context&, const std::vector<Rule>&, std::vector<parameter_view>) -> mixed_optimizer<Rule, Context>;
template <class Context, class Rule, class Schedule>
mixed_optimizer(Context&, const std::vector<Rule>&, std::vector<parameter_view>, const Schedule&) -> mixed_optimizer<Rule, Context, Schedule>;

}}  // namespace amphora
