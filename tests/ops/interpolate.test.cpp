#include <amphora/ops/interpolate.hpp>

#include <ops/indexing_case.hpp>

namespace amp = amphora;
using mode = amp::interpolation_mode;

static_assert(std::is_same_v<decltype(amp::interpolate<amp::o1<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<amp::float16>>(), amp::interpolate_settings{})), golden::tensor<float>>, "a sensitive op");

namespace {

struct in_half : amp::amend<amp::o1<amp::f16>, amp::in<amp::op::upsample_bilinear2d, amp::compute<amp::f16>>> {};
static_assert(std::is_same_v<decltype(amp::interpolate<in_half, amp::op::upsample_bilinear2d>(std::declval<test_context&>(), std::declval<golden::tensor<amp::float16>>(), amp::interpolate_settings{})), golden::tensor<amp::float16>>, "by its name");

amp::interpolate_settings interpolate_settings_of(const golden::test_case& c) {
  amp::interpolate_settings result;
  const auto yes = [&](const char* key) { return c.option(key).is_boolean() && c.option(key).get<bool>(); };
  if (c.option("size").is_null())
    for (double each : c.option("scale_factor")) result.scale_factor[result.factors++] = each;
  else
    for (std::int64_t each : c.option("size")) result.size[result.sizes++] = each;
  const std::string name = c.option("mode");
  result.mode = name == "nearest" ? mode::nearest : name == "nearest-exact" ? mode::nearest_exact : name == "bicubic" ? mode::bicubic : mode::linear;
  result.align_corners = yes("align_corners"), result.recompute_scale_factor = yes("recompute_scale_factor"), result.antialias = yes("antialias");
  return result;
}

}  // namespace

TEST_CASE("interpolate agrees with the reference in every format and mode") {
  test_context context;
  int run = 0;
  for (const auto& c : golden::cases("sensitive_interpolate.json", {"interpolate"})) {
    const amp::interpolate_settings settings = interpolate_settings_of(c);
    golden::in_each_format([&](auto s) {
      using setting = decltype(s);
      const auto x = c.input("input").template to<typename setting::input>(context);
      const auto y = amp::interpolate<typename setting::policy>(context, x, settings);
      golden::compare(context, c.name(), y, c.output(), setting::roundoff, 4 * c.input("input").largest(), 16);
      const auto g = golden::upstream<std::remove_const_t<decltype(y)>>(context, c);
      golden::compare_sum(context, c, "input", amp::interpolate_backward<typename setting::policy>(context, g, x, settings), setting::roundoff, 36);
      ++run;
    });
  }
  CHECK(run == 352);
}

TEST_CASE("the gradient of interpolate is the transpose of interpolate, whatever the sizes") {
  test_context context;
  for (const mode m : {mode::nearest, mode::nearest_exact, mode::linear, mode::bicubic})
    for (const auto& sizes : std::vector<std::array<std::int64_t, 2>>{{1, 1}, {1, 7}, {7, 1}, {5, 64}, {64, 5}, {33, 32}, {17, 17}})
      for (const bool corners : {false, true})
        for (const bool antialias : {false, true}) {
          const std::int64_t in = sizes[0], out = sizes[1];
          const bool smooth = m == mode::linear || m == mode::bicubic;
          if ((corners && !smooth) || (antialias && (m != mode::linear || corners))) continue;
          auto settings = amp::interpolate_settings::to_size({out, 3}, m, corners);
          settings.antialias = antialias;
          const auto x = check::random<double>(context, {2, 1, in, 4}, 1), g = check::random<double>(context, {2, 1, out, 3}, 2);
          INFO(in, " to ", out);
          CHECK(std::fabs(check::dot(context, amp::interpolate<amp::o0<>>(context, x, settings), g) - check::dot(context, x, amp::interpolate_backward<amp::o0<>>(context, g, x, settings))) < 1e-11);
          const auto one = check::filled<double>(context, {2, 1, in, 4}, 1.0);  // a constant stays one
          for (const double each : amp::wait_read(context, amp::interpolate<amp::o0<>>(context, one, settings)))
            if (std::fabs(each - 1) > 1e-14) FAIL(each);
        }
}

TEST_CASE("interpolate adds to a gradient, and says what does not fit") {
  using policy = amp::o1<amp::f16>;
  test_context context;
  const auto x = check::random<amp::float16>(context, {1, 2, 4}, 1);
  const auto settings = amp::interpolate_settings::by_factor({2.0}, mode::linear);
  const auto g = check::random<float>(context, {1, 2, 8}, 2);
  auto sum = check::filled<float>(context, {1, 2, 4}, 1.0f), fresh = check::filled<float>(context, {1, 2, 4}, 9.0f);
  amp::interpolate_backward<policy>(context, amp::add_to(sum), g, settings), amp::interpolate_backward<policy>(context, amp::into(fresh), g, settings);
  const auto a = amp::wait_read(context, sum), b = amp::wait_read(context, fresh);
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(std::fabs(a[i] - b[i] - 1) < 1e-6f);
  const auto image = check::random<float>(context, {1, 2, 4, 4}, 1);
  const auto to = [](std::initializer_list<std::int64_t> size, mode m = mode::nearest, bool corners = false) { return amp::interpolate_settings::to_size(size, m, corners); };
  CHECK_THROWS_WITH_AS(amp::interpolate<policy>(context, check::random<float>(context, {2, 4}, 1), to({4})), doctest::Contains("needs x of shape [batch, channels, ...]"), amp::error);
  CHECK_THROWS_WITH_AS(amp::interpolate<policy>(context, image, to({4})), doctest::Contains("one size or one factor for each of 2 axes, not 1"), amp::error);
  CHECK_THROWS_WITH_AS(amp::interpolate<policy>(context, image, to({4, 0})), doctest::Contains("cannot make 0 of 4 along axis 3"), amp::error);
  CHECK_THROWS_WITH_AS(amp::interpolate<policy>(context, image, to({4, 4}, mode::nearest, true)), doctest::Contains("align_corners"), amp::error);
  CHECK_THROWS_WITH_AS(amp::interpolate<policy>(context, x, to({4}, mode::bicubic)), doctest::Contains("bicubic is for two axes"), amp::error);
  CHECK_THROWS_WITH_AS(amp::interpolate<policy>(context, image, amp::interpolate_settings::by_factor({-1.0, 1.0})), doctest::Contains("has the scale factor -1"), amp::error);
  CHECK_THROWS_WITH_AS(amp::interpolate_backward<policy>(context, g, x, to({4})), doctest::Contains("of shape [1, 2, 8] where [1, 2, 4] is due"), amp::error);
}
