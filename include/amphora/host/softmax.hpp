// Softmax along one axis on the host.
#pragma once
#include <amphora/host/context.hpp>  // host_context, host_device
#include <amphora/host/lines.hpp>    // for_lines, load_line, store_line
#include <amphora/ops/kernels.hpp>   // softmax_kernels, lines_of

#include <cmath>    // exp, log
#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

template <class Real> struct softmax_numbers {
  Real largest;  ///< of the line
  Real sum;      ///< Σ exp(x − largest)
  Real log_sum;
};

/// A line of −inf, or with +inf or NaN, gives NaN, as in PyTorch.
///
/// e  [n]: exp(x − largest); may be x itself
template <class Real>
softmax_numbers<Real> softmax_of(const Real* x, std::int64_t n, Real* e) {
  Real largest = n > 0 ? x[0] : Real(0);
  for (std::int64_t i = 1; i < n; ++i) largest = x[i] > largest ? x[i] : largest;
  double sum = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    e[i] = std::exp(x[i] - largest);
    sum += static_cast<double>(e[i]);
  }
  return {largest, static_cast<Real>(sum), static_cast<Real>(std::log(sum))};
}
template <class Real> void negate(Real* x, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) x[i] = -x[i];
}

template <class Real>
void softmax_lines(host_context& context, const lines_of& lines, bool logarithm, int sign, const host_target& y, const host_source& x) {
  for_lines<Real>(context, lines, 2, [&](std::int64_t line, Real* v) {
    const std::int64_t n = lines.length;
    Real* e = v + n;
    load_line(lines, x, line, v);
    if (sign < 0) negate(v, n);
    const softmax_numbers<Real> s = softmax_of(v, n, e);
    for (std::int64_t i = 0; i < n; ++i) v[i] = logarithm ? (v[i] - s.largest) - s.log_sum : e[i] / s.sum;
    store_line(lines, y, line, v);
  });
}

/// softmax: p (grad − Σ grad · p); logarithm: grad − p Σ grad; times the sign
template <class Real>
void softmax_gradient_lines(host_context& context, const lines_of& lines, bool logarithm, int sign, const host_target& gx, const host_source& grad, const host_source& x) {
  for_lines<Real>(context, lines, 2, [&](std::int64_t line, Real* g) {
    const std::int64_t n = lines.length;
    Real* p = g + n;
    load_line(lines, grad, line, g);
    load_line(lines, x, line, p);
    if (sign < 0) negate(p, n);
    const softmax_numbers<Real> s = softmax_of(p, n, p);
    double sum = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      p[i] /= s.sum;
      sum += static_cast<double>(g[i]) * (logarithm ? 1 : static_cast<double>(p[i]));
    }
    const Real total = static_cast<Real>(sum);
    for (std::int64_t i = 0; i < n; ++i) g[i] = logarithm ? g[i] - p[i] * total : p[i] * (g[i] - total);
    if (sign < 0) negate(g, n);
    store_line(lines, gx, line, g);
  });
}

template <>
struct softmax_kernels<host_device> {
  template <class Y, class X>
  static void forward(host_context& context, const lines_of& lines, bool logarithm, const target<Y>& y, const source<X>& x, int sign = 1) {
    softmax_lines<arithmetic_t<X>>(context, lines, logarithm, sign, y, x);
  }
  template <class Y, class G, class X>
  static void backward(host_context& context, const lines_of& lines, bool logarithm, const target<Y>& gx, const source<G>& grad, const source<X>& x, int sign = 1) {
    softmax_gradient_lines<arithmetic_t<X>>(context, lines, logarithm, sign, gx, grad, x);
  }
};

}}}  // namespace amphora::detail
