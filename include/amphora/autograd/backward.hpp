// Runs back over what was recorded: gradients of all leaves, or of chosen variables.
#pragma once
#include <amphora/autograd/tape.hpp>      // tape, record
#include <amphora/autograd/variable.hpp>  // variable
#include <amphora/error.hpp>              // fail
#include <amphora/ops/add.hpp>            // add_value
#include <amphora/ops/cast.hpp>           // cast, copy, fill

#include <algorithm>  // push_heap, pop_heap
#include <memory>     // shared_ptr
#include <tuple>      // tuple
#include <utility>    // move
#include <vector>     // vector

namespace amphora { inline namespace AMPHORA_ABI {

/// What a backward pass hands to the ops that it goes through.
template <class Context>
class gradient_pass {
 public:
  gradient_pass(Context& context, bool create_graph, bool keeps, bool into_leaves)
      : tape_(context, create_graph), keeps_(keeps), into_leaves_(into_leaves) {}

  /// Records where the gradients are to be differentiated again.
  const amphora::tape<Context>& tape() const { return tape_; }
  Context& context() const { return tape_.context(); }
  bool creates_graph() const { return tape_.records(); }

  /// Adds a gradient to those of x. Nothing where x needs none.
  template <class T, class Gradient>
  void give(const variable<T, Context, Gradient>& x, variable<Gradient, Context> gradient) {
    if (!x.needs_gradient()) return;
    detail::require_shape("backward", "a gradient", gradient.shape(), x.shape());
    auto& cell = *x.shared();
    if (!cell.collected) cell.collected = gradient.shared();
    else cell.collected = sum(variable<Gradient, Context>(cell.collected), gradient).shared();
    enqueue(x.shared());
  }
  /// The same by a call that writes: write(into(view)) or write(add_to(view)), so that a fused backward adds by itself.
  ///
  /// Not where the graph is made again: what is written in place has no gradient.
  template <class T, class Gradient, class Write>
  void write(const variable<T, Context, Gradient>& x, const Write& write) {
    if (!x.needs_gradient()) return;
    auto& cell = *x.shared();
    if (into_leaves_ && cell.has_sink && !cell.made_by && cell.hooks.empty() && !creates_graph()) {
      if (cell.sink_is_filled) write(add_to(cell.sink));
      else write(into(cell.sink));
      cell.sink_is_filled = true;
      return;
    }
    if (cell.collected && cell.collected.use_count() == 1 && cell.collected->owned && cell.collected->owned.use_count() == 1 && !cell.collected->made_by) {
      write(add_to(cell.collected->owned->view()));
    } else {
      tensor<Gradient, Context> memory(context(), x.shape());
      write(into(memory.view()));
      give(x, variable<Gradient, Context>(std::move(memory)));
    }
    enqueue(x.shared());
  }

  /// For backward and grad: runs until no value waits.
  void run() {
    while (!queue_.empty()) {
      std::pop_heap(queue_.begin(), queue_.end(), shallower{});
      const auto cell = std::move(queue_.back());
      queue_.pop_back();
      cell->is_queued = false;
      cell->complete();
      if (cell->made_by) {
        const auto producer = cell->made_by;
        if (producer->is_released) {
          clear(), cell->forget();
          detail::fail("used-twice", "backward: this graph was used by a backward pass before and not kept; say keep_graph, or record it again");
        }
        producer->run(*this);
        if (!cell->is_wanted) cell->forget();
        if (!keeps_) producer->is_released = true, producer->release_all();
      } else {
        cell->finish(*this);
      }
    }
  }
  bool into_leaves() const { return into_leaves_; }
  template <class Cell> void enqueue(const std::shared_ptr<Cell>& cell) {
    if (cell->is_queued) return;
    cell->is_queued = true;
    queue_.push_back(cell);
    std::push_heap(queue_.begin(), queue_.end(), shallower{});
  }
  /// a + b of one format.
  template <class T> variable<T, Context> sum(const variable<T, Context>& a, const variable<T, Context>& b) {
    tensor<T, Context> total(context(), a.shape());
    const auto x = a.value(), y = b.value();
    detail::map_kernels<typename Context::device>::run(context(), detail::add_value{1}, detail::make_loops<2>(a.shape(), {&a.shape(), &b.shape()}), detail::write(total.view()),
                                                       detail::read(x), detail::read(y));
    return record(tape_, std::move(total), to_both{}, a, b);
  }

