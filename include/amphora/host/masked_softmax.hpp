// Softmax of masked scores on the host.
#pragma once
#include <amphora/host/context.hpp>        // host_context, host_device
#include <amphora/host/exponentials.hpp>   // exponentials
#include <amphora/host/lines.hpp>          // for_lines
#include <amphora/host/run.hpp>            // host_source, host_target, load_run, store_run
#include <amphora/ops/masked_softmax.hpp>  // masked_lines, masked_softmax_kernels

#include <algorithm>  // fill_n
#include <cstdint>    // int64_t
#include <limits>     // infinity

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// Masks the first n scores of a line.
///
/// v, memory  [n] both
template <class Real>
void mask_line(const masked_lines& lines, std::int64_t line, std::int64_t n, Real* v, Real* memory) {
  constexpr Real out = -std::numeric_limits<Real>::infinity();
  if (lines.mask) {
    host_source mask{source<f32>{}};
    const bool is_added = lines.added != format_id::none;
    mask.data = lines.mask, mask.given = mask.read = is_added ? lines.added : format_id::e5m2;  // a bool's byte: 0, or the smallest number above
    load_run(mask, lines.first(line), n, lines.step, memory);
    for (std::int64_t j = 0; j < n; ++j) v[j] = is_added ? v[j] + memory[j] : memory[j] != 0 ? v[j] : out;
  }
  if (lines.causal)
    for (std::int64_t j = lines.row(line) + 1; j < n; ++j) v[j] = out;
}
/// The masked scores of a line.
///
/// v, memory  [length] both
template <class Real>
void load_masked(const masked_lines& lines, const host_source& scores, std::int64_t line, Real* v, Real* memory) {
  load_run(scores, line * lines.length, lines.length, v);
  mask_line(lines, line, lines.length, v, memory);
}
/// Numbers of a line that are taken together, so that the compiler may use wide instructions: the order of a sum is ours.
inline constexpr int softmax_lanes = 16;

/// Σ term(j) over j < n.
template <class Term>
double sum_in_lanes(std::int64_t n, const Term& term) {
  double sums[softmax_lanes] = {}, sum = 0;
  std::int64_t j = 0;
  for (; j + softmax_lanes <= n; j += softmax_lanes)
    for (int lane = 0; lane < softmax_lanes; ++lane) sums[lane] += term(j + lane);
  for (; j < n; ++j) sum += term(j);
  for (double each : sums) sum += each;
  return sum;
}
/// The softmax of a line in its place.
///
/// v, memory  [n] both
template <class Real>
void masked_softmax_of(Real* v, std::int64_t n, Real* memory) {
  constexpr Real out = -std::numeric_limits<Real>::infinity();
  Real largest_of[softmax_lanes], largest = out;
  std::fill_n(largest_of, softmax_lanes, out);
  std::int64_t j = 0;
  for (; j + softmax_lanes <= n; j += softmax_lanes)
    for (int lane = 0; lane < softmax_lanes; ++lane) largest_of[lane] = v[j + lane] > largest_of[lane] ? v[j + lane] : largest_of[lane];
  for (; j < n; ++j) largest = v[j] > largest ? v[j] : largest;
  for (Real x : largest_of) largest = x > largest ? x : largest;
  if (largest == out) largest = 0;
  exponentials(v, n, largest, memory);
  const double sum = sum_in_lanes(n, [&](std::int64_t i) { return static_cast<double>(v[i]); });
  const Real total = static_cast<Real>(sum);
  for (j = 0; j < n; ++j) v[j] = sum == 0 ? Real(0) : v[j] / total;
}
/// Σ x p, without the places that take no part.
template <class Real>
double over_softmax(const Real* x, const Real* p, std::int64_t n) {
  return sum_in_lanes(n, [&](std::int64_t j) { return p[j] == 0 ? 0 : static_cast<double>(x[j]) * static_cast<double>(p[j]); });
}
/// g becomes p (g − Σ g p).
template <class Real>
void softmax_gradient(Real* g, const Real* p, std::int64_t n) {
  const Real total = static_cast<Real>(over_softmax(g, p, n));
  for (std::int64_t j = 0; j < n; ++j) g[j] = p[j] == 0 ? Real(0) : p[j] * (g[j] - total);
}

template <>
struct masked_softmax_kernels<host_device> {
  template <class Y, class X>
  static void forward(host_context& context, const masked_lines& lines, const target<Y>& y, const source<X>& scores) { run<arithmetic_t<X>>(context, lines, y, scores); }
  template <class Y, class G, class X>
  static void backward(host_context& context, const masked_lines& lines, const target<Y>& y, const source<G>& grad, const source<X>& scores) {
    run_backward<arithmetic_t<X>>(context, lines, y, grad, scores);
  }
  template <class Y, class H, class G, class X>
  static void bend(host_context& context, const masked_lines& lines, const target<Y>& y, const source<H>& h, const source<G>& grad, const source<X>& scores) {
    run_bend<arithmetic_t<X>>(context, lines, y, h, grad, scores);
  }

 private:
  template <class Real> static void run(host_context& context, const masked_lines& lines, const host_target& y, const host_source& scores) {
    for_lines<Real>(context, {lines.lines, lines.length, 1}, 2, [&](std::int64_t line, Real* p) {
      const std::int64_t n = lines.length;
      load_masked(lines, scores, line, p, p + n);
      masked_softmax_of(p, n, p + n);
      store_run(y, line * n, n, p);
    });
  }
  template <class Real> static void run_backward(host_context& context, const masked_lines& lines, const host_target& y, const host_source& grad, const host_source& scores) {
    for_lines<Real>(context, {lines.lines, lines.length, 1}, 2, [&](std::int64_t line, Real* p) {
      const std::int64_t n = lines.length;
      Real* g = p + n;
      load_masked(lines, scores, line, p, g);
      masked_softmax_of(p, n, p + n);
      load_run(grad, line * n, n, g);
      softmax_gradient(g, p, n);
      store_run(y, line * n, n, g);
    });
  }
  template <class Real>
  static void run_bend(host_context& context, const masked_lines& lines, const host_target& y, const host_source& h, const host_source& grad, const host_source& scores) {
    for_lines<Real>(context, {lines.lines, lines.length, 1}, 4, [&](std::int64_t line, Real* p) {
      const std::int64_t n = lines.length;
      Real *g = p + n, *u = p + 2 * n, *both = p + 3 * n;
      load_masked(lines, scores, line, p, g);
      masked_softmax_of(p, n, p + n);
      load_run(grad, line * n, n, g), load_run(h, line * n, n, u);
      const Real total = static_cast<Real>(over_softmax(g, p, n)), other = static_cast<Real>(over_softmax(u, p, n));
      for (std::int64_t j = 0; j < n; ++j) both[j] = (u[j] - other) * (g[j] - total);
      const Real middle = static_cast<Real>(over_softmax(both, p, n));  // Σ h grad p − Σ h p Σ grad p, without its cancellation
      for (std::int64_t j = 0; j < n; ++j) both[j] = p[j] == 0 ? Real(0) : p[j] * (both[j] - middle);
      store_run(y, line * n, n, both);
    });
  }
};

}}}  // namespace amphora::detail
