// Cross entropy of logits against probabilities of classes, forward and backward.
#pragma once
#include <amphora/detail/config.hpp>      // AMPHORA_HD
#include <amphora/format/real.hpp>        // multiply_once
#include <amphora/ops/cross_entropy.hpp>  // cross_entropy_settings
#include <amphora/ops/loss.hpp>           // element_value, averaged, slope_sum
#include <amphora/ops/map_reduce.hpp>     // map_reduce
#include <amphora/ops/softmax.hpp>        // log_softmax, log_softmax_backward
#include <amphora/policy/policy.hpp>      // policy, compute

#include <type_traits>  // is_same_v

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// The logarithms in between are float whatever the caller's policy says of a softmax.
struct float_logarithms : policy<compute<f32>> {};

/// Of the logarithm of a class's probability, what the target says of it, and the class's weight where there is one.
struct soft_target_function {
  double kept, spread, factor;  ///< of the target; of all classes

  template <class Real> AMPHORA_HD static constexpr Real weight() { return 1; }
  template <class Real> AMPHORA_HD static constexpr Real weight(Real w) { return w; }
  template <class Real> AMPHORA_HD Real share(Real t) const { return add_once(multiply_once(static_cast<Real>(kept), t), static_cast<Real>(spread)) * static_cast<Real>(factor); }
  template <class Real> AMPHORA_HD Real rise() const { return static_cast<Real>(kept) * static_cast<Real>(factor); }

  template <class Real, class... W> AMPHORA_HD Real value(Real l, Real t, W... w) const { return -multiply_once(weight<Real>(w...) * share(t), l); }
  template <class Real, class... W> AMPHORA_HD Real slope(by<0>, Real grad, Real, Real t, W... w) const { return -grad * (weight<Real>(w...) * share(t)); }
  template <class Real, class... W> AMPHORA_HD Real slope(by<1>, Real grad, Real l, Real, W... w) const { return -grad * (weight<Real>(w...) * rise<Real>() * l); }
  template <class Real, class... W> AMPHORA_HD Real curvature(by<0>, by<1>, Real h, Real, Real, W... w) const { return -h * (weight<Real>(w...) * rise<Real>()); }
  template <class Real, class... W> AMPHORA_HD Real curvature(by<1>, by<0>, Real h, Real, Real, W... w) const { return -h * (weight<Real>(w...) * rise<Real>()); }
};

/// The shapes and numbers of a call.
struct soft_target_call {
  int axis = 1;
  shape wide, kept, rows, weights;  ///< kept: with one class; rows: without
  soft_target_function f{};
  double divisor = 1;
  bool each = false;

  soft_target_call(const char* call, const shape& logits, const shape& targets, const cross_entropy_settings& settings) : wide(logits) {
    if (logits.rank() < 1) fail("shape", call, " needs logits of shape [classes] or [rows, classes, ...], not ", logits);
    require_shape(call, "probabilities", targets, logits);
    if (settings.ignore_index >= 0) fail("setting", call, " has ignore_index = ", settings.ignore_index, ", but its targets are probabilities; leave it at a negative number");
    if (!(settings.label_smoothing >= 0 && settings.label_smoothing <= 1)) fail("setting", call, " has label_smoothing = ", settings.label_smoothing, "; it must be between 0 and 1");
    axis = logits.rank() == 1 ? 0 : 1, kept = logits.with(axis, 1);
    std::int64_t extents[shape::max_rank] = {}, one[shape::max_rank] = {};
    int rank = 0;
    for (int i = 0; i < logits.rank(); ++i)
      if (i != axis) extents[rank++] = logits[i];
    rows = shape(extents, rank);
    for (int i = axis; i < logits.rank(); ++i) one[i - axis] = i == axis ? logits[i] : 1;
    weights = shape(one, logits.rank() - axis);
    f = {1 - settings.label_smoothing, settings.label_smoothing / static_cast<double>(logits[axis]), settings.factor};
    each = settings.reduction == reduction::none, divisor = settings.reduction == reduction::mean ? static_cast<double>(rows.elements()) : 1;
  }
  shape loss() const { return each ? rows : shape{}; }
  /// Of the losses, and of their gradient, beside the logits.
  shape narrow() const { return each ? kept : shape{}; }
};
inline no_weights beside_classes(const char*, no_weights none, const soft_target_call&) { return none; }
template <class W> auto beside_classes(const char* name, const W& weights, const soft_target_call& call) {
  const auto w = operand(weights);
  require_shape(name, "class weights", w.shape(), shape{call.weights[0]});
  return w.reshaped(call.weights);
}

