// Normalizations on the host.
#pragma once
#include <amphora/host/context.hpp>     // host_context, host_device
#include <amphora/host/lines.hpp>       // for_lines, load_line, store_line
#include <amphora/host/parallel.hpp>    // for_pieces, workspace
#include <amphora/host/run.hpp>         // host_source, host_target, load_run
#include <amphora/ops/norm_layout.hpp>  // normalization_kernels, norm_lines

#include <algorithm>  // fill_n, min
#include <cmath>      // sqrt
#include <cstdint>    // int64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// Σ term(i), eight lanes side by side.
template <class Term>
double lane_sum(std::int64_t n, const Term& term) {
  double lane[8] = {}, sum = 0;
  std::int64_t i = 0;
  for (; i + 8 <= n; i += 8)
    for (std::int64_t j = 0; j < 8; ++j) lane[j] += static_cast<double>(term(i + j));
  for (; i < n; ++i) sum += static_cast<double>(term(i));
  for (double l : lane) sum += l;
  return sum;
}

/// Leaves statistics of a mean and a variance. Past the digits of T the mean goes on in its low part.
template <class T>
void store_statistics(const norm_statistics<T>& s, std::int64_t i, double mean, double variance, double eps) {
  s.high()[i] = static_cast<T>(mean), s.low()[i] = static_cast<T>(mean - static_cast<double>(s.high()[i]));
  variance = variance < 0 ? 0 : variance;
  s.scale()[i] = static_cast<T>(1 / std::sqrt(variance + eps)), s.variance()[i] = static_cast<T>(variance);
}

/// In two passes: the mean, then the deviations from it, whose own mean corrects both.
template <class Real, class T>
void measure_line(const norm_lines& n, const Real* x, std::int64_t line, const norm_statistics<T>& s) {
  const auto terms = static_cast<double>(n.length);
  const Real about = n.centered ? static_cast<Real>(lane_sum(n.length, [x](std::int64_t i) { return x[i]; }) / terms) : Real(0);
  const double rest = n.centered ? lane_sum(n.length, [x, about](std::int64_t i) { return x[i] - about; }) / terms : 0;
  const double square = lane_sum(n.length, [x, about](std::int64_t i) { return (x[i] - about) * (x[i] - about); }) / terms;
  store_statistics(s, line, static_cast<double>(about) + rest, square - rest * rest, n.eps);
  if constexpr (std::is_same_v<Real, T>)
    if (n.centered) s.high()[line] = about, s.low()[line] = static_cast<T>(rest);  // a double has no digits beyond the high part
}

/// A weight for each term of a line; null where there are none.
template <class Real>
Real weight_at(const norm_lines& n, const Real* w, std::int64_t line, std::int64_t t) {
  return w[line % n.groups * n.channels + (n.spread == 1 ? t : t / n.spread)];
}

template <class Real, class T>
void norm_lines_forward(host_context& context, const norm_lines& n, const norm_statistics<T>& s, const host_target& y, const host_source& x, const host_source& w, const host_source& b) {
  const std::int64_t weights = n.weights();
  const workspace<Real> memory(context, 2 * weights + 1);
  Real *weight = memory.data(), *bias = weight + weights;
  if (w.data) load_run(w, 0, weights, weight);
  if (b.data) load_run(b, 0, weights, bias);
  for_lines<Real>(context, lines_of{n.lines, n.length, 1}, 1, [&](std::int64_t line, Real* v) {
    load_run(x, line * n.length, n.length, v);
    measure_line(n, v, line, s);
    if (!y.data) return;
    const Real high = static_cast<Real>(s.high()[line]), low = static_cast<Real>(s.low()[line]), scale = static_cast<Real>(s.scale()[line]);
    for (std::int64_t t = 0; t < n.length; ++t) v[t] = normalized(v[t], high, low, scale);
    for (std::int64_t t = 0; w.data && t < n.length; ++t) v[t] *= weight_at(n, weight, line, t);
    for (std::int64_t t = 0; b.data && t < n.length; ++t) v[t] += weight_at(n, bias, line, t);
    store_run(y, line * n.length, n.length, v);
  });
}

