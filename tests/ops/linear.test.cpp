#include <amphora/ops/linear.hpp>

#include <amphora/ops/cast.hpp>
#include <amphora/ops/gelu.hpp>
#include <amphora/ops/relu.hpp>
#include <ops/golden.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;

static_assert(std::is_same_v<decltype(amp::linear<amp::o1<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<float>>(), std::declval<golden::tensor<amp::float16>>())), golden::tensor<amp::float16>>);

TEST_CASE("linear and its gradients agree with the reference in every format") {
  test_context context;
  int run = 0;
  for (const auto& c : golden::cases("linear.json", {"linear"})) {
    const golden::array a = c.input("input"), b = c.input("weight");
    golden::in_all_settings([&](auto s) {
      using setting = decltype(s);
      using T = typename setting::input;
      using P = typename setting::policy;
      if (!a.template is_exact_in<T>() || !b.template is_exact_in<T>()) return;
      ++run;
      const auto x = a.template to<T>(context), w = b.template to<T>(context);
      const double length = static_cast<double>(a.values.size() + b.values.size());
      const auto check_all = [&](const auto& value, double bias) {
        golden::compare(context, c.name(), value, c.output(), setting::roundoff, length * a.largest() * b.largest() + bias, length);
        if (!c.has_gradients()) return;
        const auto g = golden::upstream<std::decay_t<decltype(value)>>(context, c);
        const double largest = c.grad_output().largest() * (std::max)((std::max)(a.largest(), b.largest()), 1.0) * static_cast<double>(c.output().values.size() + 1);
        const auto gradients = amp::linear_backward<P>(context, g, x, w);
        golden::compare(context, c.name() + " x", gradients.x, c.gradient("input"), setting::roundoff, largest, length);
        golden::compare(context, c.name() + " w", gradients.w, c.gradient("weight"), setting::roundoff, largest, length);
        if (c.has("bias")) golden::compare(context, c.name() + " b", gradients.b, c.gradient("bias"), setting::roundoff, largest, length);
      };
      if (c.has("bias")) check_all(amp::linear<P>(context, x, w, c.input("bias").template to<T>(context)), c.input("bias").largest());
      else check_all(amp::linear<P>(context, x, w), 0);
    });
  }
  CHECK(run == 7 * 12);
}

TEST_CASE("linear's gradients are the slopes of its value") {
  test_context context;
  for (const amp::shape& s : {amp::shape{3, 4}, amp::shape{4}, amp::shape{2, 3, 4}}) {
    auto x = check::random<double>(context, s, 1), w = check::random<double>(context, {5, 4}, 2), b = check::random<double>(context, {5}, 3);
    const auto g = check::random<double>(context, amp::linear<amp::o0<>>(context, x, w, b).shape(), 4);
    const auto value = [&] { return check::dot(context, g, amp::linear<amp::o0<>>(context, x, w, b)); };
    const auto gradients = amp::linear_backward<amp::o0<>>(context, g, x, w);
    check::slopes(context, value, x, gradients.x);
    check::slopes(context, value, w, gradients.w);
    check::slopes(context, value, b, gradients.b);
  }
}

TEST_CASE_TEMPLATE("a relu in the same pass gives the bits of a relu after it, and so does its gradient", T, float, amp::float16, amp::bfloat16) {
  using policy = amp::policy<>;
  test_context context;
  const auto x = check::random<T>(context, {33, 70}, 1), w = check::random<T>(context, {65, 70}, 2), b = check::random<T>(context, {65}, 3);
  const auto fused = amp::linear<policy>(context, x, w, b, amp::with_relu{});
  const auto apart = amp::relu<policy>(context, amp::linear<policy>(context, x, w, b));
  CHECK(check::equal_bits(context, fused, apart));

  const auto g = check::random<T>(context, {33, 20}, 4), v = check::random<T>(context, {20, 65}, 5);
  golden::tensor<T> before(context, {33, 65}), after(context, {33, 65});
  amp::linear_backward<policy>(context, g, fused, v, amp::into(before), amp::no_gradient{}, amp::no_gradient{}, amp::with_relu{});
  amp::linear_backward<policy>(context, g, fused, v, amp::into(after), amp::no_gradient{});
  const auto masked = amp::relu_backward<policy>(context, after, fused);
  const auto in_one = amp::wait_read(context, before), in_two = amp::wait_read(context, masked);
  for (std::size_t i = 0; i < in_one.size(); ++i) CHECK(static_cast<float>(in_one[i]) == static_cast<float>(in_two[i]));
}

