#include <amphora/autograd/cumulative.hpp>

#include <autograd/golden.hpp>
#include <autograd/second_slopes.hpp>
#include <autograd/values.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;
using policy = amp::o1<amp::f16>;

TEST_CASE("cumsum and cumprod of variables have the reference's values, gradients and second derivatives") {
  test_context context;
  int second = 0;
  for (auto c : golden::cases("sensitive_reduction.json", {"cumsum", "cumprod"})) {
    const bool sum = c.data.at("op") == "cumsum";
    if (c.name() == "cumprod/special") continue;  // tests/ops/cumulative.test.cpp says why
    second += golden::taped(context, c, [&](const auto& tape, const auto& x) {
      return sum ? amp::cumsum<policy>(tape, x, c.option("dim").template get<int>()) : amp::cumprod<policy>(tape, x, c.option("dim").template get<int>());
    }, "input");
  }
  CHECK(second == 10 + 13);
}

TEST_CASE("second derivatives of cumprod hold along every axis, with zeros too") {
  test_context context;
  auto numbers = check::random_numbers<double>(30, 1);
  numbers[3] = numbers[9] = numbers[14] = 0;
  for (int axis = 0; axis < 3; ++axis)
    check::second_slopes(context, check::filled<double>(context, {}, 1), check::given(context, {2, 5, 3}, numbers), check::random<double>(context, {2, 5, 3}, 2),
                         check::random<double>(context, {2, 5, 3}, 3), [&](const auto& t, const auto&, const auto& b) { return amp::cumprod<policy>(t, b, axis); },
                         [&](const auto& s, const auto&, const auto& b) { return amp::cumprod_backward<policy>(context, s, b, axis); });
}

TEST_CASE("gradients of cumsum and cumprod of variables have the bits of the explicit ones, in the operand's format") {
  test_context context;
  const amp::tape tape(context);
  auto x = tape.leaf(check::random<amp::float16>(context, {3, 50, 4}, 1));
  const auto g = check::random<float>(context, {3, 50, 4}, 2);
  for (int axis : {0, 1, 2}) {
    x.clear_gradient();
    amp::backward(context, amp::cumsum<policy>(tape, x, axis), g.view());
    CHECK(values(context, x.gradient()) == values(context, amp::cumsum_backward<policy>(context, g, x.value(), axis)));
    x.clear_gradient();
    amp::backward(context, amp::cumprod<policy>(tape, x, axis), g.view());
    CHECK(values(context, x.gradient()) == values(context, amp::cumprod_backward<policy>(context, g, x.value(), axis)));
  }
}
