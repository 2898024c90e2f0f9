// Pooling of variables.
#pragma once
#include <amphora/autograd/gradient_pass.hpp>  // gradient_pass
#include <amphora/ops/adaptive_avg_pool.hpp>   // adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d
#include <amphora/ops/avg_pool.hpp>            // avg_pool1d, avg_pool2d, avg_pool3d
#include <amphora/ops/max_pool.hpp>            // max_pool1d_with_indices, max_pool2d_with_indices, max_pool3d_with_indices

#include <cstdint>  // int64_t
#include <memory>   // make_shared, shared_ptr
#include <utility>  // move

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// y[o] = x[indices[o]], whose gradient is the transpose, whose gradient is this again.
template <class Context>
struct pool_take_record {
  pool_window window;
  std::shared_ptr<tensor<std::int64_t, Context>> indices;
  template <class Pass, class G, class X> void backward(Pass& pass, const G& gradient, const G&, const X& x) const;
  const std::int64_t* places() const { return indices->data(); }
};
template <class Context>
struct pool_give_record {
  pool_take_record<Context> taken;
  template <class Pass, class H, class G> void backward(Pass& pass, const H& h, const H&, const G& grad) const {
    pass.write(grad, [&](auto target) { pooling_kernels<typename Context::device>::take(pass.context(), taken.window, gradient_target(target), read(h.value()), taken.places()); }, taken, h);
  }
};
template <class Context> template <class Pass, class G, class X>
void pool_take_record<Context>::backward(Pass& pass, const G& gradient, const G&, const X& x) const {
  pass.write(x, [&](auto target) { pooling_kernels<typename Context::device>::give(pass.context(), window, gradient_target(target), read(gradient.value()), places()); },
             pool_give_record<Context>{*this}, gradient);
}

/// Σ x / divisor, whose gradient is the transpose, whose gradient is this again.
template <class Accumulate>
struct pool_average_record {
  pool_window window;
  template <class Pass, class G, class X> void backward(Pass& pass, const G& gradient, const G&, const X& x) const;
};
template <class Accumulate>
struct pool_spread_record {
  pool_window window;
  template <class Pass, class H, class G> void backward(Pass& pass, const H& h, const H&, const G& grad) const {
    pass.write(grad, [&](auto target) { pooling_kernels<typename Pass::context_type::device>::template average<Accumulate>(pass.context(), window, gradient_target(target), read(h.value())); },
               pool_average_record<Accumulate>{window}, h);
  }
};
template <class Accumulate> template <class Pass, class G, class X>
void pool_average_record<Accumulate>::backward(Pass& pass, const G& gradient, const G&, const X& x) const {
  pass.write(x, [&](auto target) { pooling_kernels<typename Pass::context_type::device>::template spread<Accumulate>(pass.context(), window, gradient_target(target), read(gradient.value())); },
             pool_spread_record<Accumulate>{window}, gradient);
}

template <class Policy, int Axes, class Context, class X>
auto max_pool_taped(const tape<Context>& recording, const X& x, const per_axis& size, const max_pool_options& options) {
  auto pooled = max_pool_with_indices<Policy, Axes>(recording.context(), x.value(), size, options);
  auto indices = std::make_shared<tensor<std::int64_t, Context>>(std::move(pooled.indices));
  return record(recording, std::move(pooled.value), pool_take_record<Context>{pool_sizes::largest(max_pool_name[Axes - 1], Axes, x.shape(), size, options).window, std::move(indices)}, x);
}
template <class Policy, class Context, class X>
auto avg_pool_taped(const char* call, const tape<Context>& recording, const X& x, const pool_sizes& sizes) {
  return record(recording, avg_pool_made<Policy>(call, recording.context(), sizes, x.value()), pool_average_record<accumulate_t<Policy, op::avg_pool, given_t<X>>>{sizes.window}, x);
}

}  // namespace detail

/// As of ops/max_pool.hpp, recorded, with derivatives of any order: the graph keeps where the largest lay.
template <class Policy, class Context, class X, std::enable_if_t<is_variable_v<X>, int> = 0>
auto max_pool1d(const tape<Context>& recording, const X& x, const per_axis& size, const max_pool_options& options = {}) {
  return detail::max_pool_taped<Policy, 1>(recording, x, size, options);
}
template <class Policy, class Context, class X, std::enable_if_t<is_variable_v<X>, int> = 0>
auto max_pool2d(const tape<Context>& recording, const X& x, const per_axis& size, const max_pool_options& options = {}) {
  return detail::max_pool_taped<Policy, 2>(recording, x, size, options);
}
template <class Policy, class Context, class X, std::enable_if_t<is_variable_v<X>, int> = 0>
auto max_pool3d(const tape<Context>& recording, const X& x, const per_axis& size, const max_pool_options& options = {}) {
  return detail::max_pool_taped<Policy, 3>(recording, x, size, options);
}

/// As of ops/avg_pool.hpp and ops/adaptive_avg_pool.hpp, recorded, with derivatives of any order.
template <class Policy, class Context, class X, std::enable_if_t<is_variable_v<X>, int> = 0>
auto avg_pool1d(const tape<Context>& recording, const X& x, const per_axis& size, const avg_pool_options& options = {}) {
  return detail::avg_pool_taped<Policy>("avg_pool1d", recording, x, detail::pool_sizes::average("avg_pool1d", 1, x.shape(), size, options));
}
template <class Policy, class Context, class X, std::enable_if_t<is_variable_v<X>, int> = 0>
auto avg_pool2d(const tape<Context>& recording, const X& x, const per_axis& size, const avg_pool_options& options = {}) {
  return detail::avg_pool_taped<Policy>("avg_pool2d", recording, x, detail::pool_sizes::average("avg_pool2d", 2, x.shape(), size, options));
}
template <class Policy, class Context, class X, std::enable_if_t<is_variable_v<X>, int> = 0>
auto avg_pool3d(const tape<Context>& recording, const X& x, const per_axis& size, const avg_pool_options& options = {}) {
  return detail::avg_pool_taped<Policy>("avg_pool3d", recording, x, detail::pool_sizes::average("avg_pool3d", 3, x.shape(), size, options));
}
template <class Policy, class Context, class X, std::enable_if_t<is_variable_v<X>, int> = 0>
auto adaptive_avg_pool1d(const tape<Context>& recording, const X& x, const per_axis& windows) {
  return detail::avg_pool_taped<Policy>("adaptive_avg_pool1d", recording, x, detail::pool_sizes::adaptive("adaptive_avg_pool1d", 1, x.shape(), windows));
}
template <class Policy, class Context, class X, std::enable_if_t<is_variable_v<X>, int> = 0>
auto adaptive_avg_pool2d(const tape<Context>& recording, const X& x, const per_axis& windows) {
  return detail::avg_pool_taped<Policy>("adaptive_avg_pool2d", recording, x, detail::pool_sizes::adaptive("adaptive_avg_pool2d", 2, x.shape(), windows));
}
template <class Policy, class Context, class X, std::enable_if_t<is_variable_v<X>, int> = 0>
auto adaptive_avg_pool3d(const tape<Context>& recording, const X& x, const per_axis& windows) {
  return detail::avg_pool_taped<Policy>("adaptive_avg_pool3d", recording, x, detail::pool_sizes::adaptive("adaptive_avg_pool3d", 3, x.shape(), windows));
}

}}  // namespace amphora
