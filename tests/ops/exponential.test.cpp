#include <amphora/ops/exponential.hpp>

#include <ops/elementwise_case.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;

static_assert(std::is_same_v<decltype(amp::exp<amp::o1<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<amp::float16>>())), golden::tensor<float>>, "a sensitive op");

TEST_CASE("exp, expm1 and softplus agree with the reference in every format") {
  CHECK(golden::run_unary(golden::transcendental_file, "exp", 4, 0, [](auto p, auto& context, const auto& x, const auto&) { return amp::exp<decltype(p)>(context, x); },
                          [](auto p, auto& context, const auto& g, const auto& x, const auto&) { return amp::exp_backward<decltype(p)>(context, g, x); }) >= 35);
  CHECK(golden::run_unary(golden::transcendental_file, "expm1", 4, 0, [](auto p, auto& context, const auto& x, const auto&) { return amp::expm1<decltype(p)>(context, x); },
                          [](auto p, auto& context, const auto& g, const auto& x, const auto&) { return amp::expm1_backward<decltype(p)>(context, g, x); }) >= 35);
  CHECK(golden::run_unary(golden::transcendental_file, "softplus", 6, 0, [](auto p, auto& context, const auto& x, const auto& c) { return amp::softplus<decltype(p)>(context, x, c.option("beta").template get<double>(), c.option("threshold").template get<double>()); },
                          [](auto p, auto& context, const auto& g, const auto& x, const auto& c) { return amp::softplus_backward<decltype(p)>(context, g, x, c.option("beta").template get<double>(), c.option("threshold").template get<double>()); }) >= 30);
}

TEST_CASE("logarithms agree with the reference in every format, NaN and infinity included") {
  CHECK(golden::run_unary(golden::transcendental_file, "log", 4, 0, [](auto p, auto& context, const auto& x, const auto&) { return amp::log<decltype(p)>(context, x); },
                          [](auto p, auto& context, const auto& g, const auto& x, const auto&) { return amp::log_backward<decltype(p)>(context, g, x); }) >= 35);
  CHECK(golden::run_unary(golden::transcendental_file, "log2", 4, 0, [](auto p, auto& context, const auto& x, const auto&) { return amp::log2<decltype(p)>(context, x); },
                          [](auto p, auto& context, const auto& g, const auto& x, const auto&) { return amp::log2_backward<decltype(p)>(context, g, x); }) >= 35);
  CHECK(golden::run_unary(golden::transcendental_file, "log10", 4, 0, [](auto p, auto& context, const auto& x, const auto&) { return amp::log10<decltype(p)>(context, x); },
                          [](auto p, auto& context, const auto& g, const auto& x, const auto&) { return amp::log10_backward<decltype(p)>(context, g, x); }) >= 35);
  CHECK(golden::run_unary(golden::transcendental_file, "log1p", 4, 0, [](auto p, auto& context, const auto& x, const auto&) { return amp::log1p<decltype(p)>(context, x); },
                          [](auto p, auto& context, const auto& g, const auto& x, const auto&) { return amp::log1p_backward<decltype(p)>(context, g, x); }) >= 35);
}

TEST_CASE("the gradient of an exponential or a logarithm is the slope of its value") {
  test_context context;
  auto x = check::random<double>(context, {6, 5}, 1);
  auto numbers = amp::wait_read(context, x);
  for (double& v : numbers) v = 1.5 + v / 2;
  amp::write(context, numbers, x);
  const auto g = check::random<double>(context, {6, 5}, 2);
  const auto slopes = [&](auto value, auto gradient) { check::slopes(context, [&] { return check::dot(context, g, value()); }, x, gradient()); };
  slopes([&] { return amp::exp<amp::o0<>>(context, x); }, [&] { return amp::exp_backward<amp::o0<>>(context, g, x); });
  slopes([&] { return amp::expm1<amp::o0<>>(context, x); }, [&] { return amp::expm1_backward<amp::o0<>>(context, g, x); });
  slopes([&] { return amp::log<amp::o0<>>(context, x); }, [&] { return amp::log_backward<amp::o0<>>(context, g, x); });
  slopes([&] { return amp::log2<amp::o0<>>(context, x); }, [&] { return amp::log2_backward<amp::o0<>>(context, g, x); });
  slopes([&] { return amp::log10<amp::o0<>>(context, x); }, [&] { return amp::log10_backward<amp::o0<>>(context, g, x); });
  slopes([&] { return amp::log1p<amp::o0<>>(context, x); }, [&] { return amp::log1p_backward<amp::o0<>>(context, g, x); });
  slopes([&] { return amp::softplus<amp::o0<>>(context, x, 2, 3); }, [&] { return amp::softplus_backward<amp::o0<>>(context, g, x, 2, 3); });
}

TEST_CASE("expm1 and log1p keep their digits near 0, and exp is good to a few roundings over its whole range") {
  test_context context;
  std::vector<float> numbers;
  for (int i = -1040; i <= 888; ++i) numbers.push_back(static_cast<float>(i) / 10);
  for (int i = 1; i <= 30; ++i) numbers.push_back(std::ldexp(1.5f, -i));
  const auto x = check::given(context, {static_cast<std::int64_t>(numbers.size())}, numbers);
  const auto e = amp::wait_read(context, amp::exp<amp::o0<>>(context, x)), m = amp::wait_read(context, amp::expm1<amp::o0<>>(context, x)),
             l = amp::wait_read(context, amp::log1p<amp::o0<>>(context, x));
  int wrong = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double v = static_cast<double>(numbers[i]);
    const auto off = [](float got, double want) { return std::fabs(static_cast<double>(got) - want) > 6 * amp::f32::unit_roundoff * std::fabs(want) + amp::f32::smallest_subnormal; };
    wrong += v <= 88 && off(e[i], std::exp(v));
    wrong += v <= 88 && off(m[i], std::expm1(v));
    wrong += v > -1 && off(l[i], std::log1p(v));
  }
  CHECK(wrong == 0);
}
