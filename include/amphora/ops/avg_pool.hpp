// Pooling by the mean of a window, forward and backward.
#pragma once
#include <amphora/op/transparent.hpp>    // op::avg_pool
#include <amphora/ops/call.hpp>          // read_t, result_t, require_into, made
#include <amphora/ops/operand.hpp>       // into, operand
#include <amphora/ops/pool_options.hpp>  // per_axis, avg_pool_options, pool_sizes

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

template <class Policy, class Context, class Y, class X>
void avg_pool_into(const char* call, Context& context, const pool_sizes& sizes, const into<Y>& y, const X& x) {
  if constexpr (require_into<Policy, op::avg_pool, Y, X>()) {
    require_shape(call, "an output", y.target.shape(), sizes.value);
    pooling_kernels<typename Context::device>::template average<accumulate_t<Policy, op::avg_pool, given_t<X>>>(context, sizes.window, write(y.target),
                                                                                                               read_as<read_t<Policy, op::avg_pool, given_t<X>, given_t<X>>>(operand(x)));
  }
}
template <class Policy, class Context, class X>
auto avg_pool_made(const char* call, Context& context, const pool_sizes& sizes, const X& x) {
  using result = result_t<Policy, op::avg_pool, Context, X>;
  if constexpr (may_call<Policy, op::avg_pool, X>()) return made<result>(context, sizes.value, [&](auto y) { avg_pool_into<Policy>(call, context, sizes, into(y), x); });
  else return result{};
}
template <class Policy, class Context, class Target, class G>
void avg_pool_gradient_into(const char* call, Context& context, const pool_sizes& sizes, const Target& gx, const G& grad) {
  require_shape(call, "a gradient of the value", operand(grad).shape(), sizes.value);
  pooling_kernels<typename Context::device>::template spread<accumulate_t<Policy, op::avg_pool, given_t<G>>>(context, sizes.window, gradient_target(gx), read(operand(grad)));
}
template <class Policy, class Context, class G, class X>
auto avg_pool_gradient(const char* call, Context& context, const pool_sizes& sizes, const G& grad, const X& x) {
  return made<gradient_of_t<X, Context>>(context, operand(x).shape(), [&](auto gx) { avg_pool_gradient_into<Policy>(call, context, sizes, into(gx), grad); });
}

}  // namespace detail

/// The mean of each window over one axis, in the format that came in; its sum is at least a float, rounded once.
///
/// x        [n, channels, length], or [channels, length]
/// size     of the window
/// options  stride, padding, ceil, count_padding, divisor
/// Value    [n, channels, (length + 2 · padding − size) / stride + 1]; avg_pool1d<Policy>(context, into(y), x, size, …) writes it to y instead
/// Errors   shape, size; nothing is written before
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto avg_pool1d(Context& context, const X& x, const per_axis& size, const avg_pool_options& options = {}) {
  return detail::avg_pool_made<Policy>("avg_pool1d", context, detail::pool_sizes::average("avg_pool1d", 1, detail::operand(x).shape(), size, options), x);
}
template <class Policy, class Context, class Y, class X>
void avg_pool1d(Context& context, into<Y> y, const X& x, const per_axis& size, const avg_pool_options& options = {}) {
  detail::avg_pool_into<Policy>("avg_pool1d", context, detail::pool_sizes::average("avg_pool1d", 1, detail::operand(x).shape(), size, options), y, x);
}

/// The same over two axes: x [n, channels, height, width] or [channels, height, width]; size 2, or {2, 3}.
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto avg_pool2d(Context& context, const X& x, const per_axis& size, const avg_pool_options& options = {}) {
  return detail::avg_pool_made<Policy>("avg_pool2d", context, detail::pool_sizes::average("avg_pool2d", 2, detail::operand(x).shape(), size, options), x);
}
template <class Policy, class Context, class Y, class X>
void avg_pool2d(Context& context, into<Y> y, const X& x, const per_axis& size, const avg_pool_options& options = {}) {
  detail::avg_pool_into<Policy>("avg_pool2d", context, detail::pool_sizes::average("avg_pool2d", 2, detail::operand(x).shape(), size, options), y, x);
}

/// The same over three axes: x [n, channels, depth, height, width] or [channels, depth, height, width].
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto avg_pool3d(Context& context, const X& x, const per_axis& size, const avg_pool_options& options = {}) {
  return detail::avg_pool_made<Policy>("avg_pool3d", context, detail::pool_sizes::average("avg_pool3d", 3, detail::operand(x).shape(), size, options), x);
}
template <class Policy, class Context, class Y, class X>
void avg_pool3d(Context& context, into<Y> y, const X& x, const per_axis& size, const avg_pool_options& options = {}) {
  detail::avg_pool_into<Policy>("avg_pool3d", context, detail::pool_sizes::average("avg_pool3d", 3, detail::operand(x).shape(), size, options), y, x);
}

/// The gradient of avg_pool1d; of x only shape and format are looked at.
///
/// gx    into(view) or add_to(view), of x's shape; without it a fresh tensor in x's format
/// grad  of the value's shape
template <class Policy, class Context, class Target, class G, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void avg_pool1d_backward(Context& context, const Target& gx, const G& grad, const per_axis& size, const avg_pool_options& options = {}) {
  detail::avg_pool_gradient_into<Policy>("avg_pool1d_backward", context, detail::pool_sizes::average("avg_pool1d_backward", 1, detail::memory_of(gx).shape(), size, options), gx, grad);
}
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G> && detail::is_operand_v<X>, int> = 0>
auto avg_pool1d_backward(Context& context, const G& grad, const X& x, const per_axis& size, const avg_pool_options& options = {}) {
  return detail::avg_pool_gradient<Policy>("avg_pool1d_backward", context, detail::pool_sizes::average("avg_pool1d_backward", 1, detail::operand(x).shape(), size, options), grad, x);
}

/// The gradient of avg_pool2d, as that of avg_pool1d.
template <class Policy, class Context, class Target, class G, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void avg_pool2d_backward(Context& context, const Target& gx, const G& grad, const per_axis& size, const avg_pool_options& options = {}) {
  detail::avg_pool_gradient_into<Policy>("avg_pool2d_backward", context, detail::pool_sizes::average("avg_pool2d_backward", 2, detail::memory_of(gx).shape(), size, options), gx, grad);
}
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G> && detail::is_operand_v<X>, int> = 0>
auto avg_pool2d_backward(Context& context, const G& grad, const X& x, const per_axis& size, const avg_pool_options& options = {}) {
  return detail::avg_pool_gradient<Policy>("avg_pool2d_backward", context, detail::pool_sizes::average("avg_pool2d_backward", 2, detail::operand(x).shape(), size, options), grad, x);
}

/// The gradient of avg_pool3d, as that of avg_pool1d.
template <class Policy, class Context, class Target, class G, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void avg_pool3d_backward(Context& context, const Target& gx, const G& grad, const per_axis& size, const avg_pool_options& options = {}) {
  detail::avg_pool_gradient_into<Policy>("avg_pool3d_backward", context, detail::pool_sizes::average("avg_pool3d_backward", 3, detail::memory_of(gx).shape(), size, options), gx, grad);
}
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G> && detail::is_operand_v<X>, int> = 0>
auto avg_pool3d_backward(Context& context, const G& grad, const X& x, const per_axis& size, const avg_pool_options& options = {}) {
  return detail::avg_pool_gradient<Policy>("avg_pool3d_backward", context, detail::pool_sizes::average("avg_pool3d_backward", 3, detail::operand(x).shape(), size, options), grad, x);
}

}}  // namespace amphora
