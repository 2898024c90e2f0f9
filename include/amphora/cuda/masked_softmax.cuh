// Softmax of masked scores on CUDA.
#pragma once
#include <amphora/cuda/context.cuh>          // cuda_context, cuda_device
#include <amphora/cuda/launch.cuh>           // launch, AMPHORA_KERNEL
#include <amphora/cuda/lines.cuh>            // plan_lines, line_place, read_line, write_line, joined
#include <amphora/cuda/operands.cuh>         // is_wide_at
#include <amphora/cuda/product_kernels.cuh>  // load_one_of
#include <amphora/ops/attention_call.hpp>    // attention_kernels
#include <amphora/ops/masked_softmax.hpp>    // masked_lines, masked_softmax_kernels
#include <amphora/ops/operand.hpp>           // source, target, arithmetic_t

#include <cmath>    // exp
#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// The line of a thread, and what its mask does.
struct masked_place {
  line_place line;
  std::int64_t last = 0, first = 0;  ///< the last place that causality leaves in; where the line's mask begins

  __device__ masked_place(const line_plan& plan, const masked_lines& all, std::int64_t its_line) : line(plan, its_line) {
    last = all.causal ? all.row(its_line) : all.length;
    if (line.length > 0 && all.mask) first = all.first(its_line);
  }
};

/// Masked scores k … k + 7; −inf past the end.
template <class Real, class Source>
__device__ inline eight<Real> read_masked(const Source& scores, const masked_lines& masks, const masked_place& at, std::int64_t k) {
  eight<Real> v = read_line<Real>(scores, at.line, k, minus_infinity<Real>);
  if (masks.mask) {
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      if (k + j >= at.line.length) continue;
      const std::int64_t i = at.first + (k + j) * masks.step;
      if (masks.added != format_id::none) v.x[j] += load_one_of<Real>(masks.added, masks.mask, i);
      else if (load(static_cast<const unsigned char*>(masks.mask) + i) == 0) v.x[j] = minus_infinity<Real>;
    }
  }
#pragma unroll
  for (int j = 0; j < 8; ++j)
    if (k + j > at.last) v.x[j] = minus_infinity<Real>;
  return v;
}

/// p = exp(x − shift) / sum, and 0 where the sum is.
template <class Real> struct masked_softmax {
  Real shift, sum;
  __device__ Real operator()(Real x) const { return sum == 0 ? Real(0) : std::exp(x - shift) / sum; }
};
template <class Real, class Source>
__device__ inline masked_softmax<Real> masked_softmax_of_line(const Source& scores, const masked_lines& masks, const masked_place& at) {
  Real largest = minus_infinity<Real>;
  for (std::int64_t k = at.line.begin(); k < at.line.length; k += at.line.step()) {
    const eight<Real> v = read_masked<Real>(scores, masks, at, k);
#pragma unroll
    for (int j = 0; j < 8; ++j) largest = larger()(largest, v.x[j]);
  }
  largest = joined(largest, at.line.team, larger());
  if (largest == minus_infinity<Real>) largest = 0;
  double sum = 0;
  for (std::int64_t k = at.line.begin(); k < at.line.length; k += at.line.step()) {
    const eight<Real> v = read_masked<Real>(scores, masks, at, k);
    Real some = 0;
#pragma unroll
    for (int j = 0; j < 8; ++j) some += std::exp(v.x[j] - largest);
    sum += static_cast<double>(some);
  }
  return {largest, static_cast<Real>(joined(sum, at.line.team, added()))};
}
/// Σ x p over a line, without the places that take no part. All threads of the block call it.
template <class Real, class X, class Source>
__device__ inline Real over_softmax(const X& x, const masked_softmax<Real>& softmax, const Source& scores, const masked_lines& masks, const masked_place& at) {
  double sum = 0;
  for (std::int64_t k = at.line.begin(); k < at.line.length; k += at.line.step()) {
    const eight<Real> v = read_masked<Real>(scores, masks, at, k), numbers = read_line<Real>(x, at.line, k, Real(0));
    Real some = 0;
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      const Real p = softmax(v.x[j]);
      if (p != 0) some += numbers.x[j] * p;
    }
    sum += static_cast<double>(some);
  }
  return static_cast<Real>(joined(sum, at.line.team, added()));
}

