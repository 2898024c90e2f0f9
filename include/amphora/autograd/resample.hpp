// interpolate and grid_sample of variables.
#pragma once
#include <amphora/autograd/function.hpp>  // if_variables_t
#include <amphora/ops/grid_corners.hpp>   // sample_grid, sample_slopes, sample_back
#include <amphora/ops/grid_sample.hpp>    // grid_sample, read_image_t, read_grid_t
#include <amphora/ops/grid_sampling.hpp>  // grid_sampling, grid_of, grid_settings
#include <amphora/ops/interpolate.hpp>    // interpolate, interpolate_plan

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// A linear map along axes, and the other way round.
struct resample_record;
struct resample_back_record {
  resampling of;
  template <class Pass, class H, class G> void backward(Pass& pass, const H& h, const H&, const G& gradient) const;
};
struct resample_record {
  resampling of;
  template <class Pass, class G, class X> void backward(Pass& pass, const G& gradient, const G&, const X& x) const {
    pass.write(x, [&](auto target) { resample_back(pass.context(), of, target, gradient.value()); }, resample_back_record{of}, gradient);
  }
};
template <class Pass, class H, class G> void resample_back_record::backward(Pass& pass, const H& h, const H&, const G& gradient) const {
  pass.write(gradient, [&](auto target) { resample<given_t<H>>(pass.context(), of, gradient_target(target), h.value()); }, resample_record{of}, h);
}

/// The gradients of grid_sample: by the image and by the gradient they are linear; by the grid they have one derivative more.
template <class ReadGrid>
struct sampled_back_record {  // of (gradient, grid), in the shape of x
  grid_sampling of;
  template <class Pass, class H, class G, class Grid> void backward(Pass& pass, const H& h, const H&, const G& gradient, const Grid& grid) const {
    auto& context = pass.context();
    pass.write(gradient, [&](auto target) { sample_grid<grid_weights::plain, given_t<H>, ReadGrid>(context, of, gradient_target(target), h.value(), grid.value()); });
    pass.write(grid, [&](auto target) { sample_slopes<grid_weights::plain, given_t<H>, ReadGrid>(context, of, gradient_target(target), gradient.value(), h.value(), grid.value()); });
  }
};
template <class ReadX, class ReadGrid>
struct sampled_slopes_record {  // of (gradient, x, grid), in the shape of grid
  grid_sampling of;
  template <class Pass, class H, class G, class X, class Grid> void backward(Pass& pass, const H& h, const H&, const G& gradient, const X& x, const Grid& grid) const {
    auto& context = pass.context();
    pass.write(gradient, [&](auto target) { sample_grid<grid_weights::directed, ReadX, ReadGrid>(context, of, gradient_target(target), x.value(), grid.value(), h.value()); });
    pass.write(x, [&](auto target) { sample_back<grid_weights::directed, ReadGrid>(context, of, target, gradient.value(), grid.value(), h.value()); });
    pass.write(grid, [&](auto target) { sample_slopes<grid_weights::directed, ReadX, ReadGrid>(context, of, gradient_target(target), gradient.value(), x.value(), grid.value(), h.value()); });
  }
};
template <class Policy>
struct grid_sample_record {
  grid_sampling of;
  template <class Pass, class G, class X, class Grid> void backward(Pass& pass, const G& gradient, const G&, const X& x, const Grid& grid) const {
    using read_x = read_image_t<Policy, given_t<X>, given_t<Grid>>;
    using read_grid = read_grid_t<Policy, given_t<X>, given_t<Grid>>;
    auto& context = pass.context();
    pass.write(x, [&](auto target) { sample_back<grid_weights::plain, read_grid>(context, of, target, gradient.value(), grid.value()); }, sampled_back_record<read_grid>{of}, gradient, grid);
    pass.write(grid, [&](auto target) { sample_slopes<grid_weights::plain, read_x, read_grid>(context, of, gradient_target(target), gradient.value(), x.value(), grid.value()); },
               sampled_slopes_record<read_x, read_grid>{of}, gradient, x, grid);
  }
};

}  // namespace detail

/// As of ops/interpolate.hpp, recorded, with derivatives of any order.
template <class Policy, class Op = op::interpolation, class Context, class X, detail::if_variables_t<X> = 0>
auto interpolate(const tape<Context>& recording, const X& x, const interpolate_settings& settings) {
  return record(recording, interpolate<Policy, Op>(recording.context(), x.value(), settings), detail::resample_record{detail::interpolate_plan("interpolate", x.shape(), settings).of}, x);
}

/// As of ops/grid_sample.hpp, recorded. It has second derivatives; a third one is `no-derivative`.
template <class Policy, class Context, class X, class Grid, detail::if_variables_t<X, Grid> = 0>
auto grid_sample(const tape<Context>& recording, const X& x, const Grid& grid, const grid_settings& settings = {}) {
  return record(recording, grid_sample<Policy>(recording.context(), x.value(), grid.value(), settings), detail::grid_sample_record<Policy>{detail::grid_of("grid_sample", x.shape(), grid.shape(), settings)}, x, grid);
}

}}  // namespace amphora
