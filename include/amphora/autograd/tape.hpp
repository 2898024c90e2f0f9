// Where ops on variables are recorded: leaves, parameters, constants.
#pragma once
#include <amphora/autograd/record.hpp>    // record
#include <amphora/autograd/variable.hpp>  // variable
#include <amphora/ops/operand.hpp>        // require_shape

#include <type_traits>  // remove_const_t
#include <utility>      // move

namespace amphora { inline namespace AMPHORA_ABI {

/// Stands where a context stands in a call of an op: amp::linear<mixed>(tape, x, w, b) takes variables and gives one.
///
/// It holds a context and whether ops are recorded, nothing else: there is no state that two threads or two regions could
/// share, and copying one costs nothing. The graph belongs to its variables and ends with them.
///
///     amp::tape tape{context};
///     const auto h = amp::relu<mixed>(tape, amp::linear<mixed>(tape, tape.constant(x), tape.leaf(w), tape.leaf(b)));
///
/// Context  host_context or cuda_context; it must outlive the tape and all variables
template <class Context>
class tape {
 public:
  using context_type = Context;

  explicit tape(Context& context, bool records = true) : context_(&context), records_(records) {}
  Context& context() const { return *context_; }
  bool records() const { return records_; }
  /// The same without recording: values alone, for evaluation.
  tape no_grad() const { return tape(*context_, false); }

  /// What no gradient is wanted of: taken over, or in memory that must outlive the graph.
  template <class T> variable<T, Context> constant(tensor<T, Context>&& value) const { return variable<T, Context>(std::move(value)); }
  template <class T> variable<T, Context> constant(const tensor<T, Context>& value) const { return variable<T, Context>(value.view()); }
  template <class T> auto constant(const view<T>& value) const { return variable<std::remove_const_t<T>, Context>(view<const std::remove_const_t<T>>(value)); }

  /// A leaf: its gradient is wanted, and kept by it.
  ///
  /// value  taken over
  template <class T> variable<T, Context> leaf(tensor<T, Context> value) const {
    variable<T, Context> result(std::move(value));
    result.shared()->needs_gradient = true;
    return result;
  }
  /// A leaf in memory of the caller's, whose gradient goes to memory of the caller's: written by the first pass that reaches it,
  /// added to by the others. Several leaves may have one memory for their gradients: within a pass they add to it.
  ///
  /// value     what ops read; must outlive the graph
  /// gradient  of the same shape, in any format
  /// Errors    shape
  template <class T, class Gradient>
  auto leaf(const view<T>& value, const view<Gradient>& gradient) const {
    detail::require_shape("leaf", "memory for a gradient", gradient.shape(), value.shape());
    variable<std::remove_const_t<T>, Context, Gradient> result{view<const std::remove_const_t<T>>(value)};
    auto& cell = *result.shared();
    cell.needs_gradient = true, cell.has_sink = true, cell.sink = gradient;
    return result;
  }
  /// A parameter's weights; the gradient goes where its step reads it, with no copy in between. A frozen one is a constant.
  ///
  /// Call it anew for each graph: the pass over that graph then overwrites the gradient. A parameter that the pass does not
  /// reach keeps the gradient that it has: zero_gradient() it first where that can happen. The weights may step when all passes
  /// over the graph are done.
  template <class Parameter> auto leaf(Parameter& parameter) const { return leaf_in(parameter, parameter.weights()); }
  /// Of a tied parameter, as one of its readers reads it: tape.leaf_of<on<layer::head, op::linear>>(tied).
  template <class Use, class Tied> auto leaf_of(Tied& tied) const { return leaf_in(tied, tied.template weights<Use>()); }
  /// leaf, but also the first pass adds to what stands there: for accumulation over several graphs.
  template <class Parameter> auto accumulating_leaf(Parameter& parameter) const {
    auto result = leaf(parameter);
    result.shared()->sink_is_filled = true;
    return result;
  }

 private:
  template <class Parameter, class T> auto leaf_in(Parameter& parameter, const view<const T>& weights) const {
    using gradient = typename decltype(parameter.gradient())::value_type;
    if (parameter.is_frozen()) return variable<T, Context, gradient>(weights);
    return leaf(weights, parameter.gradient());
  }

  Context* context_;
  bool records_;
};

template <class X> inline constexpr bool is_tape_v = false;
template <class Context> inline constexpr bool is_tape_v<tape<Context>> = true;

}}  // namespace amphora
