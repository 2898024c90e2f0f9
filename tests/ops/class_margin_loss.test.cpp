#include <amphora/ops/class_margin_loss.hpp>

#include <ops/gradient_check.hpp>
#include <ops/loss_case.hpp>

namespace amp = amphora;

namespace {

template <class Setting> int run_multi() {
  using T = typename Setting::input;
  using P = typename Setting::policy;
  test_context context;
  int run = 0;
  for (const auto& c : golden::loss_cases("multi_margin_loss")) {
    ++run;
    const amp::multi_margin_settings settings{golden::reduction_of(c), c.option("margin"), c.option("p")};
    const golden::array a = c.input("input");
    const auto x = a.template to<T>(context);
    const auto t = c.input("target").to_index(context);
    const double range = 1 + 2 * a.largest(), size = 2 * range * range, n = static_cast<double>(a.values.size());
    const auto check_all = [&](const auto& w) {
      const auto value = amp::multi_margin_loss<P>(context, x, t, settings, w);
      golden::compare(context, c.name(), value, c.output(), Setting::roundoff, n * size, n);
      const auto g = golden::upstream<std::remove_const_t<decltype(value)>>(context, c);
      golden::compare(context, c.name() + " x", amp::multi_margin_loss_backward<P>(context, g, x, t, settings, w), c.gradient("input"), Setting::roundoff, size * c.grad_output().largest(), n);
    };
    if (c.has("weight")) check_all(c.input("weight").template to<T>(context));
    else check_all(amp::no_weights{});
  }
  return run;
}
template <class Setting> int run_multilabel() {
  using T = typename Setting::input;
  using P = typename Setting::policy;
  test_context context;
  int run = 0;
  for (const auto& c : golden::loss_cases("multilabel_margin_loss")) {
    ++run;
    const golden::array a = c.input("input");
    const auto x = a.template to<T>(context);
    const auto t = c.input("target").to_index(context);
    const double size = 4 * (1 + 2 * a.largest()), n = static_cast<double>(a.values.size());
    const auto value = amp::multilabel_margin_loss<P>(context, x, t, golden::reduction_of(c));
    golden::compare(context, c.name(), value, c.output(), Setting::roundoff, n * size, n);
    const auto g = golden::upstream<std::remove_const_t<decltype(value)>>(context, c);
    golden::compare(context, c.name() + " x", amp::multilabel_margin_loss_backward<P>(context, g, x, t, golden::reduction_of(c)), c.gradient("input"), Setting::roundoff, size * c.grad_output().largest(), n);
  }
  return run;
}

}  // namespace

TEST_CASE("multi_margin_loss and its gradient agree with the reference in every format") {
  CHECK(run_multi<golden::setting<amp::o0<>, amp::f64>>() == 24);
  CHECK(run_multi<golden::setting<amp::o1<amp::f16>, amp::f32>>() == 24);
  CHECK(run_multi<golden::setting<amp::o3<amp::f16>, amp::f16>>() == 24);
}

TEST_CASE("multilabel_margin_loss and its gradient agree with the reference in every format") {
  CHECK(run_multilabel<golden::setting<amp::o0<>, amp::f64>>() == 6);
  CHECK(run_multilabel<golden::setting<amp::o1<amp::f16>, amp::f32>>() == 6);
  CHECK(run_multilabel<golden::setting<amp::o3<amp::f16>, amp::f16>>() == 6);
}

TEST_CASE("gradients of losses of classes are the slopes of their values, for rows of any length") {
  test_context context;
  for (const std::int64_t classes : {1, 3, 37, 300}) {
    CAPTURE(classes);
    auto x = check::random<double>(context, {3, classes}, 1);
    const auto t = check::given<std::int32_t>(context, {3}, {0, static_cast<std::int32_t>(classes / 2), static_cast<std::int32_t>(classes - 1)});
    const auto g = check::random<double>(context, {3}, 2);
    const amp::multi_margin_settings settings{amp::reduction::none, 2.5, 2};
    check::slopes(context, [&] { return check::dot(context, g, amp::multi_margin_loss<amp::o0<>>(context, x, t, settings)); }, x, amp::multi_margin_loss_backward<amp::o0<>>(context, g, x, t, settings));
    std::vector<std::int64_t> labels(static_cast<std::size_t>(3 * classes), -1);
    for (std::int64_t row = 0; row < 3; ++row)
      for (std::int64_t k = 0; k < (std::min)(row, classes); ++k) labels[static_cast<std::size_t>(row * classes + k)] = classes - 1 - k;
    const auto several = check::given(context, {3, classes}, labels);
    check::slopes(context, [&] { return check::dot(context, g, amp::multilabel_margin_loss<amp::o0<>>(context, x, several, amp::reduction::none)); }, x,
                  amp::multilabel_margin_loss_backward<amp::o0<>>(context, g, x, several, amp::reduction::none));
  }
}

TEST_CASE("a label that is no class is an error, or NaN where none can be raised; shapes and powers that do not fit are errors") {
  test_context context;
  const auto x = check::given<float>(context, {2, 3}, {1, 2, 3, 4, 5, 6});
  const auto t = check::given<std::int64_t>(context, {2}, {0, 3});
  const auto labels = check::given<std::int64_t>(context, {2, 3}, {0, -1, 7, 1, -2, -1});
  if constexpr (tests_cuda) {
    const auto each = amp::wait_read(context, amp::multi_margin_loss<amp::o0<>>(context, x, t, {amp::reduction::none}));
    CHECK(std::isfinite(each[0]));
    CHECK(std::isnan(each[1]));
    CHECK(std::isnan(amp::wait_read(context, amp::multilabel_margin_loss<amp::o0<>>(context, x, labels))[0]));
    const auto gradient = amp::wait_read(context, amp::multi_margin_loss_backward<amp::o0<>>(context, check::filled(context, {}, 1.0f), x, t));
    for (std::size_t i = 0; i < 6; ++i) CHECK(std::isnan(gradient[i]) == (i >= 3));
  } else {
    CHECK_THROWS_WITH_AS(amp::multi_margin_loss<amp::o0<>>(context, x, t), doctest::Contains("amphora [target]"), amp::error);
    CHECK_THROWS_WITH_AS(amp::multilabel_margin_loss<amp::o0<>>(context, x, labels), doctest::Contains("the target -2 in row 1"), amp::error);
  }
  CHECK_THROWS_WITH_AS(amp::multi_margin_loss<amp::o0<>>(context, x, labels), doctest::Contains("[2, 3] where [2] is due"), amp::error);
  CHECK_THROWS_WITH_AS(amp::multi_margin_loss<amp::o0<>>(context, x, t, {amp::reduction::mean, 1, 3}), doctest::Contains("amphora [setting]"), amp::error);
}
