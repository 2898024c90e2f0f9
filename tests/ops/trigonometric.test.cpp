#include <amphora/ops/trigonometric.hpp>

#include <ops/elementwise_case.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;

static_assert(std::is_same_v<decltype(amp::tan<amp::o1<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<amp::float16>>())), golden::tensor<float>>, "a sensitive op");

TEST_CASE("tan, asin and acos agree with the reference in every format") {
  CHECK(golden::run_unary(golden::transcendental_file, "tan", 8, 0, [](auto p, auto& context, const auto& x, const auto&) { return amp::tan<decltype(p)>(context, x); },
                          [](auto p, auto& context, const auto& g, const auto& x, const auto&) { return amp::tan_backward<decltype(p)>(context, g, x); }) >= 35);
  CHECK(golden::run_unary(golden::transcendental_file, "asin", 8, 0, [](auto p, auto& context, const auto& x, const auto&) { return amp::asin<decltype(p)>(context, x); },
                          [](auto p, auto& context, const auto& g, const auto& x, const auto&) { return amp::asin_backward<decltype(p)>(context, g, x); }) >= 35);
  CHECK(golden::run_unary(golden::transcendental_file, "acos", 8, 0, [](auto p, auto& context, const auto& x, const auto&) { return amp::acos<decltype(p)>(context, x); },
                          [](auto p, auto& context, const auto& g, const auto& x, const auto&) { return amp::acos_backward<decltype(p)>(context, g, x); }) >= 35);
}

TEST_CASE("sinh and cosh agree with the reference in every format") {
  CHECK(golden::run_unary(golden::transcendental_file, "sinh", 6, 0, [](auto p, auto& context, const auto& x, const auto&) { return amp::sinh<decltype(p)>(context, x); },
                          [](auto p, auto& context, const auto& g, const auto& x, const auto&) { return amp::sinh_backward<decltype(p)>(context, g, x); }) >= 35);
  CHECK(golden::run_unary(golden::transcendental_file, "cosh", 6, 0, [](auto p, auto& context, const auto& x, const auto&) { return amp::cosh<decltype(p)>(context, x); },
                          [](auto p, auto& context, const auto& g, const auto& x, const auto&) { return amp::cosh_backward<decltype(p)>(context, g, x); }) >= 35);
}

TEST_CASE("the gradient of a function of angles is the slope of its value") {
  test_context context;
  auto x = check::random<double>(context, {6, 5}, 1);
  auto numbers = amp::wait_read(context, x);
  for (double& v : numbers) v *= 0.75;
  amp::write(context, numbers, x);
  const auto g = check::random<double>(context, {6, 5}, 2);
  const auto slopes = [&](auto value, auto gradient) { check::slopes(context, [&] { return check::dot(context, g, value()); }, x, gradient()); };
  slopes([&] { return amp::tan<amp::o0<>>(context, x); }, [&] { return amp::tan_backward<amp::o0<>>(context, g, x); });
  slopes([&] { return amp::asin<amp::o0<>>(context, x); }, [&] { return amp::asin_backward<amp::o0<>>(context, g, x); });
  slopes([&] { return amp::acos<amp::o0<>>(context, x); }, [&] { return amp::acos_backward<amp::o0<>>(context, g, x); });
  slopes([&] { return amp::sinh<amp::o0<>>(context, x); }, [&] { return amp::sinh_backward<amp::o0<>>(context, g, x); });
  slopes([&] { return amp::cosh<amp::o0<>>(context, x); }, [&] { return amp::cosh_backward<amp::o0<>>(context, g, x); });
}
