// Images and volumes read at places that a grid names, forward and backward.
#pragma once
#include <amphora/op/promoting.hpp>       // op::grid_sample
#include <amphora/ops/call.hpp>           // read_t, result_t, require_into, may_call, made, fresh_pair
#include <amphora/ops/grid_corners.hpp>   // sample_grid, sample_slopes, sample_back
#include <amphora/ops/grid_sampling.hpp>  // grid_settings, grid_of, grid_sample_shape
#include <amphora/ops/operand.hpp>        // into, operand, is_gradient_choice_v

#include <type_traits>  // enable_if_t

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

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
