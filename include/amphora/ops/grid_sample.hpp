// Images and volumes read at places that a grid names, forward and backward.
#pragma once
#include <amphora/detail/config.hpp>  // AMPHORA_HD
#include <amphora/format/real.hpp>    // add_once, multiply_once, times
#include <amphora/op/promoting.hpp>   // op::grid_sample
#include <amphora/ops/call.hpp>       // read_t, result_t, require_into, made
#include <amphora/ops/index.hpp>      // join_rows
#include <amphora/ops/pick.hpp>       // pick_kernels, pool_of, AMPHORA_UNROLL

#include <cmath>    // floor, nearbyint
#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI {

/// How numbers between those of an image are read.
enum class grid_mode { bilinear, nearest };
/// What is read outside an image.
enum class grid_padding {
  zeros,
  border,      ///< the nearest number
  reflection,  ///< the image in a mirror
};
struct grid_settings {
  grid_mode mode = grid_mode::bilinear;
  grid_padding padding = grid_padding::zeros;
  bool align_corners = false;  ///< −1 and 1 are the centres of the outer numbers; else their outer edges
};

namespace detail {

/// One axis of an image at a place of the grid: the two neighbours (or the nearest, twice), their shares, and how fast these change.
struct grid_axis {
  std::int64_t index[2];
  double share[2];
  double slope;  ///< of share[1]; share[0]'s is its negative
};

/// x [batch, channels, in…], grid [batch, out…, axes], y [batch, channels, out…]; two axes have in[0] = 1.
struct grid_sampling {
  std::int64_t batch = 0, channels = 0, in[3] = {1, 1, 1}, points = 0;  ///< points of one image
  int axes = 2;
  grid_settings settings;

  AMPHORA_HD std::int64_t pixels() const { return in[0] * in[1] * in[2]; }
  AMPHORA_HD int corners() const { return settings.mode == grid_mode::nearest ? 1 : 1 << axes; }

  /// Axis k of the image at a coordinate of the grid. One that is not finite is lost with zeros; else NaN is the first number of its axis. Neither has a slope.
  AMPHORA_HD grid_axis axis(int k, double coordinate) const {
    const double n = static_cast<double>(in[k]);
    double at = settings.align_corners ? times((coordinate + 1) / 2, n - 1) : (times(coordinate + 1, n) - 1) / 2, slope = settings.align_corners ? (n - 1) / 2 : n / 2;
    if (settings.padding == grid_padding::reflection) at = settings.align_corners ? mirrored(at, 0, n - 1, slope) : mirrored(at, -0.5, n, slope);
    if (settings.padding != grid_padding::zeros) {
      if (!(at > 0)) at = 0, slope = 0;
      else if (at >= n - 1) at = n - 1, slope = 0;
    }
    if (!(at > -2 && at < n + 1)) return {{-1, -1}, {at - at, at - at}, 0};  // far outside; NaN where it is not finite
    if (settings.mode == grid_mode::nearest) {
      const auto i = static_cast<std::int64_t>(std::nearbyint(at));
      return {{i, i}, {1, 0}, 0};
    }
    const double below = std::floor(at);
    const auto i = static_cast<std::int64_t>(below);
    return {{i, i + 1}, {add_once(below + 1, -at), add_once(at, -below)}, slope};
  }
  /// Whether the place is lost, along another axis than this one.
  AMPHORA_HD static bool is_lost(const grid_axis (&at)[3], int but = -1) {
    bool result = false;
    AMPHORA_UNROLL
    for (int k = 0; k < 3; ++k) result = result || (k != but && at[k].share[0] != at[k].share[0]);
    return result;
  }
  /// Pixel of a corner, −1 outside.
  AMPHORA_HD std::int64_t pixel(const grid_axis (&at)[3], int corner) const {
    std::int64_t result = 0;
    AMPHORA_UNROLL
    for (int k = 0; k < 3; ++k) {
      const std::int64_t i = bit(corner, k) ? at[k].index[1] : at[k].index[0];
      if (i < 0 || i >= in[k]) return -1;
      result = result * in[k] + i;
    }
    return result;
  }
  /// Which of the two neighbours along axis k a corner has.
  AMPHORA_HD static int bit(int corner, int k) { return corner >> (2 - k) & 1; }
  AMPHORA_HD static double factor(const grid_axis& at, int neighbour, bool differentiated) {
    return differentiated ? (neighbour ? at.slope : -at.slope) : neighbour ? at.share[1] : at.share[0];
  }
  /// The weight of a corner, differentiated by the axes that are named (−1: by none).
  AMPHORA_HD static double weight(const grid_axis (&at)[3], int corner, int by, int and_by) {
    if (by >= 0 && by == and_by) return 0;  // linear along each axis
    double result = 1;
    AMPHORA_UNROLL
    for (int k = 0; k < 3; ++k) result = times(result, factor(at[k], bit(corner, k), k == by || k == and_by));
    return result;
  }
  /// All axes at a point of the grid, whose last number is the last axis' first.
  AMPHORA_READS template <class Grid> AMPHORA_HD void place(std::int64_t point, const Grid& grid, grid_axis (&at)[3]) const {
    at[0] = grid_axis{{0, 0}, {1, 0}, 0};
    AMPHORA_UNROLL
    for (int k = 0; k < 3; ++k)
      if (k < axes) at[2 - k] = axis(2 - k, static_cast<double>(grid(point * axes + k)));
  }