TEST_CASE_TEMPLATE("a gelu in the same pass is that of the sums, before they are rounded", T, float, amp::float16, amp::bfloat16) {
  using wide = amp::policy<amp::output<amp::f32>>;
  test_context context;
  const auto x = check::random<T>(context, {33, 72}, 1), w = check::random<T>(context, {64, 72}, 2), b = check::random<T>(context, {64}, 3);
  const auto sums = amp::linear<wide>(context, x, w, b);
  const auto apart = amp::wait_read(context, amp::gelu<wide>(context, sums, amp::gelu_form::tanh)), before = amp::wait_read(context, sums);
  const auto fused = amp::wait_read(context, amp::linear<amp::policy<>>(context, x, w, b, amp::with_gelu{}));
  using format = amp::format_of_t<T>;
  double worst = 0;  // in units of what is allowed: the sum in another order, times a slope of at most 1.13, then the gelu and one rounding
  for (std::size_t i = 0; i < fused.size(); ++i) {
    const double want = static_cast<double>(apart[i]), sum = std::fabs(static_cast<double>(before[i]));
    const double bound = amp::f32::unit_roundoff * (1.13 * 2 * 73 * 73 + 16 * (sum + 1));  // 73 terms of at most 1, of which each sum rounds each
    worst = (std::max)(worst, std::fabs(static_cast<double>(fused[i]) - want) / (bound + format::unit_roundoff * (std::fabs(want) + bound) + format::smallest_subnormal));
  }
  CHECK(worst <= 1);
}

TEST_CASE("gradients go straight into 16-bit memory, written or added, with one rounding") {
  test_context context;
  using policy = amp::o1<amp::f16>;
  const auto x = check::random<amp::float16>(context, {9, 70}, 1), w = check::random<amp::float16>(context, {65, 70}, 2), g = check::random<amp::float16>(context, {9, 65}, 3);
  golden::tensor<float> exact_w(context, {65, 70}), exact_b(context, {65});
  amp::linear_backward<policy>(context, g, x, w, amp::no_gradient{}, amp::into(exact_w), amp::into(exact_b));
  golden::tensor<amp::float16> gw(context, {65, 70}), gb(context, {65});
  amp::linear_backward<policy>(context, g, x, w, amp::no_gradient{}, amp::into(gw), amp::into(gb));
  const auto check_rounded = [&](const auto& gradient, const auto& exact, bool twice) {
    const auto got = amp::wait_read(context, gradient);
    const auto sum = amp::wait_read(context, exact);
    for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i].bits() == amp::float16(twice ? static_cast<float>(amp::float16(sum[i])) + sum[i] : sum[i]).bits());
  };
  check_rounded(gw, exact_w, false);
  check_rounded(gb, exact_b, false);
  amp::linear_backward<policy>(context, g, x, w, amp::no_gradient{}, amp::add_to(gw), amp::add_to(gb));
  check_rounded(gw, exact_w, true);
  check_rounded(gb, exact_b, true);
}

TEST_CASE("a contraction reads its operands as if they had been cast by hand") {
  test_context context;
  const auto x = check::random<float>(context, {9, 70}, 1), w = check::random<float>(context, {65, 70}, 2), b = check::random<float>(context, {65}, 3);
  const auto cast = amp::linear<amp::o1<amp::f16>>(context, amp::cast<amp::f16>(context, x), amp::cast<amp::f16>(context, w), amp::cast<amp::f16>(context, b));
  const auto given = amp::linear<amp::o1<amp::f16>>(context, x, w, b);
  CHECK(check::equal_bits(context, cast, given));
}

TEST_CASE("nothing is allocated once a step has run") {
  test_context context;
  using policy = amp::o1<amp::f16>;
  const auto x = check::random<float>(context, {32, 64}, 1), w = check::random<float>(context, {256, 64}, 2), b = check::random<float>(context, {256}, 3);
  const auto step = [&] {
    const auto y = amp::linear<policy>(context, x, w, b);
    const auto gradients = amp::linear_backward<policy>(context, y, x, w);
  };
  step();
  const auto before = context.allocations();
  step();
  CHECK(context.allocations() == before);
}

TEST_CASE("shapes that do not match are an error, and nothing is written") {
  test_context context;
  const golden::tensor<float> x(context, {3, 4}), w(context, {5, 4}), b(context, {4}), narrow(context, {5, 3});
  auto y = check::filled<float>(context, {3, 5}, 7);
  CHECK_THROWS_WITH_AS(amp::linear<amp::o0<>>(context, amp::into(y), x, w, b), doctest::Contains("[4] where [5] is due"), amp::error);
  CHECK_THROWS_WITH_AS(amp::linear<amp::o0<>>(context, x, narrow), doctest::Contains("[5, 3]"), amp::error);
  CHECK_THROWS_AS(amp::linear_backward<amp::o0<>>(context, x, x, w), amp::error);
  CHECK(amp::wait_read(context, y) == std::vector<float>(15, 7));
}
