// Losses of the scores of classes on the host.
#pragma once
#include <amphora/host/context.hpp>           // host_context, host_device
#include <amphora/host/lines.hpp>             // for_lines, load_line, store_line
#include <amphora/host/run.hpp>               // host_source, host_target, load_run, store_run
#include <amphora/ops/class_margin_loss.hpp>  // class_margin_kernels, class_margin_call

#include <cstdint>  // int64_t, int32_t
#include <cstring>  // memcpy
#include <optional>  // optional

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

template <class Real>
struct host_class_margin {
  const class_margin_call& call;
  host_source x, weights;
  std::optional<host_source> along;
  lines_of lines{call.rows, call.classes, 1};

  std::int64_t target(std::int64_t i) const {
    if (call.wide_targets) {
      std::int64_t t;
      std::memcpy(&t, static_cast<const char*>(call.targets) + i * 8, 8);
      return t;
    }
    std::int32_t t;
    std::memcpy(&t, static_cast<const char*>(call.targets) + i * 4, 4);
    return t;
  }
  /// Label k of a row; −1 past the last one.
  std::int64_t label(std::int64_t row, std::int64_t k) const {
    if (!call.several) return k == 0 ? target(row) : -1;
    return k < call.classes ? target(row * call.classes + k) : -1;
  }
  void require_targets(const char* name) const {
    for (std::int64_t row = 0; row < call.rows; ++row)
      for (std::int64_t k = 0; k < (call.several ? call.classes : 1); ++k) {
        const std::int64_t t = label(row, k);
        if (call.several && t == -1) break;
        if (t < 0 || t >= call.classes) fail("target", name, " has the target ", t, " in row ", row, " of scores with ", call.classes, " classes");
      }
  }
  Real factor(std::int64_t row) const {
    Real w = 1;
    if (call.weighted) load_run(weights, target(row), 1, &w);
    return w / static_cast<Real>(call.shares);
  }
  /// The direction's numbers of a row. Value  what a pair gains along it
  auto turns(std::int64_t row, Real* direction) const {
    if (along) load_line(lines, *along, row, direction);
    return [direction](std::int64_t t, std::int64_t c) { return direction[c] - direction[t]; };
  }
  /// Calls pair(label, other, what is missing) for each pair of a label and a class that is none. is_label [classes]
  template <class Pair> void pairs(std::int64_t row, const Real* v, Real* is_label, const Pair& pair) const {
    for (std::int64_t c = 0; c < call.classes; ++c) is_label[c] = 0;
    for (std::int64_t k = 0, t; (t = label(row, k)) >= 0; ++k) is_label[t] = 1;
    for (std::int64_t k = 0, t; (t = label(row, k)) >= 0; ++k)
      for (std::int64_t c = 0; c < call.classes; ++c)
        if (is_label[c] == 0) pair(t, c, static_cast<Real>(call.margin) - v[t] + v[c]);
  }

  void forward(host_context& context, const host_target& loss) const {
    require_targets(call.several ? "multilabel_margin_loss" : "multi_margin_loss");
    const workspace<double> losses(context, call.each ? 1 : call.rows + 1);
    for_lines<Real>(context, lines, along ? 3 : 2, [&](std::int64_t row, Real* v) {
      load_line(lines, x, row, v);
      const auto turn = turns(row, v + 2 * call.classes);
      double sum = 0;
      pairs(row, v, v + call.classes, [&](std::int64_t t, std::int64_t c, Real missing) { sum += static_cast<double>(along ? call.slope(missing, turn(t, c)) : call.part(missing)); });
      sum *= static_cast<double>(factor(row));
      if (!call.each) { losses.data()[row] = sum; return; }
      Real stored = static_cast<Real>(sum);
      store_run(loss, row, 1, &stored);
    });
    if (call.each) return;
    double total = 0;
    for (std::int64_t row = 0; row < call.rows; ++row) total += losses.data()[row];
    Real stored = static_cast<Real>(total / call.divisor);
    store_run(loss, 0, 1, &stored);
  }
  void backward(host_context& context, const host_target& gx, const host_source& grad) const {
    require_targets(call.several ? "multilabel_margin_loss_backward" : "multi_margin_loss_backward");
    for_lines<Real>(context, lines, along ? 4 : 3, [&](std::int64_t row, Real* v) {
      Real *is_label = v + call.classes, *slope = is_label + call.classes, g = 0;
      load_line(lines, x, row, v);
      const auto turn = turns(row, slope + call.classes);
      load_run(grad, call.each ? row : 0, 1, &g);
      g = g / static_cast<Real>(call.divisor) * factor(row);
      for (std::int64_t c = 0; c < call.classes; ++c) slope[c] = 0;
      pairs(row, v, is_label, [&](std::int64_t t, std::int64_t c, Real missing) {
        const Real part = along ? call.bend(missing, g * turn(t, c)) : call.slope(missing, g);
        slope[t] -= part, slope[c] += part;
      });
      store_line(lines, gx, row, slope);
    });
  }
};

template <>
struct class_margin_kernels<host_device> {
  template <class Y, class X, class W, class Along>
  static void forward(host_context& context, const class_margin_call& call, const target<Y>& loss, const source<X>& x, const source<W>& weights, const Along& along) {
    host_class_margin<arithmetic_t<X>>{call, x, weights, direction(along)}.forward(context, loss);
  }
  template <class Y, class G, class X, class W, class Along>
  static void backward(host_context& context, const class_margin_call& call, const target<Y>& gx, const source<G>& grad, const source<X>& x, const source<W>& weights, const Along& along) {
    host_class_margin<arithmetic_t<X>>{call, x, weights, direction(along)}.backward(context, gx, grad);
  }

 private:
  static std::optional<host_source> direction(no_direction) { return {}; }
  template <class V> static std::optional<host_source> direction(const source<V>& along) { return along; }
};

}}}  // namespace amphora::detail
