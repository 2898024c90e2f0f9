// The corners around the places of a grid, weighted: values, and the gradients of the image and of the grid.
#pragma once
#include <amphora/detail/config.hpp>      // AMPHORA_HD
#include <amphora/format/real.hpp>        // add_once, times
#include <amphora/ops/grid_sampling.hpp>  // grid_sampling, grid_axis
#include <amphora/ops/index.hpp>          // join_rows, joined_by
#include <amphora/ops/movement.hpp>       // clear_target
#include <amphora/ops/operand.hpp>        // target, gradient_target
#include <amphora/ops/pick.hpp>           // pick_kernels, pool_of, no_such_number, AMPHORA_READS, AMPHORA_UNROLL
#include <amphora/tensor/view.hpp>        // view

#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

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

}}}  // namespace amphora::detail
