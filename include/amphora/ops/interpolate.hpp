// Signals, images and volumes at another size, forward and backward.
#pragma once
#include <amphora/op/interpolation.hpp>  // op::interpolation
#include <amphora/ops/call.hpp>          // read_t, result_t, require_into, made
#include <amphora/ops/resample.hpp>      // resampling, resample

#include <cmath>             // floor
#include <cstdint>           // int64_t
#include <initializer_list>  // initializer_list

namespace amphora { inline namespace AMPHORA_ABI {

/// How numbers between those of the input are made up.
enum class interpolation_mode {
  nearest,        ///< input floor(i · scale)
  nearest_exact,  ///< the input whose centre is nearest
  linear,         ///< along each axis: linear, bilinear, trilinear
  bicubic,        ///< two axes, by four inputs each
};

/// The size that comes out: of each axis behind the first two, or how many times as large each is.
struct interpolate_settings {
  std::int64_t size[3] = {};
  double scale_factor[3] = {};
  int sizes = 0, factors = 0;
  interpolation_mode mode = interpolation_mode::nearest;
  bool align_corners = false;           ///< the outer inputs are the outer outputs; else the edges of the outer ones coincide
  bool recompute_scale_factor = false;  ///< places follow the ratio of the sizes, not the factor that was given
  bool antialias = false;               ///< of linear: an output that covers several inputs reads all of them

  static interpolate_settings to_size(std::initializer_list<std::int64_t> of_axes, interpolation_mode mode = interpolation_mode::nearest, bool align_corners = false) {
    interpolate_settings result;
    require_count(of_axes.size());
    for (std::int64_t each : of_axes) result.size[result.sizes++] = each;
    result.mode = mode, result.align_corners = align_corners;
    return result;
  }
  static interpolate_settings by_factor(std::initializer_list<double> of_axes, interpolation_mode mode = interpolation_mode::nearest, bool align_corners = false) {
    interpolate_settings result;
    require_count(of_axes.size());
    for (double each : of_axes) result.scale_factor[result.factors++] = each;
    result.mode = mode, result.align_corners = align_corners;
    return result;
  }

 private:
  static void require_count(std::size_t axes) {
    if (axes < 1 || axes > 3) detail::fail("setting", "interpolate changes 1 to 3 axes, not ", static_cast<int>(axes));
  }
};

namespace detail {

/// Settings that suit a shape [batch, channels, one to three axes].
struct interpolate_plan {
  shape from, to;
  resampling of;

  /// Errors  shape, setting
  interpolate_plan(const char* call, const shape& s, const interpolate_settings& settings) : from(s), to(s) {
    const int axes = s.rank() - 2, given = settings.sizes + settings.factors;
    if (axes < 1 || axes > 3) fail("shape", call, " needs x of shape [batch, channels, ...] with one to three axes more, not ", s);
    if (given != axes || (settings.sizes > 0 && settings.factors > 0)) fail("setting", call, " needs one size or one factor for each of ", axes, " axes, not ", given);
    const bool is_smooth = settings.mode == interpolation_mode::linear || settings.mode == interpolation_mode::bicubic;
    if (settings.align_corners && !is_smooth) fail("setting", call, ": the corners of nearest inputs are not aligned; ask for linear or bicubic, or leave align_corners out");
    if (settings.mode == interpolation_mode::bicubic && axes != 2) fail("setting", call, ": bicubic is for two axes, not for ", axes);
    if (settings.antialias && (settings.mode != interpolation_mode::linear || axes != 2 || settings.align_corners))
      fail("setting", call, ": antialias is for linear along two axes without align_corners");
    of.planes = s.product(0, 2);
    std::int64_t extents[shape::max_rank] = {s[0], s[1]};
    for (int k = 0; k < axes; ++k) {
      const std::int64_t in = s[2 + k];
      const double factor = settings.sizes > 0 ? 0 : settings.scale_factor[k];
      if (settings.factors > 0 && !(factor > 0 && factor * static_cast<double>(in) < 1e15)) fail("setting", call, " has the scale factor ", factor, "; it must be above 0");
      const std::int64_t out = settings.sizes > 0 ? settings.size[k] : static_cast<std::int64_t>(std::floor(static_cast<double>(in) * factor));
      if (out < 1 || in < 1) fail("shape", call, " cannot make ", out, " of ", in, " along axis ", 2 + k, " of ", s);
      extents[2 + k] = out;
      resampled_axis& its = of.axis[3 - axes + k];
      its.in = in, its.out = out, its.corners = settings.align_corners;
      its.map = settings.antialias ? axis_map::antialias
                : settings.mode == interpolation_mode::nearest ? axis_map::nearest
                : settings.mode == interpolation_mode::nearest_exact ? axis_map::nearest_exact
                : settings.mode == interpolation_mode::linear ? axis_map::linear : axis_map::cubic;
      if (its.corners) its.scale = out > 1 ? static_cast<double>(in - 1) / static_cast<double>(out - 1) : 0;
      else its.scale = settings.factors > 0 && !settings.recompute_scale_factor ? 1 / factor : static_cast<double>(in) / static_cast<double>(out);
    }
    to = shape(extents, s.rank());
  }
};

}  // namespace detail

/// Signals, images or volumes at another size: a sensitive op, in float whatever comes in, with places in double. The mode is known when the program
/// runs, so the policy is asked for op::interpolation; a program that knows its mode may name the op: interpolate<mixed, op::upsample_bilinear2d>(…).
///
///     amp::interpolate<mixed>(context, x, amp::interpolate_settings::to_size({64, 64}, amp::interpolation_mode::linear));
///
/// x       [batch, channels, ...] with one to three axes more
/// Value   [batch, channels, ...] of the sizes asked for; by a factor, the floor of size times factor
/// Errors  shape, setting
/// Source  conventions of PyTorch's interpolate
template <class Policy, class Op = op::interpolation, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto interpolate(Context& context, const X& x, const interpolate_settings& settings) {
  using namespace detail;
  using result = result_t<Policy, Op, Context, X>;
  if constexpr (may_call<Policy, Op, X>())
    return made<result>(context, interpolate_plan("interpolate", operand(x).shape(), settings).to, [&](auto y) { interpolate<Policy, Op>(context, into(y), x, settings); });
  else return result{};
}
template <class Policy, class Op = op::interpolation, class Context, class Y, class X>
void interpolate(Context& context, into<Y> y, const X& x, const interpolate_settings& settings) {
  using namespace detail;
  if constexpr (require_into<Policy, Op, Y, X>()) {
    const interpolate_plan plan("interpolate", operand(x).shape(), settings);
    require_shape("interpolate", "an output", y.target.shape(), plan.to);
    resample<given_t<X>>(context, plan.of, write(y.target), operand(x));
  }
}
/// The gradient of interpolate: each input's share, added in double in the order of the outputs, without atomics: the same bits on every run and any number
/// of threads. Of x only shape and format are looked at.
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto interpolate_backward(Context& context, const G& grad, const X& x, const interpolate_settings& settings) {
  return detail::made<detail::gradient_of_t<X, Context>>(context, detail::operand(x).shape(), [&](auto gx) { interpolate_backward<Policy>(context, into(gx), grad, settings); });
}
template <class Policy, class Context, class Target, class G, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void interpolate_backward(Context& context, const Target& gx, const G& grad, const interpolate_settings& settings) {
  using namespace detail;
  const interpolate_plan plan("interpolate_backward", memory_of(gx).shape(), settings);
  require_shape("interpolate_backward", "a gradient of the value", operand(grad).shape(), plan.to);
  resample_back(context, plan.of, gx, operand(grad));
}

}}  // namespace amphora
