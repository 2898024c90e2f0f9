// Where the places of a grid lie in an image or a volume: the neighbours along each axis, their shares, and what is outside.
#pragma once
#include <amphora/detail/config.hpp>  // AMPHORA_HD
#include <amphora/error.hpp>          // fail
#include <amphora/format/real.hpp>    // add_once, times
#include <amphora/ops/pick.hpp>       // AMPHORA_READS, AMPHORA_UNROLL
#include <amphora/tensor/shape.hpp>   // shape

#include <cmath>    // floor, fmod, nearbyint
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

}  // namespace detail
}}  // namespace amphora
