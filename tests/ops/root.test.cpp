#include <amphora/ops/root.hpp>

#include <ops/elementwise_case.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;

static_assert(std::is_same_v<decltype(amp::rsqrt<amp::o1<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<amp::float16>>())), golden::tensor<float>>, "a sensitive op");
static_assert(std::is_same_v<decltype(amp::sqrt<amp::o1<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<amp::float16>>())), golden::tensor<amp::float16>>, "a transparent one");

TEST_CASE("rsqrt, reciprocal and sqrt agree with the reference in every format") {
  CHECK(golden::run_unary(golden::transcendental_file, "rsqrt", 6, 0, [](auto p, auto& context, const auto& x, const auto&) { return amp::rsqrt<decltype(p)>(context, x); },
                          [](auto p, auto& context, const auto& g, const auto& x, const auto&) { return amp::rsqrt_backward<decltype(p)>(context, g, x); }) >= 35);
  CHECK(golden::run_unary(golden::transcendental_file, "reciprocal", 4, 0, [](auto p, auto& context, const auto& x, const auto&) { return amp::reciprocal<decltype(p)>(context, x); },
                          [](auto p, auto& context, const auto& g, const auto& x, const auto&) { return amp::reciprocal_backward<decltype(p)>(context, g, x); }) >= 35);
  CHECK(golden::run_unary("transparent_elementwise.json", "sqrt", 4, 0, [](auto p, auto& context, const auto& x, const auto&) { return amp::sqrt<decltype(p)>(context, x); },
                          [](auto p, auto& context, const auto& g, const auto& x, const auto&) { return amp::sqrt_backward<decltype(p)>(context, g, x); }) >= 30);
}

TEST_CASE("the gradient of a root or a reciprocal is the slope of its value") {
  test_context context;
  auto x = check::random<double>(context, {6, 5}, 1);
  auto numbers = amp::wait_read(context, x);
  for (double& v : numbers) v = 2 + v;
  amp::write(context, numbers, x);
  const auto g = check::random<double>(context, {6, 5}, 2);
  const auto slopes = [&](auto value, auto gradient) { check::slopes(context, [&] { return check::dot(context, g, value()); }, x, gradient()); };
  slopes([&] { return amp::sqrt<amp::o0<>>(context, x); }, [&] { return amp::sqrt_backward<amp::o0<>>(context, g, x); });
  slopes([&] { return amp::rsqrt<amp::o0<>>(context, x); }, [&] { return amp::rsqrt_backward<amp::o0<>>(context, g, x); });
  slopes([&] { return amp::reciprocal<amp::o0<>>(context, x); }, [&] { return amp::reciprocal_backward<amp::o0<>>(context, g, x); });
}

TEST_CASE("a root of a float is rounded once, at odd places too") {
  test_context context;
  for (const std::int64_t n : {0, 1, 9, 5001}) {
    auto memory = check::random<float>(context, {n + 1}, 1);
    const amp::view<float> x(memory.data() + 1, {n});
    const auto before = amp::wait_read(context, x);
    amp::sqrt<amp::policy<>>(context, amp::into(x), x);
    const auto after = amp::wait_read(context, x);
    int wrong = 0;
    for (std::size_t i = 0; i < before.size(); ++i) wrong += before[i] < 0 ? !std::isnan(after[i]) : after[i] != static_cast<float>(std::sqrt(static_cast<double>(before[i])));
    CHECK(wrong == 0);
  }
}
