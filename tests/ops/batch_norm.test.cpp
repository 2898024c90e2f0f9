#include <amphora/ops/batch_norm.hpp>

#include <ops/gradient_check.hpp>
#include <ops/norm_case.hpp>

namespace amp = amphora;

static_assert(std::is_same_v<decltype(amp::batch_norm<amp::o1<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<amp::float16>>(), amp::no_running{})), golden::tensor<float>>);
static_assert(std::is_same_v<decltype(amp::batch_norm<amp::o3<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<amp::float16>>(), amp::no_running{})), golden::tensor<amp::float16>>);

namespace {

/// Value, gradients and running statistics of a case. Form names the ops.
template <class Form> int agree(test_context& context, const char* name, const char* training) {
  int run = 0;
  for (const auto& c : golden::cases("sensitive_normalization.json", {name})) {
    const golden::array a = c.input("input");
    amp::batch_norm_settings settings;
    settings.training = c.option(training), settings.momentum = golden::number(c.option("momentum")), settings.eps = c.option("eps");
    const golden::norm_bounds bounds(c, Form::kind::call(a.shape, settings));
    golden::in_all_settings([&](auto s) {
      using setting = decltype(s);
      using T = typename setting::input;
      using P = typename setting::policy;
      if (!golden::norm_inputs_fit<T>(c)) return;
      ++run;
      const auto x = a.template to<T>(context);
      golden::norm_operands<T>(context, c, [&](const auto& w, const auto& b) {
        const auto with = [&](const auto& running) {
          const auto value = Form::template value<P>(context, x, running, w, b, settings);
          golden::compare(context, c.name(), value, c.output(), setting::roundoff, bounds.value, bounds.terms, bounds.reference);
          const auto g = golden::upstream<std::remove_const_t<decltype(value)>>(context, c);
          bounds.compare_gradients<setting>(context, c, Form::template gradients<P>(context, g, x, running, w, settings), amp::detail::is_affine_v<std::decay_t<decltype(w)>>);
        };
        if (!c.has("running_mean")) return with(amp::no_running{});
        const golden::array mean = c.input("running_mean"), variance = c.input("running_var");
        auto running_mean = mean.template to<double>(context), running_variance = variance.template to<double>(context);
        with(amp::running_statistics(running_mean, running_variance));
        const double terms = a.largest() + mean.largest() + variance.largest() + a.largest() * a.largest();
        golden::compare(context, c.name() + " running mean", running_mean, golden::array(c.data.at("outputs").at("running_mean_after")), setting::roundoff, terms, bounds.terms);
        golden::compare(context, c.name() + " running variance", running_variance, golden::array(c.data.at("outputs").at("running_var_after")), setting::roundoff, terms, bounds.terms);
      });
    });
  }
  return run;
}
struct batch_form {
  using kind = amp::detail::batch_norm_kind;
  template <class P, class... A> static auto value(A&&... a) { return amp::batch_norm<P>(a...); }
  template <class P, class... A> static auto gradients(A&&... a) { return amp::batch_norm_backward<P>(a...); }
};
struct instance_form {
  using kind = amp::detail::instance_norm_kind;
  template <class P, class... A> static auto value(A&&... a) { return amp::instance_norm<P>(a...); }
  template <class P, class... A> static auto gradients(A&&... a) { return amp::instance_norm_backward<P>(a...); }
};

}  // namespace

TEST_CASE("batch_norm, its gradients and its running statistics agree with the reference in every format") {
  test_context context;
  CHECK(agree<batch_form>(context, "batch_norm", "training") > 80);
}

TEST_CASE("instance_norm, its gradients and its running statistics agree with the reference in every format") {
  test_context context;
  CHECK(agree<instance_form>(context, "instance_norm", "use_input_stats") > 50);
}

TEST_CASE("the gradients of batch_norm are the slopes of its value, in training and in evaluation") {
  test_context context;
  using P = amp::o0<>;
  auto x = check::random<double>(context, {3, 2, 4}, 1), w = check::random<double>(context, {2}, 2), b = check::random<double>(context, {2}, 3);
  const auto g = check::random<double>(context, {3, 2, 4}, 4);
  auto mean = check::random<float>(context, {2}, 5), variance = check::filled(context, {2}, 0.75f);
  const auto both = [&](const auto& running, const amp::batch_norm_settings& settings) {
    const auto value = [&] { return check::dot(context, g, amp::batch_norm<P>(context, x, running, w, b, settings)); };
    const auto slopes = amp::batch_norm_backward<P>(context, g, x, running, w, settings);
    check::slopes(context, value, x, slopes.x), check::slopes(context, value, w, slopes.w), check::slopes(context, value, b, slopes.b);
  };
  both(amp::no_running{}, {});
  both(amp::running_statistics(mean, variance), {false});
}

