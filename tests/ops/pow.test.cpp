#include <amphora/ops/pow.hpp>

#include <ops/elementwise_case.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;

static_assert(std::is_same_v<decltype(amp::pow<amp::o1<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<amp::float16>>(), 2.0)), golden::tensor<float>>, "a sensitive op");

namespace {

const std::vector<std::string> of_two = {"pow/tensor_tensor_3x4_3x4", "pow/tensor_tensor_3x1_4", "pow/tensor_tensor_scalar_5", "pow/tensor_tensor_0_1", "pow/special_tensor_tensor"};

}  // namespace

TEST_CASE("pow with a number for base or exponent agrees with the reference in every format, special values included") {
  const int run = golden::run_unary(
      golden::transcendental_file, "pow", 8, 0,
      [](auto p, auto& context, const auto& x, const auto& c) {
        if (c.has("input")) return amp::pow<decltype(p)>(context, x, c.option("exponent").template get<double>());
        return amp::pow<decltype(p)>(context, c.option("input").template get<double>(), x);
      },
      [](auto p, auto& context, const auto& g, const auto& x, const auto& c) {
        if (c.has("input")) return amp::pow_backward<decltype(p)>(context, g, x, c.option("exponent").template get<double>());
        return amp::pow_backward<decltype(p)>(context, g, c.option("input").template get<double>(), x);
      },
      of_two);
  CHECK(run >= 32 * 7);
}

TEST_CASE("pow of two tensors agrees with the reference in every format, broadcast or not, at 0 and at infinity") {
  CHECK(golden::run_many(golden::transcendental_file, "pow", 12, 0, {}, [](auto p, auto& context, const auto&, const auto& a, const auto& b) { return amp::pow<decltype(p)>(context, a, b); },
                         [](auto p, auto& context, const auto&, const auto& g, const auto& a, const auto& b) { return amp::pow_backward<decltype(p)>(context, g, a, b); }, "input", "exponent") >= 35);
}

TEST_CASE("gradients of pow are the slopes of its value, by a base and by an exponent") {
  test_context context;
  auto a = check::random<double>(context, {3, 4}, 1), b = check::random<double>(context, {4}, 2);
  auto numbers = amp::wait_read(context, a);
  for (double& v : numbers) v = 1.5 + v / 2;
  amp::write(context, numbers, a);
  const auto g = check::random<double>(context, {3, 4}, 3);
  const auto value = [&] { return check::dot(context, g, amp::pow<amp::o0<>>(context, a, b)); };
  const auto of = amp::pow_backward<amp::o0<>>(context, g, a, b);
  check::slopes(context, value, a, of.first), check::slopes(context, value, b, of.second);
  for (const double exponent : {2.0, 3.0, 0.5, -0.5, 1.0, 0.0, -1.0, -2.0, 2.5})
    check::slopes(context, [&] { return check::dot(context, g, amp::pow<amp::o0<>>(context, a, exponent)); }, a, amp::pow_backward<amp::o0<>>(context, g, a, exponent));
  check::slopes(context, [&] { return check::dot(context, g, amp::pow<amp::o0<>>(context, 2, a)); }, a, amp::pow_backward<amp::o0<>>(context, g, 2, a));
}

TEST_CASE("squares and halves are exact products and quotients, at odd places and sizes, and gradients add where asked") {
  test_context context;
  for (const std::int64_t n : {0, 1, 9, 2051}) {
    auto memory = check::random<float>(context, {n + 1}, 1);
    const amp::view<float> x(memory.data() + 1, {n});
    const auto before = amp::wait_read(context, x);
    const auto g = check::random<float>(context, {n}, 2);
    auto sum = check::filled<float>(context, {n}, 1);
    amp::pow_backward<amp::o0<>>(context, amp::add_to(sum), g, x, 2);
    amp::pow<amp::o0<>>(context, amp::into(x), x, 2);
    const auto after = amp::wait_read(context, x), added = amp::wait_read(context, sum), g_ = amp::wait_read(context, g);
    int wrong = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
      const volatile float slope = g_[i] * (2 * before[i]);
      wrong += after[i] != before[i] * before[i] || added[i] != slope + 1;
    }
    CHECK(wrong == 0);
  }
}
