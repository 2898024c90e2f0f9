// What a backward pass hands to the ops that it goes through.
#pragma once
#include <amphora/autograd/tape.hpp>      // tape, record
#include <amphora/autograd/variable.hpp>  // variable
#include <amphora/error.hpp>              // fail
#include <amphora/ops/add.hpp>            // add_value
#include <amphora/ops/cast.hpp>           // cast, cast_backward

#include <algorithm>      // push_heap, pop_heap, sort
#include <cstdint>        // uint64_t
#include <memory>         // shared_ptr, weak_ptr
#include <type_traits>    // is_same_v
#include <unordered_map>  // unordered_map
#include <unordered_set>  // unordered_set
#include <utility>        // move
#include <vector>         // vector

namespace amphora { inline namespace AMPHORA_ABI {

/// One run back over a graph. An op's backward(pass, gradient, value, inputs…) asks it whether the graph is made again, and gives
/// it the gradients of the inputs:
///
///     if (!pass.creates_graph()) pass.write(x, [&](auto target) { relu_backward<Policy>(pass.context(), target, gradient.value(), x.value()); });
///     else pass.give(x, …);  // a variable made by ops on pass.tape(), so that it can be differentiated itself
///
/// An op that only writes has no second derivative: to differentiate its gradient is an error that says so.
template <class Context>
class gradient_pass {
  using any_cell = std::shared_ptr<detail::cell_base<Context>>;

 public:
  gradient_pass(Context& context, bool creates_graph, bool keeps, bool into_leaves) : tape_(context, creates_graph), keeps_(keeps), into_leaves_(into_leaves) {}
  gradient_pass(const gradient_pass&) = delete;

  /// Records where the gradients are to be differentiated again.
  const amphora::tape<Context>& tape() const { return tape_; }
  Context& context() const { return tape_.context(); }
  bool creates_graph() const { return tape_.records(); }
  /// Whether a gradient of x leads to anything that was asked for. give and write do nothing where not.
  template <class X> bool wants(const X& x) const { return x.needs_gradient() && place_of(x) && place_of(x)->is_needed; }

  /// Adds a gradient to those of x; it is cast where x takes another format.
  ///
  /// Errors  shape
  template <class T, class Gradient, class Given>
  void give(const variable<T, Context, Gradient>& x, const variable<Given, Context>& gradient) {
    if (!wants(x)) return;
    detail::require_shape("backward", "a gradient", gradient.shape(), x.shape());
    const auto add = [&](auto target) { cast_backward(context(), target, gradient.value()); };
    place& at = *place_of(x);
    if (is_direct(*x.shared())) return into_sink(*x.shared(), add);
    if constexpr (std::is_same_v<Given, Gradient>) {
      if (at.gradient) accumulate(at.gradient, gradient);
      else at.gradient = gradient.shared();
      enqueue(x.shared(), at);
    } else if (creates_graph()) {
      tensor<Gradient, Context> memory(context(), x.shape());
      add(into(memory));
      give(x, record(tape_, std::move(memory), as_given{}, gradient));
    } else {
      write(x, add);
    }
  }
  /// The same by a call that writes: function(into(view)) or function(add_to(view)), so that a fused backward adds by itself, a
  /// parameter's gradient where it belongs.
  template <class T, class Gradient, class Function>
  void write(const variable<T, Context, Gradient>& x, const Function& function) {
    if (!wants(x)) return;
    if (is_direct(*x.shared())) return into_sink(*x.shared(), function);
    if (auto* sum = creates_graph() ? nullptr : sole<Gradient>(place_of(x)->gradient)) return function(add_to(*sum));
    tensor<Gradient, Context> memory(context(), x.shape());
    function(into(memory));
    give(x, record(tape_, std::move(memory), once{}, x));
  }

  /// For backward and grad: x's gradient is an answer of this pass. Before start.
  template <class X> void want(const X& x) {
    place& at = places_[x.shared().get()];
    at.cell = x.shared(), at.is_answer = true;
  }
  template <class T, class Gradient> variable<Gradient, Context> answer(const variable<T, Context, Gradient>& x) const {
    return variable<Gradient, Context>(typed<Gradient>(place_of(x)->gradient));
  }
  /// Finds the graph behind a value, as far as it leads to what is asked for. Changes nothing.
  ///
  /// Errors  used-twice
  void start(const any_cell& value);
  /// Until no value waits.
  void run();
  /// For a leaf at the end of its pass.
  template <class T, class Gradient> void finish(detail::cell<T, Context, Gradient>& leaf, const any_cell& gradient) {
    if (!into_leaves_) return;
    const variable<Gradient, Context> of_leaf(typed<Gradient>(gradient));
    if (leaf.has_sink) return into_sink(leaf, [&](auto target) { cast_backward(context(), target, of_leaf.value()); });
    any_cell sum = std::move(leaf.gradient);
    if (sum) accumulate(sum, of_leaf);
    else sum = gradient;
    leaf.gradient = typed<Gradient>(sum);
  }

 private:
  /// What the pass knows of a value. Its cell may end before the pass; the weak pointer keeps the address from being used again.
  struct place {
    std::weak_ptr<detail::cell_base<Context>> cell;
    any_cell gradient;
    bool is_found = false, is_needed = false, is_passed_on = false, is_answer = false, is_queued = false;
  };
  struct waiting {
    any_cell cell;
    std::uint64_t number;  // the order among equals, so that sums have the same bits in each run
    friend bool operator<(const waiting& a, const waiting& b) { return a.cell->depth != b.cell->depth ? a.cell->depth < b.cell->depth : a.number > b.number; }
  };
  struct as_given {
    template <class G, class X> void backward(gradient_pass& pass, const G& gradient, const G&, const X& x) const { pass.give(x, gradient); }
  };
  struct to_both {
    template <class G> void backward(gradient_pass& pass, const G& gradient, const G&, const G& a, const G& b) const { pass.give(a, gradient), pass.give(b, gradient); }
  };
  struct once {
    template <class G, class X> [[noreturn]] void backward(gradient_pass&, const G&, const G&, const X&) const {
      detail::fail("no-derivative", "backward: the gradient of an op on the way has no derivative of its own; leave this op out of what is differentiated twice");
    }
  };

