// Columns that are normalized on CUDA, the gradients of weights, and running statistics.
#pragma once
#include <amphora/cuda/access.cuh>        // load, store
#include <amphora/cuda/context.cuh>       // cuda_context
#include <amphora/cuda/launch.cuh>        // AMPHORA_KERNEL, block_threads
#include <amphora/cuda/lines.cuh>         // plan_lines, line_place, read_line, joined
#include <amphora/cuda/norm_moments.cuh>  // line_numbers, moments_of_line, load_scale, store_statistics
#include <amphora/cuda/operands.cuh>      // read_one
#include <amphora/ops/norm_layout.hpp>    // norm_columns, norm_tracking

#include <cmath>    // sqrt
#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// How the parts of columns are shared: each is a line, of an array [parts, sum_rows, width] where columns lie side by side.
inline line_plan plan_columns(const cuda_context& context, const norm_columns& c, bool aligned) {
  if (c.inner > 1) return plan_lines(context, lines_of{c.rows * c.width, c.inner, 1}, aligned);
  return line_plan{lines_of{c.parts(), sum_rows, c.width}, 1, false};
}
/// The line of a thread in such a plan; the last part of a column may be shorter.
__device__ inline line_place column_place(const line_plan& plan, const norm_columns& c, std::int64_t line) {
  line_place at(plan, line);
  if (c.inner == 1 && at.length > 0) at.length = c.rows_in(line / c.width);
  return at;
}

template <class Real, class T, class G, class X>
AMPHORA_KERNEL void __launch_bounds__(line_threads) norm_products(const line_plan plan, const norm_columns c, const norm_statistics<T> s, double* partial, const source<G> grad, const source<X> x) {
  const std::int64_t lines = plan.lines.lines(), together = blockDim.x / plan.team;
  for (std::int64_t first = blockIdx.x * together; first < lines; first += gridDim.x * together) {
    const line_place at = column_place(plan, c, first + static_cast<int>(threadIdx.x) / plan.team);
    const std::int64_t part = at.line / c.width, row = part * c.rows_of_part(), own = (at.line - part * c.width) / c.share;
    double sum = 0;
    if (c.inner == 1) {  // a thread alone
      for (std::int64_t begin = 0; begin < at.length; begin += 8) {
        Real product = 0;
#pragma unroll
        for (int j = 0; j < 8; ++j) {
          if (begin + j >= at.length) continue;
          const std::int64_t i = at.first + (begin + j) * at.inner;
          const line_scale<Real> scale = load_scale<Real>(s, (row + begin + j) * c.row_step + own);
          product += read_one<Real>(grad, i) * normalized(read_one<Real>(x, i), scale.high, scale.low, scale.scale);
        }
        sum += static_cast<double>(product);
      }
      if (at.length > 0) store(partial + at.line, sum);
      continue;
    }
    line_scale<Real> scale = {};
    if (at.length > 0) scale = load_scale<Real>(s, row * c.row_step + own);
    for (std::int64_t k = at.begin(); k < at.length; k += at.step()) {
      const eight<Real> g = read_line<Real>(grad, at, k, Real(0)), v = read_line<Real>(x, at, k, Real(0));
      Real product = 0;
#pragma unroll
      for (int j = 0; j < 8; ++j) product += k + j < at.length ? g.x[j] * normalized(v.x[j], scale.high, scale.low, scale.scale) : Real(0);
      sum += static_cast<double>(product);
    }
    sum = joined(sum, at.team, added());
    if (at.member == 0 && at.length > 0) store(partial + at.line, sum);
  }
}

