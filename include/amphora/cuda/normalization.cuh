// Normalizations on CUDA: a team of threads for each line, which it reads once where it fits its registers.
#pragma once
#include <amphora/cuda/access.cuh>      // eight, load, store
#include <amphora/cuda/context.cuh>     // cuda_context, cuda_device
#include <amphora/cuda/launch.cuh>      // launch, grid_for, block_threads, AMPHORA_KERNEL
#include <amphora/cuda/lines.cuh>       // plan_lines, line_place, read_line, write_line, joined
#include <amphora/cuda/operands.cuh>    // read_one, is_wide_at
#include <amphora/ops/norm_layout.hpp>  // normalization_kernels, norm_lines
#include <amphora/tensor/tensor.hpp>    // tensor

#include <cmath>    // sqrt
#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// Eights of a line that a thread keeps in registers; what is longer is read again.
template <class Real> inline constexpr int kept_eights = sizeof(Real) == 4 ? 4 : 1;

/// The numbers of a line, for several visits.
template <class Real, class Source>
struct line_numbers {
  static constexpr int kept = kept_eights<Real>;
  const Source& x;
  const line_place& at;
  eight<Real> first[kept];

  __device__ line_numbers(const Source& its_x, const line_place& place) : x(its_x), at(place) {
#pragma unroll
    for (int i = 0; i < kept; ++i) first[i] = at.begin() + i * at.step() < at.length ? read_line<Real>(x, at, at.begin() + i * at.step(), Real(0)) : eight<Real>{};
  }
  /// visit(k, numbers k … k + 7), past the end of the line 0.
  template <class Visit> __device__ void each(Visit& visit) const {
#pragma unroll
    for (int i = 0; i < kept; ++i)
      if (at.begin() + i * at.step() < at.length) visit(at.begin() + i * at.step(), first[i]);
    for (std::int64_t k = at.begin() + kept * at.step(); k < at.length; k += at.step()) visit(k, read_line<Real>(x, at, k, Real(0)));
  }
};

/// Sums go on in double after eight terms.
template <class Real> struct visit_sum {
  double sum = 0;
  __device__ void operator()(std::int64_t, const eight<Real>& v) {
    Real part = 0;
#pragma unroll
    for (int j = 0; j < 8; ++j) part += v.x[j];
    sum += static_cast<double>(part);
  }
};
template <class Real> struct visit_deviation {
  Real about;
  std::int64_t length;
  double rest = 0, square = 0;
  __device__ visit_deviation(Real center, std::int64_t n) : about(center), length(n) {}
  __device__ void operator()(std::int64_t k, const eight<Real>& v) {
    Real first = 0, second = 0;
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      const Real d = k + j < length ? v.x[j] - about : Real(0);
      first += d, second += d * d;
    }
    rest += static_cast<double>(first), square += static_cast<double>(second);
  }
};

/// A mean in two parts, and Σ (x − mean)².
template <class Real> struct line_moments {
  Real about;
  double rest, square;
};
/// In two passes: the mean, then the deviations from it, whose own mean corrects both. All threads of the block call it.
template <class Real, class Source>
__device__ inline line_moments<Real> moments_of_line(const line_numbers<Real, Source>& numbers, const line_place& at, bool centered) {
  const auto terms = static_cast<double>(at.length > 0 ? at.length : 1);
  Real about = 0;
  if (centered) {
    visit_sum<Real> all;
    numbers.each(all);
    about = static_cast<Real>(joined(all.sum, at.team, added()) / terms);
  }
  visit_deviation<Real> from(about, at.length);
  numbers.each(from);
  const double square = joined(from.square, at.team, added());
  const double rest = centered ? joined(from.rest, at.team, added()) / terms : 0;
  return {about, rest, square - terms * rest * rest};
}

template <class Real> struct line_scale { Real high, low, scale; };

/// Of a mean in two parts; in double the low part is what is left of the first sum, so that nothing is lost of it.
template <class Real>
__device__ inline line_scale<Real> scale_from(double mean, double variance, double eps) {
  const Real high = static_cast<Real>(mean);
  return {high, static_cast<Real>(mean - static_cast<double>(high)), static_cast<Real>(1 / std::sqrt((variance < 0 ? 0 : variance) + eps))};
}
template <class T>
__device__ inline void store_statistics(const norm_statistics<T>& s, std::int64_t i, double high, double low, double scale, double variance) {
  store(s.high() + i, static_cast<T>(high)), store(s.low() + i, static_cast<T>(low));
  store(s.scale() + i, static_cast<T>(scale)), store(s.variance() + i, static_cast<T>(variance < 0 ? 0 : variance));
}
template <class Real, class T>
__device__ inline line_scale<Real> load_scale(const norm_statistics<T>& s, std::int64_t i) {
  return {static_cast<Real>(load(s.high() + i)), static_cast<Real>(load(s.low() + i)), static_cast<Real>(load(s.scale() + i))};
}

