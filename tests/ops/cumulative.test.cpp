#include <amphora/ops/cumulative.hpp>

#include <ops/golden.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;

static_assert(std::is_same_v<decltype(amp::cumsum<amp::o1<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<amp::float16>>())), golden::tensor<float>>);
static_assert(std::is_same_v<decltype(amp::cumprod<amp::o3<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<amp::float16>>())), golden::tensor<amp::float16>>);

TEST_CASE("cumsum, cumprod and their gradients agree with the reference in every format") {
  test_context context;
  int run = 0;
  for (const auto& c : golden::cases("sensitive_reduction.json", {"cumsum", "cumprod"})) {
    const bool sum = c.data.at("op") == "cumsum";
    const int axis = c.option("dim");
    const golden::array a = c.input("input");
    golden::in_all_settings([&](auto s) {
      using setting = decltype(s);
      using T = typename setting::input;
      using P = typename setting::policy;
      if (!a.template is_exact_in<T>()) return;
      ++run;
      const auto x = a.template to<T>(context);
      const double n = static_cast<double>(a.values.size());
      const auto value = sum ? amp::cumsum<P>(context, x, axis) : amp::cumprod<P>(context, x, axis);
      golden::compare(context, c.name(), value, c.output(), amp::f64::unit_roundoff, sum ? n * a.largest() : c.output().largest(), n);  // in double in every format
      const auto g = golden::upstream<std::remove_const_t<decltype(value)>>(context, c);
      const auto gx = sum ? amp::cumsum_backward<P>(context, g, x, axis) : amp::cumprod_backward<P>(context, g, x, axis);
      if (c.name() == "cumprod/special") return;  // infinite factors: PyTorch divides infinite sums by them, and neither answer means anything
      golden::compare(context, c.name() + " x", gx, c.gradient("input"), setting::roundoff, c.grad_output().largest() * (sum ? n : n * (1 + c.output().largest() + c.gradient("input").largest())), n);
    });
  }
  CHECK(run > 140);
}

TEST_CASE("the gradients of cumsum and cumprod are the slopes of their values, with zeros too") {
  test_context context;
  auto x = check::random<double>(context, {2, 5, 3}, 1);
  auto numbers = amp::wait_read(context, x);
  numbers[3] = numbers[9] = numbers[14] = 0;
  amp::write(context, numbers, x);
  const auto g = check::random<double>(context, {2, 5, 3}, 2);
  for (int axis = 0; axis < 3; ++axis) {
    check::slopes(context, [&] { return check::dot(context, g, amp::cumsum<amp::o0<>>(context, x, axis)); }, x, amp::cumsum_backward<amp::o0<>>(context, g, x, axis));
    check::slopes(context, [&] { return check::dot(context, g, amp::cumprod<amp::o0<>>(context, x, axis)); }, x, amp::cumprod_backward<amp::o0<>>(context, g, x, axis));
  }
}

TEST_CASE("B47: running sums of 16-bit numbers run past what 16 bits can count, in every direction") {
  test_context context;
  for (const amp::shape& shape : {amp::shape{4096}, amp::shape{1, 20000}, amp::shape{20000, 3}}) {
    const int axis = shape.rank() == 2 && shape[1] == 3 ? 0 : -1;
    const std::int64_t inner = axis == 0 ? 3 : 1;
    const auto sums = amp::wait_read(context, amp::cumsum<amp::o1<amp::f16>>(context, check::filled(context, shape, amp::float16(1.0f)), axis));
    int wrong = 0;
    for (std::size_t i = 0; i < sums.size(); ++i) wrong += sums[i] != static_cast<float>(i / static_cast<std::size_t>(inner) + 1);
    CHECK(wrong == 0);
  }
  const auto last = amp::wait_read(context, amp::cumsum<amp::o3<amp::f16>>(context, check::filled(context, {4096}, amp::float16(1.0f)))).back();
  CHECK(static_cast<float>(last) == 4096);
}

