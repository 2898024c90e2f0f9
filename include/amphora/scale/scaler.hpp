// Keeps small gradients alive: multiplies the loss, hands out tickets, and moves its scale by what the steps found.
#pragma once
#include <amphora/scale/growth.hpp>       // growth
#include <amphora/scale/kernels.hpp>      // scale_kernels
#include <amphora/scale/outcome.hpp>      // outcome
#include <amphora/scale/scaled_loss.hpp>  // scaled_loss
#include <amphora/scale/state_text.hpp>   // write_state, read_state
#include <amphora/scale/unscaled.hpp>     // unscaled
#include <amphora/scale/update.hpp>       // scale_memory, update_scale

#include <cstddef>      // size_t
#include <type_traits>  // remove_const_t
#include <utility>      // exchange

namespace amphora { inline namespace AMPHORA_ABI {

/// A loss scaler. All of its state lies on the device; only calls named wait_… wait for it.
///
/// One `update` an iteration, over the outcomes of all optimizers. In between any number of losses are scaled, and the
/// scale stays what it is, so gradients can be accumulated. `make_scaler<Policy>` makes the one that a policy asks for.
///
/// In a stream capture. What is recorded reads and writes the state where it lies, so replays move the scale and count their
/// steps as if they were called one by one, also mixed with calls. The host sees one update when it is captured and none when it
/// is replayed: its tickets from before the capture are stale, and a ticket that is held over a replay counts as valid though the
/// scale may have moved. Take tickets anew after replays; scale() and ticket() read the state as it is.
///
/// Context  host_context or cuda_context; it must outlive the scaler, and the scaler the graphs that were captured with it
/// Rule     growth, fixed, additive_growth, or a rule of the user's own
template <class Context, class Rule = growth>
class scaler {
 public:
  /// enabled  false: the scale is one, stays one, and nothing is counted. Steps are still checked.
  ///
  /// Errors  scale-bounds  a setting of the rule outside its range
  explicit scaler(Context& context, const Rule& rule = {}, bool enabled = true) : context_(&context), rule_(rule), enabled_(enabled) {
    rule.check();
    memory_ = static_cast<scale_memory*>(context.allocate(sizeof(scale_memory)));
    scale_memory start{};
    if (enabled) start.state = rule.start();
    start.slots[0] = start.slots[1] = detail::slot_of(start.state);
    kernels::write(context, &start, memory_, sizeof start);
    host_ = new detail::issuer;
  }
  scaler(scaler&& other) noexcept
      : context_(other.context_), rule_(other.rule_), enabled_(other.enabled_), memory_(std::exchange(other.memory_, nullptr)), host_(std::exchange(other.host_, nullptr)) {}
  scaler& operator=(scaler&& other) noexcept {
    std::swap(context_, other.context_), std::swap(rule_, other.rule_), std::swap(enabled_, other.enabled_);
    std::swap(memory_, other.memory_), std::swap(host_, other.host_);
    return *this;
  }
  ~scaler() {
    if (memory_) context_->release(memory_, sizeof(scale_memory));
    if (!host_) return;
    host_->ended = true;
    if (host_->remove_owner()) delete host_;
  }

  bool enabled() const { return enabled_; }
  const Rule& rule() const { return rule_; }

  /// scale · loss in float, and the ticket of this scale. The loss may have any shape and storage type. Does not wait.
  ///
  /// A product past f32's range is infinite; its gradients then are too, and the step is skipped.
  template <class T>
  scaled_loss<Context> scale(Context& context, const view<T>& loss) {
    require_here("scale");
    tensor<float, Context> result(context, loss.shape());
    if (loss.size() > 0) kernels::run(context, loss.size(), detail::scale_loss<std::remove_const_t<T>>{loss.data(), result.data(), memory_, slot()});
    else kernels::run(context, detail::refresh_slot{memory_, slot()});
    host_->open = true;
    return {std::move(result), amphora::ticket(*host_, &memory_->slots[slot()])};
  }
  template <class T>
  scaled_loss<Context> scale(Context& context, const tensor<T, Context>& loss) { return scale(context, loss.view()); }

  /// The ticket of the scale as it is, for who multiplies by *ticket.scale() in a kernel of their own. Does not wait.
  amphora::ticket ticket(Context& context) {
    require_here("ticket");
    kernels::run(context, detail::refresh_slot{memory_, slot()});
    return {*host_, &memory_->slots[slot()]};
  }

