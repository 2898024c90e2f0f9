// Reference cases of normalizations: their operands, and bounds of what is rounded on the way.
#pragma once
#include <amphora/ops/cast.hpp>
#include <amphora/ops/normalization.hpp>
#include <ops/golden.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace golden {

template <class T> bool norm_inputs_fit(const test_case& c) {
  for (const char* key : {"input", "weight", "bias"})
    if (c.has(key) && !c.input(key).template is_exact_in<T>()) return false;
  return !c.has_gradients() || c.grad_output().is_exact_in<T>();
}

/// Calls with the weight and the bias of a case, or the words for none.
template <class T, class Function> void norm_operands(test_context& context, const test_case& c, const Function& f) {
  if (c.has("weight") && c.has("bias")) f(c.input("weight").to<T>(context), c.input("bias").to<T>(context));
  else if (c.has("weight")) f(c.input("weight").to<T>(context), amp::no_bias{});
  else f(amp::no_weight{}, amp::no_bias{});
}

/// Magnitudes that a rounding on the way may be relative to. Of a set of n numbers |x̂| is at most √n; a gradient of x is scale · (u + mean u + x̂ · mean(u · x̂)).
struct norm_bounds {
  double value = 0, terms = 0, unit = 0, scale = 0, weight = 1, grad = 0;
  double reference = 0;  ///< the reference rounds a mean to f64 before it subtracts it

  /// known_variance  where the statistics are not those of x
  norm_bounds(const test_case& c, const amp::detail::norm_call& call) : terms(static_cast<double>(call.terms)) {
    const array a = c.input("input");
    const auto sets = static_cast<std::size_t>(call.statistics.elements());
    std::vector<double> mean(sets), variance(sets);
    const auto set_of = [&](std::size_t i) {
      const auto at = static_cast<std::int64_t>(i);
      return static_cast<std::size_t>(call.across ? at / call.columns.inner % call.columns.width : at / call.lines.length);
    };
    if (call.known) {
      mean = c.input("running_mean").values, variance = c.input("running_var").values;
    } else {
      for (std::size_t i = 0; i < a.values.size() && (call.across || call.lines.centered); ++i) mean[set_of(i)] += a.values[i] / terms;
      for (std::size_t i = 0; i < a.values.size(); ++i) variance[set_of(i)] += (a.values[i] - mean[set_of(i)]) * (a.values[i] - mean[set_of(i)]) / terms;
    }
    for (std::size_t i = 0; i < a.values.size(); ++i) {
      const double s = 1 / std::sqrt(variance[set_of(i)] + call.lines.eps);
      if (!std::isfinite(s) || !std::isfinite(a.values[i])) continue;
      scale = (std::max)(scale, s), unit = (std::max)(unit, std::fabs(a.values[i] - mean[set_of(i)]) * s);
    }
    unit += 1, reference = 4 * amp::f64::unit_roundoff * a.largest() * scale;
    if (c.has("weight")) weight = c.input("weight").largest();
    if (c.has_gradients()) grad = c.grad_output().largest();
    reference *= 1 + weight;
    value = unit * weight + (c.has("bias") ? c.input("bias").largest() : 0);
  }
  double of_gradient(const std::string& key) const {
    if (key == "input") return scale * grad * weight * (2 + unit * unit);
    return key == "weight" ? grad * unit * terms : grad * terms;
  }
  /// Of x, and of w and b where the case has them.
  template <class Setting, class Result> void compare_gradients(test_context& context, const test_case& c, const Result& result, bool affine) const {
    const auto one = [&](const char* key, const auto& got) {
      compare(context, c.name() + " " + key, got, c.gradient(key), Setting::roundoff, of_gradient(key), terms, reference * of_gradient(key));
    };
    one("input", result.x);
    if (affine) one("weight", result.w), one("bias", result.b);
  }
};

}  // namespace golden
