// Cross entropy on the host.
#pragma once
#include <amphora/host/context.hpp>      // host_context, host_device
#include <amphora/host/lines.hpp>        // for_lines
#include <amphora/host/softmax.hpp>      // softmax_of
#include <amphora/ops/cross_entropy.hpp> // cross_entropy_call
#include <amphora/ops/kernels.hpp>       // cross_entropy_kernels, lines_of

#include <algorithm>  // fill_n
#include <cstdint>  // int64_t, int32_t
#include <cstring>  // memcpy

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

template <class Real>
struct host_cross_entropy {
  const cross_entropy_call& call;
  host_source logits, weights;
  lines_of lines{call.rows, call.classes, call.inner};

  std::int64_t target(std::int64_t line) const {
    if (call.wide_targets) {
      std::int64_t t;
      std::memcpy(&t, static_cast<const char*>(call.targets) + line * 8, 8);
      return t;
    }
    std::int32_t t;
    std::memcpy(&t, static_cast<const char*>(call.targets) + line * 4, 4);
    return t;
  }
  bool ignored(std::int64_t line) const { return target(line) == call.settings.ignore_index; }
  Real weight(std::int64_t c) const {
    Real w = 1;
    if (call.weighted) load_run(weights, c, 1, &w);
    return w;
  }
  /// What a mean divides by. All targets are looked at before anything is written.
  double total_weight(const char* name) const {
    double total = 0;
    for (std::int64_t line = 0; line < lines.lines(); ++line) {
      const std::int64_t t = target(line);
      if (t == call.settings.ignore_index) continue;
      if (t < 0 || t >= call.classes)
        fail("target", name, " has the target ", t, " in row ", line, " of logits with ", call.classes, " classes; ignore_index is ", call.settings.ignore_index);
      total += static_cast<double>(weight(t));
    }
    return total;
  }

  void forward(host_context& context, const host_target& loss) const {
    const double total = total_weight("cross_entropy");
    const bool each = call.settings.reduction == reduction::none;
    const workspace<double> losses(context, each ? 1 : lines.lines() + 1);
    for_lines<Real>(context, lines, 2, [&](std::int64_t line, Real* x) {
      const double value = ignored(line) ? 0 : line_loss(line, x, x + call.classes) * call.settings.factor;
      if (!each) { losses.data()[line] = value; return; }
      Real stored = static_cast<Real>(value);
      store_run(loss, line, 1, &stored);
    });
    if (each) return;
    double sum = 0;
    for (std::int64_t line = 0; line < lines.lines(); ++line) sum += losses.data()[line];
    Real stored = static_cast<Real>(call.settings.reduction == reduction::mean ? sum / total : sum);
    store_run(loss, 0, 1, &stored);
  }
  double line_loss(std::int64_t line, Real* x, Real* w) const {
    const double smoothing = call.settings.label_smoothing;
    load_line(lines, logits, line, x);
    const softmax_numbers<Real> s = softmax_of(x, call.classes, w);
    const std::int64_t t = target(line);
    const auto minus_log = [&](std::int64_t c) { return static_cast<double>(s.log_sum) - (static_cast<double>(x[c]) - static_cast<double>(s.largest)); };
    double result = (1 - smoothing) * static_cast<double>(weight(t)) * minus_log(t);
    if (smoothing > 0) {
      double spread = 0;
      if (call.weighted) load_run(weights, 0, call.classes, w);
      for (std::int64_t c = 0; c < call.classes; ++c) spread += (call.weighted ? static_cast<double>(w[c]) : 1) * minus_log(c);
      result += smoothing / static_cast<double>(call.classes) * spread;
    }
    return result;
  }

  void backward(host_context& context, const host_target& gx, const host_source& grad) const {
    const double total = total_weight("cross_entropy_backward");
    const bool each = call.settings.reduction == reduction::none;
    for_lines<Real>(context, lines, 2, [&](std::int64_t line, Real* x) {
      Real* w = x + call.classes;
      if (ignored(line)) {
        std::fill_n(x, call.classes, Real(0));
        return store_line(lines, gx, line, x);
      }
      Real g = 0;
      load_run(grad, each ? line : 0, 1, &g);
      if (call.settings.reduction == reduction::mean) g = static_cast<Real>(static_cast<double>(g) / total);
      g *= static_cast<Real>(call.settings.factor);
      const Real smoothing = static_cast<Real>(call.settings.label_smoothing);
      load_line(lines, logits, line, x);
      const softmax_numbers<Real> s = softmax_of(x, call.classes, x);
      const std::int64_t t = target(line);
      const Real own = (1 - smoothing) * weight(t), share = smoothing / static_cast<Real>(call.classes);
      Real spread = 0;
      if (smoothing > 0)
        for (std::int64_t c = 0; c < call.classes; ++c) spread += share * (w[c] = weight(c));
      for (std::int64_t c = 0; c < call.classes; ++c) {
        const Real p = x[c] / s.sum;
        x[c] = g * ((own + spread) * p - (c == t ? own : Real(0)) - (smoothing > 0 ? share * w[c] : Real(0)));
      }
      store_line(lines, gx, line, x);
    });
  }

  /// What the bend of a row's loss is multiplied by: the gradient, and the weights of its target, smoothed.
  void row_factors(host_context& context, const host_target& factors, const host_source& grad) const {
    const bool each = call.settings.reduction == reduction::none;
    const double total = call.settings.reduction == reduction::mean ? total_weight("cross_entropy_backward") : 1;
    const double smoothing = call.settings.label_smoothing;
    double spread = 0;
    for (std::int64_t c = 0; c < call.classes && smoothing > 0; ++c) spread += smoothing / static_cast<double>(call.classes) * static_cast<double>(weight(c));
    for_pieces(context, lines.lines(), lines.lines() > 8192, [&](std::int64_t line, int) {
      Real g = 0;
      if (!ignored(line)) {
        load_run(grad, each ? line : 0, 1, &g);
        const double own = (1 - smoothing) * static_cast<double>(weight(target(line)));
        g = static_cast<Real>(static_cast<double>(g) / total * call.settings.factor * (own + spread));
      }
      store_run(factors, line, 1, &g);
    });
  }
};

template <>
struct cross_entropy_kernels<host_device> {
  template <class Y, class L, class W>
  static void forward(host_context& context, const cross_entropy_call& call, const target<Y>& loss, const source<L>& logits, const source<W>& weights) {
    host_cross_entropy<arithmetic_t<L>>{call, logits, weights}.forward(context, loss);
  }
  template <class Y, class G, class L, class W>
  static void backward(host_context& context, const cross_entropy_call& call, const target<Y>& gx, const source<G>& grad,
                       const source<L>& logits, const source<W>& weights) {
    host_cross_entropy<arithmetic_t<L>>{call, logits, weights}.backward(context, gx, grad);
  }
  template <class Y, class G, class W>
  static void row_factors(host_context& context, const cross_entropy_call& call, const target<Y>& factors, const source<G>& grad, const source<W>& weights) {
    host_cross_entropy<arithmetic_t<Y>>{call, weights, weights}.row_factors(context, factors, grad);
  }
};

}}}  // namespace amphora::detail
