// Lines that are normalized on CUDA: a team of threads for each, which it reads once where it fits its registers.
#pragma once
#include <amphora/cuda/access.cuh>      // eight, load, store
#include <amphora/cuda/launch.cuh>      // AMPHORA_KERNEL
#include <amphora/cuda/lines.cuh>       // line_plan, line_place, read_line, write_line, joined
#include <amphora/cuda/operands.cuh>    // read_one, read_eight
#include <amphora/ops/norm_layout.hpp>  // norm_lines, norm_statistics, normalized

#include <cmath>        // sqrt
#include <cstdint>      // int64_t
#include <type_traits>  // is_same_v

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// Eights of a line that a thread keeps in registers; what is longer is read again. As many as ptxas has room for.
template <class Real, bool Spreads> inline constexpr int kept_eights = sizeof(Real) == 8 ? 1 : Spreads ? 3 : 4;

/// The numbers of a line, for several visits.
template <class Real, class Source, int Kept>
struct line_numbers {
  static constexpr int kept = Kept;
  const Source& x;
  const line_place& at;
  eight<Real> first[kept];

  __device__ line_numbers(const Source& its_x, const line_place& place) : x(its_x), at(place) {
#pragma unroll
    for (int i = 0; i < kept; ++i) first[i] = at.begin() + i * at.step() < at.length ? read_line<Real>(x, at, at.begin() + i * at.step(), Real(0)) : eight<Real>{};
  }
  /// visit(k, numbers k … k + 7), past the end of the line 0.
  template <class Visit> __device__ void each(Visit& visit) const {
    int i = 0;
#pragma unroll 1
    for (std::int64_t k = at.begin(); k < at.length; k += at.step(), ++i) {
      eight<Real> v = first[0];
#pragma unroll
      for (int own = 1; own < kept; ++own)
        if (i == own) v = first[own];
      if (i >= kept) v = read_line<Real>(x, at, k, Real(0));
      visit(k, v);
    }
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
template <class Real, class Source, int Kept>
__device__ inline line_moments<Real> moments_of_line(const line_numbers<Real, Source, Kept>& numbers, const line_place& at, bool centered) {
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

/// From a mean in double: what its high part rounds off is the low one.
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

/// Where the weights of a thread's eights lie: term k has weight first + own, and the next begins after `left` terms. Walked, not divided for.
struct weight_walk {
  std::int64_t first = 0, own = 0, left = 1;
};
struct weight_steps {
  std::int64_t own, rest;  ///< of a step from one eight to the next: whole weights, and terms

  __device__ void move(weight_walk& at, std::int64_t spread) const {
    at.own += own, at.left -= rest;
    if (at.left <= 0) ++at.own, at.left += spread;
  }
};
template <bool Spreads> __device__ inline weight_walk first_weight(const norm_lines& n, const line_plan& plan) {
  weight_walk at;
  if constexpr (Spreads) {
    const std::int64_t begin = 8 * (static_cast<int>(threadIdx.x) & (plan.team - 1));
    at.own = begin / n.spread, at.left = (at.own + 1) * n.spread - begin;
  }
  return at;
}

/// The weights of a line's terms k … k + 7.
///
/// wide  whether they lie where eight of them can be read at once
template <bool Spreads, class Real, class Source>
__device__ inline eight<Real> line_weights(const Source& w, const norm_lines& n, const line_place& at, weight_walk walk, std::int64_t k, bool wide) {
  if (!Spreads && wide) return read_eight<Real>(w, k);
  eight<Real> result;
#pragma unroll
  for (int j = 0; j < 8; ++j) {
    result.x[j] = k + j < at.length ? read_one<Real>(w, Spreads ? walk.first + walk.own : k + j) : Real(0);
    if (Spreads && --walk.left == 0) ++walk.own, walk.left = n.spread;
  }
  return result;
}

template <bool Spreads, class Real, class Y, class W, class B> struct visit_norm_value {
  const norm_lines& n;
  const line_place& at;
  const target<Y>& y;
  const source<W>& w;
  const source<B>& b;
  line_scale<Real> s;
  bool wide;
  weight_walk walk;
  weight_steps steps;
  __device__ void operator()(std::int64_t k, const eight<Real>& v) {
    eight<Real> value;
#pragma unroll
    for (int j = 0; j < 8; ++j) value.x[j] = normalized(v.x[j], s.high, s.low, s.scale);
    if (w.data) {
      const eight<Real> weight = line_weights<Spreads, Real>(w, n, at, walk, k, wide);
#pragma unroll
      for (int j = 0; j < 8; ++j) value.x[j] *= weight.x[j];
    }
    if (b.data) {
      const eight<Real> bias = line_weights<Spreads, Real>(b, n, at, walk, k, wide);
#pragma unroll
      for (int j = 0; j < 8; ++j) value.x[j] += bias.x[j];
    }
    if constexpr (Spreads) steps.move(walk, n.spread);
    write_line(y, at, k, value);
  }
};
template <bool Spreads, class Real, class T, class Y, class X, class W, class B>
AMPHORA_KERNEL void __launch_bounds__(line_threads) norm_forward(const line_plan plan, const norm_lines n, const norm_statistics<T> s, const target<Y> y, const source<X> x, const source<W> w,
                                                                 const source<B> b, bool wide, const weight_steps steps) {
  weight_walk walk = first_weight<Spreads>(n, plan);
  const std::int64_t lines = n.lines, together = blockDim.x / plan.team;
  for (std::int64_t first = blockIdx.x * together; first < lines; first += gridDim.x * together) {
    const line_place at(plan, first + static_cast<int>(threadIdx.x) / plan.team);
    if constexpr (Spreads) walk.first = at.line % n.groups * n.channels;
    const line_numbers<Real, source<X>, kept_eights<Real, Spreads>> numbers(x, at);
    const line_moments<Real> m = moments_of_line(numbers, at, n.centered);
    const double variance = m.square / static_cast<double>(n.length);
    const line_scale<Real> scale = {m.about, static_cast<Real>(m.rest), static_cast<Real>(1 / std::sqrt((variance < 0 ? 0 : variance) + n.eps))};
    if (at.member == 0 && at.length > 0)
      store_statistics(s, at.line, static_cast<double>(scale.high), static_cast<double>(scale.low), static_cast<double>(scale.scale), variance);
    if constexpr (!std::is_same_v<Y, not_a_format>) {
      visit_norm_value<Spreads, Real, Y, W, B> value{n, at, y, w, b, scale, wide, walk, steps};
      numbers.each(value);
    }
  }
}

/// scale · (u − mean u − x̂ · mean(u · x̂)), where u = grad · w; without a mean of x, without that of u.
template <bool Spreads, class Real, class T, class Y, class G, class X, class W>
AMPHORA_KERNEL void __launch_bounds__(line_threads) norm_backward(const line_plan plan, const norm_lines n, const norm_statistics<T> s, const target<Y> gx, const source<G> grad,
                                                                  const source<X> x, const source<W> w, bool wide, const weight_steps steps) {
  weight_walk start = first_weight<Spreads>(n, plan);
  const std::int64_t lines = n.lines, together = blockDim.x / plan.team;
  constexpr int kept = kept_eights<Real, Spreads> > 1 ? 2 : 1;
  for (std::int64_t first = blockIdx.x * together; first < lines; first += gridDim.x * together) {
    const line_place at(plan, first + static_cast<int>(threadIdx.x) / plan.team);
    line_scale<Real> scale = {};
    if (at.length > 0) scale = load_scale<Real>(s, at.line);
    eight<Real> u[kept], v[kept];
    double sum = 0, along = 0;
    int i = 0;
    if constexpr (Spreads) start.first = at.line % n.groups * n.channels;
    weight_walk walk = start;
#pragma unroll 1
    for (std::int64_t k = at.begin(); k < at.length; k += at.step(), ++i) {
      eight<Real> g = read_line<Real>(grad, at, k, Real(0)), h = read_line<Real>(x, at, k, Real(0));
      if (w.data) {
        const eight<Real> weight = line_weights<Spreads, Real>(w, n, at, walk, k, wide);
#pragma unroll
        for (int j = 0; j < 8; ++j) g.x[j] *= weight.x[j];
      }
      if constexpr (Spreads) steps.move(walk, n.spread);
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
    i = 0, walk = start;
#pragma unroll 1
    for (std::int64_t k = at.begin(); k < at.length; k += at.step(), ++i) {
      eight<Real> g = u[0], h = v[0];
#pragma unroll
      for (int own = 1; own < kept; ++own)
        if (i == own) g = u[own], h = v[own];
      if (i >= kept) {
        g = read_line<Real>(grad, at, k, Real(0)), h = read_line<Real>(x, at, k, Real(0));
        if (w.data) {
          const eight<Real> weight = line_weights<Spreads, Real>(w, n, at, walk, k, wide);
#pragma unroll
          for (int j = 0; j < 8; ++j) g.x[j] *= weight.x[j];
        }
#pragma unroll
        for (int j = 0; j < 8; ++j) h.x[j] = normalized(h.x[j], scale.high, scale.low, scale.scale);
      }
      if constexpr (Spreads) steps.move(walk, n.spread);
#pragma unroll
      for (int j = 0; j < 8; ++j) g.x[j] = scale.scale * ((g.x[j] - mean) - h.x[j] * slope);
      write_line(gx, at, k, g);
    }
  }
}

}}}  // namespace amphora::detail
