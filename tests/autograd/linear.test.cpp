#include <amphora/autograd/linear.hpp>

#include <autograd/golden.hpp>
#include <autograd/values.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;
using policy = amp::o1<amp::f16>;

TEST_CASE("linear of variables has the reference's value, gradients and second derivatives, with and without a bias") {
  test_context context;
  int second = 0;
  for (const auto& c : golden::cases("second.json", {"linear"})) {
    if (c.has("bias")) second += golden::taped(context, c, [](const auto& tape, const auto& x, const auto& w, const auto& b) { return amp::linear<policy>(tape, x, w, b); }, "input", "weight", "bias");
    else second += golden::taped(context, c, [](const auto& tape, const auto& x, const auto& w) { return amp::linear<policy>(tape, x, w); }, "input", "weight");
  }
  CHECK(second == 12);
}

TEST_CASE("the gradients of linear of variables have the bits of linear_backward, each in its operand's format") {
  test_context context;
  const amp::tape tape(context);
  const auto x = tape.leaf(check::random<amp::float16>(context, {6, 9}, 1));
  const auto w = tape.leaf(check::random<float>(context, {4, 9}, 2)), b = tape.leaf(check::random<float>(context, {4}, 3));
  const auto g = check::random<amp::float16>(context, {6, 4}, 4);
  const auto y = amp::linear<policy>(tape, x, w, b);
  amp::backward(context, y, g.view());
  const auto direct = amp::linear_backward<policy>(context, g, x.value(), w.value());
  CHECK(values(context, x.gradient()) == values(context, direct.x));
  CHECK(values(context, w.gradient()) == values(context, direct.w));
  CHECK(values(context, b.gradient()) == values(context, direct.b));
}

TEST_CASE("a relu in the same pass has the value and the gradients of a relu after it, second ones too") {
  test_context context;
  const amp::tape tape(context);
  const auto x = tape.leaf(check::random<double>(context, {6, 9}, 1)), w = tape.leaf(check::random<double>(context, {4, 9}, 2)), b = tape.leaf(check::random<double>(context, {4}, 3));
  const auto g = tape.leaf(check::random<double>(context, {6, 4}, 4)), v = tape.leaf(check::random<double>(context, {6, 9}, 5));
  const auto all = [&](const auto& y) {
    const auto [gx, gw, gb] = amp::grad(context, y, g, amp::graph::create, x, w, b);
    const auto [second_w, second_g] = amp::grad(context, gx, v, amp::graph::free, w, g);
    std::vector<std::vector<double>> result;
    for (const auto& each : {y, gx, gw, gb, second_w, second_g}) result.push_back(values(context, each));
    return result;
  };
  CHECK(all(amp::linear<policy>(tape, x, w, b, amp::with_relu{})) == all(amp::relu<policy>(tape, amp::linear<policy>(tape, x, w, b))));
}
