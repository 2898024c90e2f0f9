#include <amphora/autograd/prod.hpp>

#include <autograd/golden.hpp>
#include <autograd/second_slopes.hpp>
#include <autograd/values.hpp>
#include <ops/gradient_check.hpp>
#include <ops/reduction_case.hpp>

namespace amp = amphora;
using policy = amp::o1<amp::f16>;

TEST_CASE("prod of variables has the reference's values, gradients and second derivatives, zeros included") {
  test_context context;
  int second = 0;
  for (const auto& c : golden::cases("sensitive_reduction.json", {"prod"}))
    second += golden::taped(context, c, [&](const auto& tape, const auto& x) { return amp::prod<policy>(tape, x, golden::axes_of(c)); }, "input");
  CHECK(second == 14);
}

TEST_CASE("second derivatives of prod hold with none, one, two and three zeros") {
  test_context context;
  for (int zeros : {0, 1, 2, 3}) {
    auto numbers = check::random_numbers<double>(10, 1);
    for (int i = 0; i < zeros; ++i) numbers[static_cast<std::size_t>(2 * i)] = 0;
    check::second_slopes(context, check::filled<double>(context, {}, 1), check::given(context, {2, 5}, numbers), check::random<double>(context, {2}, 2), check::random<double>(context, {2, 5}, 3),
                         [&](const auto& t, const auto&, const auto& b) { return amp::prod<policy>(t, b, amp::axes{1}); },
                         [&](const auto& s, const auto&, const auto& b) { return amp::prod_backward<policy>(context, s, b, amp::axes{1}); });
  }
}

TEST_CASE("the gradient of prod of variables has the bits of the explicit one, in the operand's format") {
  test_context context;
  const amp::tape tape(context);
  const auto x = tape.leaf(check::random<amp::bfloat16>(context, {3, 9, 4}, 1));
  const auto g = check::random<float>(context, {3, 4}, 2);
  amp::backward(context, amp::prod<policy>(tape, x, amp::axes{1}), g.view());
  CHECK(values(context, x.gradient()) == values(context, amp::prod_backward<policy>(context, g, x.value(), amp::axes{1})));
}
