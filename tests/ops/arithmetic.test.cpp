#include <amphora/ops/arithmetic.hpp>

#include <ops/elementwise_case.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;

static_assert(std::is_same_v<decltype(amp::mul<amp::o1<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<amp::float16>>(), std::declval<golden::tensor<amp::bfloat16>>())), golden::tensor<float>>, "f16 with bf16 gives f32");

TEST_CASE("a quotient and a scaled difference of two numbers are those of the formula") {
  CHECK(amp::detail::div_function{}.value(1.0f, 4.0f) == 0.25f);
  CHECK(amp::detail::sub_function{2}.value(1.0f, 4.0f) == -7);
}

namespace {

amp::rounding mode(const golden::test_case& c) {
  const auto& name = c.option("rounding_mode");
  return name.is_null() ? amp::rounding::none : name == "trunc" ? amp::rounding::trunc : amp::rounding::floor;
}

}  // namespace

TEST_CASE("sub and mul agree with the reference in every format, broadcast or not") {
  CHECK(golden::run_many(golden::widening_file, "sub", 3, 4, {},
                         [](auto p, auto& context, const auto& c, const auto& a, const auto& b) { return amp::sub<decltype(p)>(context, a, b, c.option("alpha").template get<double>()); },
                         [](auto p, auto& context, const auto& c, const auto& g, const auto& a, const auto& b) { return amp::sub_backward<decltype(p)>(context, g, a, b, c.option("alpha").template get<double>()); }, "input", "other") >= 80);
  CHECK(golden::run_many(golden::widening_file, "mul", 3, 0, {},
                         [](auto p, auto& context, const auto& , const auto& a, const auto& b) { return amp::mul<decltype(p)>(context, a, b); },
                         [](auto p, auto& context, const auto& , const auto& g, const auto& a, const auto& b) { return amp::mul_backward<decltype(p)>(context, g, a, b); }, "input", "other") >= 40);
}

TEST_CASE("div agrees with the reference in every format, rounded or not, at 0 and at infinity") {
  CHECK(golden::run_many(golden::widening_file, "div", 4, 0, {},
                         [](auto p, auto& context, const auto& c, const auto& a, const auto& b) { return amp::div<decltype(p)>(context, a, b, mode(c)); },
                         [](auto p, auto& context, const auto& c, const auto& g, const auto& a, const auto& b) { return amp::div_backward<decltype(p)>(context, g, a, b, mode(c)); }, "input", "other") >= 60);
  CHECK(golden::run_many(golden::widening_file, "div", 4, 0, {"div/trunc", "div/floor", "div/special_trunc", "div/special_floor"},
                         [](auto p, auto& context, const auto& , const auto& a, const auto& b) { return amp::div<decltype(p)>(context, a, b); },
                         [](auto p, auto& context, const auto& , const auto& g, const auto& a, const auto& b) { return amp::div_backward<decltype(p)>(context, g, a, b); }, "input", "other") >= 40);
}

TEST_CASE("gradients of sub, mul and div are the slopes of their values, of both operands") {
  test_context context;
  auto a = check::random<double>(context, {3, 4}, 1), b = check::random<double>(context, {4}, 2);
  auto numbers = amp::wait_read(context, b);
  for (double& v : numbers) v += 2;
  amp::write(context, numbers, b);
  const auto g = check::random<double>(context, {3, 4}, 3);
  const auto slopes = [&](auto value, const auto& gradients) {
    check::slopes(context, [&] { return check::dot(context, g, value()); }, a, gradients.first);
    check::slopes(context, [&] { return check::dot(context, g, value()); }, b, gradients.second);
  };
  slopes([&] { return amp::sub<amp::o0<>>(context, a, b, 0.5); }, amp::sub_backward<amp::o0<>>(context, g, a, b, 0.5));
  slopes([&] { return amp::mul<amp::o0<>>(context, a, b); }, amp::mul_backward<amp::o0<>>(context, g, a, b));
  slopes([&] { return amp::div<amp::o0<>>(context, a, b); }, amp::div_backward<amp::o0<>>(context, g, a, b));
}

TEST_CASE("with alpha = 0 sub takes nothing of b, not even a NaN") {
  test_context context;
  const auto a = check::given<float>(context, {2}, {1, 2});
  const auto b = check::given<float>(context, {2}, {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()});
  CHECK(amp::wait_read(context, amp::sub<amp::o0<>>(context, a, b, 0)) == std::vector<float>{1, 2});
}

TEST_CASE("mul of mixed formats reads both exactly and rounds once, at odd places and sizes; a policy that computes in f16 casts first") {
  test_context context;
  for (const std::int64_t n : {0, 1, 7, 1031}) {
    const auto memory = check::random<amp::float16>(context, {n + 1}, 1);
    const amp::view<const amp::float16> a(memory.data() + 1, {n});
    const auto b = check::random<float>(context, {n}, 2);
    const auto y = amp::wait_read(context, amp::mul<amp::o1<amp::f16>>(context, a, b));
    const auto low = amp::wait_read(context, amp::mul<amp::o2<amp::f16>>(context, a, b));
    const auto a_ = amp::wait_read(context, a);
    const auto b_ = amp::wait_read(context, b);
    int wrong = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      wrong += y[i] != static_cast<float>(a_[i]) * b_[i];
      wrong += low[i].bits() != amp::convert<amp::f16>(static_cast<float>(a_[i]) * static_cast<float>(amp::convert<amp::f16>(b_[i]))).bits();
    }
    CHECK(wrong == 0);
  }
  const auto a = check::random<float>(context, {5, 3}, 1), b = check::random<float>(context, {5}, 2);
  CHECK_THROWS_WITH_AS(amp::mul<amp::o0<>>(context, a, b), doctest::Contains("mul cannot broadcast [5, 3] with [5]"), amp::error);
}

TEST_CASE("a gradient of an operand is left out where it is not wanted, and added where asked, also where it is a sum") {
  test_context context;
  const auto a = check::random<float>(context, {3, 4}, 1), b = check::random<float>(context, {4}, 2), g = check::random<float>(context, {3, 4}, 3);
  const auto both = amp::mul_backward<amp::o0<>>(context, g, a, b);
  auto gb = check::filled<float>(context, {4}, 8);
  amp::mul_backward<amp::o0<>>(context, g, a, b, amp::no_gradient{}, amp::add_to(gb));
  const auto sum = amp::wait_read(context, gb), alone = amp::wait_read(context, both.second);
  for (std::size_t i = 0; i < 4; ++i) CHECK(std::fabs(sum[i] - (8 + alone[i])) <= 1e-6f);
  auto wrong = check::filled<float>(context, {4}, 8);
  CHECK_THROWS_WITH_AS((amp::mul_backward<amp::o0<>>(context, g, a, b, amp::into(wrong), amp::no_gradient{})), doctest::Contains("[4] where [3, 4] is due"), amp::error);
}
