#include <amphora/ops/soft_cross_entropy.hpp>

#include <ops/gradient_check.hpp>
#include <ops/loss_case.hpp>

namespace amp = amphora;

static_assert(std::is_same_v<decltype(amp::cross_entropy<amp::o3<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<amp::float16>>(), std::declval<golden::tensor<amp::float16>>())), golden::tensor<float>>);

namespace {

template <class Setting> int run_soft_targets() {
  using T = typename Setting::input;
  using P = typename Setting::policy;
  test_context context;
  int run = 0;
  for (const auto& c : golden::loss_cases("cross_entropy")) {
    if (c.data.at("inputs").at("target").at("dtype") == "i64") continue;
    ++run;
    const amp::cross_entropy_settings settings{-100, c.option("label_smoothing"), golden::reduction_of(c)};
    const golden::array a = c.input("input");
    const auto x = a.template to<T>(context), t = c.input("target").to<T>(context);
    const double n = static_cast<double>(a.values.size()), size = 8 * (a.largest() + 4) * (1 + c.input("target").largest());
    const auto check_all = [&](const auto& w) {
      const auto value = amp::cross_entropy<P>(context, x, t, settings, w);
      golden::compare(context, c.name(), value, c.output(), Setting::roundoff, n * size, n);
      const auto g = golden::upstream<std::remove_const_t<decltype(value)>>(context, c);
      const auto [gx, gt] = amp::cross_entropy_backward<P>(context, g, x, t, settings, w);
      golden::compare(context, c.name() + " x", gx, c.gradient("input"), Setting::roundoff, size * c.grad_output().largest(), n);
      golden::compare(context, c.name() + " t", gt, c.gradient("target"), Setting::roundoff, size * c.grad_output().largest(), n);
    };
    if (c.has("weight")) check_all(c.input("weight").template to<T>(context));
    else check_all(amp::no_weights{});
  }
  return run;
}

}  // namespace

TEST_CASE("cross_entropy against probabilities and its gradients agree with the reference in every format") {
  CHECK(run_soft_targets<golden::setting<amp::o0<>, amp::f64>>() == 14);
  CHECK(run_soft_targets<golden::setting<amp::o0<>, amp::f32>>() == 14);
  CHECK(run_soft_targets<golden::setting<amp::o3<amp::f16>, amp::f16>>() == 14);
}

TEST_CASE("cross_entropy against certain probabilities is that against indices, and its gradients are slopes") {
  test_context context;
  auto x = check::random<double>(context, {3, 5, 2}, 1), t = check::random<double>(context, {3, 5, 2}, 2);
  const auto w = check::given<double>(context, {5}, {1, 0.5, 2, 1.5, 0.75});
  for (const auto r : {amp::reduction::mean, amp::reduction::none}) {
    const amp::cross_entropy_settings settings{-100, 0.25, r, 0.5};
    const auto g = check::random<double>(context, r == amp::reduction::none ? amp::shape{3, 2} : amp::shape{}, 3);
    const auto value = [&] { return check::dot(context, g, amp::cross_entropy<amp::o0<>>(context, x, t, settings, w)); };
    const auto [gx, gt] = amp::cross_entropy_backward<amp::o0<>>(context, g, x, t, settings, w);
    check::slopes(context, value, x, gx), check::slopes(context, value, t, gt);
  }
  std::vector<float> certain(4 * 100, 0.0f);
  std::vector<std::int32_t> indices(4);
  for (std::size_t row = 0; row < 4; ++row) indices[row] = static_cast<std::int32_t>(row * 17), certain[row * 100 + row * 17] = 1;
  const auto logits = check::random<float>(context, {4, 100}, 4);
  const float soft = amp::wait_read(context, amp::cross_entropy<amp::o0<>>(context, logits, check::given(context, {4, 100}, certain)))[0];
  const float hard = amp::wait_read(context, amp::cross_entropy<amp::o0<>>(context, logits, check::given(context, {4}, indices)))[0];
  CHECK(std::fabs(soft - hard) <= 8 * 8 * amp::f32::unit_roundoff);
}

TEST_CASE("an index to ignore has no meaning beside probabilities, whose shape is the logits'") {
  test_context context;
  const auto x = check::filled(context, {2, 3}, 1.0f);
  CHECK_THROWS_WITH_AS(amp::cross_entropy<amp::o0<>>(context, x, x, {0}), doctest::Contains("amphora [setting]"), amp::error);
  CHECK_THROWS_WITH_AS(amp::cross_entropy<amp::o0<>>(context, x, check::filled(context, {2}, 1.0f)), doctest::Contains("probabilities of shape [2] where [2, 3] is due"), amp::error);
}
