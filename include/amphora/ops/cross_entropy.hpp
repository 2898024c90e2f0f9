// Cross entropy of logits against class indices, forward and backward.
#pragma once
#include <amphora/op/loss.hpp>             // op::cross_entropy
#include <amphora/ops/call.hpp>            // result_t, require_into, made
#include <amphora/ops/kernels.hpp>         // cross_entropy_kernels
#include <amphora/ops/loss_reduction.hpp>  // reduction, loss_shape, no_weights
#include <amphora/ops/operand.hpp>         // into, operand

#include <cstdint>      // int64_t
#include <type_traits>  // is_same_v

namespace amphora { inline namespace AMPHORA_ABI {

/// The numbers of a cross entropy.
struct cross_entropy_settings {
  std::int64_t ignore_index = -100;              ///< rows with this target have loss 0 and gradient 0, and do not count in a mean
  double label_smoothing = 0;                    ///< in [0, 1]: the share of the target that is spread over all classes
  amphora::reduction reduction = reduction::mean;  ///< mean divides by the sum of the targets' weights; over nothing it is NaN, with gradient 0
  double factor = 1;                             ///< the loss and its gradient are multiplied by it, e.g. 1 / micro-batches
};

namespace detail {

/// A call whose formats travel beside it: logits [rows, classes, inner].
struct cross_entropy_call {
  std::int64_t rows = 0, classes = 0, inner = 1;
  const void* targets = nullptr;  ///< [rows, inner]
  bool wide_targets = false;      ///< int64, else int32
  bool weighted = false;
  cross_entropy_settings settings;
};

template <class T> inline constexpr bool is_index_v = std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8);
/// Whether targets say how probable each class is (ops/soft_cross_entropy.hpp), and not which one it is.
template <class T, class Always = void> inline constexpr bool are_probabilities_v = false;
template <class T> inline constexpr bool are_probabilities_v<T, std::enable_if_t<is_operand_v<T>>> = is_format_v<given_t<T>>;

template <class L, class T, class W>
cross_entropy_call cross_entropy_checked(const char* call, const view<const L>& logits, const view<const T>& targets, const view<const W>& weights,
                                         bool weighted, const cross_entropy_settings& settings) {
  static_assert(is_index_v<T>, "amphora [unknown-storage-type]: targets of cross_entropy are class indices; give std::int32_t or std::int64_t");
  const shape& s = logits.shape();
  if (s.rank() < 1) fail("shape", call, " needs logits of shape [classes] or [rows, classes, ...], not ", s);
  const int axis = s.rank() == 1 ? 0 : 1;
  std::int64_t extents[shape::max_rank] = {};
  int rank = 0;
  for (int i = 0; i < s.rank(); ++i)
    if (i != axis) extents[rank++] = s[i];
  require_shape(call, "targets", targets.shape(), shape(extents, rank));
  if (weighted) require_shape(call, "class weights", weights.shape(), shape{s[axis]});
  if (!(settings.label_smoothing >= 0 && settings.label_smoothing <= 1))
    fail("setting", call, " has label_smoothing = ", settings.label_smoothing, "; it must be between 0 and 1");
  cross_entropy_call result;
  result.rows = s.product(0, axis), result.classes = s[axis], result.inner = s.product(axis + 1, s.rank());
  result.targets = targets.data(), result.wide_targets = sizeof(T) == 8, result.weighted = weighted, result.settings = settings;
  return result;
}

}  // namespace detail

/// −log softmax(logits)[target], averaged: a sensitive op, in float whatever comes in.
///
/// logits    [classes] or [rows, classes, ...]
/// targets   class indices, int32 or int64: [rows, ...]; of probabilities see ops/soft_cross_entropy.hpp
/// weights   one a class, or no_weights{}
/// Value     a scalar, or [rows, ...] without a reduction, in the policy's output format
/// Errors    shape, setting; target (host: an index outside the classes that is not ignored). On CUDA, where nobody waits to see it, such a
///           row has loss NaN and gradient NaN, so that a mean and a sum are NaN and the finite check of the step finds it
/// Source    conventions of PyTorch's cross_entropy
template <class Policy, class Context, class L, class T, class W = no_weights, std::enable_if_t<detail::is_operand_v<L> && !detail::are_probabilities_v<T>, int> = 0>
auto cross_entropy(Context& context, const L& logits, const T& targets, const cross_entropy_settings& settings = {}, const W& weights = {}) {
  using result = detail::result_t<Policy, op::cross_entropy, Context, L>;
  if constexpr (detail::may_call<Policy, op::cross_entropy, L>())
    return detail::made<result>(context, detail::loss_shape(settings.reduction, detail::operand(targets).shape()),
                                [&](auto loss) { cross_entropy<Policy>(context, into(loss), logits, targets, settings, weights); });
  else return result{};
}
template <class Policy, class Context, class Y, class L, class T, class W = no_weights, std::enable_if_t<!detail::are_probabilities_v<T>, int> = 0>
void cross_entropy(Context& context, into<Y> loss, const L& logits, const T& targets, const cross_entropy_settings& settings = {}, const W& weights = {}) {
  using namespace detail;
  if constexpr (require_into<Policy, op::cross_entropy, Y, L>()) {
    const auto call = cross_entropy_checked("cross_entropy", operand(logits), operand(targets), operand(weights), !std::is_same_v<W, no_weights>, settings);
    require_shape("cross_entropy", "a loss", loss.target.shape(), loss_shape(settings.reduction, operand(targets).shape()));
    cross_entropy_kernels<typename Context::device>::forward(context, call, write(loss.target), read(operand(logits)), read(operand(weights)));
  }
}

/// The gradient of cross_entropy by the logits.
///
/// grad  the gradient of the loss: a scalar on the device, e.g. the loss scale, or [rows, ...] without a reduction
template <class Policy, class Context, class Target, class G, class L, class T, class W = no_weights, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void cross_entropy_backward(Context& context, const Target& gx, const G& grad, const L& logits, const T& targets,
                            const cross_entropy_settings& settings = {}, const W& weights = {}) {
  using namespace detail;
  if constexpr (detail::may_call<Policy, op::cross_entropy, L>()) {
    const auto call = cross_entropy_checked("cross_entropy_backward", operand(logits), operand(targets), operand(weights), !std::is_same_v<W, no_weights>, settings);
    require_shape("cross_entropy_backward", "a gradient of the loss", operand(grad).shape(), loss_shape(settings.reduction, operand(targets).shape()));
    require_shape("cross_entropy_backward", "a gradient of the logits", memory_of(gx).shape(), operand(logits).shape());
    cross_entropy_kernels<typename Context::device>::backward(context, call, gradient_target(gx), read(operand(grad)), read(operand(logits)), read(operand(weights)));
  }
}
template <class Policy, class Context, class G, class L, class T, class W = no_weights, std::enable_if_t<detail::is_operand_v<G> && !detail::are_probabilities_v<T>, int> = 0>
auto cross_entropy_backward(Context& context, const G& grad, const L& logits, const T& targets, const cross_entropy_settings& settings = {}, const W& weights = {}) {
  using result = detail::gradient_of_t<L, Context>;
  return detail::made<result>(context, detail::operand(logits).shape(),
                              [&](auto gx) { cross_entropy_backward<Policy>(context, into(gx), grad, logits, targets, settings, weights); });
}

}}  // namespace amphora
