#include <amphora/autograd/resample.hpp>

#include <autograd/indexing_case.hpp>

namespace amp = amphora;
using policy = amp::o1<amp::f16>;

TEST_CASE("interpolate of variables has the reference's values, gradients and second derivatives") {
  test_context context;
  int second = 0;
  for (const auto& c : golden::cases("sensitive_interpolate.json", {"interpolate"})) {
    amp::interpolate_settings settings;
    const auto yes = [&](const char* key) { return c.option(key).is_boolean() && c.option(key).get<bool>(); };
    if (c.option("size").is_null())
      for (double each : c.option("scale_factor")) settings.scale_factor[settings.factors++] = each;
    else
      for (std::int64_t each : c.option("size")) settings.size[settings.sizes++] = each;
    const std::string mode = c.option("mode");
    using modes = amp::interpolation_mode;
    settings.mode = mode == "nearest" ? modes::nearest : mode == "nearest-exact" ? modes::nearest_exact : mode == "bicubic" ? modes::bicubic : modes::linear;
    settings.align_corners = yes("align_corners"), settings.recompute_scale_factor = yes("recompute_scale_factor"), settings.antialias = yes("antialias");
    second += golden::taped(context, c, [&](const auto& tape, const auto& x) { return amp::interpolate<policy>(tape, x, settings); }, "input");
  }
  CHECK(second == 88);
}

TEST_CASE("grid_sample of variables has the reference's values, gradients and second derivatives") {
  test_context context;
  int second = 0;
  for (const auto& c : golden::cases("widening.json", {"grid_sample"})) {
    const std::string padding = c.option("padding_mode");
    const amp::grid_settings settings{c.option("mode") == "nearest" ? amp::grid_mode::nearest : amp::grid_mode::bilinear,
                                      padding == "border" ? amp::grid_padding::border : padding == "reflection" ? amp::grid_padding::reflection : amp::grid_padding::zeros, c.option("align_corners")};
    second += golden::taped(context, c, [&](const auto& tape, const auto& x, const auto& grid) { return amp::grid_sample<policy>(tape, x, grid, settings); }, "input", "grid");
  }
  CHECK(second == 38);
}

TEST_CASE("the gradient of a grid can be differentiated by the image, by the grid and by the gradient of the value; a third time it says no") {
  test_context context;
  for (const auto padding : {amp::grid_padding::zeros, amp::grid_padding::border, amp::grid_padding::reflection})
    for (const int axes : {2, 3}) {
      const amp::grid_settings settings{amp::grid_mode::bilinear, padding, false};
      const auto sizes = axes == 2 ? amp::shape{1, 2, 3, 4} : amp::shape{1, 2, 2, 3, 2}, places = axes == 2 ? amp::shape{1, 2, 3, 2} : amp::shape{1, 1, 3, 2, 3};
      auto numbers = check::random_numbers<double>(places.elements(), 2);
      for (double& each : numbers) each *= 1.5;
      const auto value_shape = amp::detail::grid_sample_shape(sizes, places);
      check::second_slopes(context, check::random<double>(context, sizes, 1), check::given<double>(context, places, numbers), check::random<double>(context, value_shape, 3), check::random<double>(context, places, 4),
                           [&](const auto& tape, const auto& x, const auto& grid) { return amp::grid_sample<policy>(tape, x, grid, settings); },
                           [&](const auto& g, const auto& x, const auto& grid) { return amp::grid_sample_backward<policy>(context, g, x, grid, settings).second; });
    }
  const amp::tape<test_context> tape(context);
  const auto x = tape.leaf(check::random<double>(context, {1, 1, 3, 3}, 1)), grid = tape.leaf(check::random<double>(context, {1, 1, 2, 2}, 2)), seed = tape.leaf(check::random<double>(context, {1, 1, 1, 2}, 3));
  const auto [gx] = amp::grad(context, amp::grid_sample<policy>(tape, x, grid), seed, amp::graph::create, x);
  const auto v = tape.leaf(check::random<double>(context, {1, 1, 3, 3}, 4));
  const auto [second] = amp::grad(context, gx, v, amp::graph::create, grid);
  CHECK_THROWS_WITH_AS(amp::grad(context, second, tape.constant(check::random<double>(context, {1, 1, 2, 2}, 5)), amp::graph::free, grid), doctest::Contains("amphora [no-derivative]"), amp::error);
}