 private:
  struct to_both {
    template <class G> void backward(gradient_pass& pass, const G& gradient, const G&, const G& a, const G& b) const { pass.give(a, gradient), pass.give(b, gradient); }
  };
  struct shallower {
    bool operator()(const std::shared_ptr<detail::cell_base<Context>>& a, const std::shared_ptr<detail::cell_base<Context>>& b) const { return a->depth < b->depth; }
  };
  void clear() {
    for (const auto& cell : queue_) cell->is_queued = false, cell->forget();
    queue_.clear();
  }

  amphora::tape<Context> tape_;
  bool keeps_, into_leaves_;
  std::vector<std::shared_ptr<detail::cell_base<Context>>> queue_;
};

template <class T, class Context, class Gradient>
void detail::cell<T, Context, Gradient>::finish(gradient_pass<Context>& pass) {
  if (!collected || this->is_wanted) return;
  if (pass.into_leaves() && has_sink) {
    const auto from = variable<Gradient, Context>(collected).value();
    if (sink_is_filled) cast_to("backward", pass.context(), target<format_of_t<Gradient>>{sink.data(), true}, sink.shape(), from);
    else copy(pass.context(), from, sink);
    sink_is_filled = true;
  } else if (pass.into_leaves()) {
    gradient = gradient ? pass.sum(variable<Gradient, Context>(gradient), variable<Gradient, Context>(collected)).shared() : collected;
  }
  forget();
}

/// What a pass leaves of the graph behind it.
enum class graph {
  free,    ///< memory goes as it is consumed; a second pass is an error
  keep,    ///< another pass may follow
  create,  ///< kept, and the gradients can be differentiated themselves
};

/// Runs back from a value to all leaves that it was made of.
///
/// value  the loss, or any other
/// seed   ∂(what is differentiated)/∂value, of its shape, on the device: scaler.scale(…).gradient() for a loss that is to be scaled
/// Effect  each leaf's gradient, or the memory given for it, has these gradients added
/// Errors  shape; used-twice where the graph was used up by a pass before. Does not synchronise
template <class T, class Context, class Seed>
void backward(Context& context, const variable<T, Context>& value, const view<const Seed>& seed, graph after = graph::free) {
  gradient_pass<Context> pass(context, after == graph::create, after != graph::free, true);
  detail::require_shape("backward", "a seed", seed.shape(), value.shape());
  tensor<T, Context> start(context, value.shape());
  cast(context, into(start), seed);
  pass.give(value, variable<T, Context>(std::move(start)));
  pass.run();
}
/// From a scalar, whose own gradient is one.
template <class T, class Context>
void backward(Context& context, const variable<T, Context>& value, graph after = graph::free) {
  tensor<float, Context> one(context, value.shape());
  fill(context, one, 1.0f);
  backward(context, value, static_cast<const tensor<float, Context>&>(one).view(), after);
}

/// The gradients of a value by some variables, leaves or not: auto [gx, gw] = grad(context, y, graph::create, x, w). Leaves keep theirs as they are.
///
/// Value   a tuple in the order of `by`; an empty variable where the value does not depend on it
/// Errors  as backward
template <class T, class Context, class... T2, class... Gradient>
std::tuple<variable<Gradient, Context>...> grad(Context& context, const variable<T, Context>& value, const variable<T, Context>& seed, graph after, const variable<T2, Context, Gradient>&... by) {
  gradient_pass<Context> pass(context, after == graph::create, after != graph::free, false);
  ((by.shared()->is_wanted = true), ...);
  pass.give(value, seed);
  pass.run();
  std::tuple<variable<Gradient, Context>...> result(variable<Gradient, Context>(by.shared()->collected)...);
  ((by.shared()->is_wanted = false, by.shared()->forget()), ...);
  return result;
}

}}  // namespace amphora
