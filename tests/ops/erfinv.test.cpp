#include <amphora/ops/erfinv.hpp>

#include <ops/elementwise_case.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;

static_assert(std::is_same_v<decltype(amp::erfinv<amp::o1<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<amp::float16>>())), golden::tensor<float>>, "a sensitive op");

TEST_CASE("erfinv agrees with the reference in every format") {
  CHECK(golden::run_unary(golden::transcendental_file, "erfinv", 16, 0, [](auto p, auto& context, const auto& x, const auto&) { return amp::erfinv<decltype(p)>(context, x); },
                          [](auto p, auto& context, const auto& g, const auto& x, const auto&) { return amp::erfinv_backward<decltype(p)>(context, g, x); }) >= 35);
}

TEST_CASE("erfinv undoes erf to its rounding, up to the last number before 1, in double and in float") {
  test_context context;
  std::vector<double> numbers;
  for (int i = 0; i <= 200; ++i) numbers.push_back(i / 201.0);
  for (int i = 1; i <= 53; ++i) numbers.push_back(1 - std::ldexp(1.0, -i)), numbers.push_back(std::ldexp(1.25, -i));
  std::vector<float> singles;
  for (double v : numbers)
    if (static_cast<double>(static_cast<float>(v)) < 1) singles.push_back(static_cast<float>(v));
  const auto in_double = amp::wait_read(context, amp::erfinv<amp::o0<>>(context, check::given(context, {static_cast<std::int64_t>(numbers.size())}, numbers)));
  const auto in_float = amp::wait_read(context, amp::erfinv<amp::o0<>>(context, check::given(context, {static_cast<std::int64_t>(singles.size())}, singles)));
  // y is right to a part d where erf(y) is off by erf'(y) · y · d; erf and erfc themselves are good to a few roundings.
  const auto part_off = [](double y, double x) {
    if (x == 0) return y == 0 ? 0.0 : 1.0;
    const double off = x < 0.5 ? std::erf(y) - x : (1 - x) - std::erfc(y);
    return std::fabs(off) / (y * 1.1283791670955126 * std::exp(-y * y));
  };
  double worst_double = 0, worst_float = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) worst_double = (std::max)(worst_double, part_off(in_double[i], numbers[i]));
  for (std::size_t i = 0; i < singles.size(); ++i) worst_float = (std::max)(worst_float, part_off(static_cast<double>(in_float[i]), static_cast<double>(singles[i])));
  CHECK(worst_double <= 8 * amp::f64::unit_roundoff);
  CHECK(worst_float <= 8 * amp::f32::unit_roundoff);
}

TEST_CASE("the gradient of erfinv is the slope of its value") {
  test_context context;
  auto x = check::random<double>(context, {40}, 1);
  auto numbers = amp::wait_read(context, x);
  for (double& v : numbers) v *= 0.75;
  amp::write(context, numbers, x);
  const auto g = check::random<double>(context, {40}, 2);
  const auto slopes = [&](auto value, auto gradient) { check::slopes(context, [&] { return check::dot(context, g, value()); }, x, gradient()); };
  slopes([&] { return amp::erfinv<amp::o0<>>(context, x); }, [&] { return amp::erfinv_backward<amp::o0<>>(context, g, x); });
}
