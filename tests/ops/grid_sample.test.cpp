#include <amphora/ops/grid_sample.hpp>

#include <ops/indexing_case.hpp>

namespace amp = amphora;

static_assert(std::is_same_v<decltype(amp::grid_sample<amp::o1<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<amp::float16>>(), std::declval<golden::tensor<float>>())), golden::tensor<float>>, "the widest");

namespace {

amp::grid_settings grid_settings_of(const golden::test_case& c) {
  const std::string padding = c.option("padding_mode");
  return {c.option("mode") == "nearest" ? amp::grid_mode::nearest : amp::grid_mode::bilinear,
          padding == "border" ? amp::grid_padding::border : padding == "reflection" ? amp::grid_padding::reflection : amp::grid_padding::zeros, c.option("align_corners")};
}

}  // namespace

TEST_CASE("grid_sample agrees with the reference in every format and mode") {
  test_context context;
  int run = 0, gradients = 0;
  for (const auto& c : golden::cases("widening.json", {"grid_sample"})) {
    const amp::grid_settings settings = grid_settings_of(c);
    golden::in_each_format([&](auto s) {
      using setting = decltype(s);
      using policy = typename setting::policy;
      const auto x = c.input("input").template to<typename setting::input>(context);
      const auto grid = c.input("grid").template to<typename setting::input>(context);
      const double terms = 16 * (1 + c.input("input").largest());
      const auto y = amp::grid_sample<policy>(context, x, grid, settings);
      golden::compare(context, c.name(), y, c.output(), setting::roundoff, terms, 8);
      ++run;
      if (!c.has_gradients()) return;
      const auto g = golden::upstream<std::remove_const_t<decltype(y)>>(context, c);
      const auto [gx, g_grid] = amp::grid_sample_backward<policy>(context, g, x, grid, settings);
      golden::compare_sum(context, c, "input", gx, setting::roundoff, 16), golden::compare_sum(context, c, "grid", g_grid, setting::roundoff, 16, terms);
      ++gradients;
    });
  }
  CHECK(run == 41 * 4);
  CHECK(gradients == 39 * 4);
}

TEST_CASE("the gradients of grid_sample are slopes, of images and of volumes") {
  using policy = amp::o0<>;
  test_context context;
  for (const auto padding : {amp::grid_padding::zeros, amp::grid_padding::border, amp::grid_padding::reflection})
    for (const bool corners : {false, true})
      for (const int axes : {2, 3}) {
        const amp::grid_settings settings{amp::grid_mode::bilinear, padding, corners};
        auto x = axes == 2 ? check::random<double>(context, {2, 3, 4, 5}, 1) : check::random<double>(context, {2, 2, 2, 4, 3}, 1);
        auto grid = axes == 2 ? check::random<double>(context, {2, 3, 3, 2}, 2) : check::random<double>(context, {2, 1, 3, 2, 3}, 2);
        auto numbers = amp::wait_read(context, grid);
        for (double& each : numbers) each *= 1.7;  // some outside
        amp::write(context, numbers, grid);
        const auto g = check::random<double>(context, amp::grid_sample<policy>(context, x, grid, settings).shape(), 3);
        const auto [gx, g_grid] = amp::grid_sample_backward<policy>(context, g, x, grid, settings);
        const auto value = [&] { return check::dot(context, g, amp::grid_sample<policy>(context, x, grid, settings)); };
        check::slopes(context, value, x, gx), check::slopes(context, value, grid, g_grid);
      }
}

TEST_CASE("many points of one pixel are added in double in their order; NaN in a grid has no slope") {
  using policy = amp::o1<amp::f16>;
  test_context context;
  constexpr std::int64_t n = 600;
  const auto x = check::random<amp::float16>(context, {1, 2, 1, 1}, 1);
  const auto grid = check::filled<amp::float16>(context, {1, 1, n, 2}, amp::convert<amp::f16>(0.0));
  const auto g = check::random<amp::float16>(context, {1, 2, 1, n}, 2);
  auto gx = check::filled<double>(context, {1, 2, 1, 1}, 1.0);
  amp::grid_sample_backward<policy>(context, g, x, grid, amp::add_to(gx), amp::no_gradient{});
  const auto sums = amp::wait_read(context, gx);
  const auto terms = amp::wait_read(context, g);
  for (std::size_t channel = 0; channel < 2; ++channel) {
    double want = 0;
    for (std::size_t i = 0; i < n; ++i) want += static_cast<double>(terms[channel * n + i]);
    CHECK(sums[channel] == want + 1);
  }
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto padding : {amp::grid_padding::zeros, amp::grid_padding::border, amp::grid_padding::reflection}) {
    const auto lost = check::given<double>(context, {1, 1, 1, 2}, {nan, nan}), image = check::random<double>(context, {1, 1, 3, 3}, 3), one = check::filled<double>(context, {1, 1, 1, 1}, 1.0);
    const auto [of_image, of_grid] = amp::grid_sample_backward<policy>(context, one, image, lost, {amp::grid_mode::bilinear, padding, false});
    for (const double slope : amp::wait_read(context, of_grid)) CHECK((padding == amp::grid_padding::zeros ? std::isnan(slope) : slope == 0));  // the other one is lost too
    const auto shares = amp::wait_read(context, of_image);
    for (std::size_t i = 0; i < 9; ++i) CHECK(shares[i] == (i == 0 && padding != amp::grid_padding::zeros ? 1 : 0));
  }
  CHECK_THROWS_WITH_AS(amp::grid_sample<policy>(context, check::random<float>(context, {2, 3, 4}, 1), x), doctest::Contains("grid_sample needs x of shape [batch, channels, height, width]"), amp::error);
  CHECK_THROWS_WITH_AS(amp::grid_sample<policy>(context, x, check::random<float>(context, {1, 2, 2, 3}, 1)), doctest::Contains("needs a grid of shape [1, ..., 2]"), amp::error);
  CHECK_THROWS_WITH_AS(amp::grid_sample<policy>(context, check::random<float>(context, {1, 2, 0, 1}, 1), grid), doctest::Contains("reads places of nothing"), amp::error);
}