 private:
  /// Into [low, low + span] by mirrors at both ends.
  AMPHORA_HD static double mirrored(double at, double low, double span, double& slope) {
    if (span <= 0) return slope = 0, 0;
    double away = add_once(at, -low);
    if (away < 0) away = -away, slope = -slope;
    const double flips = std::floor(away / span), rest = std::fmod(away, span);
    if (std::fmod(flips, 2.0) == 0) return add_once(rest, low);
    slope = -slope;
    return add_once(add_once(span, -rest), low);
  }
};

/// Which way the weights of the corners are differentiated: not at all, or along a direction that lies beside the grid.
enum class grid_weights { plain, directed };

/// The weight of a corner: as it is; or Σ direction · its derivative by each axis, and that differentiated by one axis more.
template <grid_weights Weights> struct corner_weight;
template <> struct corner_weight<grid_weights::plain> {
  AMPHORA_READS template <class... None> AMPHORA_HD static double of(const grid_sampling&, const grid_axis (&at)[3], int corner, int by, std::int64_t, const None&...) {
    return grid_sampling::weight(at, corner, by, -1);
  }
};
template <> struct corner_weight<grid_weights::directed> {
  AMPHORA_READS template <class Direction> AMPHORA_HD static double of(const grid_sampling& s, const grid_axis (&at)[3], int corner, int by, std::int64_t point, const Direction& direction) {
    double result = 0;
    AMPHORA_UNROLL
    for (int k = 0; k < 3; ++k) {
      const int axis = 2 - k;
      if (k < s.axes && by != axis) result = add_once(result, times(static_cast<double>(direction(point * s.axes + k)), grid_sampling::weight(at, corner, axis, by)));
    }
    return result;
  }
};

/// y: the corners of each point, weighted.
template <grid_weights Weights>
struct grid_value {
  grid_sampling of;
  AMPHORA_READS template <class X, class Grid, class... Direction> AMPHORA_HD double operator()(std::int64_t i, const X& x, const Grid& grid, const Direction&... direction) const {
    const std::int64_t p = i % of.points, plane = i / of.points, point = plane / of.channels * of.points + p;
    grid_axis at[3];
    of.place(point, grid, at);
    if (Weights == grid_weights::plain && grid_sampling::is_lost(at)) return no_such_number<double>;
    double sum = 0;
    for (int c = 0; c < of.corners(); ++c) {
      const std::int64_t pixel = of.pixel(at, c);
      if (pixel >= 0) sum = add_once(sum, times(corner_weight<Weights>::of(of, at, c, -1, point, direction...), static_cast<double>(x(plane * of.pixels() + pixel))));
    }
    return sum;
  }
};
/// The gradient of the grid: how the corners' weights change along each axis, against x and the gradient of all channels.
template <grid_weights Weights>
struct grid_slope {
  grid_sampling of;
  AMPHORA_READS template <class G, class X, class Grid, class... Direction> AMPHORA_HD double operator()(std::int64_t i, const G& g, const X& x, const Grid& grid, const Direction&... direction) const {
    const std::int64_t point = i / of.axes, image = point / of.points, p = point - image * of.points;
    const int by = 2 - static_cast<int>(i - point * of.axes);
    if (of.settings.mode == grid_mode::nearest) return 0;
    grid_axis at[3];
    of.place(point, grid, at);
    if (Weights == grid_weights::plain && grid_sampling::is_lost(at, by)) return no_such_number<double>;
    double sum = 0;
    for (int c = 0; c < of.corners(); ++c) {
      const std::int64_t pixel = of.pixel(at, c);
      if (pixel < 0) continue;
      const double weight = corner_weight<Weights>::of(of, at, c, by, point, direction...);
      if (weight == 0) continue;
      double terms = 0;
      for (std::int64_t channel = 0; channel < of.channels; ++channel) {
        const std::int64_t plane = image * of.channels + channel;
        terms = add_once(terms, times(static_cast<double>(g(plane * of.points + p)), static_cast<double>(x(plane * of.pixels() + pixel))));
      }
      sum = add_once(sum, times(weight, terms));
    }
    return sum;
  }
};
/// The gradient of x: each corner of each point gives to its pixel, in all channels.
template <grid_weights Weights>
struct grid_entries {
  grid_sampling of;
  AMPHORA_READS template <class Grid, class... Rest> AMPHORA_HD std::int64_t row(std::int64_t e, const Grid& grid, const Rest&...) const {
    const std::int64_t point = e / of.corners(), pixel = pixel_of(e, point, grid);
    return pixel < 0 ? -1 : point / of.points * of.pixels() + pixel;
  }
  AMPHORA_READS template <class Grid, class G, class... Direction>
  AMPHORA_HD double value(std::int64_t e, std::int64_t channel, const Grid& grid, const G& g, const Direction&... direction) const {
    const std::int64_t point = e / of.corners(), image = point / of.points;
    grid_axis at[3];
    of.place(point, grid, at);
    const double weight = corner_weight<Weights>::of(of, at, static_cast<int>(e - point * of.corners()), -1, point, direction...);
    return times(weight, static_cast<double>(g((image * of.channels + channel) * of.points + point - image * of.points)));
  }
  AMPHORA_HD std::int64_t place(std::int64_t row, std::int64_t channel) const {
    const std::int64_t image = row / of.pixels();
    return (image * of.channels + channel) * of.pixels() + row - image * of.pixels();
  }

