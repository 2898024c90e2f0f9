#include <amphora/ops/cross_entropy.hpp>

#include <ops/golden.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;

static_assert(std::is_same_v<decltype(amp::cross_entropy<amp::o1<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<amp::float16>>(), std::declval<golden::tensor<std::int32_t>>())), golden::tensor<float>>);
static_assert(std::is_same_v<decltype(amp::cross_entropy<amp::o3<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<amp::float16>>(), std::declval<golden::tensor<std::int64_t>>())), golden::tensor<float>>, "the loss is f32 at every level");

namespace {

amp::reduction reduction_of(const std::string& name) { return name == "none" ? amp::reduction::none : name == "mean" ? amp::reduction::mean : amp::reduction::sum; }

template <class T> golden::tensor<T> filled(test_context& context, const amp::shape& shape, std::initializer_list<double> values) {
  std::vector<T> numbers;
  for (double v : values) numbers.push_back(static_cast<T>(static_cast<float>(v)));
  return check::given(context, shape, numbers);
}
template <class Index> golden::tensor<Index> targets(test_context& context, const std::vector<Index>& values) {
  return check::given(context, {static_cast<std::int64_t>(values.size())}, values);
}
template <class T> float only(test_context& context, const golden::tensor<T>& x) { return static_cast<float>(amp::wait_read(context, x).at(0)); }

}  // namespace

TEST_CASE("cross_entropy and its gradient agree with the reference in every format") {
  test_context context;
  int run = 0;
  for (const auto& c : golden::cases("sensitive_loss.json", {"cross_entropy"})) {
    const amp::cross_entropy_settings settings{c.option("ignore_index"), c.option("label_smoothing"), reduction_of(c.option("reduction"))};
    if (c.data.at("inputs").at("target").at("dtype") != "i64") continue;  // probabilities
    const golden::array a = c.input("input");
    const auto t = c.input("target").to_index(context);
    golden::in_all_settings([&](auto s) {
      using setting = decltype(s);
      using T = typename setting::input;
      using P = typename setting::policy;
      if (!a.template is_exact_in<T>()) return;
      ++run;
      const auto x = a.template to<T>(context);
      // Losses lie below largest + log(classes) + …; weights are below 2 and, where a mean divides by them, above 1/4.
      const double rows = static_cast<double>(t.size()) + 1, terms = 8 * (a.largest() + 4), n = static_cast<double>(a.values.size());
      const auto check_all = [&](const auto& w) {
        const auto value = amp::cross_entropy<P>(context, x, t, settings, w);
        golden::compare(context, c.name(), value, c.output(), setting::roundoff, terms * rows, n);
        if (!c.has_gradients()) return;
        const auto g = golden::upstream<std::remove_const_t<decltype(value)>>(context, c);
        const double largest = 8 * c.grad_output().largest();
        golden::compare(context, c.name() + " x", amp::cross_entropy_backward<P>(context, g, x, t, settings, w), c.gradient("input"), setting::roundoff,
                        largest * (a.largest() + 4), n);
      };
      if (c.has("weight")) check_all(c.input("weight").template to<T>(context));
      else check_all(amp::no_weights{});
    });
  }
  CHECK(run > 300);
}

TEST_CASE("cross_entropy's gradient is the slope of its value") {
  test_context context;
  auto x = check::random<double>(context, {3, 5, 2}, 1);
  auto weights = check::random_numbers<double>(5, 2);
  for (double& weight : weights) weight += 1.5;
  const auto w = check::given(context, {5}, weights);
  const auto t = check::given<std::int32_t>(context, {3, 2}, {0, 1, 2, -100, 4, 0});
  for (const auto r : {amp::reduction::mean, amp::reduction::sum, amp::reduction::none}) {
    const amp::cross_entropy_settings settings{-100, 0.25, r, 0.5};
    const auto g = check::random<double>(context, amp::cross_entropy<amp::o0<>>(context, x, t, settings, w).shape(), 3);
    check::slopes(context, [&] { return check::dot(context, g, amp::cross_entropy<amp::o0<>>(context, x, t, settings, w)); }, x, amp::cross_entropy_backward<amp::o0<>>(context, g, x, t, settings, w));
  }
}

