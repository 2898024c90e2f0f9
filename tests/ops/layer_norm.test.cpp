#include <amphora/ops/layer_norm.hpp>

#include <ops/gradient_check.hpp>
#include <ops/norm_case.hpp>

namespace amp = amphora;

static_assert(std::is_same_v<decltype(amp::layer_norm<amp::o1<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<amp::float16>>(), amp::shape{4})), golden::tensor<float>>);
static_assert(std::is_same_v<decltype(amp::rms_norm<amp::o3<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<amp::float16>>(), amp::shape{4})), golden::tensor<amp::float16>>);

TEST_CASE("layer_norm, rms_norm and their gradients agree with the reference in every format") {
  test_context context;
  int run = 0;
  for (const auto& c : golden::cases("sensitive_normalization.json", {"layer_norm", "rms_norm"})) {
    const bool centered = c.data.at("op") == "layer_norm";
    const golden::array a = c.input("input");
    const std::vector<std::int64_t> extents = c.option("normalized_shape");
    const amp::shape over(extents.data(), static_cast<int>(extents.size()));
    golden::in_all_settings([&](auto s) {
      using setting = decltype(s);
      using T = typename setting::input;
      using P = typename setting::policy;
      if (!golden::norm_inputs_fit<T>(c)) return;
      const bool machine = c.option("eps").is_null();
      if (machine && !std::is_same_v<T, double>) return;  // the reference's is that of double
      ++run;
      const double eps = machine ? amp::machine_epsilon : c.option("eps").template get<double>();
      const auto x = a.template to<T>(context);
      const golden::norm_bounds bounds(c, amp::detail::line_call("", a.shape, over, centered, machine ? 0x1p-52 : eps));
      const auto gradient = [&](const char* key, const auto& got) { golden::compare(context, c.name() + " " + key, got, c.gradient(key), setting::roundoff, bounds.of_gradient(key), bounds.terms, bounds.reference * bounds.of_gradient(key)); };
      golden::norm_operands<T>(context, c, [&](const auto& w, const auto& b) {
        const auto call = [&](const auto& weights) {
          const auto value = centered ? amp::layer_norm<P>(context, x, weights, b, eps) : amp::rms_norm<P>(context, x, weights, eps);
          golden::compare(context, c.name(), value, c.output(), setting::roundoff, bounds.value, bounds.terms, bounds.reference);
          const auto g = golden::upstream<std::remove_const_t<decltype(value)>>(context, c);
          if (centered) {
            const auto result = amp::layer_norm_backward<P>(context, g, x, weights, eps);
            gradient("input", result.x);
            if constexpr (amp::detail::is_operand_v<std::decay_t<decltype(weights)>>) {
              gradient("weight", result.w);
              if (c.has("bias")) gradient("bias", result.b);
            }
          } else {
            const auto result = amp::rms_norm_backward<P>(context, g, x, weights, eps);
            gradient("input", result.x);
            if constexpr (amp::detail::is_operand_v<std::decay_t<decltype(weights)>>) gradient("weight", result.w);
          }
        };
        if constexpr (amp::detail::is_operand_v<std::decay_t<decltype(w)>>) call(w);
        else call(over);
      });
    });
  }
  CHECK(run > 120);
}

TEST_CASE("the gradients of layer_norm and rms_norm are the slopes of their values") {
  test_context context;
  using P = amp::o0<>;
  auto x = check::random<double>(context, {3, 7}, 1), w = check::random<double>(context, {7}, 2), b = check::random<double>(context, {7}, 3);
  const auto g = check::random<double>(context, {3, 7}, 4);
  const auto layer = [&] { return check::dot(context, g, amp::layer_norm<P>(context, x, w, b)); };
  const auto slopes = amp::layer_norm_backward<P>(context, g, x, w);
  check::slopes(context, layer, x, slopes.x), check::slopes(context, layer, w, slopes.w), check::slopes(context, layer, b, slopes.b);
  const auto root = [&] { return check::dot(context, g, amp::rms_norm<P>(context, x, w)); };
  const auto of_root = amp::rms_norm_backward<P>(context, g, x, w);
  check::slopes(context, root, x, of_root.x), check::slopes(context, root, w, of_root.w);
}

