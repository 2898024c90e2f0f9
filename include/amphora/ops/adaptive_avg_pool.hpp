// Pooling by the means of a given number of windows, forward and backward.
#pragma once
#include <amphora/ops/avg_pool.hpp>      // avg_pool_made, avg_pool_gradient
#include <amphora/ops/pool_options.hpp>  // per_axis, pool_sizes

namespace amphora { inline namespace AMPHORA_ABI {

/// The means of so many windows that share one axis as evenly as they can: window o goes from ⌊o · length / windows⌋ to ⌈(o + 1) · length / windows⌉.
///
/// windows  how many; same_extent leaves the axis as it is
/// Value    [n, channels, windows], or [channels, windows], under the rules of avg_pool1d
/// Errors   shape, size; nothing is written before
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto adaptive_avg_pool1d(Context& context, const X& x, const per_axis& windows) {
  return detail::avg_pool_made<Policy>("adaptive_avg_pool1d", context, detail::pool_sizes::adaptive("adaptive_avg_pool1d", 1, detail::operand(x).shape(), windows), x);
}
template <class Policy, class Context, class Y, class X>
void adaptive_avg_pool1d(Context& context, into<Y> y, const X& x, const per_axis& windows) {
  detail::avg_pool_into<Policy>("adaptive_avg_pool1d", context, detail::pool_sizes::adaptive("adaptive_avg_pool1d", 1, detail::operand(x).shape(), windows), y, x);
}

/// The same over two axes: adaptive_avg_pool2d<Policy>(context, x, 1) is the mean of each plane.
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto adaptive_avg_pool2d(Context& context, const X& x, const per_axis& windows) {
  return detail::avg_pool_made<Policy>("adaptive_avg_pool2d", context, detail::pool_sizes::adaptive("adaptive_avg_pool2d", 2, detail::operand(x).shape(), windows), x);
}
template <class Policy, class Context, class Y, class X>
void adaptive_avg_pool2d(Context& context, into<Y> y, const X& x, const per_axis& windows) {
  detail::avg_pool_into<Policy>("adaptive_avg_pool2d", context, detail::pool_sizes::adaptive("adaptive_avg_pool2d", 2, detail::operand(x).shape(), windows), y, x);
}

/// The same over three axes.
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto adaptive_avg_pool3d(Context& context, const X& x, const per_axis& windows) {
  return detail::avg_pool_made<Policy>("adaptive_avg_pool3d", context, detail::pool_sizes::adaptive("adaptive_avg_pool3d", 3, detail::operand(x).shape(), windows), x);
}
template <class Policy, class Context, class Y, class X>
void adaptive_avg_pool3d(Context& context, into<Y> y, const X& x, const per_axis& windows) {
  detail::avg_pool_into<Policy>("adaptive_avg_pool3d", context, detail::pool_sizes::adaptive("adaptive_avg_pool3d", 3, detail::operand(x).shape(), windows), y, x);
}

/// The gradient of adaptive_avg_pool1d, as that of avg_pool1d.
template <class Policy, class Context, class Target, class G, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void adaptive_avg_pool1d_backward(Context& context, const Target& gx, const G& grad, const per_axis& windows) {
  detail::avg_pool_gradient_into<Policy>("adaptive_avg_pool1d_backward", context, detail::pool_sizes::adaptive("adaptive_avg_pool1d_backward", 1, detail::memory_of(gx).shape(), windows), gx, grad);
}
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G> && detail::is_operand_v<X>, int> = 0>
auto adaptive_avg_pool1d_backward(Context& context, const G& grad, const X& x, const per_axis& windows) {
  return detail::avg_pool_gradient<Policy>("adaptive_avg_pool1d_backward", context, detail::pool_sizes::adaptive("adaptive_avg_pool1d_backward", 1, detail::operand(x).shape(), windows), grad, x);
}

/// The gradient of adaptive_avg_pool2d, as that of avg_pool1d.
template <class Policy, class Context, class Target, class G, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void adaptive_avg_pool2d_backward(Context& context, const Target& gx, const G& grad, const per_axis& windows) {
  detail::avg_pool_gradient_into<Policy>("adaptive_avg_pool2d_backward", context, detail::pool_sizes::adaptive("adaptive_avg_pool2d_backward", 2, detail::memory_of(gx).shape(), windows), gx, grad);
}
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G> && detail::is_operand_v<X>, int> = 0>
auto adaptive_avg_pool2d_backward(Context& context, const G& grad, const X& x, const per_axis& windows) {
  return detail::avg_pool_gradient<Policy>("adaptive_avg_pool2d_backward", context, detail::pool_sizes::adaptive("adaptive_avg_pool2d_backward", 2, detail::operand(x).shape(), windows), grad, x);
}

/// The gradient of adaptive_avg_pool3d, as that of avg_pool1d.
template <class Policy, class Context, class Target, class G, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void adaptive_avg_pool3d_backward(Context& context, const Target& gx, const G& grad, const per_axis& windows) {
  detail::avg_pool_gradient_into<Policy>("adaptive_avg_pool3d_backward", context, detail::pool_sizes::adaptive("adaptive_avg_pool3d_backward", 3, detail::memory_of(gx).shape(), windows), gx, grad);
}
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G> && detail::is_operand_v<X>, int> = 0>
auto adaptive_avg_pool3d_backward(Context& context, const G& grad, const X& x, const per_axis& windows) {
  return detail::avg_pool_gradient<Policy>("adaptive_avg_pool3d_backward", context, detail::pool_sizes::adaptive("adaptive_avg_pool3d_backward", 3, detail::operand(x).shape(), windows), grad, x);
}

}}  // namespace amphora
