#include <amphora/ops/row_loss.hpp>

#include <amphora/ops/cosine_embedding_loss.hpp>
#include <amphora/ops/triplet_margin_loss.hpp>
#include <ops/gradient_check.hpp>
#include <ops/loss_case.hpp>

namespace amp = amphora;

static_assert(std::is_same_v<decltype(amp::triplet_margin_loss<amp::o3<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<amp::float16>>(), std::declval<golden::tensor<float>>(), std::declval<golden::tensor<amp::float16>>())), golden::tensor<float>>);

namespace {

amp::triplet_margin_settings triplet(const golden::test_case& c) { return {golden::reduction_of(c), c.option("margin"), c.option("p"), c.option("eps"), c.option("swap")}; }

template <class Setting> void run_cosine(int& run) {
  using T = typename Setting::input;
  using P = typename Setting::policy;
  test_context context;
  for (const auto& c : golden::loss_cases("cosine_embedding_loss")) {
    ++run;
    const amp::reduction r = golden::reduction_of(c);
    const double margin = c.option("margin"), n = static_cast<double>(c.input("input1").values.size());
    const auto x = c.input("input1").to<T>(context), y = c.input("input2").to<T>(context), t = c.input("target").to<T>(context);
    const auto value = amp::cosine_embedding_loss<P>(context, x, y, t, r, margin);
    golden::compare(context, c.name(), value, c.output(), Setting::roundoff, 2 * n, n);
    const auto g = golden::upstream<std::remove_const_t<decltype(value)>>(context, c);
    const auto [gx, gy] = amp::cosine_embedding_loss_backward<P>(context, g, x, y, t, r, margin);
    const double size = (1 + c.grad_output().largest()) * (1 + c.input("input1").largest()) * (1 + c.input("input2").largest());
    golden::compare(context, c.name() + " x", gx, c.gradient("input1"), Setting::roundoff, size + c.gradient("input1").largest(), n);
    golden::compare(context, c.name() + " y", gy, c.gradient("input2"), Setting::roundoff, size, n);
  }
}
template <class Setting> void run_triplet(int& run) {
  using T = typename Setting::input;
  using P = typename Setting::policy;
  test_context context;
  for (const auto& c : golden::loss_cases("triplet_margin_loss")) {
    ++run;
    const auto settings = triplet(c);
    const auto a = c.input("anchor").to<T>(context), p = c.input("positive").to<T>(context), n = c.input("negative").to<T>(context);
    const double range = 1 + c.input("anchor").largest() + c.input("positive").largest() + c.input("negative").largest(), count = static_cast<double>(c.input("anchor").values.size());
    const auto value = amp::triplet_margin_loss<P>(context, a, p, n, settings);
    golden::compare(context, c.name(), value, c.output(), Setting::roundoff, count * range, count);
    const auto g = golden::upstream<std::remove_const_t<decltype(value)>>(context, c);
    const auto gradients = amp::triplet_margin_loss_backward<P>(context, g, a, p, n, settings);
    // A difference that is eps alone keeps 2^-24 · (eps + its neighbours) / eps of its digits in float
    const double size = (1 + c.grad_output().largest()) * range * 4, lost = Setting::roundoff * c.grad_output().largest() * 4;
    golden::compare(context, c.name() + " anchor", gradients.first, c.gradient("anchor"), Setting::roundoff, size, count, lost);
    golden::compare(context, c.name() + " positive", gradients.second, c.gradient("positive"), Setting::roundoff, size, count, lost);
    golden::compare(context, c.name() + " negative", gradients.third, c.gradient("negative"), Setting::roundoff, size, count, lost);
  }
}

}  // namespace

TEST_CASE("cosine_embedding_loss and its gradients agree with the reference in every format") {
  int run = 0;
  run_cosine<golden::setting<amp::o0<>, amp::f64>>(run), run_cosine<golden::setting<amp::o1<amp::f16>, amp::f32>>(run), run_cosine<golden::setting<amp::o1<amp::f16>, amp::f16>>(run);
  CHECK(run == 9 * 3);
}

