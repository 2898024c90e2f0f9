#include <amphora/ops/max_pool.hpp>

#include <ops/gradient_check.hpp>
#include <ops/pool_case.hpp>

#include <limits>

namespace amp = amphora;

static_assert(std::is_same_v<decltype(amp::max_pool2d<amp::o1<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<amp::float16>>(), 2)), golden::tensor<amp::float16>>);
static_assert(std::is_same_v<decltype(amp::max_pool2d<amp::o1<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<float>>(), 2)), golden::tensor<float>>);
static_assert(std::is_same_v<decltype(amp::max_pool2d<amp::o3<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<float>>(), 2)), golden::tensor<amp::float16>>);

TEST_CASE("max_pool, its indices and its gradient agree with the reference in every format") {
  test_context context;
  int run = 0;
  for (const auto& c : golden::cases("transparent_pooling.json", {"max_pool1d", "max_pool2d"})) {
    const bool one = c.data.at("op") == "max_pool1d";
    const golden::array a = c.input("input"), indices(c.data.at("outputs").at("indices"));
    const auto size = golden::per_axis_of(c.option("kernel_size"));
    const auto options = golden::max_pool_options_of(c);
    golden::in_all_settings([&](auto s) {
      using setting = decltype(s);
      using T = typename setting::input;
      using P = typename setting::policy;
      if (!a.template is_exact_in<T>()) return;
      ++run;
      const auto x = a.template to<T>(context);
      const auto value = one ? amp::max_pool1d<P>(context, x, size, options) : amp::max_pool2d<P>(context, x, size, options);
      const auto both = one ? amp::max_pool1d_with_indices<P>(context, x, size, options) : amp::max_pool2d_with_indices<P>(context, x, size, options);
      golden::compare(context, c.name(), value, c.output(), 0, 0, 0);
      golden::compare(context, c.name(), both.value, c.output(), 0, 0, 0);
      const auto places = amp::wait_read(context, both.indices);
      CHECK(std::vector<double>(places.begin(), places.end()) == indices.values);
      const auto g = golden::upstream<std::remove_const_t<decltype(value)>>(context, c);
      const auto gx = one ? amp::max_pool1d_backward<P>(context, g, x, size, options) : amp::max_pool2d_backward<P>(context, g, x, size, options);
      const double covers = static_cast<double>(c.output().values.size());
      golden::compare(context, c.name() + " x", gx, c.gradient("input"), setting::roundoff, c.grad_output().largest(), covers);
      golden::tensor<T> by_indices(context, a.shape);
      if (one) amp::max_pool1d_backward<P>(context, amp::into(by_indices), g, both.indices, size, options);
      else amp::max_pool2d_backward<P>(context, amp::into(by_indices), g, both.indices, size, options);
      CHECK(check::equal_bits(context, gx, by_indices));
    });
  }
  CHECK(run > 150);
}

TEST_CASE("max_pool over three axes sees each window as plain loops do") {
  test_context context;
  using P = amp::o0<>;
  constexpr std::int64_t planes = 3, in[] = {5, 6, 7};
  const auto numbers = check::random_numbers<float>(planes * 5 * 6 * 7, 1);
  const auto x = check::given(context, {planes, 5, 6, 7}, numbers);
  const auto options = amp::max_pool_options{}.stride({1, 2, 2}).padding({1, 0, 1}).dilation({2, 1, 1}).ceil();
  const amp::per_axis size{2, 3, 2};
  const auto both = amp::max_pool3d_with_indices<P>(context, x, size, options);
  REQUIRE(both.value.shape() == amp::shape{planes, 5, 3, 4});
  const auto value = amp::wait_read(context, both.value);
  const auto index = amp::wait_read(context, both.indices);
  CHECK(check::equal_bits(context, both.value, amp::max_pool3d<P>(context, x, size, options)));
  const auto g = check::random_numbers<float>(static_cast<std::int64_t>(value.size()), 2);
  const auto gx = amp::wait_read(context, amp::max_pool3d_backward<P>(context, check::given(context, both.value.shape(), g), x, size, options));
  std::vector<double> want(numbers.size(), 0);
  for (std::size_t o = 0; o < value.size(); ++o) {
    const auto at = static_cast<std::int64_t>(o);
    const std::int64_t first[] = {at / 12 % 5 - 1, at / 4 % 3 * 2, at % 4 * 2 - 1}, plane = at / 60 * 210;
    std::int64_t best = -1;
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 3; ++j)
        for (int k = 0; k < 2; ++k) {
          const std::int64_t z = first[0] + 2 * i, y = first[1] + j, w = first[2] + k;
          if (z < 0 || y < 0 || w < 0 || z >= in[0] || y >= in[1] || w >= in[2]) continue;
          const std::int64_t place = (z * in[1] + y) * in[2] + w;
          if (best < 0 || numbers[static_cast<std::size_t>(plane + place)] > numbers[static_cast<std::size_t>(plane + best)]) best = place;
        }
    CHECK(index[o] == best);
    CHECK(value[o] == numbers[static_cast<std::size_t>(plane + best)]);
    want[static_cast<std::size_t>(plane + best)] += static_cast<double>(g[o]);
  }
  double worst = 0;
  for (std::size_t i = 0; i < want.size(); ++i) worst = (std::max)(worst, std::fabs(static_cast<double>(gx[i]) - want[i]));
  CHECK(worst <= 12 * amp::f32::unit_roundoff * 6);  // at most 12 windows have a place
}

