// Losses of the scores of classes against those of the right ones: multi_margin_loss and multilabel_margin_loss, forward and backward.
#pragma once
#include <amphora/detail/config.hpp>        // AMPHORA_HD
#include <amphora/op/loss.hpp>             // op::multi_margin_loss, op::multilabel_margin_loss
#include <amphora/ops/call.hpp>            // result_t, require_into, made
#include <amphora/ops/cross_entropy.hpp>   // is_index_v
#include <amphora/ops/loss_reduction.hpp>  // reduction, batch, no_weights
#include <amphora/ops/operand.hpp>         // into, operand

#include <cstdint>      // int64_t
#include <type_traits>  // is_same_v

namespace amphora { inline namespace AMPHORA_ABI {

struct multi_margin_settings {
  amphora::reduction reduction = reduction::mean;  ///< mean divides by the number of rows
  double margin = 1;
  int p = 1;  ///< 1 or 2: the power of what is missing
};

namespace detail {

/// A call whose formats travel beside it: scores [rows, classes]. A row's loss is a sum over pairs of a right class and another one:
/// max(0, margin − x[right] + x[other])^p, divided by the number of classes.
struct class_margin_call {
  std::int64_t rows = 0, classes = 0;
  const void* targets = nullptr;  ///< [rows], or [rows, classes] of several labels a row, which end with −1
  bool wide_targets = false;      ///< int64, else int32
  bool several = false;
  bool weighted = false;
  double margin = 1;
  double shares = 1, divisor = 1;  ///< what the sum of a row's pairs is divided by, and that of all rows
  int p = 1;
  bool each = false;  ///< a loss a row, not their sum

