// Linear maps along up to three axes whose outputs each read a few neighbouring inputs: padding by what is there, and interpolation.
#pragma once
#include <amphora/detail/config.hpp>  // AMPHORA_HD
#include <amphora/format/real.hpp>    // add_once, multiply_once
#include <amphora/ops/operand.hpp>    // target, is_gradient_target_v
#include <amphora/ops/pick.hpp>       // pick_kernels, pool_of
#include <amphora/tensor/shape.hpp>   // shape

#include <cmath>    // floor
#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// How the outputs of an axis find their inputs.
enum class axis_map : int { reflect, replicate, circular, nearest, nearest_exact, linear, cubic, antialias };

struct axis_tap {
  std::int64_t index;
  double weight;
};
struct axis_outputs {
  std::int64_t begin, end;
};

/// One axis. Places are computed in double whatever the format is, so that the same inputs are read in all of them.
struct resampled_axis {
  std::int64_t in = 1, out = 1;
  axis_map map = axis_map::replicate;
  std::int64_t left = 0, right = 0;  ///< padding; negative crops
  double scale = 1;                  ///< inputs an output
  bool corners = false;

  AMPHORA_HD bool is_pad() const { return map <= axis_map::circular; }
  AMPHORA_HD int taps(std::int64_t o) const {
    if (map == axis_map::linear) return 2;
    if (map == axis_map::cubic) return 4;
    return map == axis_map::antialias ? static_cast<int>(past_antialias(o) - first_antialias(o)) : 1;
  }
  /// What all weights of an output are divided by.
  AMPHORA_HD double total(std::int64_t o) const {
    if (map != axis_map::antialias) return 1;
    double result = 0;
    for (std::int64_t i = first_antialias(o), past = past_antialias(o); i < past; ++i) result = add_once(result, triangle(o, i));
    return result != 0 ? result : 1;
  }
  /// The k-th input of an output. Several of a cubic's taps are one input at an edge.
  AMPHORA_HD axis_tap tap(std::int64_t o, int k, double total) const {
    switch (map) {
      case axis_map::reflect: {
        const std::int64_t i = o - left;
        return {i < 0 ? -i : i < in ? i : 2 * (in - 1) - i, 1};
      }
      case axis_map::replicate: return {clamped(o - left), 1};
      case axis_map::circular: {
        const std::int64_t i = (o - (left > 0 ? left : 0)) % whole();
        return {cropped() + (i < 0 ? i + whole() : i), 1};
      }
      case axis_map::nearest: return {clamped(static_cast<std::int64_t>(std::floor(times(static_cast<double>(o), scale)))), 1};
      case axis_map::nearest_exact: return {clamped(static_cast<std::int64_t>(std::floor(times(static_cast<double>(o) + 0.5, scale)))), 1};
      case axis_map::linear: {
        double at = place(o);
        if (at < 0) at = 0;
        const std::int64_t i = clamped(static_cast<std::int64_t>(at));
        double share = at - static_cast<double>(i);
        if (share > 1) share = 1;
        return k == 0 ? axis_tap{i, 1 - share} : axis_tap{i + (i < in - 1 ? 1 : 0), share};
      }
      case axis_map::cubic: {
        const double at = place(o), below = std::floor(at);
        return {clamped(static_cast<std::int64_t>(below) - 1 + k), bicubic(k, at - below)};
      }
      default: {
        const std::int64_t i = first_antialias(o) + k;
        return {i, triangle(o, i) / total};
      }
    }
  }
  /// The weight of input j in output o.
  AMPHORA_HD double weight(std::int64_t o, std::int64_t j) const {
    const double all = total(o);
    double result = 0;
    for (int k = 0, n = taps(o); k < n; ++k) {
      const axis_tap t = tap(o, k, all);
      if (t.index == j) result = add_once(result, t.weight);
    }
    return result;
  }
  /// Candidates for the outputs that read input j; output() says what they are, −1 for none.
  AMPHORA_HD axis_outputs outputs(std::int64_t j) const {
    if (map == axis_map::reflect || map == axis_map::circular) return {0, 3};
    return {first_output(j, false), first_output(j, true)};
  }
  AMPHORA_HD std::int64_t output(std::int64_t j, std::int64_t candidate) const {
    if (map != axis_map::reflect && map != axis_map::circular) return candidate;
    std::int64_t o = left + j;
    bool is_one = true;
    if (map == axis_map::circular) {
      is_one = j >= cropped() && j < cropped() + whole();
      o = (left > 0 ? left : 0) + j - cropped() + (candidate - 1) * whole();
    } else if (candidate != 1) {
      o = candidate == 0 ? left - j : left + 2 * (in - 1) - j;
      is_one = candidate == 0 ? o < left : o >= left + in;
    }
    return is_one && o >= 0 && o < out ? o : -1;
  }