/// The weights of a line's terms k … k + 7.
template <class Real, class Source>
__device__ inline eight<Real> line_weights(const Source& w, const norm_lines& n, const line_place& at, std::int64_t k, bool wide) {
  const std::int64_t first = (n.groups == 1 ? 0 : at.line % n.groups) * n.channels;
  if (wide) return read_eight<Real>(w, first + k);
  eight<Real> result;
  std::int64_t own = n.spread == 1 ? k : n.channels == 1 ? 0 : k / n.spread, left = n.spread == 1 ? 1 : n.channels == 1 ? n.length : (own + 1) * n.spread - k;
#pragma unroll
  for (int j = 0; j < 8; ++j) {
    result.x[j] = k + j < at.length ? read_one<Real>(w, first + own) : Real(0);
    if (--left == 0) ++own, left = n.spread;
  }
  return result;
}

template <class Real, class Y, class W, class B> struct visit_norm_value {
  const norm_lines& n;
  const line_place& at;
  const target<Y>& y;
  const source<W>& w;
  const source<B>& b;
  line_scale<Real> s;
  bool wide;
  __device__ void operator()(std::int64_t k, const eight<Real>& v) const {
    eight<Real> value;
#pragma unroll
    for (int j = 0; j < 8; ++j) value.x[j] = normalized(v.x[j], s.high, s.low, s.scale);
    if (w.data) {
      const eight<Real> weight = line_weights<Real>(w, n, at, k, wide);
#pragma unroll
      for (int j = 0; j < 8; ++j) value.x[j] *= weight.x[j];
    }
    if (b.data) {
      const eight<Real> bias = line_weights<Real>(b, n, at, k, wide);
#pragma unroll
      for (int j = 0; j < 8; ++j) value.x[j] += bias.x[j];
    }
    write_line(y, at, k, value);
  }
};
template <class Real, class T, class Y, class X, class W, class B>
AMPHORA_KERNEL void __launch_bounds__(line_threads) norm_forward(const line_plan plan, const norm_lines n, const norm_statistics<T> s, const target<Y> y, const source<X> x, const source<W> w,
                                                                 const source<B> b, bool wide) {
  const std::int64_t lines = n.lines, together = blockDim.x / plan.team;
  for (std::int64_t first = blockIdx.x * together; first < lines; first += gridDim.x * together) {
    const line_place at(plan, first + static_cast<int>(threadIdx.x) / plan.team);
    const line_numbers<Real, source<X>> numbers(x, at);
    const line_moments<Real> m = moments_of_line(numbers, at, n.centered);
    const double variance = m.square / static_cast<double>(n.length);
    const line_scale<Real> scale = {m.about, static_cast<Real>(m.rest), static_cast<Real>(1 / std::sqrt((variance < 0 ? 0 : variance) + n.eps))};
    if (at.member == 0 && at.length > 0)
      store_statistics(s, at.line, static_cast<double>(scale.high), static_cast<double>(scale.low), static_cast<double>(scale.scale), variance);
    if (!y.data) continue;
    visit_norm_value<Real, Y, W, B> value{n, at, y, w, b, scale, wide};
    numbers.each(value);
  }
}