/// The mean of each part of a column, and Σ (x − mean)².
template <class Real, class X>
AMPHORA_KERNEL void __launch_bounds__(line_threads) norm_part_moments(const line_plan plan, const norm_columns c, double* mean, double* square, const source<X> x) {
  const std::int64_t lines = plan.lines.lines(), together = blockDim.x / plan.team;
  for (std::int64_t first = blockIdx.x * together; first < lines; first += gridDim.x * together) {
    const line_place at = column_place(plan, c, first + static_cast<int>(threadIdx.x) / plan.team);
    const line_numbers<Real, source<X>, kept_eights<Real, false>> numbers(x, at);
    const line_moments<Real> m = moments_of_line(numbers, at, true);
    if (at.member != 0 || at.length == 0) continue;
    store(mean + at.line, static_cast<double>(m.about) + m.rest), store(square + at.line, m.square);
  }
}
struct joint_moments {
  double count = 0, mean = 0, square = 0;
};
/// Of two sets of numbers. Source: Chan, Golub, LeVeque, Algorithms for computing the sample variance (1983)
__device__ inline joint_moments joined_moments(const joint_moments& a, const joint_moments& b) {
  if (b.count == 0) return a;
  if (a.count == 0) return b;
  const double count = a.count + b.count, apart = b.mean - a.mean;
  return {count, a.mean + apart * (b.count / count), a.square + b.square + apart * apart * (a.count * (b.count / count))};
}
/// A column's parts: a warp for each, in an order that no grid changes.
template <class T>
AMPHORA_KERNEL void __launch_bounds__(block_threads) norm_join_moments(const norm_columns c, double eps, const norm_statistics<T> s, const double* mean, const double* square) {
  constexpr int warps = block_threads / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  for (std::int64_t first = blockIdx.x * std::int64_t(warps); first < c.width; first += gridDim.x * std::int64_t(warps)) {
    const std::int64_t k = first + static_cast<int>(threadIdx.x) / 32;
    joint_moments all;
    for (std::int64_t part = lane; k < c.width && part < c.parts(); part += 32)
      all = joined_moments(all, {static_cast<double>(c.rows_in(part) * c.inner), load(mean + part * c.width + k), load(square + part * c.width + k)});
    for (int other = 1; other < 32; other *= 2)
      all = joined_moments(all, {__shfl_down_sync(0xffffffffu, all.count, other), __shfl_down_sync(0xffffffffu, all.mean, other), __shfl_down_sync(0xffffffffu, all.square, other)});
    if (lane != 0 || k >= c.width) continue;
    const double variance = all.square / all.count;
    const line_scale<T> scale = scale_from<T>(all.mean, variance, eps);
    store_statistics(s, k, static_cast<double>(scale.high), static_cast<double>(scale.low), static_cast<double>(scale.scale), variance);
  }
}

template <class T, class R>
AMPHORA_KERNEL void __launch_bounds__(block_threads) norm_known(double eps, const norm_statistics<T> s, const R* mean, const R* variance) {
  for (std::int64_t i = blockIdx.x * std::int64_t(blockDim.x) + threadIdx.x; i < s.count; i += gridDim.x * std::int64_t(blockDim.x)) {
    // The root first: what lives across it would be spilled.
    store(s.scale() + i, static_cast<T>(1 / std::sqrt(static_cast<double>(load(variance + i)) + eps))), store(s.variance() + i, static_cast<T>(load(variance + i)));
    const auto about = static_cast<double>(load(mean + i));
    const T high = static_cast<T>(about);
    store(s.high() + i, high), store(s.low() + i, static_cast<T>(about - static_cast<double>(high)));
  }
}
/// One block, so that the counter moves when all have read it.
template <class T, class R>
AMPHORA_KERNEL void __launch_bounds__(block_threads) norm_track(const norm_tracking t, const norm_statistics<T> s, R* mean, R* variance) {
  auto* batches = reinterpret_cast<long long*>(t.batches);
  const long long count = batches ? load(batches) + 1 : 1;
  const double share = t.cumulative ? 1 / static_cast<double>(count) : t.momentum, batch = static_cast<double>(t.batch), terms = static_cast<double>(t.terms);
  for (std::int64_t k = threadIdx.x; k < t.channels; k += blockDim.x) {
    double new_mean = 0, new_variance = 0;
    for (std::int64_t i = k; i < t.channels * t.batch; i += t.channels) {
      new_mean += static_cast<double>(load(s.high() + i)) + static_cast<double>(load(s.low() + i));
      new_variance += static_cast<double>(load(s.variance() + i));
    }
    store(mean + k, static_cast<R>((1 - share) * static_cast<double>(load(mean + k)) + share * (new_mean / batch)));
    store(variance + k, static_cast<R>((1 - share) * static_cast<double>(load(variance + k)) + share * (new_variance / batch * (terms / (terms - 1)))));
  }
  __syncthreads();
  if (threadIdx.x == 0 && batches) store(batches, count);
}

}}}  // namespace amphora::detail