/// scale · (u − mean u − x̂ · mean(u · x̂)), where u = grad · w; without a mean of x, without that of u.
template <class Real, class T>
void norm_lines_backward(host_context& context, const norm_lines& n, const norm_statistics<T>& s, const host_target& gx, const host_source& grad, const host_source& x,
                         const host_source& w) {
  const workspace<Real> memory(context, n.weights() + 1);
  Real* weight = memory.data();
  if (w.data) load_run(w, 0, n.weights(), weight);
  for_lines<Real>(context, lines_of{n.lines, n.length, 1}, 2, [&](std::int64_t line, Real* v) {
    Real* u = v + n.length;
    load_run(x, line * n.length, n.length, v);
    load_run(grad, line * n.length, n.length, u);
    const Real high = static_cast<Real>(s.high()[line]), low = static_cast<Real>(s.low()[line]), scale = static_cast<Real>(s.scale()[line]);
    for (std::int64_t t = 0; t < n.length; ++t) v[t] = normalized(v[t], high, low, scale);
    for (std::int64_t t = 0; w.data && t < n.length; ++t) u[t] *= weight_at(n, weight, line, t);
    const auto terms = static_cast<double>(n.length);
    const Real mean = n.centered ? static_cast<Real>(lane_sum(n.length, [u](std::int64_t t) { return u[t]; }) / terms) : Real(0);
    const Real along = static_cast<Real>(lane_sum(n.length, [u, v](std::int64_t t) { return u[t] * v[t]; }) / terms);
    for (std::int64_t t = 0; t < n.length; ++t) v[t] = scale * ((u[t] - mean) - v[t] * along);
    store_run(gx, line * n.length, n.length, v);
  });
}

inline constexpr std::int64_t norm_side = 256;  // columns that the host works on at a time; belongs to no sum

/// Calls work(k, part, columns) for neighbouring columns of a part; where a column has neighbours of its own, for one.
template <class Work>
void for_columns(host_context& context, const norm_columns& c, std::int64_t parts, const Work& work) {
  const std::int64_t side = c.inner == 1 ? norm_side : 1, across = (c.width + side - 1) / side;
  for_pieces(context, parts * across, c.rows * c.width * c.inner > 8192, [&](std::int64_t piece, int) {
    const std::int64_t k = piece % across * side;
    work(k, piece / across, (std::min)(side, c.width - k));
  });
}
/// Calls work(column, number, numbers…) for the numbers at (row, k …) of arrays [rows, width, inner], through the first cache.
template <class Real, class Work, class... Source>
void for_row(const norm_columns& c, std::int64_t row, std::int64_t k, std::int64_t columns, const Work& work, const Source&... source) {
  constexpr std::int64_t run = 512;
  Real in[sizeof...(Source)][run];
  const std::int64_t first = (row * c.width + k) * c.inner, all = columns * c.inner;
  for (std::int64_t done = 0; done < all; done += run) {
    const std::int64_t n = (std::min)(run, all - done);
    int o = 0;
    (load_run(source, first + done, n, in[o++]), ...);
    for (std::int64_t i = 0; i < n; ++i) work(c.inner == 1 ? i + done : 0, in, i);
  }
}

template <class Real, class T>
void norm_products(host_context& context, const norm_columns& c, const norm_statistics<T>& s, double* partial, const host_source& grad, const host_source& x) {
  for_columns(context, c, c.parts(), [&](std::int64_t k, std::int64_t part, std::int64_t columns) {
    double sum[norm_side] = {};
    for (std::int64_t r = 0; r < c.rows_in(part); ++r) {
      const std::int64_t row = part * c.rows_of_part() + r;
      for_row<Real>(c, row, k, columns, [&](std::int64_t column, const auto& in, std::int64_t i) {
        const std::int64_t at = row * c.row_step + (k + column) / c.share;
        sum[column] += static_cast<double>(in[0][i] * normalized(in[1][i], static_cast<Real>(s.high()[at]), static_cast<Real>(s.low()[at]), static_cast<Real>(s.scale()[at])));
      }, grad, x);
    }
    for (std::int64_t j = 0; j < columns; ++j) partial[part * c.width + k + j] = sum[j];
  });
}

