// How an op joins the graph: its value, its inputs, and how the gradient goes back through it.
#pragma once
#include <amphora/autograd/variable.hpp>  // variable
#include <amphora/tensor/tensor.hpp>      // tensor

#include <algorithm>    // max
#include <memory>       // make_shared, weak_ptr
#include <optional>     // optional
#include <tuple>        // apply, tuple
#include <type_traits>  // is_same_v
#include <utility>      // move
#include <vector>       // vector

namespace amphora { inline namespace AMPHORA_ABI {

template <class Context> class tape;

namespace detail {

/// An op that was recorded, whatever it is.
template <class Context>
class producer {
 public:
  using any_cell = std::shared_ptr<cell_base<Context>>;

  virtual ~producer() = default;
  virtual void run(gradient_pass<Context>& pass, const any_cell& gradient) = 0;
  virtual void add_inputs(std::vector<any_cell>& inputs) const = 0;
  /// Whether gradients may go to values that are not among its inputs.
  virtual bool reaches_more() const = 0;
  /// Lets go of the op and its inputs. Producers that nobody else holds go to `last`, so that a long chain of ops ends without recursion.
  virtual void release(std::vector<std::shared_ptr<producer>>& last) = 0;
  virtual bool is_released() const = 0;

  /// release, for this one and for all that ends with it.
  void release_all() {
    std::vector<std::shared_ptr<producer>> last;
    release(last);
    while (!last.empty()) {
      const auto next = std::move(last.back());
      last.pop_back();
      if (next.use_count() == 1) next->release(last);
    }
  }
};

/// Where differentiation ends: a gradient that was only written, of an op that does not say how it depends on its inputs.
template <class Context>
class dead_end final : public producer<Context> {
  using typename producer<Context>::any_cell;

 public:
  explicit dead_end(std::vector<any_cell> inputs) : inputs_(std::move(inputs)) {}
  [[noreturn]] void run(gradient_pass<Context>&, const any_cell&) override {
    fail("no-derivative", "backward: the gradient of an op on the way has no derivative of its own; leave this op out of what is differentiated twice");
  }
  void add_inputs(std::vector<any_cell>& inputs) const override { inputs.insert(inputs.end(), inputs_.begin(), inputs_.end()); }
  bool reaches_more() const override { return false; }
  void release(std::vector<std::shared_ptr<producer<Context>>>& last) override {
    for (const any_cell& cell : inputs_)
      if (cell.use_count() == 1 && cell->made_by) last.push_back(std::move(cell->made_by));
    inputs_.clear();
  }
  bool is_released() const override { return inputs_.empty(); }

 private:
  std::vector<any_cell> inputs_;
};
template <class T, class Context>
void end_at(cell<T, Context, T>& value, const std::vector<std::shared_ptr<cell_base<Context>>>& inputs) {
  if (inputs.empty()) return;
  value.needs_gradient = true;
  for (const auto& input : inputs) value.depth = (std::max)(value.depth, input->depth + 1);
  value.made_by = std::make_shared<dead_end<Context>>(inputs);
}

template <class Op, class = void> inline constexpr bool reaches_more_v = false;
template <class Op> inline constexpr bool reaches_more_v<Op, std::enable_if_t<Op::reaches_more>> = true;

/// An input that its op no longer needs; its own op goes to `last` where nobody else holds it.
template <class Input, class Context> void let_go(Input& input, std::vector<std::shared_ptr<producer<Context>>>& last) {
  const auto& cell = input.shared();
  if (cell && cell.use_count() == 1 && cell->made_by) last.push_back(std::move(cell->made_by));
  input = Input();
}

template <class T, class Context, class Op, class... Inputs>
class recorded final : public producer<Context> {
  using typename producer<Context>::any_cell;
  using value_cell = cell<T, Context, T>;

 public:
  recorded(const std::shared_ptr<value_cell>& value, Op op, const Inputs&... inputs) : value_(value), op_(std::move(op)), inputs_(inputs...) {}

  void run(gradient_pass<Context>& pass, const any_cell& gradient) override {
    const variable<T, Context> of_value(std::static_pointer_cast<value_cell>(gradient)), value(value_.lock());
    std::apply([&](const auto&... input) { op_->backward(pass, of_value, value, input...); }, inputs_);
  }
  void add_inputs(std::vector<any_cell>& inputs) const override {
    std::apply([&](const auto&... input) { ((input.needs_gradient() ? inputs.push_back(input.shared()) : void()), ...); }, inputs_);
  }
  bool reaches_more() const override { return reaches_more_v<Op>; }
  void release(std::vector<std::shared_ptr<producer<Context>>>& last) override {
    op_.reset();
    std::apply([&](auto&... input) { (let_go(input, last), ...); }, inputs_);
  }
  bool is_released() const override { return !op_; }

 private:
  std::weak_ptr<value_cell> value_;  // its value holds this
  std::optional<Op> op_;
  std::tuple<Inputs...> inputs_;
};

}  // namespace detail

/// A value that an op has computed, with what its backward pass needs where the tape records and an input needs a gradient.
///
/// value   a tensor; or a fresh constant, for an op whose value lies in memory that another holds too
/// op      has backward(pass, gradient, value, inputs…), which gives each input its gradient by pass.give or pass.write
///         (autograd/gradient_pass.hpp). What it keeps (settings, other tensors) lives until the graph is used up
/// inputs  variables, as backward gets them; an empty one stands for what the call was not given
template <class T, class Context, class Op, class... Inputs>
variable<T, Context> record(const tape<Context>& recording, variable<T, Context> value, Op op, const Inputs&... inputs) {
  if (!recording.records() || !(inputs.needs_gradient() || ... || detail::reaches_more_v<Op>)) return value;
  auto& cell = *value.shared();
  cell.needs_gradient = true;
  ((cell.depth = (std::max)(cell.depth, inputs ? inputs.shared()->depth + 1 : 0)), ...);
  cell.made_by = std::make_shared<detail::recorded<T, Context, Op, Inputs...>>(value.shared(), std::move(op), inputs...);
  return value;
}
template <class T, class Context, class Op, class... Inputs>
variable<T, Context> record(const tape<Context>& recording, tensor<T, Context> value, Op op, const Inputs&... inputs) {
  return record(recording, variable<T, Context>(std::move(value)), std::move(op), inputs...);
}

}}  // namespace amphora