 private:
  AMPHORA_HD std::int64_t clamped(std::int64_t i) const { return i < 0 ? 0 : i < in ? i : in - 1; }
  /// What is left of a cropped axis, and where it begins: this is what a circle goes around.
  AMPHORA_HD std::int64_t cropped() const { return left < 0 ? -left : 0; }
  AMPHORA_HD std::int64_t whole() const { return in + (left < 0 ? left : 0) + (right < 0 ? right : 0); }
  AMPHORA_HD double place(std::int64_t o) const {
    return corners ? times(static_cast<double>(o), scale) : add_once(times(static_cast<double>(o) + 0.5, scale), -0.5);
  }
  AMPHORA_HD static double bicubic(int k, double t) {  // Keys 1981 with a = −0.75, as PyTorch's
    const double a = -0.75, x = k == 0 ? t + 1 : k == 1 ? t : k == 2 ? 1 - t : 2 - t;
    if (k == 1 || k == 2) return add_once(times(times(add_once(times(a + 2, x), -(a + 3)), x), x), 1);
    return add_once(times(add_once(times(add_once(times(a, x), -5 * a), x), 8 * a), x), -4 * a);
  }
  AMPHORA_HD double support() const { return scale >= 1 ? scale : 1; }
  AMPHORA_HD std::int64_t first_antialias(std::int64_t o) const {
    const double at = times(static_cast<double>(o) + 0.5, scale) - support() + 0.5;
    return at > 0 ? static_cast<std::int64_t>(at) : 0;
  }
  AMPHORA_HD std::int64_t past_antialias(std::int64_t o) const {
    const auto at = static_cast<std::int64_t>(times(static_cast<double>(o) + 0.5, scale) + support() + 0.5);
    return at < in ? at : in;
  }
  AMPHORA_HD double triangle(std::int64_t o, std::int64_t i) const {
    const double away = (static_cast<double>(i) - times(static_cast<double>(o) + 0.5, scale) + 0.5) / support();
    const double x = away < 0 ? -away : away;
    return x < 1 ? 1 - x : 0;
  }
  AMPHORA_HD std::int64_t first_read(std::int64_t o) const { return map == axis_map::antialias ? first_antialias(o) : tap(o, 0, 1).index; }
  AMPHORA_HD std::int64_t last_read(std::int64_t o) const { return map == axis_map::antialias ? past_antialias(o) - 1 : tap(o, taps(o) - 1, 1).index; }
  /// The first output that reads nothing before j; or nothing before j + 1. What outputs read never goes back.
  AMPHORA_HD std::int64_t first_output(std::int64_t j, bool past) const {
    std::int64_t low = 0, high = out;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (past ? first_read(middle) <= j : last_read(middle) < j) low = middle + 1;
      else high = middle;
    }
    return low;
  }
};

/// Arrays [planes, in, in, in] and [planes, out, out, out].
struct resampling {
  std::int64_t planes = 1;
  resampled_axis axis[3];

  AMPHORA_HD std::int64_t inputs() const { return axis[0].in * axis[1].in * axis[2].in; }
  AMPHORA_HD std::int64_t outputs() const { return axis[0].out * axis[1].out * axis[2].out; }
};

