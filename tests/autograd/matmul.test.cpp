#include <amphora/autograd/matmul.hpp>

#include <autograd/golden.hpp>
#include <autograd/values.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;
using policy = amp::o1<amp::f16>;

TEST_CASE("matmul of variables has the reference's value, gradients and second derivatives, batched, broadcast and of vectors") {
  test_context context;
  int second = 0;
  for (const auto& c : golden::cases("second.json", {"matmul"}))
    second += golden::taped(context, c, [](const auto& tape, const auto& a, const auto& b) { return amp::matmul<policy>(tape, a, b); }, "input", "other");
  CHECK(second == 24);
}

TEST_CASE("the gradients of matmul of variables have the bits of matmul_backward") {
  test_context context;
  const amp::tape tape(context);
  const std::pair<amp::shape, amp::shape> all[] = {{{3, 7}, {7, 5}}, {{2, 3, 7}, {7, 5}}, {{4, 1, 3, 7}, {2, 7, 5}}, {{7}, {2, 7, 5}}, {{2, 3, 7}, {7}}};
  for (const auto& [shape_a, shape_b] : all) {
    const auto a = tape.leaf(check::random<float>(context, shape_a, 1));
    const auto b = tape.leaf(check::random<amp::float16>(context, shape_b, 2));
    const auto c = amp::matmul<policy>(tape, a, b);
    const auto g = check::random<amp::float16>(context, c.shape(), 3);
    amp::backward(context, c, g.view());
    const auto direct = amp::matmul_backward<policy>(context, g, a.value(), b.value());
    CHECK(values(context, a.gradient()) == values(context, direct.first));
    CHECK(values(context, b.gradient()) == values(context, direct.second));
  }
}

TEST_CASE("a product can be differentiated as often as one likes") {
  test_context context;
  const amp::tape tape(context);
  // ⟨(A B) C, 1⟩ is linear in each: its derivative by A, B and C, one after the other, is a sum of ones.
  const auto a = tape.leaf(check::random<double>(context, {2, 3}, 1)), b = tape.leaf(check::random<double>(context, {3, 4}, 2)), c = tape.leaf(check::random<double>(context, {4, 2}, 3));
  const auto ones = [&](amp::shape s) { return tape.constant(check::filled<double>(context, s, 1)); };
  const auto y = amp::matmul<policy>(tape, amp::matmul<policy>(tape, a, b), c);
  const auto [ga] = amp::grad(context, y, ones({2, 2}), amp::graph::create, a);
  const auto [gab] = amp::grad(context, ga, ones({2, 3}), amp::graph::create, b);
  const auto [gabc] = amp::grad(context, gab, ones({3, 4}), amp::graph::create, c);
  for (double number : values(context, gabc)) CHECK(number == 6);  // 2 rows of A times 3 columns of A
}