TEST_CASE("triplet_margin_loss and its gradients agree with the reference in every format") {
  int run = 0;
  run_triplet<golden::setting<amp::o0<>, amp::f64>>(run), run_triplet<golden::setting<amp::o1<amp::f16>, amp::f32>>(run), run_triplet<golden::setting<amp::o1<amp::f16>, amp::f16>>(run);
  CHECK(run == 12 * 3);
}

TEST_CASE("gradients of row losses are the slopes of their values, for broadcast rows, long ones and every norm") {
  test_context context;
  auto x = check::random<double>(context, {2, 3, 5}, 1), y = check::random<double>(context, {3, 5}, 2), z = check::random<double>(context, {2, 1, 5}, 3);
  const auto t = check::given<double>(context, {2, 3}, {1, -1, 1, -1, -1, 1});
  for (const auto r : {amp::reduction::mean, amp::reduction::none}) {
    const auto g = check::random<double>(context, r == amp::reduction::none ? amp::shape{2, 3} : amp::shape{}, 4);
    const auto [gx, gy] = amp::cosine_embedding_loss_backward<amp::o0<>>(context, g, x, y, t, r, -0.75);
    const auto cosine = [&] { return check::dot(context, g, amp::cosine_embedding_loss<amp::o0<>>(context, x, y, t, r, -0.75)); };
    check::slopes(context, cosine, x, gx), check::slopes(context, cosine, y, gy);
    for (const double p : {1.0, 2.0, 3.0})
      for (const bool swap : {false, true}) {
        const amp::triplet_margin_settings settings{r, 4, p, 1e-3, swap};
        const auto gradients = amp::triplet_margin_loss_backward<amp::o0<>>(context, g, x, y, z, settings);
        const auto value = [&] { return check::dot(context, g, amp::triplet_margin_loss<amp::o0<>>(context, x, y, z, settings)); };
        check::slopes(context, value, x, gradients.first), check::slopes(context, value, y, gradients.second), check::slopes(context, value, z, gradients.third);
      }
  }
  const auto a = check::random<float>(context, {2, 9001}, 5), b = check::random<float>(context, {2, 9001}, 6);  // the distance of equal rows is that of eps
  const double far = amp::wait_read(context, amp::triplet_margin_loss<amp::o0<>>(context, a, b, a, {amp::reduction::sum, 1, 1}))[0];
  double want = 0;
  const auto u = amp::wait_read(context, a), v = amp::wait_read(context, b);
  for (std::size_t i = 0; i < u.size(); ++i) want += std::fabs(static_cast<double>(u[i]) - static_cast<double>(v[i]) + 1e-6) - 1e-6;
  CHECK(std::fabs(far - (want + 2)) <= 18002 * 4 * amp::f32::unit_roundoff);
}

TEST_CASE("row losses refuse numbers without rows, signs of another shape and norms that are none") {
  test_context context;
  const auto one = check::filled(context, {}, 1.0f), row = check::filled(context, {4}, 1.0f), two = check::filled(context, {2, 4}, 1.0f);
  CHECK_THROWS_WITH_AS(amp::cosine_embedding_loss<amp::o0<>>(context, one, one, one), doctest::Contains("needs rows"), amp::error);
  CHECK_THROWS_WITH_AS(amp::cosine_embedding_loss<amp::o0<>>(context, two, row, one), doctest::Contains("signs of shape [] where [2] is due"), amp::error);
  CHECK_THROWS_WITH_AS(amp::triplet_margin_loss<amp::o0<>>(context, two, row, row, {amp::reduction::mean, 1, 0}), doctest::Contains("amphora [setting]"), amp::error);
  CHECK(amp::wait_read(context, amp::cosine_embedding_loss<amp::o0<>>(context, row, row, one))[0] < 1e-6f);
}