struct resampled_value {
  resampling of;
  AMPHORA_READS template <class X> AMPHORA_HD auto operator()(std::int64_t i, const X& x) const {
    using real = read_by_t<X>;
    const resampled_axis &a = of.axis[0], &b = of.axis[1], &c = of.axis[2];
    const std::int64_t o2 = i % c.out, rest = i / c.out, o1 = rest % b.out, above = rest / b.out, o0 = above % a.out, plane = above / a.out;
    const double total_a = a.total(o0), total_b = b.total(o1), total_c = c.total(o2);
    real sum_a = 0;
    for (int p = 0, n = a.taps(o0); p < n; ++p) {
      const axis_tap at_a = a.tap(o0, p, total_a);
      real sum_b = 0;
      for (int q = 0, m = b.taps(o1); q < m; ++q) {
        const axis_tap at_b = b.tap(o1, q, total_b);
        const std::int64_t first = ((plane * a.in + at_a.index) * b.in + at_b.index) * c.in;
        real sum_c = 0;
        for (int r = 0, l = c.taps(o2); r < l; ++r) {
          const axis_tap at_c = c.tap(o2, r, total_c);
          sum_c = add_weighted(sum_c, at_c.weight, x(first + at_c.index), r == 0);
        }
        sum_b = add_weighted(sum_b, at_b.weight, sum_c, q == 0);
      }
      sum_a = add_weighted(sum_a, at_a.weight, sum_b, p == 0);
    }
    return sum_a;
  }

 private:
  /// A weight of one moves every number as it is.
  template <class Real> AMPHORA_HD static Real add_weighted(Real sum, double weight, Real x, bool is_first) {
    const Real term = weight == 1 ? x : multiply_once(static_cast<Real>(weight), x);
    return is_first ? term : add_once(sum, term);
  }
};
/// The other way round: each input's share of the gradients of the outputs that read it, added in double in their order.
struct resampled_gradient {
  resampling of;
  AMPHORA_READS template <class G> AMPHORA_HD double operator()(std::int64_t i, const G& grad) const {
    const resampled_axis &a = of.axis[0], &b = of.axis[1], &c = of.axis[2];
    const std::int64_t j2 = i % c.in, rest = i / c.in, j1 = rest % b.in, above = rest / b.in, j0 = above % a.in, plane = above / a.in;
    const axis_outputs of_a = a.outputs(j0), of_b = b.outputs(j1), of_c = c.outputs(j2);
    double sum = 0;
    for (std::int64_t p = of_a.begin; p < of_a.end; ++p) {
      const std::int64_t o0 = a.output(j0, p);
      if (o0 < 0) continue;
      const double weight_a = a.weight(o0, j0);
      for (std::int64_t q = of_b.begin; q < of_b.end; ++q) {
        const std::int64_t o1 = b.output(j1, q);
        if (o1 < 0) continue;
        const double weight_b = b.weight(o1, j1);
        const std::int64_t first = ((plane * a.out + o0) * b.out + o1) * c.out;
        double row = 0;
        for (std::int64_t r = of_c.begin; r < of_c.end; ++r) {
          const std::int64_t o2 = c.output(j2, r);
          if (o2 >= 0) row = add_once(row, times(c.weight(o2, j2), static_cast<double>(grad(first + o2))));
        }
        sum = add_once(sum, times(times(weight_a, weight_b), row));
      }
    }
    return sum;
  }
};

template <class Read, class Context, class Y, class X>
void resample(Context& context, const resampling& of, const target<Y>& y, const view<const X>& x) {
  pick_kernels<typename Context::device>::run(context, resampled_value{of}, of.planes * of.outputs(), y, pool_of<Read>(x));
}
template <class Context, class Target, class G>
void resample_back(Context& context, const resampling& of, const Target& gx, const view<const G>& grad) {
  pick_kernels<typename Context::device>::run(context, resampled_gradient{of}, of.planes * of.inputs(), gradient_target(gx), pool_of(grad));
}

}}}  // namespace amphora::detail