/// y [narrow] = the losses of logarithms l.
template <class Accumulate, class Context, class Y, class L, class T, class W>
void soft_loss_into(Context& context, const soft_target_call& call, const view<Y>& y, const view<const L>& l, const view<const T>& t, const W& w) {
  const element_value<soft_target_function> f{call.f};
  if constexpr (std::is_same_v<W, no_weights>) map_reduce<Accumulate, true>(list<format_of_t<L>, format_of_t<T>>{}, context, f, call.wide, write(y), call.narrow(), call.divisor, l, t);
  else map_reduce<Accumulate, true>(list<format_of_t<L>, format_of_t<T>, given_t<W>>{}, context, f, call.wide, write(y), call.narrow(), call.divisor, l, t, w);
}
template <int K, class Policy, class Context, class Target, class G, class L, class T, class W>
void soft_slope_into(Context& context, const soft_target_call& call, const Target& target, const view<const G>& grad, const view<const L>& l, const view<const T>& t, const W& w) {
  const averaged<soft_target_function> f{call.f, call.divisor};
  const auto g = grad.reshaped(call.narrow());
  if constexpr (std::is_same_v<W, no_weights>) slope_sum<K, Policy, op::cross_entropy>(context, f, call.wide, target, g, l, t);
  else slope_sum<K, Policy, op::cross_entropy>(context, f, call.wide, target, g, l, t, w);
}

}  // namespace detail

/// −Σ t · log softmax(logits) over the classes, averaged: cross_entropy against probabilities, under its rules.
///
/// logits    [classes] or [rows, classes, ...]
/// t         probabilities of the logits' shape, in a floating format
/// settings  mean divides by the number of rows, weights or not; ignore_index stays negative
/// Errors    shape, setting
/// Cost      the logarithms are in memory for the call: beside cross_entropy against indices, one more array of floats written and read
template <class Policy, class Context, class L, class T, class W = no_weights, std::enable_if_t<detail::is_operand_v<L> && detail::are_probabilities_v<T>, int> = 0>
auto cross_entropy(Context& context, const L& logits, const T& t, const cross_entropy_settings& settings = {}, const W& weights = {}) {
  using namespace detail;
  using result = result_t<Policy, op::cross_entropy, Context, L, T>;
  if constexpr (may_call<Policy, op::cross_entropy, L, T>())
    return made<result>(context, soft_target_call("cross_entropy", operand(logits).shape(), operand(t).shape(), settings).loss(),
                        [&](auto loss) { cross_entropy<Policy>(context, into(loss), logits, t, settings, weights); });
  else return result{};
}
template <class Policy, class Context, class Y, class L, class T, class W = no_weights, std::enable_if_t<detail::are_probabilities_v<T>, int> = 0>
void cross_entropy(Context& context, into<Y> loss, const L& logits, const T& t, const cross_entropy_settings& settings = {}, const W& weights = {}) {
  using namespace detail;
  if constexpr (require_into<Policy, op::cross_entropy, Y, L, T>()) {
    const soft_target_call call("cross_entropy", operand(logits).shape(), operand(t).shape(), settings);
    require_shape("cross_entropy", "a loss", loss.target.shape(), call.loss());
    const auto w = beside_classes("cross_entropy", weights, call);
    const auto l = log_softmax<float_logarithms>(context, logits, call.axis);
    soft_loss_into<accumulate_t<Policy, op::cross_entropy, given_t<L>, given_t<T>>>(context, call, loss.target, operand(l), operand(t), w);
  }
}

/// The gradients of cross_entropy against probabilities.
///
/// grad    of the loss: a scalar on the device, or [rows, ...] without a reduction
/// gx, gt  into(view), add_to(view) or no_gradient{}
template <class Policy, class Context, class G, class L, class T, class GX, class GT, class W = no_weights, std::enable_if_t<detail::is_gradient_choice_v<GX> && detail::are_probabilities_v<T>, int> = 0>
void cross_entropy_backward(Context& context, const G& grad, const L& logits, const T& t, const GX& gx, const GT& gt, const cross_entropy_settings& settings = {}, const W& weights = {}) {
  using namespace detail;
  if constexpr (may_call<Policy, op::cross_entropy, L, T>()) {
    const soft_target_call call("cross_entropy_backward", operand(logits).shape(), operand(t).shape(), settings);
    require_shape("cross_entropy_backward", "a gradient of the loss", operand(grad).shape(), call.loss());
    if constexpr (is_gradient_target_v<GX>) require_shape("cross_entropy_backward", "a gradient of the logits", memory_of(gx).shape(), call.wide);
    if constexpr (is_gradient_target_v<GT>) require_shape("cross_entropy_backward", "a gradient of the probabilities", memory_of(gt).shape(), call.wide);
    const auto w = beside_classes("cross_entropy_backward", weights, call);
    const auto l = log_softmax<float_logarithms>(context, logits, call.axis);
    if constexpr (is_gradient_target_v<GX>) {
      std::remove_const_t<decltype(l)> gl(context, call.wide);
      soft_slope_into<0, Policy>(context, call, into(gl), operand(grad), operand(l), operand(t), w);
      log_softmax_backward<float_logarithms>(context, gx, gl, logits, call.axis);
    }
    if constexpr (is_gradient_target_v<GT>) soft_slope_into<1, Policy>(context, call, gt, operand(grad), operand(l), operand(t), w);
  }
}
template <class Policy, class Context, class G, class L, class T, class W = no_weights, std::enable_if_t<detail::is_operand_v<G> && detail::are_probabilities_v<T>, int> = 0>
auto cross_entropy_backward(Context& context, const G& grad, const L& logits, const T& t, const cross_entropy_settings& settings = {}, const W& weights = {}) {
  auto result = detail::fresh_pair(context, logits, t);
  cross_entropy_backward<Policy>(context, grad, logits, t, into(result.first), into(result.second), settings, weights);
  return result;
}

}}  // namespace amphora
