// Lines that are normalized on CUDA: a team of threads for each, which it reads once where it fits its registers.
#pragma once
#include <amphora/cuda/access.cuh>        // eight
#include <amphora/cuda/launch.cuh>        // AMPHORA_KERNEL
#include <amphora/cuda/lines.cuh>         // line_plan, line_place, read_line, write_line, joined
#include <amphora/cuda/norm_moments.cuh>  // line_numbers, kept_eights, moments_of_line, line_scale, load_scale, store_statistics
#include <amphora/cuda/norm_weights.cuh>  // weight_walk, weight_steps, first_weight, line_weights
#include <amphora/ops/norm_layout.hpp>    // norm_lines, norm_statistics, normalized
#include <amphora/ops/operand.hpp>        // source, target

#include <cmath>        // sqrt
#include <cstdint>      // int64_t
#include <type_traits>  // is_same_v

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

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
  constexpr int kept = kept_eights<Real, Spreads> > 1 ? 2 : 0;  // as many as the registers of a block hold: no doubles
  for (std::int64_t first = blockIdx.x * together; first < lines; first += gridDim.x * together) {
    const line_place at(plan, first + static_cast<int>(threadIdx.x) / plan.team);
    line_scale<Real> scale = {};
    if (at.length > 0) scale = load_scale<Real>(s, at.line);
    eight<Real> u[kept > 0 ? kept : 1], v[kept > 0 ? kept : 1];
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
      eight<Real> g, h;
      if constexpr (kept > 0) g = u[0], h = v[0];
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