template <class Real, class T>
void norm_moments(host_context& context, const norm_columns& c, double eps, const norm_statistics<T>& s, const host_source& x) {
  for_columns(context, c, 1, [&](std::int64_t k, std::int64_t, std::int64_t columns) {
    const auto terms = static_cast<double>(c.rows * c.inner);
    double sum[norm_side] = {}, rest[norm_side] = {}, square[norm_side] = {};
    Real about[norm_side];
    for (std::int64_t row = 0; row < c.rows; ++row)
      for_row<Real>(c, row, k, columns, [&](std::int64_t column, const auto& in, std::int64_t i) { sum[column] += static_cast<double>(in[0][i]); }, x);
    for (std::int64_t j = 0; j < columns; ++j) about[j] = static_cast<Real>(sum[j] / terms);
    for (std::int64_t row = 0; row < c.rows; ++row)
      for_row<Real>(c, row, k, columns, [&](std::int64_t column, const auto& in, std::int64_t i) {
        const Real d = in[0][i] - about[column];
        rest[column] += static_cast<double>(d), square[column] += static_cast<double>(d) * static_cast<double>(d);
      }, x);
    for (std::int64_t j = 0; j < columns; ++j) {
      const double correction = rest[j] / terms;
      store_statistics(s, k + j, static_cast<double>(about[j]) + correction, square[j] / terms - correction * correction, eps);
    }
  });
}

template <>
struct normalization_kernels<host_device> {
  template <bool Spreads, class T, class Y, class X, class W, class B>
  static void forward(host_context& context, const norm_lines& n, const norm_statistics<T>& s, const target<Y>& y, const source<X>& x, const source<W>& w, const source<B>& b) {
    norm_lines_forward<arithmetic_t<Y, X, W, B>>(context, n, s, y, x, w, b);
  }
  template <bool Spreads, class T, class Y, class G, class X, class W>
  static void backward(host_context& context, const norm_lines& n, const norm_statistics<T>& s, const target<Y>& gx, const source<G>& grad, const source<X>& x, const source<W>& w) {
    norm_lines_backward<arithmetic_t<Y, G, X, W>>(context, n, s, gx, grad, x, w);
  }
  template <class T, class G, class X>
  static void products(host_context& context, const norm_columns& c, const norm_statistics<T>& s, double* partial, const source<G>& grad, const source<X>& x) {
    norm_products<arithmetic_t<G, X>>(context, c, s, partial, grad, x);
  }
  template <class T, class X>
  static void moments(host_context& context, const norm_columns& c, double eps, const norm_statistics<T>& s, const source<X>& x) {
    norm_moments<arithmetic_t<X>>(context, c, eps, s, x);
  }
  template <class T, class R>
  static void given(host_context&, double eps, const norm_statistics<T>& s, const R* mean, const R* variance) {
    for (std::int64_t i = 0; i < s.count; ++i) {
      s.high()[i] = static_cast<T>(mean[i]), s.low()[i] = static_cast<T>(static_cast<double>(mean[i]) - static_cast<double>(s.high()[i]));
      s.scale()[i] = static_cast<T>(1 / std::sqrt(static_cast<double>(variance[i]) + eps)), s.variance()[i] = static_cast<T>(variance[i]);
    }
  }
  template <class T, class R>
  static void track(host_context&, const norm_tracking& t, const norm_statistics<T>& s, R* mean, R* variance) {
    const double share = t.cumulative ? 1 / static_cast<double>(*t.batches + 1) : t.momentum;
    for (std::int64_t k = 0; k < t.channels; ++k) {
      const norm_news news = norm_news::of(t, s, k);
      mean[k] = static_cast<R>(news.joined(share, static_cast<double>(mean[k]), news.mean));
      variance[k] = static_cast<R>(news.joined(share, static_cast<double>(variance[k]), news.variance));
    }
    if (t.batches) ++*t.batches;
  }

 private:
  struct norm_news {
    double mean = 0, variance = 0;
    template <class T> static norm_news of(const norm_tracking& t, const norm_statistics<T>& s, std::int64_t k) {
      norm_news sum;
      for (std::int64_t i = k; i < t.channels * t.batch; i += t.channels) {
        sum.mean += static_cast<double>(s.high()[i]) + static_cast<double>(s.low()[i]);
        sum.variance += static_cast<double>(s.variance()[i]);
      }
      const auto batch = static_cast<double>(t.batch), terms = static_cast<double>(t.terms);
      return {sum.mean / batch, sum.variance / batch * (terms / (terms - 1))};
    }
    static double joined(double share, double old, double fresh) { return (1 - share) * old + share * fresh; }
  };
};

}}}  // namespace amphora::detail