template <class Real, class Y, class X>
AMPHORA_KERNEL void masked_softmax_forward(const line_plan plan, const masked_lines masks, const target<Y> y, const source<X> scores) {
  const std::int64_t together = blockDim.x / plan.team;
  for (std::int64_t first = blockIdx.x * together; first < masks.lines; first += gridDim.x * together) {
    const masked_place at(plan, masks, first + static_cast<int>(threadIdx.x) / plan.team);
    const masked_softmax<Real> softmax = masked_softmax_of_line<Real>(scores, masks, at);
    for (std::int64_t k = at.line.begin(); k < at.line.length; k += at.line.step()) {
      eight<Real> v = read_masked<Real>(scores, masks, at, k);
#pragma unroll
      for (int j = 0; j < 8; ++j) v.x[j] = softmax(v.x[j]);
      write_line(y, at.line, k, v);
    }
  }
}
template <class Real, class Y, class G, class X>
AMPHORA_KERNEL void masked_softmax_backward(const line_plan plan, const masked_lines masks, const target<Y> y, const source<G> grad, const source<X> scores) {
  const std::int64_t together = blockDim.x / plan.team;
  for (std::int64_t first = blockIdx.x * together; first < masks.lines; first += gridDim.x * together) {
    const masked_place at(plan, masks, first + static_cast<int>(threadIdx.x) / plan.team);
    const masked_softmax<Real> softmax = masked_softmax_of_line<Real>(scores, masks, at);
    const Real total = over_softmax(grad, softmax, scores, masks, at);
    for (std::int64_t k = at.line.begin(); k < at.line.length; k += at.line.step()) {
      const eight<Real> v = read_masked<Real>(scores, masks, at, k);
      eight<Real> g = read_line<Real>(grad, at.line, k, Real(0));
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        const Real p = softmax(v.x[j]);
        g.x[j] = p == 0 ? Real(0) : p * (g.x[j] - total);
      }
      write_line(y, at.line, k, g);
    }
  }
}
template <class Real, class Y, class H, class G, class X>
AMPHORA_KERNEL void masked_softmax_bend(const line_plan plan, const masked_lines masks, const target<Y> y, const source<H> h, const source<G> grad, const source<X> scores) {
  const std::int64_t together = blockDim.x / plan.team;
  for (std::int64_t first = blockIdx.x * together; first < masks.lines; first += gridDim.x * together) {
    const masked_place at(plan, masks, first + static_cast<int>(threadIdx.x) / plan.team);
    const masked_softmax<Real> softmax = masked_softmax_of_line<Real>(scores, masks, at);
    const Real total = over_softmax(grad, softmax, scores, masks, at), other = over_softmax(h, softmax, scores, masks, at);
    double sum = 0;
    for (std::int64_t k = at.line.begin(); k < at.line.length; k += at.line.step()) {
      const eight<Real> v = read_masked<Real>(scores, masks, at, k), g = read_line<Real>(grad, at.line, k, Real(0)), u = read_line<Real>(h, at.line, k, Real(0));
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        const Real p = softmax(v.x[j]);
        if (p != 0) sum += static_cast<double>((u.x[j] - other) * (g.x[j] - total) * p);
      }
    }
    const Real middle = static_cast<Real>(joined(sum, at.line.team, added()));  // Σ h grad p − Σ h p Σ grad p, without its cancellation
    for (std::int64_t k = at.line.begin(); k < at.line.length; k += at.line.step()) {
      const eight<Real> v = read_masked<Real>(scores, masks, at, k), u = read_line<Real>(h, at.line, k, Real(0));
      eight<Real> g = read_line<Real>(grad, at.line, k, Real(0));
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        const Real p = softmax(v.x[j]);
        g.x[j] = p == 0 ? Real(0) : p * ((u.x[j] - other) * (g.x[j] - total) - middle);
      }
      write_line(y, at.line, k, g);
    }
  }
}

template <>
struct masked_softmax_kernels<cuda_device> {
  /// Near the host's numbers, since their exp differ in the last bit; the same for every grid.
  ///
  /// Cost  one launch; forward reads each line of scores three times, backward four, bend six, past the first time from the caches
  template <class Y, class X>
  static void forward(cuda_context& context, const masked_lines& masks, const target<Y>& y, const source<X>& scores) {
    if (masks.lines * masks.length == 0) return;
    const line_plan plan = plan_lines(context, {masks.lines, masks.length, 1}, is_wide_at(y, 0) && is_wide_at(scores, 0));
    launch(context, "masked_softmax", plan.grid(context), plan.threads(), masked_softmax_forward<arithmetic_t<X>, Y, X>, plan, masks, y, scores);
  }
  template <class Y, class G, class X>
  static void backward(cuda_context& context, const masked_lines& masks, const target<Y>& y, const source<G>& grad, const source<X>& scores) {
    if (masks.lines * masks.length == 0) return;
    const line_plan plan = plan_lines(context, {masks.lines, masks.length, 1}, is_wide_at(y, 0) && is_wide_at(grad, 0) && is_wide_at(scores, 0));
    launch(context, "masked_softmax_backward", plan.grid(context), plan.threads(), masked_softmax_backward<arithmetic_t<X>, Y, G, X>, plan, masks, y, grad, scores);
  }
  template <class Y, class H, class G, class X>
  static void bend(cuda_context& context, const masked_lines& masks, const target<Y>& y, const source<H>& h, const source<G>& grad, const source<X>& scores) {
    if (masks.lines * masks.length == 0) return;
    const line_plan plan = plan_lines(context, {masks.lines, masks.length, 1}, is_wide_at(y, 0) && is_wide_at(h, 0) && is_wide_at(grad, 0) && is_wide_at(scores, 0));
    launch(context, "masked_softmax_bend", plan.grid(context), plan.threads(), masked_softmax_bend<arithmetic_t<X>, Y, H, G, X>, plan, masks, y, h, grad, scores);
  }
};

template <>
struct attention_kernels<cuda_device> { static constexpr bool is_fused = false; };

}}}  // namespace amphora::detail
