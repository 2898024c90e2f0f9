#include <amphora/ops/mse_loss.hpp>

#include <ops/golden.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;

static_assert(std::is_same_v<decltype(amp::mse_loss<amp::o1<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<amp::float16>>(), std::declval<golden::tensor<float>>())), golden::tensor<float>>);

TEST_CASE("the square of an error and its slope are those of the formula") {
  CHECK(amp::detail::mse_function{}.value(3.0f, 1.0f) == 4);
  CHECK(amp::detail::mse_function{}.slope(amp::detail::by<1>{}, 0.5, 3.0, 1.0) == -2);
}

TEST_CASE("mse_loss and its gradients agree with the reference in every format") {
  test_context context;
  int run = 0;
  for (const auto& c : golden::cases("sensitive_loss.json", {"mse_loss"})) {
    const std::string name = c.option("reduction");
    const auto r = name == "none" ? amp::reduction::none : name == "mean" ? amp::reduction::mean : amp::reduction::sum;
    const golden::array a = c.input("input"), b = c.input("target");
    golden::in_all_settings([&](auto s) {
      using setting = decltype(s);
      using T = typename setting::input;
      using P = typename setting::policy;
      ++run;
      const auto x = a.template to<T>(context), t = b.template to<T>(context);
      const double range = a.largest() + b.largest(), n = static_cast<double>(a.values.size() + b.values.size());
      const auto value = amp::mse_loss<P>(context, x, t, r);
      golden::compare(context, c.name(), value, c.output(), setting::roundoff, n * range * range, n);
      if (!c.has_gradients()) return;
      const auto g = golden::upstream<std::remove_const_t<decltype(value)>>(context, c);
      const auto [gx, gt] = amp::mse_loss_backward<P>(context, g, x, t, r);
      golden::compare(context, c.name() + " x", gx, c.gradient("input"), setting::roundoff, n * range * c.grad_output().largest(), n);
      golden::compare(context, c.name() + " t", gt, c.gradient("target"), setting::roundoff, n * range * c.grad_output().largest(), n);
    });
  }
  CHECK(run == 7 * 12);
}

TEST_CASE("mse_loss's gradients are the slopes of its value") {
  test_context context;
  auto x = check::random<double>(context, {3, 4}, 1), t = check::random<double>(context, {3, 1}, 2);
  for (const auto r : {amp::reduction::mean, amp::reduction::sum, amp::reduction::none}) {
    const auto g = check::random<double>(context, amp::mse_loss<amp::o0<>>(context, x, t, r).shape(), 3);
    const auto value = [&] { return check::dot(context, g, amp::mse_loss<amp::o0<>>(context, x, t, r)); };
    const auto [gx, gt] = amp::mse_loss_backward<amp::o0<>>(context, g, x, t, r);
    check::slopes(context, value, x, gx);
    check::slopes(context, value, t, gt);
  }
}

TEST_CASE("squares leave f16's range and the mean comes back") {
  test_context context;
  const auto x = check::filled(context, {1000}, amp::float16(1000.0f)), t = check::filled(context, {1000}, amp::float16(0.0f));
  CHECK(amp::wait_read(context, amp::mse_loss<amp::o1<amp::f16>>(context, x, t))[0] == 1e6f);
  CHECK(amp::wait_read(context, amp::mse_loss<amp::o1<amp::f16>>(context, x, t, amp::reduction::sum))[0] == 1e9f);
}
