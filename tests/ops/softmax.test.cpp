#include <amphora/ops/softmax.hpp>

#include <ops/golden.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;

static_assert(std::is_same_v<decltype(amp::softmax<amp::o1<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<amp::float16>>())), golden::tensor<float>>);
static_assert(std::is_same_v<decltype(amp::softmax<amp::o3<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<amp::float16>>())), golden::tensor<amp::float16>>);

TEST_CASE("softmax, log_softmax, softmin and their gradients agree with the reference in every format") {
  test_context context;
  int run = 0;
  for (const auto& c : golden::cases("sensitive_reduction.json", {"softmax", "log_softmax", "softmin"})) {
    const std::string op = c.data.at("op");
    const int axis = c.option("dim");
    const golden::array a = c.input("input");
    golden::in_all_settings([&](auto s) {
      using setting = decltype(s);
      using T = typename setting::input;
      using P = typename setting::policy;
      if (!a.template is_exact_in<T>()) return;
      ++run;
      const auto x = a.template to<T>(context);
      const double n = static_cast<double>(a.values.size()), terms = a.largest() + 4;
      const auto value = op == "log_softmax" ? amp::log_softmax<P>(context, x, axis) : op == "softmin" ? amp::softmin<P>(context, x, axis) : amp::softmax<P>(context, x, axis);
      golden::compare(context, c.name(), value, c.output(), setting::roundoff, terms, n);
      if (!c.has_gradients()) return;
      const auto g = golden::upstream<std::remove_const_t<decltype(value)>>(context, c);
      const auto gx = op == "log_softmax" ? amp::log_softmax_backward<P>(context, g, x, axis)
                      : op == "softmin"   ? amp::softmin_backward<P>(context, g, x, axis)
                                           : amp::softmax_backward<P>(context, g, x, axis);
      golden::compare(context, c.name() + " x", gx, c.gradient("input"), setting::roundoff, terms * c.grad_output().largest() * n, n);
    });
  }
  CHECK(run > 225);
}

TEST_CASE("the gradients of softmax and log_softmax are the slopes of their values") {
  test_context context;
  auto x = check::random<double>(context, {2, 5, 3}, 1);
  const auto g = check::random<double>(context, {2, 5, 3}, 2);
  for (int axis = 0; axis < 3; ++axis) {
    check::slopes(context, [&] { return check::dot(context, g, amp::softmax<amp::o0<>>(context, x, axis)); }, x, amp::softmax_backward<amp::o0<>>(context, g, x, axis));
    check::slopes(context, [&] { return check::dot(context, g, amp::log_softmax<amp::o0<>>(context, x, axis)); }, x, amp::log_softmax_backward<amp::o0<>>(context, g, x, axis));
    check::slopes(context, [&] { return check::dot(context, g, amp::softmin<amp::o0<>>(context, x, axis)); }, x, amp::softmin_backward<amp::o0<>>(context, g, x, axis));
  }
}

TEST_CASE("B41: the denominator of a softmax is a float sum") {
  test_context context;
  const auto many = check::filled(context, {4096}, amp::float16(3.0f));
  const auto some = check::filled(context, {512}, amp::bfloat16(-2.0f));
  for (const auto p : amp::wait_read(context, amp::softmax<amp::o3<amp::f16>>(context, many))) CHECK(static_cast<float>(p) == 1.0f / 4096);
  for (const auto p : amp::wait_read(context, amp::softmax<amp::o1<amp::f16>>(context, many))) CHECK(p == 1.0f / 4096);
  for (const auto p : amp::wait_read(context, amp::softmax<amp::o3<amp::bf16>>(context, some))) CHECK(static_cast<float>(p) == 1.0f / 512);
  const auto logits = check::given(context, {3}, std::vector<amp::float16>{amp::float16(1000.0f), amp::float16(999.0f), amp::float16(998.0f)});
  const auto r = amp::wait_read(context, amp::softmax<amp::o1<amp::f16>>(context, logits));
  const double e = std::exp(-1.0), sum = 1 + e + e * e;
  CHECK(std::fabs(static_cast<double>(r[0]) - 1 / sum) <= 4 * amp::f32::unit_roundoff);
  CHECK(std::fabs(static_cast<double>(r[1]) - e / sum) <= 4 * amp::f32::unit_roundoff);
  CHECK(std::fabs(static_cast<double>(r[2]) - e * e / sum) <= 4 * amp::f32::unit_roundoff);
}

TEST_CASE("a softmin has the bits of the softmax of the negative, along every axis and on lines of every length") {
  test_context context;
  for (std::int64_t length : {1, 3, 8, 33, 1024, 1031}) {
    const auto x = check::random<float>(context, {2, length, 3}, 1), g = check::random<float>(context, {2, length, 3}, 2);
    auto numbers = amp::wait_read(context, x);
    for (float& v : numbers) v = -v;
    const auto negative = check::given(context, x.shape(), numbers);
    for (int axis = 0; axis < 3; ++axis) {
      CHECK(check::equal_bits(context, amp::softmin<amp::o0<>>(context, x, axis), amp::softmax<amp::o0<>>(context, negative, axis)));
      auto slopes = amp::wait_read(context, amp::softmax_backward<amp::o0<>>(context, g, negative, axis));
      for (float& v : slopes) v = -v;
      CHECK(amp::wait_read(context, amp::softmin_backward<amp::o0<>>(context, g, x, axis)) == slopes);
    }
  }
}

TEST_CASE("an axis that is not there is an error") {
  test_context context;
  golden::tensor<float> x(context, {2, 3});
  CHECK_THROWS_WITH_AS(amp::softmax<amp::o0<>>(context, x, 2), doctest::Contains("[2, 3]"), amp::error);
}
