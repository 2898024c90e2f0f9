// Softmax along one axis on CUDA.
#pragma once
#include <amphora/cuda/context.cuh>   // cuda_context, cuda_device
#include <amphora/cuda/launch.cuh>    // launch, AMPHORA_KERNEL
#include <amphora/cuda/lines.cuh>     // plan_lines, line_place, softmax_of_line, read_line, write_line, joined
#include <amphora/cuda/operands.cuh>  // is_wide_at
#include <amphora/ops/kernels.hpp>    // softmax_kernels, lines_of
#include <amphora/ops/operand.hpp>    // source, target, arithmetic_t

#include <cmath>    // exp, log
#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

template <class Real, class Y, class X>
AMPHORA_KERNEL void softmax_lines_forward(const line_plan plan, bool logarithm, Real sign, const target<Y> y, const source<X> x) {
  const std::int64_t lines = plan.lines.lines(), together = blockDim.x / plan.team;
  for (std::int64_t first = blockIdx.x * together; first < lines; first += gridDim.x * together) {
    const line_place at(plan, first + static_cast<int>(threadIdx.x) / plan.team);
    const line_softmax<Real> s = softmax_of_line<Real>(x, at, no_source{}, sign);
    const Real sum = static_cast<Real>(s.sum), log_sum = logarithm ? static_cast<Real>(std::log(s.sum)) : Real(0);
    for (std::int64_t k = at.begin(); k < at.length; k += at.step()) {
      eight<Real> v = read_line<Real>(x, at, k, Real(0));
#pragma unroll
      for (int j = 0; j < 8; ++j) v.x[j] = logarithm ? (sign * v.x[j] - s.largest) - log_sum : std::exp(sign * v.x[j] - s.largest) / sum;
      write_line(y, at, k, v);
    }
  }
}
/// softmax: p (grad − Σ grad · p); logarithm: grad − p Σ grad; times the sign
template <class Real, class Y, class G, class X>
AMPHORA_KERNEL void softmax_lines_backward(const line_plan plan, bool logarithm, Real sign, const target<Y> gx, const source<G> grad, const source<X> x) {
  const std::int64_t lines = plan.lines.lines(), together = blockDim.x / plan.team;
  for (std::int64_t first = blockIdx.x * together; first < lines; first += gridDim.x * together) {
    const line_place at(plan, first + static_cast<int>(threadIdx.x) / plan.team);
    const line_softmax<Real> s = softmax_of_line<Real>(x, at, grad, sign);
    double all = 0;
    if (logarithm) {
      for (std::int64_t k = at.begin(); k < at.length; k += at.step()) {
        const eight<Real> g = read_line<Real>(grad, at, k, Real(0));
#pragma unroll
        for (int j = 0; j < 8; ++j) all += static_cast<double>(g.x[j]);
      }
      all = joined(all, at.team, added());
    }
    const Real sum = static_cast<Real>(s.sum), total = static_cast<Real>(logarithm ? all : s.against / s.sum);
    for (std::int64_t k = at.begin(); k < at.length; k += at.step()) {
      const eight<Real> v = read_line<Real>(x, at, k, Real(0));
      eight<Real> g = read_line<Real>(grad, at, k, Real(0));
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        const Real p = std::exp(sign * v.x[j] - s.largest) / sum;
        g.x[j] = sign * (logarithm ? g.x[j] - p * total : p * (g.x[j] - total));
      }
      write_line(gx, at, k, g);
    }
  }
}

template <>
struct softmax_kernels<cuda_device> {
  /// Near the host's numbers, since their exp and log differ in the last bit; the same for every grid. Lines that are NaN on the host are NaN.
  ///
  /// sign  −1: of the line's negative
  /// Cost  one launch; reads each line three times, past the first time from the caches
  template <class Y, class X>
  static void forward(cuda_context& context, const lines_of& lines, bool logarithm, const target<Y>& y, const source<X>& x, int sign = 1) {
    if (lines.lines() * lines.length == 0) return;
    const line_plan plan = plan_lines(context, lines, is_wide_at(y, 0) && is_wide_at(x, 0));
    launch(context, "softmax", plan.grid(context), plan.threads(), softmax_lines_forward<arithmetic_t<X>, Y, X>, plan, logarithm, static_cast<arithmetic_t<X>>(sign), y, x);
  }
  template <class Y, class G, class X>
  static void backward(cuda_context& context, const lines_of& lines, bool logarithm, const target<Y>& gx, const source<G>& grad, const source<X>& x, int sign = 1) {
    if (lines.lines() * lines.length == 0) return;
    const line_plan plan = plan_lines(context, lines, is_wide_at(gx, 0) && is_wide_at(grad, 0) && is_wide_at(x, 0));
    launch(context, "softmax_backward", plan.grid(context), plan.threads(), softmax_lines_backward<arithmetic_t<X>, Y, G, X>, plan, logarithm, static_cast<arithmetic_t<X>>(sign), gx, grad, x);
  }
};

}}}  // namespace amphora::detail