 private:
  AMPHORA_READS template <class Grid> AMPHORA_HD std::int64_t pixel_of(std::int64_t e, std::int64_t point, const Grid& grid) const {
    grid_axis at[3];
    of.place(point, grid, at);
    return of.pixel(at, static_cast<int>(e - point * of.corners()));
  }
};

/// Errors  shape
inline grid_sampling grid_of(const char* call, const shape& x, const shape& grid, const grid_settings& settings) {
  const int axes = x.rank() - 2;
  if (axes != 2 && axes != 3) fail("shape", call, " needs x of shape [batch, channels, height, width] or with a depth before, not ", x);
  if (grid.rank() != axes + 2 || grid[0] != x[0] || grid[-1] != axes) fail("shape", call, " of ", x, " needs a grid of shape [", x[0], ", ..., ", axes, "] with ", axes + 2, " axes, not ", grid);
  grid_sampling result;
  result.batch = x[0], result.channels = x[1], result.axes = axes, result.points = grid.product(1, axes + 1), result.settings = settings;
  for (int k = 0; k < axes; ++k) {
    result.in[3 - axes + k] = x[2 + k];
    if (x[2 + k] == 0) fail("shape", call, " reads places of nothing: x has shape ", x);
  }
  return result;
}
inline shape grid_sample_shape(const shape& x, const shape& grid) {
  shape result = x;
  for (int k = 2; k < x.rank(); ++k) result = result.with(k, grid[k - 1]);
  return result;
}

template <grid_weights Weights, class ReadX, class ReadGrid, class Context, class Y, class X, class Grid, class... Direction>
void sample_grid(Context& context, const grid_sampling& of, const target<Y>& y, const view<const X>& x, const view<const Grid>& grid, const view<const Direction>&... direction) {
  pick_kernels<typename Context::device>::run(context, grid_value<Weights>{of}, of.batch * of.channels * of.points, y, pool_of<ReadX>(x), pool_of<ReadGrid>(grid), pool_of(direction)...);
}
template <grid_weights Weights, class ReadX, class ReadGrid, class Context, class Y, class G, class X, class Grid, class... Direction>
void sample_slopes(Context& context, const grid_sampling& of, const target<Y>& y, const view<const G>& g, const view<const X>& x, const view<const Grid>& grid, const view<const Direction>&... direction) {
  pick_kernels<typename Context::device>::run(context, grid_slope<Weights>{of}, grid.size(), y, pool_of(g), pool_of<ReadX>(x), pool_of<ReadGrid>(grid), pool_of(direction)...);
}
template <grid_weights Weights, class ReadGrid, class Context, class Target, class G, class Grid, class... Direction>
void sample_back(Context& context, const grid_sampling& of, const Target& gx, const view<const G>& g, const view<const Grid>& grid, const view<const Direction>&... direction) {
  clear_target(context, gx);
  join_rows(context, grid_entries<Weights>{of}, of.batch * of.points * of.corners(), of.batch * of.pixels(), of.channels, joined_by::sum, gradient_target(gx), pool_of<ReadGrid>(grid), pool_of(g), pool_of(direction)...);
}

template <class Policy, class X, class Grid> using read_image_t = read_t<Policy, op::grid_sample, X, X, Grid>;
template <class Policy, class X, class Grid> using read_grid_t = read_t<Policy, op::grid_sample, Grid, X, Grid>;

}  // namespace detail