  /// A pair's part of the loss.
  template <class Real> AMPHORA_HD Real part(Real missing) const { return missing < 0 ? Real(0) : p == 1 ? missing : missing * missing; }
  /// k times the slope of that, and k times what the slope gains where one more is missing: 0 at the corner, whatever k.
  template <class Real> AMPHORA_HD Real slope(Real missing, Real k) const { return !(missing > 0) ? Real(0) : p == 1 ? k : 2 * missing * k; }
  template <class Real> AMPHORA_HD Real bend(Real missing, Real k) const { return !(missing > 0) || p == 1 ? Real(0) : 2 * k; }
};
/// forward(context, call, loss, x, weights, along), backward(context, call, gx, grad, x, weights, along).
///
/// along  a direction of x's shape, for the slopes of the loss, or of its gradient, along that instead of themselves; or no_direction{}
template <class Device> struct class_margin_kernels;
struct no_direction {};

template <class T> class_margin_call class_margin_checked(const char* call, const shape& x, const view<const T>& targets, bool several, reduction r) {
  static_assert(is_index_v<T>, "amphora [unknown-storage-type]: targets of this loss are class indices; give std::int32_t or std::int64_t");
  if (x.rank() < 1 || x.rank() > 2) fail("shape", call, " needs scores of shape [classes] or [rows, classes], not ", x);
  require_shape(call, "targets", targets.shape(), several ? x : x.rank() == 1 ? shape{} : shape{x[0]});
  class_margin_call result;
  result.rows = x.product(0, x.rank() - 1), result.classes = x[-1];
  result.targets = targets.data(), result.wide_targets = sizeof(T) == 8, result.several = several;
  result.each = r == reduction::none, result.divisor = r == reduction::mean ? static_cast<double>(result.rows) : 1;
  result.shares = static_cast<double>(result.classes);
  return result;
}
inline shape class_margin_shape(reduction r, const shape& x) { return loss_shape(r, x.rank() == 2 ? shape{x[0]} : shape{}); }

template <class X, class T, class W>
class_margin_call multi_margin_checked(const char* call, const X& x, const T& targets, const W& weights, const multi_margin_settings& settings) {
  class_margin_call result = class_margin_checked(call, operand(x).shape(), operand(targets), false, settings.reduction);
  if (settings.p != 1 && settings.p != 2) fail("setting", call, " has p = ", settings.p, "; it must be 1 or 2");
  result.weighted = !std::is_same_v<W, no_weights>, result.margin = settings.margin, result.p = settings.p;
  if (result.weighted) require_shape(call, "class weights", operand(weights).shape(), shape{result.classes});
  return result;
}

template <class Policy, class Op, class Context, class Y, class X, class W>
void class_margin_into(const char* name, Context& context, const class_margin_call& call, reduction r, const into<Y>& loss, const X& x, const W& weights) {
  require_shape(name, "a loss", loss.target.shape(), class_margin_shape(r, operand(x).shape()));
  class_margin_kernels<typename Context::device>::forward(context, call, write(loss.target), read(operand(x)), read(operand(weights)), no_direction{});
}
template <class Context, class Target, class G, class X, class W>
void class_margin_gradient_into(const char* name, Context& context, const class_margin_call& call, reduction r, const Target& gx, const G& grad, const X& x, const W& weights) {
  require_shape(name, "a gradient of the loss", operand(grad).shape(), class_margin_shape(r, operand(x).shape()));
  require_shape(name, "a gradient of x", memory_of(gx).shape(), operand(x).shape());
  class_margin_kernels<typename Context::device>::backward(context, call, gradient_target(gx), read(operand(grad)), read(operand(x)), read(operand(weights)), no_direction{});
}

}  // namespace detail

/// Σ over the other classes of max(0, margin − x[target] + x[other])^p, divided by the number of classes: a sensitive op, in float whatever comes in.
///
/// x        scores, [classes] or [rows, classes]
/// targets  class indices, int32 or int64: [rows]
/// weights  one a class, for rows of that target, or no_weights{}
/// Value    a scalar, or [rows] without a reduction, in the policy's output format
/// Errors   shape, setting; target, as in cross_entropy
template <class Policy, class Context, class X, class T, class W = no_weights, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto multi_margin_loss(Context& context, const X& x, const T& targets, const multi_margin_settings& settings = {}, const W& weights = {}) {
  using result = detail::result_t<Policy, op::multi_margin_loss, Context, X>;
  if constexpr (detail::may_call<Policy, op::multi_margin_loss, X>())
    return detail::made<result>(context, detail::class_margin_shape(settings.reduction, detail::operand(x).shape()), [&](auto loss) { multi_margin_loss<Policy>(context, into(loss), x, targets, settings, weights); });
  else return result{};
}
template <class Policy, class Context, class Y, class X, class T, class W = no_weights>
void multi_margin_loss(Context& context, into<Y> loss, const X& x, const T& targets, const multi_margin_settings& settings = {}, const W& weights = {}) {
  if constexpr (detail::require_into<Policy, op::multi_margin_loss, Y, X>())
    detail::class_margin_into<Policy, op::multi_margin_loss>("multi_margin_loss", context, detail::multi_margin_checked("multi_margin_loss", x, targets, weights, settings), settings.reduction, loss, x, weights);
}

/// The gradient of multi_margin_loss by x: a pair whose part of the loss is 0 gives none.
///
/// grad  of the loss: a scalar on the device, or [rows] without a reduction
template <class Policy, class Context, class Target, class G, class X, class T, class W = no_weights, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void multi_margin_loss_backward(Context& context, const Target& gx, const G& grad, const X& x, const T& targets, const multi_margin_settings& settings = {}, const W& weights = {}) {
  if constexpr (detail::may_call<Policy, op::multi_margin_loss, X>())
    detail::class_margin_gradient_into("multi_margin_loss_backward", context, detail::multi_margin_checked("multi_margin_loss_backward", x, targets, weights, settings), settings.reduction, gx, grad, x, weights);
}
template <class Policy, class Context, class G, class X, class T, class W = no_weights, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto multi_margin_loss_backward(Context& context, const G& grad, const X& x, const T& targets, const multi_margin_settings& settings = {}, const W& weights = {}) {
  return detail::made<detail::gradient_of_t<X, Context>>(context, detail::operand(x).shape(), [&](auto gx) { multi_margin_loss_backward<Policy>(context, into(gx), grad, x, targets, settings, weights); });
}

/// Σ over each label and each class that is none of max(0, 1 − x[label] + x[other]), divided by the number of classes, under the rules of
/// multi_margin_loss.
///
/// targets  class indices, int32 or int64, of x's shape: a row's labels up to the first −1; what follows is not read
template <class Policy, class Context, class X, class T, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto multilabel_margin_loss(Context& context, const X& x, const T& targets, reduction r = reduction::mean) {
  using result = detail::result_t<Policy, op::multilabel_margin_loss, Context, X>;
  if constexpr (detail::may_call<Policy, op::multilabel_margin_loss, X>())
    return detail::made<result>(context, detail::class_margin_shape(r, detail::operand(x).shape()), [&](auto loss) { multilabel_margin_loss<Policy>(context, into(loss), x, targets, r); });
  else return result{};
}
template <class Policy, class Context, class Y, class X, class T>
void multilabel_margin_loss(Context& context, into<Y> loss, const X& x, const T& targets, reduction r = reduction::mean) {
  using namespace detail;
  if constexpr (require_into<Policy, op::multilabel_margin_loss, Y, X>())
    class_margin_into<Policy, op::multilabel_margin_loss>("multilabel_margin_loss", context, class_margin_checked("multilabel_margin_loss", operand(x).shape(), operand(targets), true, r), r, loss, x, no_weights{});
}

/// The gradient of multilabel_margin_loss by x.
template <class Policy, class Context, class Target, class G, class X, class T, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void multilabel_margin_loss_backward(Context& context, const Target& gx, const G& grad, const X& x, const T& targets, reduction r = reduction::mean) {
  using namespace detail;
  if constexpr (may_call<Policy, op::multilabel_margin_loss, X>())
    class_margin_gradient_into("multilabel_margin_loss_backward", context, class_margin_checked("multilabel_margin_loss_backward", operand(x).shape(), operand(targets), true, r), r, gx, grad, x, no_weights{});
}
template <class Policy, class Context, class G, class X, class T, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto multilabel_margin_loss_backward(Context& context, const G& grad, const X& x, const T& targets, reduction r = reduction::mean) {
  return detail::made<detail::gradient_of_t<X, Context>>(context, detail::operand(x).shape(), [&](auto gx) { multilabel_margin_loss_backward<Policy>(context, into(gx), grad, x, targets, r); });
}

}}  // namespace amphora
