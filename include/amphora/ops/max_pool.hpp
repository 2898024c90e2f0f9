// Pooling by the largest number of a window, forward and backward.
#pragma once
#include <amphora/op/transparent.hpp>    // op::max_pool
#include <amphora/ops/call.hpp>          // read_t, result_t, require_into, made
#include <amphora/ops/operand.hpp>       // into, operand
#include <amphora/ops/pool_options.hpp>  // per_axis, max_pool_options, pool_sizes

#include <cstdint>      // int64_t
#include <type_traits>  // is_same_v

namespace amphora { inline namespace AMPHORA_ABI {

/// A value of max_pool, and where in its plane of x each number lies (−1: nowhere, a window with nothing in it).
template <class Y, class Indices> struct max_pool_result { Y value; Indices indices; };

namespace detail {

inline constexpr const char* max_pool_name[] = {"max_pool1d", "max_pool2d", "max_pool3d"};
inline constexpr const char* max_pool_backward_name[] = {"max_pool1d_backward", "max_pool2d_backward", "max_pool3d_backward"};

/// y without memory: where the largest lie alone; indices null: their values alone.
template <class Policy, class Context, class Y, class X>
void run_max_pool(Context& context, const pool_window& w, const target<Y>& y, std::int64_t* indices, const X& x) {
  pooling_kernels<typename Context::device>::greatest(context, w, y, indices, read_as<read_t<Policy, op::max_pool, given_t<X>, given_t<X>>>(operand(x)));
}
template <class Policy, int Axes, class Context, class Y, class X>
void max_pool_into(Context& context, const into<Y>& y, const X& x, const per_axis& size, const max_pool_options& options) {
  if constexpr (require_into<Policy, op::max_pool, Y, X>()) {
    const pool_sizes sizes = pool_sizes::largest(max_pool_name[Axes - 1], Axes, operand(x).shape(), size, options);
    require_shape(max_pool_name[Axes - 1], "an output", y.target.shape(), sizes.value);
    run_max_pool<Policy>(context, sizes.window, write(y.target), nullptr, x);
  }
}
template <class Policy, int Axes, class Context, class X>
auto max_pool_made(Context& context, const X& x, const per_axis& size, const max_pool_options& options) {
  using result = result_t<Policy, op::max_pool, Context, X>;
  if constexpr (may_call<Policy, op::max_pool, X>())
    return made<result>(context, pool_sizes::largest(max_pool_name[Axes - 1], Axes, operand(x).shape(), size, options).value,
                        [&](auto y) { max_pool_into<Policy, Axes>(context, into(y), x, size, options); });
  else return result{};
}
template <class Policy, int Axes, class Context, class X>
auto max_pool_with_indices(Context& context, const X& x, const per_axis& size, const max_pool_options& options) {
  using value = result_t<Policy, op::max_pool, Context, X>;
  max_pool_result<value, tensor<std::int64_t, Context>> result;
  if constexpr (may_call<Policy, op::max_pool, X>()) {
    const pool_sizes sizes = pool_sizes::largest(max_pool_name[Axes - 1], Axes, operand(x).shape(), size, options);
    result.value = value(context, sizes.value), result.indices = tensor<std::int64_t, Context>(context, sizes.value);
    run_max_pool<Policy>(context, sizes.window, write(result.value.view()), result.indices.data(), x);
  }
  return result;
}
/// by  x, or the indices that forward gave
template <class Policy, int Axes, class Context, class Target, class G, class By>
void max_pool_gradient_into(Context& context, const Target& gx, const G& grad, const By& by, const per_axis& size, const max_pool_options& options) {
  using kernels = pooling_kernels<typename Context::device>;
  const char* call = max_pool_backward_name[Axes - 1];
  const pool_sizes sizes = pool_sizes::largest(call, Axes, memory_of(gx).shape(), size, options);
  require_shape(call, "a gradient of the value", operand(grad).shape(), sizes.value);
  if constexpr (std::is_same_v<typename std::decay_t<decltype(operand(by))>::value_type, std::int64_t>) {
    require_shape(call, "indices", operand(by).shape(), sizes.value);
    kernels::give(context, sizes.window, gradient_target(gx), read(operand(grad)), operand(by).data());
  } else if constexpr (may_call<Policy, op::max_pool, By>()) {
    require_shape(call, "a gradient of x", memory_of(gx).shape(), operand(by).shape());
    tensor<std::int64_t, Context> indices(context, sizes.value);
    run_max_pool<Policy>(context, sizes.window, target<given_t<By>>{}, indices.data(), by);
    kernels::give(context, sizes.window, gradient_target(gx), read(operand(grad)), static_cast<const std::int64_t*>(indices.data()));
  }
}
template <class Policy, int Axes, class Context, class G, class X>
auto max_pool_gradient(Context& context, const G& grad, const X& x, const per_axis& size, const max_pool_options& options) {
  return made<gradient_of_t<X, Context>>(context, operand(x).shape(), [&](auto gx) { max_pool_gradient_into<Policy, Axes>(context, into(gx), grad, x, size, options); });
}

}  // namespace detail

/// The largest number of each window over one axis, in the format that came in. Of equal ones the first is meant; a NaN is above all, the last of them.
///
/// x        [n, channels, length], or [channels, length]
/// size     of the window
/// options  stride, padding, dilation, ceil
/// Value    [n, channels, (length + 2 · padding − dilation · (size − 1) − 1) / stride + 1];
///          max_pool1d<Policy>(context, into(y), x, size, …) writes it to y instead; max_pool1d_with_indices gives also where the numbers lie
/// Errors   shape, size; nothing is written before
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto max_pool1d(Context& context, const X& x, const per_axis& size, const max_pool_options& options = {}) { return detail::max_pool_made<Policy, 1>(context, x, size, options); }
template <class Policy, class Context, class Y, class X>
void max_pool1d(Context& context, into<Y> y, const X& x, const per_axis& size, const max_pool_options& options = {}) { detail::max_pool_into<Policy, 1>(context, y, x, size, options); }
template <class Policy, class Context, class X>
auto max_pool1d_with_indices(Context& context, const X& x, const per_axis& size, const max_pool_options& options = {}) {
  return detail::max_pool_with_indices<Policy, 1>(context, x, size, options);
}

/// The same over two axes: x [n, channels, height, width] or [channels, height, width]; size 2, or {2, 3}.
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto max_pool2d(Context& context, const X& x, const per_axis& size, const max_pool_options& options = {}) { return detail::max_pool_made<Policy, 2>(context, x, size, options); }
template <class Policy, class Context, class Y, class X>
void max_pool2d(Context& context, into<Y> y, const X& x, const per_axis& size, const max_pool_options& options = {}) { detail::max_pool_into<Policy, 2>(context, y, x, size, options); }
template <class Policy, class Context, class X>
auto max_pool2d_with_indices(Context& context, const X& x, const per_axis& size, const max_pool_options& options = {}) {
  return detail::max_pool_with_indices<Policy, 2>(context, x, size, options);
}

/// The same over three axes: x [n, channels, depth, height, width] or [channels, depth, height, width].
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto max_pool3d(Context& context, const X& x, const per_axis& size, const max_pool_options& options = {}) { return detail::max_pool_made<Policy, 3>(context, x, size, options); }
template <class Policy, class Context, class Y, class X>
void max_pool3d(Context& context, into<Y> y, const X& x, const per_axis& size, const max_pool_options& options = {}) { detail::max_pool_into<Policy, 3>(context, y, x, size, options); }
template <class Policy, class Context, class X>
auto max_pool3d_with_indices(Context& context, const X& x, const per_axis& size, const max_pool_options& options = {}) {
  return detail::max_pool_with_indices<Policy, 3>(context, x, size, options);
}

/// The gradient of max_pool1d: each number's goes to where the largest lay.
///
/// gx    into(view) or add_to(view), of x's shape; without it a fresh tensor in x's format
/// grad  of the value's shape
/// by    x, where the largest are sought anew; or the indices of max_pool1d_with_indices, and gx
template <class Policy, class Context, class Target, class G, class By, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void max_pool1d_backward(Context& context, const Target& gx, const G& grad, const By& by, const per_axis& size, const max_pool_options& options = {}) {
  detail::max_pool_gradient_into<Policy, 1>(context, gx, grad, by, size, options);
}
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto max_pool1d_backward(Context& context, const G& grad, const X& x, const per_axis& size, const max_pool_options& options = {}) {
  return detail::max_pool_gradient<Policy, 1>(context, grad, x, size, options);
}

/// The gradient of max_pool2d, as that of max_pool1d.
template <class Policy, class Context, class Target, class G, class By, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void max_pool2d_backward(Context& context, const Target& gx, const G& grad, const By& by, const per_axis& size, const max_pool_options& options = {}) {
  detail::max_pool_gradient_into<Policy, 2>(context, gx, grad, by, size, options);
}
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto max_pool2d_backward(Context& context, const G& grad, const X& x, const per_axis& size, const max_pool_options& options = {}) {
  return detail::max_pool_gradient<Policy, 2>(context, grad, x, size, options);
}

/// The gradient of max_pool3d, as that of max_pool1d.
template <class Policy, class Context, class Target, class G, class By, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void max_pool3d_backward(Context& context, const Target& gx, const G& grad, const By& by, const per_axis& size, const max_pool_options& options = {}) {
  detail::max_pool_gradient_into<Policy, 3>(context, gx, grad, by, size, options);
}
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto max_pool3d_backward(Context& context, const G& grad, const X& x, const per_axis& size, const max_pool_options& options = {}) {
  return detail::max_pool_gradient<Policy, 3>(context, grad, x, size, options);
}

}}  // namespace amphora
