// What a backward pass hands to the ops that it goes through.
#pragma once
#include <amphora/autograd/gradient_route.hpp>  // gradient_route
#include <amphora/autograd/record.hpp>          // record, end_at
#include <amphora/autograd/tape.hpp>            // tape
#include <amphora/autograd/variable.hpp>        // variable
#include <amphora/format/format_of.hpp>         // is_storage_v
#include <amphora/ops/add.hpp>                  // add_value
#include <amphora/ops/cast.hpp>                 // cast_backward

#include <memory>         // shared_ptr
#include <type_traits>    // is_same_v
#include <unordered_set>  // unordered_set
#include <utility>        // move
#include <vector>         // vector

namespace amphora { inline namespace AMPHORA_ABI {

/// One run back over a graph. An op's backward(pass, gradient, value, inputs…) gives it the gradients of the inputs: by a call
/// that writes, which says for second derivatives what op the gradient is a value of,
///
///     pass.write(x, [&](auto target) { relu_backward<Policy>(pass.context(), target, gradient.value(), x.value()); }, relu_gradient{}, gradient, x);
///
/// or as a variable: pass.give(x, gx), where gx is made by ops on pass.tape(). An op that writes and does not say has no second
/// derivative: to differentiate its gradient is an error that says so.
template <class Context>
class gradient_pass {
  using any_cell = std::shared_ptr<detail::cell_base<Context>>;

 public:
  using context_type = Context;

  /// into_leaves  whether leaves take their gradients
  gradient_pass(Context& context, bool creates_graph, bool keeps, bool into_leaves)
      : tape_(context, creates_graph), keeps_(keeps), into_leaves_(into_leaves), route_(into_leaves) {}
  gradient_pass(const gradient_pass&) = delete;

  /// Records where the gradients are to be differentiated again.
  const amphora::tape<Context>& tape() const { return tape_; }
  Context& context() const { return tape_.context(); }
  bool creates_graph() const { return tape_.records(); }
  /// Whether a gradient of x leads to anything that was asked for. give and write do nothing where not.
  template <class X> bool wants(const X& x) const {
    const auto* at = x.needs_gradient() ? route_.at(x.shared().get()) : nullptr;
    return at && at->is_needed;
  }

  /// Adds a gradient to those of x; it is cast where x takes another format.
  ///
  /// Errors  shape
  template <class T, class Gradient, class Given>
  void give(const variable<T, Context, Gradient>& x, const variable<Given, Context>& gradient) {
    if (!wants(x)) return;
    detail::require_shape("backward", "a gradient", gradient.shape(), x.shape());
    const auto add = [&](auto target) { cast_backward(context(), target, gradient.value()); };
    if (is_direct(*x.shared())) return into_sink(*x.shared(), add);
    if constexpr (std::is_same_v<Given, Gradient>) {
      auto& at = *route_.at(x.shared().get());
      if (at.gradient) accumulate(at.gradient, gradient);
      else at.gradient = gradient.shared();
      route_.enqueue(x.shared());
    } else {
      write(x, add, as_given{}, gradient);
    }
  }
  /// The same by a call that writes: function(into(view)) or function(add_to(view)), so that a fused backward adds by itself, a
  /// parameter's gradient where it belongs.
  ///
  /// op, inputs  where the graph is made again, the gradient is recorded as a value of op on these; without them it has no derivative
  template <class T, class Gradient, class Function, class Op, class... Inputs>
  void write(const variable<T, Context, Gradient>& x, const Function& function, const Op& op, const Inputs&... inputs) {
    if (is_done_in_place(x, function)) return;
    tensor<Gradient, Context> memory(context(), x.shape());
    function(into(memory));
    give(x, record(tape_, std::move(memory), op, inputs...));
  }
  template <class T, class Gradient, class Function>
  void write(const variable<T, Context, Gradient>& x, const Function& function) {
    if (is_done_in_place(x, function)) return;
    tensor<Gradient, Context> memory(context(), x.shape());
    function(into(memory));
    const variable<Gradient, Context> gradient(std::move(memory));
    if (creates_graph()) detail::end_at(*gradient.shared(), of_running_);
    give(x, gradient);
  }