TEST_CASE("B45: a mean that is large beside the spread keeps its digits") {
  test_context context;
  using P = amp::o0<>;
  const auto first = [&](const std::vector<float>& row, double eps = 1e-5) {
    const auto n = static_cast<std::int64_t>(row.size());
    return amp::wait_read(context, amp::layer_norm<P>(context, check::given(context, {1, n}, row), amp::shape{n}, amp::no_bias{}, eps));
  };
  const std::pair<double, double> known[] = {{0, -1.3416408}, {100, -1.3415277}, {1000, -1.3415078}, {10000, -1.3313334}};
  for (const auto& each : known) {
    const double mean = each.first, want = each.second;
    CAPTURE(mean);
    std::vector<float> row;
    double true_mean = 0, square = 0;
    for (int k = 0; k < 16; ++k) row.push_back(static_cast<float>(mean + k * 1e-3));
    for (const float v : row) true_mean += static_cast<double>(v) / 16;
    for (const float v : row) square += (static_cast<double>(v) - true_mean) * (static_cast<double>(v) - true_mean) / 16;
    const auto plain = first(row, 1e-12), got = first(row, 1e-5);
    for (std::size_t k = 0; k < row.size(); ++k) CHECK(std::fabs(static_cast<double>(plain[k]) - (static_cast<double>(row[k]) - true_mean) / std::sqrt(square + 1e-12)) <= 4e-7);
    CHECK(std::fabs(static_cast<double>(got[0]) - (static_cast<double>(row[0]) - true_mean) / std::sqrt(square + 1e-5)) <= 4e-7);
    CHECK(std::fabs(static_cast<double>(got[0]) - want) <= 4e-7 + 5e-8);  // the last digit of the one written above
  }
  const auto wide = first({40000, 40001, 40002, 40003});
  CHECK(std::fabs(static_cast<double>(wide[0]) + 1.3416354) <= 2e-7);
  CHECK(std::fabs(static_cast<double>(wide[1]) + 0.4472118) <= 2e-7);
  for (const float v : first(std::vector<float>(256, 1234.0f))) CHECK(v == 0);
  for (const float v : first(std::vector<float>(8, 0.0f), 1e-12)) CHECK(v == 0);
}

TEST_CASE("squares of half-precision rows do not overflow, and the last of many rows is as the first") {
  test_context context;
  std::vector<amp::float16> row;
  for (int i = 0; i < 32; ++i) row.push_back(amp::float16(i % 2 ? 7600.0f : -7600.0f));
  const auto ones = amp::wait_read(context, amp::layer_norm<amp::o3<amp::f16>>(context, check::given(context, {1, 32}, row), amp::shape{32}));
  for (std::size_t i = 0; i < ones.size(); ++i) CHECK(static_cast<float>(ones[i]) == (i % 2 ? 1.0f : -1.0f));
  constexpr std::int64_t rows = tests_cuda ? 4096 : 65536;
  std::vector<float> many;
  for (std::int64_t r = 0; r < rows; ++r)
    for (int k = 0; k < 3; ++k) many.push_back(static_cast<float>(k * k));
  const auto all = amp::wait_read(context, amp::layer_norm<amp::o0<>>(context, check::given(context, {rows, 3}, many), amp::shape{3}));
  for (std::size_t k = 0; k < 3; ++k) CHECK(all[all.size() - 3 + k] == all[k]);
}