/// scale · (u − mean u − x̂ · mean(u · x̂)), where u = grad · w; without a mean of x, without that of u.
template <class Real, class T, class Y, class G, class X, class W>
AMPHORA_KERNEL void __launch_bounds__(line_threads) norm_backward(const line_plan plan, const norm_lines n, const norm_statistics<T> s, const target<Y> gx, const source<G> grad,
                                                                  const source<X> x, const source<W> w, bool wide) {
  const std::int64_t lines = n.lines, together = blockDim.x / plan.team;
  constexpr int kept = kept_eights<Real> > 1 ? 2 : 1;
  for (std::int64_t first = blockIdx.x * together; first < lines; first += gridDim.x * together) {
    const line_place at(plan, first + static_cast<int>(threadIdx.x) / plan.team);
    line_scale<Real> scale = {};
    if (at.length > 0) scale = load_scale<Real>(s, at.line);
    eight<Real> u[kept], v[kept];
    double sum = 0, along = 0;
    int i = 0;
    for (std::int64_t k = at.begin(); k < at.length; k += at.step(), ++i) {
      eight<Real> g = read_line<Real>(grad, at, k, Real(0)), h = read_line<Real>(x, at, k, Real(0));
      if (w.data) {
        const eight<Real> weight = line_weights<Real>(w, n, at, k, wide);
#pragma unroll
        for (int j = 0; j < 8; ++j) g.x[j] *= weight.x[j];
      }
      Real part = 0, product = 0;
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        h.x[j] = normalized(h.x[j], scale.high, scale.low, scale.scale);  // past the end the gradient is 0
        part += g.x[j], product += k + j < at.length ? g.x[j] * h.x[j] : Real(0);
      }
      sum += static_cast<double>(part), along += static_cast<double>(product);
#pragma unroll
      for (int own = 0; own < kept; ++own)
        if (i == own) u[own] = g, v[own] = h;
    }
    const auto terms = static_cast<double>(n.length);
    const Real mean = n.centered ? static_cast<Real>(joined(sum, at.team, added()) / terms) : Real(0);
    const Real slope = static_cast<Real>(joined(along, at.team, added()) / terms);
    i = 0;
    for (std::int64_t k = at.begin(); k < at.length; k += at.step(), ++i) {
      eight<Real> g = u[0], h = v[0];
#pragma unroll
      for (int own = 1; own < kept; ++own)
        if (i == own) g = u[own], h = v[own];
      if (i >= kept) {
        g = read_line<Real>(grad, at, k, Real(0)), h = read_line<Real>(x, at, k, Real(0));
        if (w.data) {
          const eight<Real> weight = line_weights<Real>(w, n, at, k, wide);
#pragma unroll
          for (int j = 0; j < 8; ++j) g.x[j] *= weight.x[j];
        }
#pragma unroll
        for (int j = 0; j < 8; ++j) h.x[j] = normalized(h.x[j], scale.high, scale.low, scale.scale);
      }
#pragma unroll
      for (int j = 0; j < 8; ++j) g.x[j] = scale.scale * ((g.x[j] - mean) - h.x[j] * slope);
      write_line(gx, at, k, g);
    }
  }
}

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
    const line_numbers<Real, source<X>> numbers(x, at);
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
    const line_scale<T> scale = {static_cast<T>(load(mean + i)), static_cast<T>(static_cast<double>(load(mean + i)) - static_cast<double>(static_cast<T>(load(mean + i)))),
                                 static_cast<T>(1 / std::sqrt(static_cast<double>(load(variance + i)) + eps))};
    store(s.high() + i, scale.high), store(s.low() + i, scale.low), store(s.scale() + i, scale.scale), store(s.variance() + i, static_cast<T>(load(variance + i)));
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

template <>
struct normalization_kernels<cuda_device> {
  /// Near the host's numbers, the same for every grid.
  ///
  /// Cost  one launch; reads each line once up to 16,384 numbers (of double 4,096), else three times, past the first time from the caches
  template <class T, class Y, class X, class W, class B>
  static void forward(cuda_context& context, const norm_lines& n, const norm_statistics<T>& s, const target<Y>& y, const source<X>& x, const source<W>& w, const source<B>& b) {
    if (n.lines * n.length == 0) return;
    const line_plan plan = plan_lines(context, lines_of{n.lines, n.length, 1}, is_wide_at(y, 0) && is_wide_at(x, 0));
    launch(context, "normalization", plan.grid(context), plan.threads(), norm_forward<arithmetic_t<Y, X, W, B>, T, Y, X, W, B>, plan, n, s, y, x, w, b,
           plan.wide && n.spread == 1 && is_wide_at(w, 0) && is_wide_at(b, 0));
  }
  /// Cost  one launch; reads each line twice, of up to 8,192 numbers (of double 4,096) once
  template <class T, class Y, class G, class X, class W>
  static void backward(cuda_context& context, const norm_lines& n, const norm_statistics<T>& s, const target<Y>& gx, const source<G>& grad, const source<X>& x, const source<W>& w) {
    if (n.lines * n.length == 0) return;
    const line_plan plan = plan_lines(context, lines_of{n.lines, n.length, 1}, is_wide_at(gx, 0) && is_wide_at(grad, 0) && is_wide_at(x, 0));
    launch(context, "normalization_backward", plan.grid(context), plan.threads(), norm_backward<arithmetic_t<Y, G, X, W>, T, Y, G, X, W>, plan, n, s, gx, grad, x, w,
           plan.wide && n.spread == 1 && is_wide_at(w, 0));
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
