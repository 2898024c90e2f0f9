#include <amphora/autograd/add.hpp>

#include <autograd/golden.hpp>
#include <autograd/values.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;
using policy = amp::o1<amp::f16>;

TEST_CASE("add of variables has the reference's value, gradients and second derivatives, broadcast or not") {
  test_context context;
  int second = 0;
  for (const auto& c : golden::cases("second.json", {"add"})) {
    const double alpha = c.option("alpha");
    if (alpha == 0) continue;  // ours then reads nothing of b
    second += golden::taped(context, c, [&](const auto& tape, const auto& a, const auto& b) { return amp::add<policy>(tape, a, b, alpha); }, "input", "other");
  }
  CHECK(second == 14);
}

TEST_CASE("the gradients of add of variables have the bits of add_backward, each in its operand's format") {
  test_context context;
  const amp::tape tape(context);
  const auto a = tape.leaf(check::random<amp::float16>(context, {4, 1, 33}, 1));
  const auto b = tape.leaf(check::random<float>(context, {5, 33}, 2));
  const auto g = check::random<float>(context, {4, 5, 33}, 3);
  const auto sum = amp::add<policy>(tape, a, b, 0.5);
  CHECK(values(context, sum) == values(context, amp::add<policy>(context, a.value(), b.value(), 0.5)));
  amp::backward(context, sum, g.view());
  const auto direct = amp::add_backward<policy>(context, g, a.value(), b.value(), 0.5);
  static_assert(std::is_same_v<decltype(a.gradient())::value_type, amp::float16> && std::is_same_v<decltype(b.gradient())::value_type, float>);
  CHECK(values(context, a.gradient()) == values(context, direct.first));
  CHECK(values(context, b.gradient()) == values(context, direct.second));
}