TEST_CASE("running statistics stay float under any policy, and a cumulative average counts its batches on the device") {
  test_context context;
  using P = amp::o3<amp::f16>;
  auto mean = check::filled(context, {2}, 0.0f), variance = check::filled(context, {2}, 1.0f);
  golden::tensor<std::int64_t> batches(context, {1});
  amp::fill(context, batches, std::int64_t(0));
  const amp::running_statistics running(mean, variance, batches);
  amp::batch_norm_settings settings;
  settings.cumulative = true;
  double want_mean = 0, want_variance = 0;
  for (unsigned batch = 0; batch < 4; ++batch) {
    const auto numbers = check::random_numbers<amp::float16>(5 * 2 * 3, batch);
    (void)amp::batch_norm<P>(context, check::given(context, {5, 2, 3}, numbers), running, amp::no_weight{}, amp::no_bias{}, settings);
    double m = 0, v = 0;
    for (std::size_t n = 0; n < 5; ++n)
      for (std::size_t i = 0; i < 3; ++i) m += static_cast<double>(numbers[n * 6 + 3 + i]) / 15;
    for (std::size_t n = 0; n < 5; ++n)
      for (std::size_t i = 0; i < 3; ++i) v += (static_cast<double>(numbers[n * 6 + 3 + i]) - m) * (static_cast<double>(numbers[n * 6 + 3 + i]) - m) / 14;
    want_mean += m / 4, want_variance += v / 4;
  }
  CHECK(amp::wait_read(context, batches)[0] == 4);
  CHECK(std::fabs(static_cast<double>(amp::wait_read(context, mean)[1]) - want_mean) <= 16 * amp::f32::unit_roundoff);
  CHECK(std::fabs(static_cast<double>(amp::wait_read(context, variance)[1]) - want_variance) <= 16 * amp::f32::unit_roundoff);
  settings.training = false;
  (void)amp::batch_norm<P>(context, check::random<amp::float16>(context, {5, 2, 3}, 9), running, amp::no_weight{}, amp::no_bias{}, settings);
  CHECK(amp::wait_read(context, batches)[0] == 4);
}

TEST_CASE("B45: a channel's mean that is large beside the spread keeps its digits, over many examples and side by side") {
  test_context context;
  using P = amp::o0<>;
  for (const amp::shape& s : {amp::shape{200, 3, 1}, amp::shape{200, 3}, amp::shape{4, 3, 700}, amp::shape{65, 3, 8}, amp::shape{1, 3, 5000}}) {
    CAPTURE(s[2 % s.rank()]);
    const std::int64_t inner = s.product(2, s.rank());
    std::vector<float> numbers;
    for (std::int64_t i = 0; i < s.elements(); ++i) numbers.push_back(10000 + static_cast<float>(i * 7 % 16) * 1e-3f);
    auto mean = check::filled(context, {3}, 0.0f), variance = check::filled(context, {3}, 0.0f);
    amp::batch_norm_settings settings;
    settings.momentum = 1, settings.eps = 1e-12;
    const auto got = amp::wait_read(context, amp::batch_norm<P>(context, check::given(context, s, numbers), amp::running_statistics(mean, variance), amp::no_weight{}, amp::no_bias{}, settings));
    for (std::int64_t k = 0; k < 3; ++k) {
      double want_mean = 0, square = 0;
      const auto n = static_cast<double>(s[0] * inner);
      const auto each = [&](const auto& f) {
        for (std::int64_t row = 0; row < s[0]; ++row)
          for (std::int64_t i = 0; i < inner; ++i) f(static_cast<std::size_t>((row * 3 + k) * inner + i));
      };
      each([&](std::size_t i) { want_mean += static_cast<double>(numbers[i]) / n; });
      each([&](std::size_t i) { square += (static_cast<double>(numbers[i]) - want_mean) * (static_cast<double>(numbers[i]) - want_mean) / n; });
      double worst = 0;
      each([&](std::size_t i) { worst = (std::max)(worst, std::fabs(static_cast<double>(got[i]) - (static_cast<double>(numbers[i]) - want_mean) / std::sqrt(square + 1e-12))); });
      CHECK(worst <= 1e-6);
      CHECK(std::fabs(static_cast<double>(amp::wait_read(context, variance)[static_cast<std::size_t>(k)]) - square * n / (n - 1)) <= 1e-6 * square);
    }
  }
}

TEST_CASE("under autocast the bits are those of a cast by hand, then a call") {
  test_context context;
  const auto x = check::random<amp::float16>(context, {6, 3, 8}, 1);
  const auto w = check::random<float>(context, {3}, 2), b = check::random<float>(context, {3}, 3);
  CHECK(check::equal_bits(context, amp::batch_norm<amp::o1<amp::f16>>(context, x, amp::no_running{}, w, b),
                          amp::batch_norm<amp::o0<>>(context, amp::cast<amp::f32>(context, x), amp::no_running{}, w, b)));
}

TEST_CASE("what a batch normalization cannot do is an error, before anything moves") {
  test_context context;
  using P = amp::o0<>;
  golden::tensor<float> x(context, {2, 3, 4}), lone(context, {1, 3}), flat(context, {6});
  auto mean = check::filled(context, {3}, 0.0f), variance = check::filled(context, {3}, 1.0f), other = check::filled(context, {2}, 1.0f);
  amp::batch_norm_settings evaluation{false}, cumulative{true, 0.1, true};
  CHECK_THROWS_WITH_AS(amp::batch_norm<P>(context, flat, amp::no_running{}), doctest::Contains("[batch, channels, ...], not [6]"), amp::error);
  CHECK_THROWS_WITH_AS(amp::batch_norm<P>(context, lone, amp::no_running{}), doctest::Contains("one value a channel"), amp::error);
  CHECK_THROWS_WITH_AS(amp::batch_norm<P>(context, x, amp::no_running{}, amp::no_weight{}, amp::no_bias{}, evaluation), doctest::Contains("amphora [setting]"), amp::error);
  CHECK_THROWS_WITH_AS(amp::batch_norm<P>(context, x, amp::running_statistics(mean, other)), doctest::Contains("a running variance of shape [2]"), amp::error);
  CHECK_THROWS_WITH_AS(amp::batch_norm<P>(context, x, amp::running_statistics(mean, variance), amp::no_weight{}, amp::no_bias{}, cumulative), doctest::Contains("number of batches"), amp::error);
  CHECK_THROWS_WITH_AS(amp::instance_norm<P>(context, golden::tensor<float>(context, {2, 3, 1}), amp::no_running{}), doctest::Contains("one value a channel"), amp::error);
  CHECK(amp::wait_read(context, mean) == std::vector<float>(3, 0.0f));
}
