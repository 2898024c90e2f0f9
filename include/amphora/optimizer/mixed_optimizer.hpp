// Steps all parameters of a list by one rule: unscale, finite check, clip, skip, masters and model weights, in two passes.
#pragma once
#include <amphora/error.hpp>                      // fail
#include <amphora/optimizer/clip.hpp>             // no_clip, is_clip_v
#include <amphora/optimizer/gradients.hpp>        // gradient_list
#include <amphora/optimizer/kernels.hpp>          // step_kernels, step_job, subnormals
#include <amphora/optimizer/optimizer_state.hpp>  // optimizer_state
#include <amphora/optimizer/schedule.hpp>         // constant
#include <amphora/optimizer/step_gradients.hpp>   // require_step_gradients
#include <amphora/scale/outcome.hpp>              // outcome
#include <amphora/scale/scaled.hpp>               // is_scaled_v
#include <amphora/scale/unscaled.hpp>             // is_unscaled_v
#include <amphora/tensor/parameter_view.hpp>      // parameter_view

#include <cstdint>      // int64_t, uint64_t
#include <type_traits>  // remove_cv_t, remove_reference_t
#include <utility>      // move
#include <vector>       // vector

namespace amphora { inline namespace AMPHORA_ABI {

/// The optimizer of a list of parameters of any formats, by one rule with a group of settings for each group.
///
/// Rule      adamw, sgd, … or a user's own (optimizer/rule.hpp)
/// Schedule  a functor of the number of taken steps (optimizer/schedule.hpp)
/// Context   where the parameters lie; must outlive the optimizer
/// Effect    of a step: one read-only pass over the gradients (finite check and norm), a decision, one pass that writes masters,
///           state and model weights, tied copies included. A skipped step changes nothing but the count of skipped steps
/// Cost      with f16 gradients, float masters, two states and a 16-bit copy 30 bytes a parameter. Does not synchronise, and
///           allocates nothing from the second step on. On CUDA two launches for all tensors, four for a rule with norms
///
/// Groups, learning rates, counts and what a state file keeps: optimizer/optimizer_state.hpp.
template <class Rule, class Context, class Schedule = constant>
class mixed_optimizer : public optimizer_state<Rule, Context> {
  using base = optimizer_state<Rule, Context>;
  using typename base::device;
  using typename base::traits;

 public:
  /// Errors  setting, shape, unknown-format, no-master, same-buffer
  mixed_optimizer(Context& context, const Rule& rule, std::vector<parameter_view> parameters, const Schedule& schedule = {})
      : mixed_optimizer(context, std::vector<Rule>(1, rule), std::move(parameters), schedule) {}
  /// rules  one for each group; parameter_view::group is an index into them
  mixed_optimizer(Context& context, std::vector<Rule> rules, std::vector<parameter_view> parameters, const Schedule& schedule = {})
      : base(context, std::move(rules), std::move(parameters)), tables_(context, parameters_), schedule_(schedule) {
    detail::check_schedule(schedule_);
    find_own_gradients();
  }

  /// The parameters' own gradients, in their order: what a step is given where the backward pass writes to where the views point.
  gradient_list gradients() const { return own_gradients_; }
  /// The same parameters at other addresses or in other formats. State that the optimizer keeps stays with its place in the list.
  ///
  /// Errors  shape  another number or size of parameters, or state that was the optimizer's and is not, or the reverse; and
  ///                the constructor's. Nothing is changed then
  void set_parameters(std::vector<parameter_view> parameters) {
    if (parameters.size() != parameters_.size()) detail::fail("shape", "set_parameters: ", list_.count(), " parameters cannot become ", static_cast<std::int64_t>(parameters.size()));
    for (std::size_t k = 0; k < parameters.size(); ++k)
      if (parameters[k].n != parameters_[k].n || !parameters[k].state != !parameters_[k].state)
        detail::fail("shape", "set_parameters: parameter ", static_cast<std::int64_t>(k), " has another size, or its state is kept elsewhere");
    list_.set_parameters(parameters, traits::states, this->groups(), memory_.state.data());
    parameters_ = std::move(parameters);
    find_own_gradients();
    checked_ = decided_ = false;
  }
  /// Reads the masters anew from model weights that were written by somebody else (a file, another optimizer), so that the next
  /// step does not copy the old ones back. State and counts stay. Does not synchronise.
  void refresh_masters(Context& context) {
    std::vector<gradient_view> models;
    std::vector<float*> masters;
    for (const parameter_view& p : parameters_)
      if (p.master && p.model.data && p.model.data != p.master) models.emplace_back(gradient_pointer(p.model.data, p.model.format), p.n), masters.push_back(p.master);
    step_kernels<device>::widen(context, models.data(), static_cast<std::int64_t>(models.size()), masters.data());
  }

