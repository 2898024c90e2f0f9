// Normalizations on CUDA.
#pragma once
#include <amphora/cuda/context.cuh>       // cuda_context, cuda_device
#include <amphora/cuda/launch.cuh>        // launch, grid_for, block_threads
#include <amphora/cuda/lines.cuh>         // plan_lines
#include <amphora/cuda/norm_columns.cuh>  // norm_products, norm_part_moments, norm_join_moments, norm_known, norm_track
#include <amphora/cuda/norm_lines.cuh>    // norm_forward, norm_backward
#include <amphora/cuda/norm_weights.cuh>  // weight_steps
#include <amphora/cuda/operands.cuh>      // is_wide_at
#include <amphora/ops/norm_layout.hpp>    // normalization_kernels, norm_lines
#include <amphora/ops/operand.hpp>        // source, target, arithmetic_t
#include <amphora/tensor/tensor.hpp>      // tensor

#include <cstdint>      // int64_t
#include <type_traits>  // is_same_v

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

inline weight_steps steps_of(const norm_lines& n, const line_plan& plan) {
  const std::int64_t step = 8 * std::int64_t(plan.team), spread = n.spread > 0 ? n.spread : 1;
  return {step / spread, step % spread};
}
template <class Y> bool is_wide_target(const target<Y>& y) {
  if constexpr (std::is_same_v<Y, not_a_format>) return true;
  else return is_wide_at(y, 0);
}

template <>
struct normalization_kernels<cuda_device> {
  /// Near the host's numbers, the same for every grid.
  ///
  /// Cost  one launch; reads each line once up to 16,384 numbers (of double, and where weights are shared, 4,096), else three times, past the first time from the caches
  template <bool Spreads, class T, class Y, class X, class W, class B>
  static void forward(cuda_context& context, const norm_lines& n, const norm_statistics<T>& s, const target<Y>& y, const source<X>& x, const source<W>& w, const source<B>& b) {
    if (n.lines * n.length == 0) return;
    const line_plan plan = plan_lines(context, lines_of{n.lines, n.length, 1}, is_wide_target(y) && is_wide_at(x, 0));
    launch(context, "normalization", plan.grid(context), plan.threads(), norm_forward<Spreads, arithmetic_t<Y, X, W, B>, T, Y, X, W, B>, plan, n, s, y, x, w, b,
           plan.wide && is_wide_at(w, 0) && is_wide_at(b, 0), steps_of(n, plan));
  }
  /// Cost  one launch; reads each line twice, of up to 8,192 numbers (of double, and where weights are shared, 4,096) once
  template <bool Spreads, class T, class Y, class G, class X, class W>
  static void backward(cuda_context& context, const norm_lines& n, const norm_statistics<T>& s, const target<Y>& gx, const source<G>& grad, const source<X>& x, const source<W>& w) {
    if (n.lines * n.length == 0) return;
    const line_plan plan = plan_lines(context, lines_of{n.lines, n.length, 1}, is_wide_at(gx, 0) && is_wide_at(grad, 0) && is_wide_at(x, 0));
    launch(context, "normalization_backward", plan.grid(context), plan.threads(), norm_backward<Spreads, arithmetic_t<Y, G, X, W>, T, Y, G, X, W>, plan, n, s, gx, grad, x, w,
           plan.wide && is_wide_at(w, 0), steps_of(n, plan));
  }
  template <class T, class G, class X>
  static void products(cuda_context& context, const norm_columns& c, const norm_statistics<T>& s, double* partial, const source<G>& grad, const source<X>& x) {
    if (c.rows * c.width * c.inner == 0) return;
    const line_plan plan = plan_columns(context, c, is_wide_at(grad, 0) && is_wide_at(x, 0));
    launch(context, "normalization_backward", plan.grid(context), plan.threads(), norm_products<arithmetic_t<G, X>, T, G, X>, plan, c, s, partial, grad, x);
  }
  /// Cost  two launches; reads x once, and 16 bytes for each row of a column (for 64 numbers, where columns lie side by side)
  template <class T, class X>
  static void moments(cuda_context& context, const norm_columns& c, double eps, const norm_statistics<T>& s, const source<X>& x) {
    if (c.rows * c.width * c.inner == 0) return;
    const line_plan plan = plan_columns(context, c, is_wide_at(x, 0));
    const std::int64_t parts = c.parts() * c.width;
    tensor<double, cuda_context> memory(context, shape{2, parts});
    double *mean = memory.data(), *square = mean + parts;
    launch(context, "normalization", plan.grid(context), plan.threads(), norm_part_moments<arithmetic_t<X>, X>, plan, c, mean, square, x);
    launch(context, "normalization", grid_for(context, (c.width + 7) / 8), block_threads, norm_join_moments<T>, c, eps, s, static_cast<const double*>(mean), static_cast<const double*>(square));
  }
  template <class T, class R>
  static void given(cuda_context& context, double eps, const norm_statistics<T>& s, const R* mean, const R* variance) {
    if (s.count == 0) return;
    launch(context, "normalization", grid_for(context, (s.count + block_threads - 1) / block_threads), block_threads, norm_known<T, R>, eps, s, mean, variance);
  }
  template <class T, class R>
  static void track(cuda_context& context, const norm_tracking& t, const norm_statistics<T>& s, R* mean, R* variance) {
    launch(context, "normalization", 1, block_threads, norm_track<T, R>, t, s, mean, variance);
  }
};

}}}  // namespace amphora::detail