/// x read at the places that a grid names, in the widest input format; weights are made in double.
///
/// x         [batch, channels, height, width], or with a depth before the height
/// grid      [batch, ..., 2 or 3]: places (x, y) or (x, y, z), −1 at one end of an axis and 1 at the other
/// Value     [batch, channels, ...]. With zeros a place that is not finite gives NaN; else NaN reads the first number along its axis
/// Errors    shape
/// Source    conventions of PyTorch's grid_sample
template <class Policy, class Context, class X, class Grid, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto grid_sample(Context& context, const X& x, const Grid& grid, const grid_settings& settings = {}) {
  using namespace detail;
  using result = result_t<Policy, op::grid_sample, Context, X, Grid>;
  if constexpr (may_call<Policy, op::grid_sample, X, Grid>()) {
    grid_of("grid_sample", operand(x).shape(), operand(grid).shape(), settings);
    return made<result>(context, grid_sample_shape(operand(x).shape(), operand(grid).shape()), [&](auto y) { grid_sample<Policy>(context, into(y), x, grid, settings); });
  } else {
    return result{};
  }
}
template <class Policy, class Context, class Y, class X, class Grid>
void grid_sample(Context& context, into<Y> y, const X& x, const Grid& grid, const grid_settings& settings = {}) {
  using namespace detail;
  if constexpr (require_into<Policy, op::grid_sample, Y, X, Grid>()) {
    const auto of = grid_of("grid_sample", operand(x).shape(), operand(grid).shape(), settings);
    require_shape("grid_sample", "an output", y.target.shape(), grid_sample_shape(operand(x).shape(), operand(grid).shape()));
    sample_grid<grid_weights::plain, read_image_t<Policy, given_t<X>, given_t<Grid>>, read_grid_t<Policy, given_t<X>, given_t<Grid>>>(context, of, write(y.target), operand(x), operand(grid));
  }
}
/// The gradients of grid_sample: x's summed in double in the order of the points, so it has the same bits on every run and any number of threads. A grid has
/// none where it reads the nearest number, or beyond a border.
///
/// gx, g_grid  into(view), add_to(view) or no_gradient{}
template <class Policy, class Context, class G, class X, class Grid, class GX, class GGrid, std::enable_if_t<detail::is_gradient_choice_v<GX>, int> = 0>
void grid_sample_backward(Context& context, const G& grad, const X& x, const Grid& grid, const GX& gx, const GGrid& g_grid, const grid_settings& settings = {}) {
  using namespace detail;
  if constexpr (may_call<Policy, op::grid_sample, X, Grid>()) {
    const auto of = grid_of("grid_sample_backward", operand(x).shape(), operand(grid).shape(), settings);
    require_shape("grid_sample_backward", "a gradient of the value", operand(grad).shape(), grid_sample_shape(operand(x).shape(), operand(grid).shape()));
    if constexpr (is_gradient_target_v<GX>) require_shape("grid_sample_backward", "a gradient of x", memory_of(gx).shape(), operand(x).shape());
    if constexpr (is_gradient_target_v<GGrid>) require_shape("grid_sample_backward", "a gradient of the grid", memory_of(g_grid).shape(), operand(grid).shape());
    using read_x = read_image_t<Policy, given_t<X>, given_t<Grid>>;
    using read_grid = read_grid_t<Policy, given_t<X>, given_t<Grid>>;
    if constexpr (is_gradient_target_v<GX>) sample_back<grid_weights::plain, read_grid>(context, of, gx, operand(grad), operand(grid));
    if constexpr (is_gradient_target_v<GGrid>) sample_slopes<grid_weights::plain, read_x, read_grid>(context, of, gradient_target(g_grid), operand(grad), operand(x), operand(grid));
  }
}
template <class Policy, class Context, class G, class X, class Grid, std::enable_if_t<detail::is_operand_v<Grid>, int> = 0>
auto grid_sample_backward(Context& context, const G& grad, const X& x, const Grid& grid, const grid_settings& settings = {}) {
  auto result = detail::fresh_pair(context, x, grid);
  grid_sample_backward<Policy>(context, grad, x, grid, into(result.first), into(result.second), settings);
  return result;
}

}}  // namespace amphora
