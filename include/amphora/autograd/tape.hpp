// Records what ops do to variables.
#pragma once
#include <amphora/autograd/variable.hpp>  // variable
#include <amphora/ops/operand.hpp>        // require_shape

#include <algorithm>    // max
#include <memory>       // make_shared, weak_ptr
#include <tuple>        // apply, tuple
#include <type_traits>  // decay_t
#include <utility>      // move

namespace amphora { inline namespace AMPHORA_ABI {

/// Stands where a context stands in a call of an op: amp::linear<mixed>(tape, x, w, b) takes variables and gives one.
///
/// It holds a context and whether ops are recorded, nothing else: there is no state that two threads or two regions could
/// share, and copying one costs nothing. The graph belongs to its variables and ends with them.
template <class Context>
class tape {
 public:
  using context_type = Context;

  explicit tape(Context& context, bool records = true) : context_(&context), records_(records) {}
  Context& context() const { return *context_; }
  bool records() const { return records_; }
  /// The same without recording: values alone, for evaluation.
  tape no_grad() const { return tape(*context_, false); }

  /// A leaf: its gradient is wanted.
  ///
  /// value  taken over
  template <class T> variable<T, Context> leaf(tensor<T, Context> value) const {
    variable<T, Context> result(std::move(value));
    result.shared()->needs_gradient = true;
    return result;
  }
  /// A leaf in memory of the caller's, whose gradient goes to memory of the caller's: written by the first pass, added to by others.
  ///
  /// value     what ops read; must outlive the graph
  /// gradient  of the same shape
  /// Errors    shape
  template <class T, class Gradient> variable<T, Context, Gradient> leaf(const view<const T>& value, const view<Gradient>& gradient) const {
    detail::require_shape("leaf", "memory for a gradient", gradient.shape(), value.shape());
    variable<T, Context, Gradient> result(value);
    auto& cell = *result.shared();
    cell.needs_gradient = true, cell.has_sink = true, cell.sink = gradient;
    return result;
  }
  /// A parameter's weights; its gradient goes where the parameter's step reads it. A frozen one is a constant.
  template <class Parameter> auto leaf(Parameter& parameter) const {
    using gradient = typename decltype(parameter.gradient())::value_type;
    const auto weights = parameter.weights();
    using T = typename std::decay_t<decltype(weights)>::value_type;
    if (parameter.is_frozen()) return variable<T, Context, gradient>(weights);
    return leaf(weights, parameter.gradient());
  }
  /// Adds to what stands in a parameter's gradient, also in the first pass: for accumulation over several graphs.
  template <class Parameter> auto accumulating_leaf(Parameter& parameter) const {
    auto result = leaf(parameter);
    result.shared()->sink_is_filled = true;
    return result;
  }

 private:
  Context* context_;
  bool records_;
};

namespace detail {

/// An op that was recorded.
///
/// Op  has backward(pass, gradient, value, inputs…), which gives each input its gradient by pass.give or pass.write
template <class T, class Context, class Op, class... Inputs>
class recorded final : public producer<Context> {
 public:
  recorded(const std::shared_ptr<cell<T, Context, T>>& value, Op op, const Inputs&... inputs) : value_(value), op_(std::move(op)), inputs_(inputs...) {}

  void run(gradient_pass<Context>& pass) override {
    const auto value = value_.lock();
    if (!value || !value->collected) return;
    const variable<T, Context> gradient(value->collected), itself(value);
    std::apply([&](const auto&... input) { op_.backward(pass, gradient, itself, input...); }, inputs_);
  }
  void release(std::vector<std::shared_ptr<producer<Context>>>& last) override {
    std::apply([&](auto&... input) { (let_go(input, last), ...); }, inputs_);
  }

 private:
  template <class Input> static void let_go(Input& input, std::vector<std::shared_ptr<producer<Context>>>& last) {
    const auto& cell = input.shared();
    if (cell && cell.use_count() == 1 && cell->made_by) last.push_back(std::move(cell->made_by));
    input = Input();
  }

  std::weak_ptr<cell<T, Context, T>> value_;
  Op op_;
  std::tuple<Inputs...> inputs_;
};

}  // namespace detail

/// A value that an op has computed, with what its backward pass needs where the tape records and an input needs a gradient.
///
/// op  as of detail::recorded; what it keeps (settings, other values) lives as long as the graph
template <class T, class Context, class Op, class... Inputs>
variable<T, Context> record(const tape<Context>& recording, tensor<T, Context> value, Op op, const Inputs&... inputs) {
  variable<T, Context> result(std::move(value));
  if (!recording.records() || !(inputs.needs_gradient() || ...)) return result;
  auto& cell = *result.shared();
  cell.needs_gradient = true;
  ((cell.depth = (std::max)(cell.depth, inputs ? inputs.shared()->depth + 1 : 0)), ...);
  cell.made_by = std::make_shared<detail::recorded<T, Context, Op, Inputs...>>(result.shared(), std::move(op), inputs...);
  return result;
}

}}  // namespace amphora