  /// For backward and grad: asks for x's gradient, finds the graph behind a value (Errors  used-twice), goes over all of it.
  template <class X> void want(const X& x) { route_.want(x.shared()); }
  void start(const any_cell& value) { route_.find(value); }
  void run() {
    while (const any_cell cell = route_.next()) {
      auto& at = *route_.at(cell.get());
      const any_cell gradient = cell->hooked(std::move(at.gradient));
      at.gradient = at.is_answer ? gradient : nullptr;
      if (!cell->made_by) cell->finish(*this, gradient);
      else if (at.is_passed_on) run(*cell->made_by, gradient);
    }
  }
  template <class T, class Gradient> variable<Gradient, Context> answer(const variable<T, Context, Gradient>& x) const {
    return variable<Gradient, Context>(typed<Gradient>(route_.at(x.shared().get())->gradient));
  }
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
  struct as_given {
    template <class G, class X> void backward(gradient_pass& pass, const G& gradient, const G&, const X& x) const { pass.give(x, gradient); }
  };
  struct to_both {
    template <class G> void backward(gradient_pass& pass, const G& gradient, const G&, const G& a, const G& b) const { pass.give(a, gradient), pass.give(b, gradient); }
  };

  template <class T> static std::shared_ptr<detail::cell<T, Context, T>> typed(const any_cell& cell) { return std::static_pointer_cast<detail::cell<T, Context, T>>(cell); }

  void run(detail::producer<Context>& op, const any_cell& gradient) {
    detail::gradient_route<Context>::require_whole(op);  // a checkpoint may come back to what it has not named
    of_running_.clear();
    if (creates_graph()) op.add_inputs(of_running_);
    if (creates_graph() && gradient->needs_gradient) of_running_.push_back(gradient);
    op.run(*this, gradient);
    if (!keeps_) op.release_all();
  }

  template <class Leaf> bool is_direct(const Leaf& leaf) const { return into_leaves_ && leaf.has_sink && leaf.hooks.empty() && !creates_graph(); }
  template <class Leaf, class Function> void into_sink(Leaf& leaf, const Function& function) {
    const bool is_first = written_.insert(leaf.sink.data()).second && !leaf.sink_is_filled;
    leaf.sink_is_filled = true;
    if (is_first) function(into(leaf.sink));
    else function(add_to(leaf.sink));
  }
  /// Whether a gradient of x needs no memory of its own: it is not wanted, or was added where it belongs.
  template <class X, class Function> bool is_done_in_place(const X& x, const Function& function) {
    if (!wants(x)) return true;
    if (is_direct(*x.shared())) return into_sink(*x.shared(), function), true;
    auto* sum = sole<typename X::gradient_type>(route_.at(x.shared().get())->gradient);
    if (sum) function(add_to(*sum));
    return sum != nullptr;
  }
  /// Memory that nobody else sees: it may be added to.
  template <class T> tensor<T, Context>* sole(const any_cell& sum) const {
    if (creates_graph() || !sum || sum.use_count() != 1 || sum->made_by) return nullptr;
    auto& cell = static_cast<detail::cell<T, Context, T>&>(*sum);
    return cell.owned.use_count() == 1 ? cell.owned.get() : nullptr;
  }
  template <class T> void accumulate(any_cell& sum, const variable<T, Context>& more) {
    if (auto* memory = sole<T>(sum)) return cast_backward(context(), add_to(*memory), more.value());
    const variable<T, Context> a(typed<T>(sum));
    tensor<T, Context> both(context(), a.shape());
    const auto x = a.value(), y = more.value();
    detail::map_kernels<typename Context::device>::run(context(), detail::add_value{1}, detail::make_loops<2>(x.shape(), {&x.shape(), &y.shape()}), detail::write(both.view()),
                                                       detail::read(x), detail::read(y));
    sum = record(tape_, std::move(both), to_both{}, a, more).shared();
  }

  amphora::tape<Context> tape_;
  bool keeps_, into_leaves_;
  detail::gradient_route<Context> route_;
  std::unordered_set<const void*> written_;  // memory for leaves' gradients, in this pass
  std::vector<any_cell> of_running_;         // all that the gradients of the op that runs may depend on
};

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
  if constexpr (is_storage_v<Gradient>) pass.finish(*this, gradient_of_value);  // integers are constants
}

}  // namespace detail
}}  // namespace amphora