TEST_CASE("the gradient of max_pool is the slope of its value") {
  test_context context;
  auto x = check::random<double>(context, {2, 6, 5}, 1);
  const auto options = amp::max_pool_options{}.stride(1).padding(1);
  const auto g = check::random<double>(context, {2, 6, 5}, 2);
  check::slopes(context, [&] { return check::dot(context, g, amp::max_pool2d<amp::o0<>>(context, x, 3, options)); }, x, amp::max_pool2d_backward<amp::o0<>>(context, g, x, 3, options));
}

TEST_CASE("a window of nothing but minus infinity has its first place; one that holds nothing has none, and no gradient") {
  test_context context;
  using P = amp::o0<>;
  const auto low = check::filled(context, {1, 4}, -std::numeric_limits<float>::infinity());
  CHECK(amp::wait_read(context, amp::max_pool1d_with_indices<P>(context, low, 2).indices) == std::vector<std::int64_t>{0, 2});
  const auto lone = check::filled(context, {1, 1}, 5.0f);
  const auto options = amp::max_pool_options{}.stride(1).padding(2).dilation(3);  // the taps of the first window lie at −2 and 1
  const auto both = amp::max_pool1d_with_indices<P>(context, lone, 2, options);
  CHECK(amp::wait_read(context, both.indices) == std::vector<std::int64_t>{-1, -1});
  CHECK(amp::wait_read(context, amp::max_pool1d_backward<P>(context, check::filled(context, {1, 2}, 1.0f), lone, 2, options)) == std::vector<float>{0});
}

TEST_CASE("windows that do not fit are errors that say what is due") {
  test_context context;
  using P = amp::o0<>;
  golden::tensor<float> x(context, {2, 3, 4, 4});
  CHECK_THROWS_WITH_AS(amp::max_pool2d<P>(context, x, 5), doctest::Contains("amphora [shape]: max_pool2d: a window that reaches over 5 does not fit into 4"), amp::error);
  CHECK_THROWS_WITH_AS(amp::max_pool2d<P>(context, x, 2, amp::max_pool_options{}.padding(2)), doctest::Contains("at most half of the window"), amp::error);
  CHECK_THROWS_WITH_AS(amp::max_pool2d<P>(context, x, 2, amp::max_pool_options{}.stride(0)), doctest::Contains("a stride of 0"), amp::error);
  CHECK_THROWS_WITH_AS(amp::max_pool2d<P>(context, x, {2, 2, 2}), doctest::Contains("2 spatial axes and a window of 3 numbers"), amp::error);
  CHECK_THROWS_WITH_AS(amp::max_pool1d<P>(context, x, 2), doctest::Contains("amphora [shape]: max_pool1d needs x with 1 spatial axes"), amp::error);
  CHECK_THROWS_WITH_AS(amp::max_pool2d_backward<P>(context, x, x, 2), doctest::Contains("a gradient of the value of shape [2, 3, 4, 4] where [2, 3, 2, 2]"), amp::error);
  CHECK_THROWS_WITH_AS(amp::max_pool2d<P>(context, golden::tensor<float>(context, {2, 3, 0, 4}), 1), doctest::Contains("nothing to pool"), amp::error);
}