TEST_CASE("B43: cross entropy at its edges") {
  test_context context;
  using policy = amp::o1<amp::f16>;
  const auto one = filled<float>(context, {}, {1});
  {  // all targets ignored: the mean is NaN and the gradient 0, as in PyTorch
    const auto x = filled<amp::float16>(context, {2, 3}, {1, 2, 3, 4, 5, 6});
    const auto t = targets<std::int64_t>(context, {-100, -100});
    CHECK(std::isnan(only(context, amp::cross_entropy<policy>(context, x, t))));
    CHECK(only(context, amp::cross_entropy<policy>(context, x, t, {-100, 0, amp::reduction::sum})) == 0);
    for (const auto g : amp::wait_read(context, amp::cross_entropy_backward<policy>(context, one, x, t))) CHECK(static_cast<float>(g) == 0);
  }
  {  // a target that is no class is an error before anything is written; CUDA, where no error can come back, writes NaN
    const auto x = filled<float>(context, {2, 3}, {1, 2, 3, 4, 5, 6});
    const auto below = targets<std::int64_t>(context, {0, -4}), above = targets<std::int64_t>(context, {0, 3});
    auto loss = filled<float>(context, {}, {7});
    if constexpr (tests_cuda) {
      amp::cross_entropy<policy>(context, amp::into(loss), x, below, {-1});
      CHECK(std::isnan(only(context, loss)));
      CHECK(std::isnan(only(context, amp::cross_entropy<policy>(context, x, above))));
      const auto each = amp::wait_read(context, amp::cross_entropy<policy>(context, x, above, {-100, 0, amp::reduction::none}));
      CHECK(std::isfinite(each[0]));
      CHECK(std::isnan(each[1]));
      const auto ones = filled<float>(context, {2}, {1, 1});
      const auto gradient = amp::wait_read(context, amp::cross_entropy_backward<policy>(context, ones, x, above, {-100, 0, amp::reduction::none}));
      for (std::size_t i = 0; i < 6; ++i) CHECK(std::isnan(gradient[i]) == (i >= 3));
    } else {
      CHECK_THROWS_WITH_AS(amp::cross_entropy<policy>(context, amp::into(loss), x, below, {-1}), doctest::Contains("amphora [target]"), amp::error);
      CHECK(only(context, loss) == 7);
      CHECK_THROWS_WITH_AS(amp::cross_entropy<policy>(context, x, above), doctest::Contains("3 classes"), amp::error);
    }
  }
  {  // 50,000 equal logits with smoothing: log(50000)
    const auto x = check::filled(context, {1, 50000}, amp::float16(2.5f));
    const float loss = only(context, amp::cross_entropy<policy>(context, x, targets<std::int64_t>(context, {7}), {-100, 0.1}));
    CHECK(std::fabs(static_cast<double>(loss) - std::log(50000.0)) <= 11 * 8 * amp::f32::unit_roundoff);
  }
  {  // far outside f16's range
    const float loss = only(context, amp::cross_entropy<policy>(context, filled<amp::float16>(context, {1, 2}, {60000, -60000}), targets<std::int32_t>(context, {1})));
    CHECK(loss == 120000);
  }
  {  // 70,000 losses of one
    constexpr int rows = 70000;
    const float rest = -std::log(std::exp(1.0f) - 1);  // logits [rest, 0], target 0: loss log(1 + e^-rest) = 1
    std::vector<float> logits(2 * rows, 0.0f);
    for (std::size_t i = 0; i < logits.size(); i += 2) logits[i] = rest;
    const auto x = check::given(context, {rows, 2}, logits);
    const auto t = check::filled<std::int32_t>(context, {rows}, 0);
    const float sum = only(context, amp::cross_entropy<policy>(context, x, t, {-100, 0, amp::reduction::sum}));
    CHECK(std::fabs(static_cast<double>(sum) / rows - 1) <= 8 * amp::f32::unit_roundoff);
  }
  {  // logits [10, 0, 0, 0], target 0, smoothing 0.1: by the definition
    const double log_sum = std::log(std::exp(10.0) + 3), want = 0.9 * (log_sum - 10) + 0.1 / 4 * (4 * log_sum - 10);
    const float loss = only(context, amp::cross_entropy<policy>(context, filled<amp::float16>(context, {1, 4}, {10, 0, 0, 0}), targets<std::int64_t>(context, {0}), {-100, 0.1}));
    CHECK(std::fabs(static_cast<double>(loss) - want) <= 10 * 8 * amp::f32::unit_roundoff);
    CHECK(std::fabs(want - 0.7501361905) < 1e-9);
  }
}

TEST_CASE("settings out of range and shapes that do not match are errors") {
  test_context context;
  const auto x = filled<float>(context, {2, 3}, {1, 2, 3, 4, 5, 6});
  const auto t = targets<std::int64_t>(context, {0, 1});
  CHECK_THROWS_WITH_AS(amp::cross_entropy<amp::o0<>>(context, x, t, {-100, 1.5f}), doctest::Contains("amphora [setting]"), amp::error);
  CHECK_THROWS_WITH_AS(amp::cross_entropy<amp::o0<>>(context, x, targets<std::int64_t>(context, {0, 1, 2})), doctest::Contains("[3] where [2] is due"), amp::error);
  CHECK_THROWS_WITH_AS(amp::cross_entropy<amp::o0<>>(context, x, t, {}, filled<float>(context, {2}, {1, 1})), doctest::Contains("[2] where [3] is due"), amp::error);
}

TEST_CASE("the factor scales loss and gradient") {
  test_context context;
  const auto x = check::random<float>(context, {4, 6}, 1);
  const auto t = targets<std::int64_t>(context, {0, 5, 2, 3});
  const auto one = filled<float>(context, {}, {1});
  const auto whole = amp::cross_entropy<amp::o0<>>(context, x, t), half = amp::cross_entropy<amp::o0<>>(context, x, t, {-100, 0, amp::reduction::mean, 0.5f});
  CHECK(only(context, half) == only(context, whole) / 2);
  const auto g = amp::cross_entropy_backward<amp::o0<>>(context, one, x, t), h = amp::cross_entropy_backward<amp::o0<>>(context, one, x, t, {-100, 0, amp::reduction::mean, 0.5f});
  const auto with_factor = amp::wait_read(context, h), without = amp::wait_read(context, g);
  for (std::size_t i = 0; i < 24; ++i) CHECK(with_factor[i] == without[i] / 2);
}
