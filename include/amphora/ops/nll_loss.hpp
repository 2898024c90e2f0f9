// The negative logarithm of the probability of a class, forward and backward: what follows a log_softmax.
#pragma once
#include <amphora/op/loss.hpp>             // op::nll_loss
#include <amphora/ops/call.hpp>            // result_t, require_into, made
#include <amphora/ops/cross_entropy.hpp>   // cross_entropy_call, cross_entropy_checked
#include <amphora/ops/loss_reduction.hpp>  // reduction, loss_shape, no_weights
#include <amphora/ops/operand.hpp>         // into, operand

#include <cstdint>      // int64_t
#include <type_traits>  // is_same_v

namespace amphora { inline namespace AMPHORA_ABI {

/// The numbers of an nll_loss.
struct nll_loss_settings {
  std::int64_t ignore_index = -100;                ///< rows with this target have loss 0 and gradient 0, and do not count in a mean
  amphora::reduction reduction = reduction::mean;  ///< mean divides by the sum of the targets' weights; over nothing it is NaN, with gradient 0
};

namespace detail {

/// forward(context, call, loss, x, weights), backward(context, call, gx, grad, weights).
template <class Device> struct nll_kernels;

template <class X, class T, class W>
cross_entropy_call nll_checked(const char* call, const X& x, const T& targets, const W& weights, const nll_loss_settings& settings) {
  return cross_entropy_checked(call, operand(x), operand(targets), operand(weights), !std::is_same_v<W, no_weights>, {settings.ignore_index, 0, settings.reduction, 1});
}

}  // namespace detail

/// −x[target], weighted and averaged: a sensitive op, in float whatever comes in. Of logits call cross_entropy, which is this after a log_softmax,
/// without its rounding in between.
///
/// x        logarithms of probabilities: [classes] or [rows, classes, ...]
/// targets  class indices, int32 or int64: [rows, ...]
/// weights  one a class, or no_weights{}
/// Value    a scalar, or [rows, ...] without a reduction, in the policy's output format
/// Errors   shape; target, as in cross_entropy
template <class Policy, class Context, class X, class T, class W = no_weights, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto nll_loss(Context& context, const X& x, const T& targets, const nll_loss_settings& settings = {}, const W& weights = {}) {
  using result = detail::result_t<Policy, op::nll_loss, Context, X>;
  if constexpr (detail::may_call<Policy, op::nll_loss, X>())
    return detail::made<result>(context, detail::loss_shape(settings.reduction, detail::operand(targets).shape()), [&](auto loss) { nll_loss<Policy>(context, into(loss), x, targets, settings, weights); });
  else return result{};
}
template <class Policy, class Context, class Y, class X, class T, class W = no_weights>
void nll_loss(Context& context, into<Y> loss, const X& x, const T& targets, const nll_loss_settings& settings = {}, const W& weights = {}) {
  using namespace detail;
  if constexpr (require_into<Policy, op::nll_loss, Y, X>()) {
    const auto call = nll_checked("nll_loss", x, targets, weights, settings);
    require_shape("nll_loss", "a loss", loss.target.shape(), loss_shape(settings.reduction, operand(targets).shape()));
    nll_kernels<typename Context::device>::forward(context, call, write(loss.target), read(operand(x)), read(operand(weights)));
  }
}

/// The gradient of nll_loss by x, of which only shape and format are looked at.
///
/// grad  the gradient of the loss: a scalar on the device, or [rows, ...] without a reduction
template <class Policy, class Context, class Target, class G, class X, class T, class W = no_weights, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void nll_loss_backward(Context& context, const Target& gx, const G& grad, const X& x, const T& targets, const nll_loss_settings& settings = {}, const W& weights = {}) {
  using namespace detail;
  if constexpr (detail::may_call<Policy, op::nll_loss, X>()) {
    const auto call = nll_checked("nll_loss_backward", x, targets, weights, settings);
    require_shape("nll_loss_backward", "a gradient of the loss", operand(grad).shape(), loss_shape(settings.reduction, operand(targets).shape()));
    require_shape("nll_loss_backward", "a gradient of x", memory_of(gx).shape(), operand(x).shape());
    nll_kernels<typename Context::device>::template backward<given_t<X>>(context, call, gradient_target(gx), read(operand(grad)), read(operand(weights)));
  }
}
template <class Policy, class Context, class G, class X, class T, class W = no_weights, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto nll_loss_backward(Context& context, const G& grad, const X& x, const T& targets, const nll_loss_settings& settings = {}, const W& weights = {}) {
  return detail::made<detail::gradient_of_t<X, Context>>(context, detail::operand(x).shape(), [&](auto gx) { nll_loss_backward<Policy>(context, into(gx), grad, x, targets, settings, weights); });
}

}}  // namespace amphora
