#include <amphora/ops/activation.hpp>

#include <ops/elementwise_case.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;

static_assert(std::is_same_v<decltype(amp::silu<amp::o1<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<float>>())), golden::tensor<float>>, "the format that came in");
static_assert(amp::detail::leaky_relu_function{0.5}.value(-2.0f) == -1 && amp::detail::leaky_relu_function{0.5}.slope(amp::detail::by<0>{}, 3.0f, 0.0f) == 1.5f);

TEST_CASE("sigmoid, tanh and silu agree with the reference in every format") {
  CHECK(golden::run_unary(golden::elementwise_file, "sigmoid", 6, 0, [](auto p, auto& context, const auto& x, const auto&) { return amp::sigmoid<decltype(p)>(context, x); },
                          [](auto p, auto& context, const auto& g, const auto& x, const auto&) { return amp::sigmoid_backward<decltype(p)>(context, g, x); }) >= 30);
  CHECK(golden::run_unary(golden::elementwise_file, "tanh", 6, 0, [](auto p, auto& context, const auto& x, const auto&) { return amp::tanh<decltype(p)>(context, x); },
                          [](auto p, auto& context, const auto& g, const auto& x, const auto&) { return amp::tanh_backward<decltype(p)>(context, g, x); }) >= 30);
  CHECK(golden::run_unary(golden::elementwise_file, "silu", 6, 2, [](auto p, auto& context, const auto& x, const auto&) { return amp::silu<decltype(p)>(context, x); },
                          [](auto p, auto& context, const auto& g, const auto& x, const auto&) { return amp::silu_backward<decltype(p)>(context, g, x); }) >= 30);
}

TEST_CASE("elu and leaky_relu agree with the reference in every format, also where their slope jumps") {
  CHECK(golden::run_unary(golden::elementwise_file, "elu", 6, 0, [](auto p, auto& context, const auto& x, const auto& c) { return amp::elu<decltype(p)>(context, x, c.option("alpha").template get<double>()); },
                          [](auto p, auto& context, const auto& g, const auto& x, const auto& c) { return amp::elu_backward<decltype(p)>(context, g, x, c.option("alpha").template get<double>()); }) >= 60);
  CHECK(golden::run_unary(golden::elementwise_file, "leaky_relu", 2, 0, [](auto p, auto& context, const auto& x, const auto& c) { return amp::leaky_relu<decltype(p)>(context, x, c.option("negative_slope").template get<double>()); },
                          [](auto p, auto& context, const auto& g, const auto& x, const auto& c) { return amp::leaky_relu_backward<decltype(p)>(context, g, x, c.option("negative_slope").template get<double>()); }) >= 90);
}

TEST_CASE("an activation's gradient is the slope of its value") {
  test_context context;
  auto x = check::random<double>(context, {7, 5}, 1);
  const auto g = check::random<double>(context, {7, 5}, 2);
  const auto slopes = [&](auto value, auto gradient) { check::slopes(context, [&] { return check::dot(context, g, value()); }, x, gradient()); };
  slopes([&] { return amp::sigmoid<amp::o0<>>(context, x); }, [&] { return amp::sigmoid_backward<amp::o0<>>(context, g, x); });
  slopes([&] { return amp::tanh<amp::o0<>>(context, x); }, [&] { return amp::tanh_backward<amp::o0<>>(context, g, x); });
  slopes([&] { return amp::silu<amp::o0<>>(context, x); }, [&] { return amp::silu_backward<amp::o0<>>(context, g, x); });
  slopes([&] { return amp::elu<amp::o0<>>(context, x, 0.5); }, [&] { return amp::elu_backward<amp::o0<>>(context, g, x, 0.5); });
  slopes([&] { return amp::leaky_relu<amp::o0<>>(context, x, 0.25); }, [&] { return amp::leaky_relu_backward<amp::o0<>>(context, g, x, 0.25); });
}

TEST_CASE("slopes of sigmoid and tanh keep their digits far from 0, where 1 − s and 1 − t² have none left") {
  test_context context;
  const std::vector<float> numbers = {9, -9, 20, -20, 40};
  const auto x = check::given(context, {5}, numbers), one = check::filled<float>(context, {5}, 1);
  const auto of_sigmoid = amp::wait_read(context, amp::sigmoid_backward<amp::o0<>>(context, one, x));
  const auto of_tanh = amp::wait_read(context, amp::tanh_backward<amp::o0<>>(context, one, x));
  for (std::size_t i = 0; i < 5; ++i) {
    const double v = static_cast<double>(numbers[i]), e = std::exp(-std::fabs(v));
    CHECK(std::fabs(static_cast<double>(of_sigmoid[i]) / (e / (1 + e) / (1 + e)) - 1) <= 8 * amp::f32::unit_roundoff);
    CHECK(std::fabs(static_cast<double>(of_tanh[i]) * std::cosh(v) * std::cosh(v) - 1) <= 8 * amp::f32::unit_roundoff);
  }
}

TEST_CASE("an activation may write over what it reads, at odd places and sizes, and adds a gradient where asked") {
  test_context context;
  for (const std::int64_t n : {0, 1, 7, 1025, 100003}) {
    auto memory = check::random<amp::bfloat16>(context, {n + 1}, 1);
    const auto copy = check::random<amp::bfloat16>(context, {n + 1}, 1);
    const amp::view<amp::bfloat16> x(memory.data() + 1, {n});
    const amp::view<const amp::bfloat16> same(copy.data() + 1, {n});
    const auto value = amp::wait_read(context, amp::silu<amp::policy<>>(context, same));
    const auto g = check::random<amp::bfloat16>(context, {n}, 2);
    golden::tensor<float> sum(context, {n});
    amp::silu_backward<amp::policy<>>(context, amp::into(sum), g, same);
    amp::silu_backward<amp::policy<>>(context, amp::add_to(sum), g, x);
    golden::tensor<float> once(context, {n});
    amp::silu_backward<amp::policy<>>(context, amp::into(once), g, same);
    amp::silu<amp::policy<>>(context, amp::into(x), x);
    const auto over = amp::wait_read(context, x);
    const auto twice = amp::wait_read(context, sum), of_once = amp::wait_read(context, once);
    int wrong = 0;
    for (std::size_t i = 0; i < value.size(); ++i) wrong += over[i].bits() != value[i].bits() || twice[i] != 2 * of_once[i];
    CHECK(wrong == 0);
  }
}
