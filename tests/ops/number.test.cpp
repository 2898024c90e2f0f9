#include <amphora/ops/number.hpp>

#include <amphora/policy/opt_level.hpp>
#include <device_ops.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;

static_assert(std::is_same_v<decltype(amp::mul<amp::o1<amp::f16>>(std::declval<test_context&>(), std::declval<check::tensor<amp::float16>>(), 2.0)), check::tensor<amp::float16>>, "the format that came in");
static_assert(std::is_same_v<decltype(amp::div<amp::o1<amp::f16>>(std::declval<test_context&>(), 2.0, std::declval<check::tensor<amp::float16>>())), check::tensor<float>>, "a sensitive op");

TEST_CASE("products and quotients with a number are rounded once, in every format, at odd places and sizes, into themselves too") {
  test_context context;
  for (const std::int64_t n : {0, 1, 9, 2051}) {
    auto memory = check::random<amp::float16>(context, {n + 1}, 1);
    const amp::view<amp::float16> x(memory.data() + 1, {n});
    const auto before = amp::wait_read(context, x);
    const auto product = amp::wait_read(context, amp::mul<amp::policy<>>(context, x, 0.3)), quotient = amp::wait_read(context, amp::div<amp::policy<>>(context, x, 3));
    const auto turned = amp::wait_read(context, amp::div<amp::o1<amp::f16>>(context, 3, x));
    amp::mul<amp::policy<>>(context, amp::into(x), x, 0.3);
    const auto over = amp::wait_read(context, x);
    int wrong = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
      const float v = static_cast<float>(before[i]);
      wrong += product[i].bits() != amp::convert<amp::f16>(v * 0.3f).bits() || over[i].bits() != product[i].bits();
      wrong += quotient[i].bits() != amp::convert<amp::f16>(v / 3).bits() || turned[i] != 3 / v;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("gradients of products and quotients with a number are the slopes of their values, and add where asked") {
  test_context context;
  auto x = check::random<double>(context, {5, 7}, 1);
  auto numbers = amp::wait_read(context, x);
  for (double& v : numbers) v += 2;
  amp::write(context, numbers, x);
  const auto g = check::random<double>(context, {5, 7}, 2);
  check::slopes(context, [&] { return check::dot(context, g, amp::mul<amp::o0<>>(context, x, -1.5)); }, x, amp::mul_backward<amp::o0<>>(context, g, x, -1.5));
  check::slopes(context, [&] { return check::dot(context, g, amp::div<amp::o0<>>(context, x, -1.5)); }, x, amp::div_backward<amp::o0<>>(context, g, x, -1.5));
  check::slopes(context, [&] { return check::dot(context, g, amp::div<amp::o0<>>(context, -1.5, x)); }, x, amp::div_backward<amp::o0<>>(context, g, -1.5, x));
  auto sum = check::filled<double>(context, {5, 7}, 1);
  amp::div_backward<amp::o0<>>(context, amp::add_to(sum), g, -1.5, x);
  amp::div_backward<amp::o0<>>(context, amp::add_to(sum), g, x, 4);
  amp::mul_backward<amp::o0<>>(context, amp::add_to(sum), g, x, 4);
  const auto got = amp::wait_read(context, sum), g_ = amp::wait_read(context, g);
  for (std::size_t i = 0; i < got.size(); ++i) CHECK(std::fabs(got[i] - (1 + g_[i] * (1.5 / (numbers[i] * numbers[i]) + 4.25))) <= 1e-14);
}