  /// One step: check, decide, update.
  ///
  /// gradients  scaled(gradients, ticket) by move, unscaled gradients, or plain ones whose scale is one
  /// clip       no_clip, clip_global_norm or clip_value, of the gradients without their scale
  /// Value      the outcome, on the device until the next step: nothing, stepped or skipped
  /// Errors     setting, shape, unknown-format, same-buffer, used-twice, stale-ticket; nothing is changed then, and a handle that
  ///            was not used up stays usable
  template <class Gradients, class Clip = no_clip>
  outcome<Context> step(Context& context, Gradients&& gradients, const Clip& clip = {}) {
    ticket used;
    if constexpr (require_step_gradients<Gradients>()) used = run(context, static_cast<Gradients&&>(gradients), checked(clip), true, "step");
    return {memory_.record.data(), std::move(used)};
  }
  /// The step's first pass alone. Its facts can then be joined with other ranks' or optimizers', in stream order.
  ///
  /// Errors  step's
  template <class Gradients>
  void check(Context& context, Gradients&& gradients) {
    if constexpr (require_step_gradients<Gradients>()) pending_ = run(context, static_cast<Gradients&&>(gradients), no_clip(), false, "check");
  }
  /// Nothing, skip or step, and with which numbers, from the facts as they are now. Counts the step. After check, once.
  ///
  /// Errors  setting, pending-gradients
  template <class Clip = no_clip>
  void decide(Context& context, const Clip& clip = {}) {
    require_checked("decide");
    auto job = job_of(checked(clip));
    job.check = job.update = false;
    step_kernels<device>::step(context, job, tables_);
    decided_ = true;
  }
  /// The step's second pass. After decide.
  ///
  /// Errors  pending-gradients
  outcome<Context> update(Context& context) {
    require_checked("update");
    if (!decided_) detail::fail("pending-gradients", "update: nothing was decided; call decide first");
    auto job = job_of(no_clip());
    job.check = job.decide = false;
    step_kernels<device>::step(context, job, tables_);
    checked_ = decided_ = false;
    return {memory_.record.data(), std::move(pending_)};
  }

  /// What a step does where plain or scaled gradients are not finite; skip unless set. Unscaled ones bring unscale's choice.
  void set_on_overflow(on_overflow choice) { choice_ = choice; }
  void set_subnormals(subnormals choice) { subnormals_ = choice; }
  const Schedule& schedule() const { return schedule_; }
  /// Of stochastic rounding (optimizer/stochastic.hpp); saved with the state.
  void set_seed(std::uint64_t seed) { seed_ = seed; }
  std::uint64_t seed() const { return seed_; }

  /// For tests: the highest level of the host's instructions, 0 to 2. No result depends on it.
  void limit_level(int level) { level_ = level; }

 private:
  using base::list_, base::memory_, base::parameters_;

  void find_own_gradients() {
    own_gradients_.clear();
    for (const parameter_view& p : parameters_) own_gradients_.emplace_back(p.gradient, p.n);
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
    detail::step_job<Rule, Schedule> job = {{memory_.tables(), list_.tensors(), list_.gradients(), list_.count(), schedule_, clip}};
    job.choice = choice_, job.partial = memory_.partial.data(), job.seed = seed_, job.subnormals = subnormals_, job.level = level_;
    job.parameter_changes = list_.parameter_changes(), job.gradient_changes = list_.changes();
    return job;
  }
  /// The first pass, or the whole step. Asks all that may fail before it changes anything.
  template <class Gradients>
  ticket run(Context& context, Gradients&& gradients, const detail::clip_numbers& clip, bool whole, const char* call) {
    using plain = std::remove_cv_t<std::remove_reference_t<Gradients>>;
    ticket used;
    const gradient_facts* known = nullptr;
    if constexpr (is_scaled_v<plain> || is_unscaled_v<plain>) require_new(gradients.ticket(), call);
    if constexpr (is_scaled_v<plain>) {
      list_.require_gradients(gradients.peek(call), parameters_, call);
      auto parts = std::move(gradients).take(call);
      list_.set_gradients(parts.gradients), used = std::move(parts.used);
    } else if constexpr (is_unscaled_v<plain>) {
      gradients.ticket().require_fresh(call);
      known = gradients.facts(), used = gradients.ticket();
      list_.require_gradients(gradients.gradients(), parameters_, call);
      list_.set_gradients(gradients.gradients());
    } else {
      const gradient_list list(gradients);
      list_.require_gradients(list, parameters_, call), list_.set_gradients(list);
    }
    auto job = job_of(clip);
    job.known = known, job.inverse = used.inverse(), job.decide = job.update = whole;
    step_kernels<device>::step(context, job, tables_);
    checked_ = !whole, decided_ = false, stepped_ = used;
    return used;
  }
  /// One step for each update of the scaler, as in PyTorch: the gradients of a second one could only be the first one's.
  void require_new(const ticket& given, const char* call) const {
    if (given.has_scaler() && given.valid() && given == stepped_)
      detail::fail("used-twice", call, ": this optimizer has used gradients of generation ", given.generation(), " of their scaler; update the scaler, then scale the next loss");
  }

  detail::step_tables<Context> tables_;
  std::vector<gradient_view> own_gradients_;
  Schedule schedule_;
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
