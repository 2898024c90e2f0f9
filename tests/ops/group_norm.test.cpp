#include <amphora/ops/group_norm.hpp>

#include <ops/gradient_check.hpp>
#include <ops/norm_case.hpp>

namespace amp = amphora;

static_assert(std::is_same_v<decltype(amp::group_norm<amp::o1<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<amp::float16>>(), 2)), golden::tensor<float>>);

TEST_CASE("group_norm and its gradients agree with the reference in every format") {
  test_context context;
  int run = 0;
  for (const auto& c : golden::cases("sensitive_normalization.json", {"group_norm"})) {
    const golden::array a = c.input("input");
    const std::int64_t groups = c.option("num_groups");
    const double eps = c.option("eps");
    const golden::norm_bounds bounds(c, amp::detail::group_call("", a.shape, groups, eps));
    golden::in_all_settings([&](auto s) {
      using setting = decltype(s);
      using T = typename setting::input;
      using P = typename setting::policy;
      if (!golden::norm_inputs_fit<T>(c)) return;
      ++run;
      const auto x = a.template to<T>(context);
      golden::norm_operands<T>(context, c, [&](const auto& w, const auto& b) {
        const auto value = amp::group_norm<P>(context, x, groups, w, b, eps);
        golden::compare(context, c.name(), value, c.output(), setting::roundoff, bounds.value, bounds.terms, bounds.reference);
        const auto result = amp::group_norm_backward<P>(context, golden::upstream<std::remove_const_t<decltype(value)>>(context, c), x, groups, w, eps);
        bounds.compare_gradients<setting>(context, c, result, amp::detail::is_affine_v<std::decay_t<decltype(w)>>);
      });
    });
  }
  CHECK(run > 50);
}

TEST_CASE("the gradients of group_norm are the slopes of its value") {
  test_context context;
  using P = amp::o0<>;
  auto x = check::random<double>(context, {2, 6, 5}, 1), w = check::random<double>(context, {6}, 2), b = check::random<double>(context, {6}, 3);
  const auto g = check::random<double>(context, {2, 6, 5}, 4);
  const auto value = [&] { return check::dot(context, g, amp::group_norm<P>(context, x, 3, w, b)); };
  const auto slopes = amp::group_norm_backward<P>(context, g, x, 3, w);
  check::slopes(context, value, x, slopes.x), check::slopes(context, value, w, slopes.w), check::slopes(context, value, b, slopes.b);
}

TEST_CASE("long groups have their weights channel by channel") {
  test_context context;
  constexpr std::int64_t batch = 2, channels = 12, inner = 700;
  const auto numbers = check::random_numbers<amp::float16>(batch * channels * inner, 1);
  const auto x = check::given(context, {batch, channels, inner}, numbers);
  std::vector<float> weights, bias;
  for (int k = 0; k < channels; ++k) weights.push_back(static_cast<float>(k + 1)), bias.push_back(static_cast<float>(-k));
  const auto got = amp::wait_read(context, amp::group_norm<amp::o1<amp::f16>>(context, x, 4, check::given(context, {channels}, weights), check::given(context, {channels}, bias)));
  double worst = 0;
  for (std::size_t first = 0; first < numbers.size(); first += 3 * inner) {
    double mean = 0, square = 0;
    for (std::size_t i = first; i < first + 3 * inner; ++i) mean += static_cast<double>(numbers[i]) / (3 * inner);
    for (std::size_t i = first; i < first + 3 * inner; ++i) square += (static_cast<double>(numbers[i]) - mean) * (static_cast<double>(numbers[i]) - mean) / (3 * inner);
    for (std::size_t i = first; i < first + 3 * inner; ++i) {
      const auto k = static_cast<double>(i / inner % channels);
      worst = (std::max)(worst, std::fabs(static_cast<double>(got[i]) - ((static_cast<double>(numbers[i]) - mean) / std::sqrt(square + 1e-5) * (k + 1) - k)));
    }
  }
  CHECK(worst <= 8 * amp::f32::unit_roundoff * (2 * 12 + 12));
}

TEST_CASE("groups that do not divide the channels are an error, and so is one number alone") {
  test_context context;
  golden::tensor<float> x(context, {2, 6, 3}), lone(context, {1, 2});
  CHECK_THROWS_WITH_AS(amp::group_norm<amp::o0<>>(context, x, 4), doctest::Contains("amphora [shape]: group_norm cannot share 6 channels of [2, 6, 3] among 4 groups"), amp::error);
  CHECK_THROWS_WITH_AS(amp::group_norm<amp::o0<>>(context, x, 0), doctest::Contains("amphora [shape]"), amp::error);
  CHECK_THROWS_WITH_AS(amp::group_norm<amp::o0<>>(context, lone, 2), doctest::Contains("one number a group"), amp::error);
  CHECK_THROWS_WITH_AS(amp::group_norm<amp::o0<>>(context, x, 2, golden::tensor<float>(context, {3})), doctest::Contains("weights of shape [3] where [6]"), amp::error);
}