  template <class X> const place* place_of(const X& x) const {
    const auto found = places_.find(x.shared().get());
    return found == places_.end() ? nullptr : &found->second;
  }
  template <class X> place* place_of(const X& x) { return const_cast<place*>(static_cast<const gradient_pass*>(this)->place_of(x)); }
  template <class T> static std::shared_ptr<detail::cell<T, Context, T>> typed(const any_cell& cell) { return std::static_pointer_cast<detail::cell<T, Context, T>>(cell); }

  template <class Leaf> bool is_direct(const Leaf& leaf) const { return into_leaves_ && leaf.has_sink && leaf.hooks.empty() && !creates_graph(); }
  template <class Leaf, class Function> void into_sink(Leaf& leaf, const Function& function) {
    const bool is_first = written_.insert(leaf.sink.data()).second && !leaf.sink_is_filled;
    leaf.sink_is_filled = true;
    if (is_first) function(into(leaf.sink));
    else function(add_to(leaf.sink));
  }
  /// Memory that nobody else sees: it may be added to.
  template <class T> static tensor<T, Context>* sole(const any_cell& sum) {
    if (!sum || sum.use_count() != 1 || sum->made_by) return nullptr;
    auto& cell = static_cast<detail::cell<T, Context, T>&>(*sum);
    return cell.owned.use_count() == 1 ? cell.owned.get() : nullptr;
  }
  template <class T> void accumulate(any_cell& sum, const variable<T, Context>& more) {
    if (auto* memory = creates_graph() ? nullptr : sole<T>(sum)) return cast_backward(context(), add_to(*memory), more.value());
    const variable<T, Context> a(typed<T>(sum));
    tensor<T, Context> both(context(), a.shape());
    const auto x = a.value(), y = more.value();
    detail::map_kernels<typename Context::device>::run(context(), detail::add_value{1}, detail::make_loops<2>(x.shape(), {&x.shape(), &y.shape()}), detail::write(both.view()),
                                                       detail::read(x), detail::read(y));
    sum = record(tape_, std::move(both), to_both{}, a, more).shared();
  }
  void enqueue(const any_cell& cell, place& at) {
    if (at.is_queued) return;
    at.is_queued = true;
    queue_.push_back({cell, count_++});
    std::push_heap(queue_.begin(), queue_.end());
  }

  amphora::tape<Context> tape_;
  bool keeps_, into_leaves_;
  std::uint64_t count_ = 0;
  std::unordered_map<const detail::cell_base<Context>*, place> places_;
  std::unordered_set<const void*> written_;  // memory for leaves' gradients, in this pass
  std::vector<waiting> queue_;
};

template <class Context>
void gradient_pass<Context>::start(const any_cell& value) {
  std::vector<any_cell> found, open{value}, inputs;
  while (!open.empty()) {
    const any_cell cell = std::move(open.back());
    open.pop_back();
    place& at = places_[cell.get()];
    if (at.is_found) continue;
    at.cell = cell, at.is_found = true;
    found.push_back(cell);
    if (!cell->made_by) continue;
    if (cell->made_by->is_released())
      detail::fail("used-twice", "backward: a pass before has used this graph up; give that pass graph::keep, or record the ops again");
    cell->made_by->add_inputs(open);
  }
  std::sort(found.begin(), found.end(), [](const any_cell& a, const any_cell& b) { return a->depth < b->depth; });  // inputs come first
  for (const any_cell& cell : found) {
    place& at = places_[cell.get()];
    if (cell->made_by) {
      inputs.clear(), cell->made_by->add_inputs(inputs);
      at.is_passed_on = cell->made_by->reaches_more();
      for (const any_cell& input : inputs) at.is_passed_on = at.is_passed_on || places_[input.get()].is_needed;
    }
    at.is_needed = at.is_answer || at.is_passed_on || (into_leaves_ && !cell->made_by);
  }
}

template <class Context>
void gradient_pass<Context>::run() {
  while (!queue_.empty()) {
    std::pop_heap(queue_.begin(), queue_.end());
    const any_cell cell = std::move(queue_.back().cell);
    queue_.pop_back();
    place& at = places_[cell.get()];
    at.is_queued = false;
    const any_cell gradient = cell->hooked(std::move(at.gradient));
    at.gradient = at.is_answer ? gradient : nullptr;
    if (!cell->made_by) cell->finish(*this, gradient);
    if (!cell->made_by || !at.is_passed_on) continue;
    const auto producer = cell->made_by;
    producer->run(*this, gradient);
    if (!keeps_) producer->release_all();
  }
}

namespace detail {

template <class T, class Context, class Gradient>
auto cell<T, Context, Gradient>::hooked(any_cell gradient_of_value) const -> any_cell {
  for (const auto& hook : hooks) {
    const auto next = hook->call(variable<Gradient, Context>(std::static_pointer_cast<gradient_cell>(std::move(gradient_of_value))));
    require_shape("on_gradient", "a gradient", next.shape(), value.shape());
    gradient_of_value = next.shared();
  }
  return gradient_of_value;
}
template <class T, class Context, class Gradient>
void cell<T, Context, Gradient>::finish(gradient_pass<Context>& pass, const any_cell& gradient_of_value) {
  pass.finish(*this, gradient_of_value);
}

}  // namespace detail
}}  // namespace amphora