TEST_CASE("long scans and their gradients stay within their bound along every axis") {
  test_context context;
  for (const amp::shape& shape : {amp::shape{3, 9001}, amp::shape{9001, 3}, amp::shape{2, 4097, 2}}) {
    const int axis = shape.rank() == 3 ? 1 : shape[0] == 3 ? 1 : 0;
    const auto lines = amp::detail::lines_along("test", shape, axis);
    auto numbers = check::random_numbers<float>(shape.elements(), 1);
    for (float& v : numbers) v = 1 + v / 4096;  // products of order 1
    const auto x = check::given(context, shape, numbers), g = check::random<float>(context, shape, 2);
    const auto slope = amp::wait_read(context, g), sum = amp::wait_read(context, amp::cumsum<amp::o0<>>(context, x, axis)), product = amp::wait_read(context, amp::cumprod<amp::o0<>>(context, x, axis));
    const auto sum_slope = amp::wait_read(context, amp::cumsum_backward<amp::o0<>>(context, g, x, axis)), product_slope = amp::wait_read(context, amp::cumprod_backward<amp::o0<>>(context, g, x, axis));
    double worst = 0, worst_slope = 0;
    for (std::int64_t line = 0; line < lines.lines(); ++line) {
      const auto at = [&](std::int64_t k) { return static_cast<std::size_t>(lines.first(line) + k * lines.inner); };
      std::vector<double> behind(static_cast<std::size_t>(lines.length) + 1), below = behind;
      double largest = 1;
      for (std::int64_t k = lines.length - 1; k >= 0; --k) {
        const auto i = static_cast<std::size_t>(k);
        below[i] = below[i + 1] + static_cast<double>(slope[at(k)]);
        behind[i] = static_cast<double>(numbers[at(k)]) * (static_cast<double>(slope[at(k)]) + behind[i + 1]);
        largest = (std::max)({largest, std::fabs(below[i]), std::fabs(behind[i])});
      }
      double s = 0, p = 1;
      for (std::int64_t k = 0; k < lines.length; ++k) {
        const double before = p, here = static_cast<double>(slope[at(k)]) + behind[static_cast<std::size_t>(k) + 1];
        s += static_cast<double>(numbers[at(k)]), p *= static_cast<double>(numbers[at(k)]);
        worst = (std::max)({worst, std::fabs(static_cast<double>(sum[at(k)]) / s - 1), std::fabs(static_cast<double>(product[at(k)]) / p - 1)});
        worst_slope = (std::max)({worst_slope, std::fabs(static_cast<double>(sum_slope[at(k)]) - below[static_cast<std::size_t>(k)]) / largest,
                                  std::fabs(static_cast<double>(product_slope[at(k)]) - before * here) / largest});
      }
    }
    CHECK(worst <= 1.01 * amp::f32::unit_roundoff);         // rounded once
    CHECK(worst_slope <= 8 * amp::f32::unit_roundoff);  // a product and a sum of rounded ones
  }
}

TEST_CASE("cumsum may write over its operand, adds a gradient, and refuses other shapes and axes") {
  test_context context;
  auto x = check::random<float>(context, {5, 700}, 1);
  const auto y = amp::cumsum<amp::o0<>>(context, x);
  amp::cumsum<amp::o0<>>(context, amp::into(x), x);
  CHECK(check::equal_bits(context, x, y));
  auto sum = check::filled<float>(context, {5, 700}, 1);
  amp::cumsum_backward<amp::o0<>>(context, amp::add_to(sum), y, y, 0);
  const auto alone = amp::wait_read(context, amp::cumsum_backward<amp::o0<>>(context, y, y, 0)), added = amp::wait_read(context, sum);
  int wrong = 0;
  for (std::size_t i = 0; i < alone.size(); ++i) wrong += std::fabs(static_cast<double>(added[i]) - 1 - static_cast<double>(alone[i])) > 4 * amp::f32::unit_roundoff * (1 + std::fabs(static_cast<double>(alone[i])));
  CHECK(wrong == 0);
  golden::tensor<float> other(context, {700});
  CHECK_THROWS_WITH_AS(amp::cumsum<amp::o0<>>(context, amp::into(other), x), doctest::Contains("[700] where [5, 700] is due"), amp::error);
  CHECK_THROWS_WITH_AS(amp::cumprod<amp::o0<>>(context, x, 2), doctest::Contains("cumprod has no axis 2"), amp::error);
  CHECK_THROWS_WITH_AS(amp::cumprod_backward<amp::o0<>>(context, other, x), doctest::Contains("[700] where [5, 700] is due"), amp::error);
}
