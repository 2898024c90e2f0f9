#include <amphora/ops/adaptive_avg_pool.hpp>
#include <amphora/ops/avg_pool.hpp>
#include <amphora/ops/cast.hpp>

#include <ops/gradient_check.hpp>
#include <ops/pool_case.hpp>

namespace amp = amphora;

static_assert(std::is_same_v<decltype(amp::avg_pool2d<amp::o1<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<amp::float16>>(), 2)), golden::tensor<amp::float16>>);
static_assert(std::is_same_v<decltype(amp::adaptive_avg_pool2d<amp::o3<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<float>>(), 1)), golden::tensor<amp::float16>>);

TEST_CASE("avg_pool2d, adaptive_avg_pool2d and their gradients agree with the reference in every format") {
  test_context context;
  int run = 0;
  for (const auto& c : golden::cases("transparent_pooling.json", {"avg_pool2d", "adaptive_avg_pool2d"})) {
    const bool adaptive = c.data.at("op") == "adaptive_avg_pool2d";
    const golden::array a = c.input("input");
    const amp::per_axis size = adaptive ? golden::windows_of(c) : golden::per_axis_of(c.option("kernel_size"));
    const auto options = adaptive ? amp::avg_pool_options{} : golden::avg_pool_options_of(c);
    golden::in_all_settings([&](auto s) {
      using setting = decltype(s);
      using T = typename setting::input;
      using P = typename setting::policy;
      if (!a.template is_exact_in<T>()) return;
      ++run;
      const auto x = a.template to<T>(context);
      const double n = static_cast<double>(a.values.size());
      const auto value = adaptive ? amp::adaptive_avg_pool2d<P>(context, x, size) : amp::avg_pool2d<P>(context, x, size, options);
      golden::compare(context, c.name(), value, c.output(), setting::roundoff, a.largest(), n);
      const auto g = golden::upstream<std::remove_const_t<decltype(value)>>(context, c);
      const auto gx = adaptive ? amp::adaptive_avg_pool2d_backward<P>(context, g, x, size) : amp::avg_pool2d_backward<P>(context, g, x, size, options);
      golden::compare(context, c.name() + " x", gx, c.gradient("input"), setting::roundoff, c.grad_output().largest(), n);
      golden::tensor<T> twice(context, a.shape);
      amp::fill(context, twice, T(1.0f));
      if (adaptive) amp::adaptive_avg_pool2d_backward<P>(context, amp::add_to(twice), g, size);
      else amp::avg_pool2d_backward<P>(context, amp::add_to(twice), g, size, options);
      golden::array more = c.gradient("input");
      for (double& v : more.values) v += 1;
      golden::compare(context, c.name() + " x, added", twice, more, setting::roundoff, c.grad_output().largest() + 1, n);
    });
  }
  CHECK(run > 200);
}

TEST_CASE("over one and three axes the means are those of two, where the others have one place") {
  test_context context;
  using P = amp::o1<amp::bf16>;
  const auto x = check::random<amp::bfloat16>(context, {2, 3, 9}, 1);
  const auto options = amp::avg_pool_options{}.stride(2).padding(1).ceil().count_padding(false);
  const auto two = amp::avg_pool_options{}.stride({1, 2}).padding({0, 1}).ceil().count_padding(false);
  const auto three = amp::avg_pool_options{}.stride({1, 2, 1}).padding({0, 1, 0}).ceil().count_padding(false);
  const amp::view<const amp::bfloat16> flat(x.data(), {2, 3, 1, 9}), deep(x.data(), {2, 3, 1, 9, 1});
  const auto same = [&](const auto& a, const auto& b) {
    const auto left = amp::wait_read(context, a), right = amp::wait_read(context, b);
    CHECK(std::equal(left.begin(), left.end(), right.begin(), right.end(), [](auto one, auto other) { return static_cast<float>(one) == static_cast<float>(other); }));
  };
  const auto y = amp::avg_pool1d<P>(context, x, 3, options);
  same(y, amp::avg_pool2d<P>(context, flat, {1, 3}, two)), same(y, amp::avg_pool3d<P>(context, deep, {1, 3, 1}, three));
  same(amp::avg_pool1d_backward<P>(context, y, x, 3, options), amp::avg_pool2d_backward<P>(context, y.view().reshaped({2, 3, 1, 5}), flat, {1, 3}, two));
  same(amp::avg_pool1d_backward<P>(context, y, x, 3, options), amp::avg_pool3d_backward<P>(context, y.view().reshaped({2, 3, 1, 5, 1}), deep, {1, 3, 1}, three));
  const auto z = amp::adaptive_avg_pool1d<P>(context, x, 4);
  same(z, amp::adaptive_avg_pool2d<P>(context, flat, {1, 4})), same(z, amp::adaptive_avg_pool3d<P>(context, deep, {1, 4, amp::same_extent}));
  same(amp::adaptive_avg_pool1d_backward<P>(context, z, x, 4), amp::adaptive_avg_pool2d_backward<P>(context, z.view().reshaped({2, 3, 1, 4}), flat, {1, 4}));
  same(amp::adaptive_avg_pool1d_backward<P>(context, z, x, 4), amp::adaptive_avg_pool3d_backward<P>(context, z.view().reshaped({2, 3, 1, 4, 1}), deep, {1, 4, 1}));
}