  /// Once an iteration, after all steps: moves the scale by what they found. Does not wait; tickets from before are stale.
  ///
  /// reports  outcomes of steps; or unscaled gradients, where the caller decided against a step
  /// Effect   one non-finite gradient in any of them is an overflow. Nothing moves where all of them had no gradient at all
  /// Errors   mixed-tickets      a report on another scaler's gradients
  ///          stale-ticket       a report from before the last update
  ///          pending-gradients  a loss was scaled, or a handle of scaled gradients made, that no step has used yet
  template <class... Reports>
  void update(Context& context, const Reports&... reports) {
    static_assert(sizeof...(Reports) > 0, "amphora [no-outcome]: an update needs to know what the steps found; pass the outcome of each optimizer's step");
    require_here("update");
    (require_report(ticket_of(reports)), ...);
    require_nothing_pending("update");
    if constexpr (sizeof...(Reports) > 0) {
      if (enabled_) kernels::run(context, detail::update_scale<Rule, sizeof...(Reports)>{rule_, memory_, next_slot(), {report_of(reports)...}});
    }
    ++host_->generation;
  }
  /// Sets the scale and nothing else (PyTorch's update(new_scale)). Does not wait; tickets from before are stale.
  ///
  /// Errors  scale-bounds       a scale that the rule does not allow
  ///         pending-gradients  as update
  void set_scale(Context& context, float scale) {
    require_here("set_scale");
    require_nothing_pending("set_scale");
    if (!enabled_) return;
    scale_state probe = rule_.start();
    probe.scale = probe.upcoming = scale;
    if (!detail::is_scale(scale) || !rule_.allows(probe)) detail::fail("scale-bounds", "set_scale: ", scale, " is not between the floor and the ceiling of this scaler's rule");
    kernels::run(context, detail::replace_scale{scale, memory_, next_slot()});
    ++host_->generation;
  }
  /// Goes on by another rule; counters and, as far as the new rule allows, scale and clean steps stay. Does not wait; tickets are stale.
  ///
  /// Errors  scale-bounds, pending-gradients
  void set_rule(Context& context, const Rule& rule) {
    require_here("set_rule");
    rule.check();
    require_nothing_pending("set_rule");
    if (!enabled_) return;
    rule_ = rule;
    kernels::run(context, detail::adopt_rule<Rule>{rule, memory_, next_slot()});
    ++host_->generation;
  }

  /// Copies the state to the host; waits for the device.
  scale_state wait_state(Context& context) const {
    require_here("wait_state");
    scale_state result;
    kernels::wait_read(context, &memory_->state, &result, sizeof result);
    return result;
  }
  float wait_scale(Context& context) const { return wait_state(context).scale; }
  /// Whether an overflow could not lower the scale any more.
  bool wait_is_at_floor(Context& context) const { return rule_.is_at_floor(wait_state(context)); }

  /// Writes rule and state as JSON text by sink(const char* part, std::size_t size), in several parts; waits for the device.
  template <class Sink, std::enable_if_t<!std::is_convertible_v<Sink, char*>, int> = 0>
  void wait_save(Context& context, Sink&& sink) const { detail::write_state(sink, rule_, wait_state(context), enabled_); }
  /// The same into memory of the caller; nothing is added at the end.
  ///
  /// Value   how many characters there are
  /// Errors  size  more than fit; max_state_text always do for the library's rules
  std::size_t wait_save(Context& context, char* text, std::size_t size) const {
    std::size_t length = 0;
    wait_save(context, [&](const char* part, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i, ++length)
        if (length < size) text[length] = part[i];
    });
    if (length > size) detail::fail("size", "wait_save: the state has ", static_cast<std::uint64_t>(length), " characters, and the buffer ", static_cast<std::uint64_t>(size));
    return length;
  }
  /// Takes over the rule and the state of a saved text, PyTorch's own five keys included. Does not wait; tickets are stale.
  /// A disabled scaler reads it and stays as it is.
  ///
  /// Errors  state              not ours, truncated, changed, impossible, or of a disabled scaler; nothing was changed
  ///         pending-gradients  as update
  void load(Context& context, const char* text, std::size_t size) {
    Rule rule = rule_;
    scale_state state;
    check(text, size, rule, state);
    if (!enabled_) return;
    rule_ = rule;
    kernels::run(context, detail::replace_state{state, memory_});
    ++host_->generation;
  }
  /// Raises what load would raise of this text, and changes nothing: for who must load several objects or none.
  void check_load(const char* text, std::size_t size) const {
    Rule rule = rule_;
    scale_state state;
    check(text, size, rule, state);
  }

 private:
  using kernels = scale_kernels<typename Context::device>;

  void check(const char* text, std::size_t size, Rule& rule, scale_state& state) const {
    require_here("load");
    const bool was_enabled = detail::read_state(text, size, rule, state);
    if (!enabled_) return;
    if (!was_enabled) detail::fail("state", "load: this text is of a disabled scaler; load it into one, or start anew");
    require_nothing_pending("load");
  }
  int slot() const { return static_cast<int>(host_->generation % 2); }
  int next_slot() const { return 1 - slot(); }
  void require_here(const char* call) const {
    if (!host_) detail::fail("used-twice", call, ": this scaler was moved from; use the one it was moved to");
  }
  void require_nothing_pending(const char* call) const {
    if (host_->open || host_->first.next)
      detail::fail("pending-gradients", call, ": gradients with the scale of generation ", host_->generation,
                   " are not used yet, and the scale may not change under them; step (or unscale) first");
  }
  void require_report(const amphora::ticket& used) const {
    if (!used.has_scaler()) return;
    if (used.scaler() != host_) detail::fail("mixed-tickets", "update: this outcome is of gradients that another scaler scaled; update that one with it");
    used.require_fresh("update");
  }
  static const amphora::ticket& ticket_of(const outcome<Context>& report) { return report.used(); }
  template <class Gradients> static const amphora::ticket& ticket_of(const unscaled<Gradients, Context>& report) { return report.ticket(); }
  static detail::step_report report_of(const outcome<Context>& report) { return {report.record(), nullptr}; }
  template <class Gradients> static detail::step_report report_of(const unscaled<Gradients, Context>& report) { return {nullptr, report.facts()}; }

  Context* context_;
  Rule rule_;
  bool enabled_;
  scale_memory* memory_;
  detail::issuer* host_;
};

}}  // namespace amphora
