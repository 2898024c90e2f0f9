#include <amphora/ops/relu.hpp>

#include <ops/golden.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;

static_assert(amp::detail::relu_value{}(0, -1.0f) == 0 && amp::detail::relu_value{}(0, 2.0f) == 2);
static_assert(std::is_same_v<decltype(amp::relu<amp::o1<amp::f16>>(std::declval<test_context&>(), std::declval<golden::tensor<float>>())), golden::tensor<float>>, "the format that came in");

TEST_CASE("relu and its gradient agree with the reference in every format") {
  test_context context;
  int run = 0;
  for (const auto& c : golden::cases("activation.json", {"relu"})) {
    const golden::array a = c.input("input");
    golden::in_all_settings([&](auto s) {
      using setting = decltype(s);
      using T = typename setting::input;
      if (!a.template is_exact_in<T>()) return;
      ++run;
      const auto x = a.template to<T>(context);
      const auto value = amp::relu<typename setting::policy>(context, x);
      golden::compare(context, c.name(), value, c.output(), 0, 0, 0);
      const auto g = golden::upstream<std::remove_const_t<decltype(value)>>(context, c);
      golden::compare(context, c.name() + " x", amp::relu_backward<typename setting::policy>(context, g, x), c.gradient("input"), 0, 0, 0);
      golden::compare(context, c.name() + " by its value", amp::relu_backward<typename setting::policy>(context, g, value), c.gradient("input"), 0, 0, 0);
    });
  }
  CHECK(run > 20);
}

TEST_CASE("relu may write over what it reads, and adds a gradient where asked") {
  test_context context;
  auto x = check::random<amp::bfloat16>(context, {2, 1000}, 1);
  const auto value = amp::relu<amp::policy<>>(context, x);
  const auto g = check::random<amp::bfloat16>(context, {2, 1000}, 2);
  golden::tensor<float> sum(context, {2, 1000});
  amp::relu_backward<amp::policy<>>(context, amp::into(sum), g, x);
  amp::relu_backward<amp::policy<>>(context, amp::add_to(sum), g, x);
  const auto once = amp::relu_backward<amp::policy<>>(context, g, x);
  const auto of_sum = amp::wait_read(context, sum);
  const auto of_once = amp::wait_read(context, once);
  for (std::size_t i = 0; i < 2000; ++i) CHECK(of_sum[i] == 2 * static_cast<float>(of_once[i]));
  amp::relu<amp::policy<>>(context, amp::into(x), x);
  const auto over = amp::wait_read(context, x), apart = amp::wait_read(context, value);
  for (std::size_t i = 0; i < 2000; ++i) CHECK(over[i].bits() == apart[i].bits());
}