TEST_CASE("the gradients of averages over three axes are the slopes of their values") {
  test_context context;
  using P = amp::o0<>;
  auto x = check::random<double>(context, {2, 4, 5, 3}, 1);
  const auto options = amp::avg_pool_options{}.stride({2, 1, 1}).padding({1, 1, 0}).count_padding(false);
  const auto g = check::random<double>(context, {2, 3, 5, 2}, 2), h = check::random<double>(context, {2, 3, 2, 4}, 3);
  check::slopes(context, [&] { return check::dot(context, g, amp::avg_pool3d<P>(context, x, {2, 3, 2}, options)); }, x, amp::avg_pool3d_backward<P>(context, g, x, {2, 3, 2}, options));
  check::slopes(context, [&] { return check::dot(context, h, amp::adaptive_avg_pool3d<P>(context, x, {3, 2, 4})); }, x, amp::adaptive_avg_pool3d_backward<P>(context, h, x, {3, 2, 4}));
}

TEST_CASE("a mean of large half-precision numbers does not overflow, and small ones are all counted") {
  test_context context;
  const auto large = check::filled(context, {1, 1, 32, 32}, amp::float16(60000.0f));
  CHECK(static_cast<float>(amp::wait_read(context, amp::adaptive_avg_pool2d<amp::o3<amp::f16>>(context, large, 1))[0]) == static_cast<float>(amp::float16(60000.0f)));
  const auto ones = check::filled(context, {1, 4096}, amp::bfloat16(1.0f));
  CHECK(static_cast<float>(amp::wait_read(context, amp::avg_pool1d<amp::o3<amp::bf16>>(context, ones, 4096))[0]) == 1.0f);
}

TEST_CASE("no windows at all are an empty value, and a divisor of 0 is an error") {
  test_context context;
  using P = amp::o0<>;
  golden::tensor<float> x = check::filled(context, {2, 4, 4}, 1.0f);
  const auto none = amp::adaptive_avg_pool2d<P>(context, x, {0, 2});
  CHECK(none.shape() == amp::shape{2, 0, 2});
  CHECK(amp::wait_read(context, amp::adaptive_avg_pool2d_backward<P>(context, none, x, {0, 2})) == std::vector<float>(32, 0.0f));
  CHECK_THROWS_WITH_AS(amp::avg_pool2d<P>(context, x, 2, amp::avg_pool_options{}.divisor(0)), doctest::Contains("amphora [size]: avg_pool2d has a divisor of 0"), amp::error);
  CHECK_THROWS_WITH_AS(amp::adaptive_avg_pool2d<P>(context, x, -2), doctest::Contains("a number of windows of -2"), amp::error);
  CHECK_THROWS_WITH_AS(amp::avg_pool2d_backward<P>(context, x, x, 2), doctest::Contains("a gradient of the value of shape [2, 4, 4] where [2, 2, 2]"), amp::error);
}