TEST_CASE("lines of every length are normalized, aligned or not, and written where they are wanted") {
  test_context context;
  using P = amp::o1<amp::bf16>;
  for (const std::int64_t n : {1, 2, 8, 9, 64, 257, 1024, 1025, 4096, 20000}) {
    CAPTURE(n);
    const std::int64_t rows = n > 4000 ? 2 : 5;
    const auto numbers = check::random_numbers<amp::bfloat16>(rows * n + 1, static_cast<unsigned>(n)), upstream = check::random_numbers<amp::bfloat16>(rows * n + 1, static_cast<unsigned>(n) + 1);
    const auto weights = check::random_numbers<float>(n, 3);
    const auto w = check::given(context, {n}, weights);
    for (const std::int64_t skip : {0, 1}) {
      auto x = check::given(context, {rows * n + 1}, numbers), g = check::given(context, {rows * n + 1}, upstream);
      const amp::view<const amp::bfloat16> at(x.data() + skip, {rows, n}), grad(g.data() + skip, {rows, n});
      auto old = check::filled(context, {n}, 2.0f);
      golden::tensor<float> gx(context, {rows, n});
      amp::layer_norm_backward<P>(context, grad, at, w, amp::into(gx), amp::add_to(old), amp::no_gradient{});
      const auto value = amp::wait_read(context, amp::layer_norm<P>(context, at, w)), slope = amp::wait_read(context, gx), gw = amp::wait_read(context, old);
      std::vector<double> want_w(static_cast<std::size_t>(n), 2.0);
      double worst = 0, worst_slope = 0, scale = 0;
      for (std::int64_t r = 0; r < rows; ++r) {
        const auto number = [&](const auto& list, std::int64_t k) { return static_cast<double>(list[static_cast<std::size_t>(skip + r * n + k)]); };
        double mean = 0, square = 0, sum = 0, along = 0;
        for (std::int64_t k = 0; k < n; ++k) mean += number(numbers, k) / static_cast<double>(n);
        for (std::int64_t k = 0; k < n; ++k) square += (number(numbers, k) - mean) * (number(numbers, k) - mean) / static_cast<double>(n);
        const double s = 1 / std::sqrt(square + 1e-5);
        scale = (std::max)(scale, s);
        const auto unit = [&](std::int64_t k) { return (number(numbers, k) - mean) * s; };
        const auto u = [&](std::int64_t k) { return number(upstream, k) * static_cast<double>(weights[static_cast<std::size_t>(k)]); };
        for (std::int64_t k = 0; k < n; ++k) sum += u(k) / static_cast<double>(n), along += u(k) * unit(k) / static_cast<double>(n);
        for (std::int64_t k = 0; k < n; ++k) {
          const auto i = static_cast<std::size_t>(r * n + k);
          worst = (std::max)(worst, std::fabs(static_cast<double>(value[i]) - unit(k) * static_cast<double>(weights[static_cast<std::size_t>(k)])));
          worst_slope = (std::max)(worst_slope, std::fabs(static_cast<double>(slope[i]) - s * (u(k) - sum - unit(k) * along)));
          want_w[static_cast<std::size_t>(k)] += number(upstream, k) * unit(k);
        }
      }
      // |x̂| is at most 2 scale here, and sums are of at most 8 terms in float.
      CHECK(worst <= 16 * amp::f32::unit_roundoff * (2 + 2 * scale));
      CHECK(worst_slope <= 32 * amp::f32::unit_roundoff * scale * (2 + 4 * scale * scale));
      double worst_w = 0;
      for (std::size_t k = 0; k < want_w.size(); ++k) worst_w = (std::max)(worst_w, std::fabs(static_cast<double>(gw[k]) - want_w[k]));
      CHECK(worst_w <= 64 * amp::f32::unit_roundoff * (2 + 2 * scale * static_cast<double>(rows)));
    }
  }
}

TEST_CASE("a value may take the place of x") {
  test_context context;
  auto x = check::random<float>(context, {4, 24}, 1);
  const auto w = check::random<float>(context, {24}, 2), b = check::random<float>(context, {24}, 3);
  const auto apart = amp::layer_norm<amp::o0<>>(context, x, w, b);
  amp::layer_norm<amp::o0<>>(context, amp::into(x), x, w, b);
  CHECK(check::equal_bits(context, apart, x));
}

TEST_CASE("under autocast the bits are those of a cast by hand, then a call") {
  test_context context;
  using P = amp::o1<amp::f16>;
  const auto x = check::random<amp::float16>(context, {6, 40}, 1);
  const auto w = check::random<float>(context, {40}, 2), b = check::random<float>(context, {40}, 3);
  CHECK(check::equal_bits(context, amp::layer_norm<P>(context, x, w, b), amp::layer_norm<amp::o0<>>(context, amp::cast<amp::f32>(context, x), w, b)));
  CHECK(check::equal_bits(context, amp::rms_norm<P>(context, x, w), amp::rms_norm<amp::o0<>>(context, amp::cast<amp::f32>(context, x), w)));
}

TEST_CASE("weights that do not fit, and an eps below zero, are errors that say what is due") {
  test_context context;
  golden::tensor<float> x(context, {2, 3}), w(context, {3}), bad(context, {2});
  CHECK_THROWS_WITH_AS(amp::layer_norm<amp::o0<>>(context, x, bad), doctest::Contains("[2, 3] over [2]"), amp::error);
  CHECK_THROWS_WITH_AS(amp::layer_norm<amp::o0<>>(context, x, w, bad), doctest::Contains("a bias of shape [2] where [3]"), amp::error);
  CHECK_THROWS_WITH_AS(amp::layer_norm<amp::o0<>>(context, x, amp::shape{}), doctest::Contains("amphora [shape]"), amp::error);
  CHECK_THROWS_WITH_AS(amp::layer_norm<amp::o0<>>(context, x, w, amp::no_bias{}, -1.0), doctest::Contains("amphora [setting]: layer_norm has eps = -1"), amp::error);
  CHECK_THROWS_WITH_AS(amp::rms_norm<amp::o0<>>(context, x, w, -2.0), doctest::Contains("amphora [setting]"), amp::error);
  CHECK_THROWS_WITH_AS(amp::layer_norm_backward<amp::o0<>>(context, w, x, w), doctest::Contains("a gradient of the value of shape [3]"), amp::error);
}
