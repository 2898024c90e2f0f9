#include <amphora/autograd/einsum.hpp>

#include <amphora/ops/einsum.hpp>
#include <amphora/ops/vecdot.hpp>
#include <autograd/golden.hpp>
#include <autograd/second_slopes.hpp>
#include <autograd/values.hpp>

namespace amp = amphora;
using policy = amp::o1<amp::f16>;

TEST_CASE("einsum and tensordot of variables have the reference's value, gradients and second derivatives") {
  test_context context;
  int second = 0;
  for (const auto& c : golden::cases("contraction_matmul.json", {"einsum"})) {
    const std::string equation = c.option("equation");
    second += golden::taped(context, c, [&](const auto& tape, const auto& a, const auto& b) { return amp::einsum<policy>(tape, equation.c_str(), a, b); }, "operands.0", "operands.1");
  }
  CHECK(second == 26);
  for (const auto& c : golden::cases("contraction_matmul.json", {"tensordot"})) {
    const golden::json& dims = c.option("dims");
    const auto list = [](const golden::json& l) { return l.size() == 1 ? amp::axes{l[0].get<int>()} : amp::axes{l[0].get<int>(), l[1].get<int>()}; };
    second += golden::taped(context, c, [&](const auto& tape, const auto& a, const auto& b) {
      return dims.is_number() ? amp::tensordot<policy>(tape, a, b, dims.get<int>()) : amp::tensordot<policy>(tape, a, b, list(dims[0]), list(dims[1]));
    }, "a", "b");
  }
  CHECK(second == 34);
}

TEST_CASE("gradients of gradients go through sums over one operand, diagonals and broadcast axes; vecdot too") {
  test_context context;
  check::second_slopes(context, check::random<double>(context, {3, 3, 4}, 1), check::random<double>(context, {2, 4}, 2), check::random<double>(context, {3}, 3), check::random<double>(context, {2, 4}, 4),
                       [](const auto& tape, const auto& a, const auto& b) { return amp::einsum<policy>(tape, "iij,kj->i", a, b); },
                       [&](const auto& g, const auto& a, const auto& b) { return amp::einsum_backward<policy>(context, "iij,kj->i", g, a, b).second; });
  check::second_slopes(context, check::random<double>(context, {2, 3}, 1), check::random<double>(context, {4, 1, 3}, 2), check::random<double>(context, {4, 2}, 3), check::random<double>(context, {4, 1, 3}, 4),
                       [](const auto& tape, const auto& a, const auto& b) { return amp::vecdot<policy>(tape, a, b); },
                       [&](const auto& g, const auto& a, const auto& b) { return amp::vecdot_backward<policy>(context, g, a, b).second; });
}

TEST_CASE("the gradients of einsum of variables have the bits of einsum_backward, in the operands' formats") {
  test_context context;
  const amp::tape tape(context);
  const auto a = tape.leaf(check::random<float>(context, {5, 2, 7}, 1));
  const auto b = tape.leaf(check::random<amp::float16>(context, {3, 2, 7}, 2));
  const auto y = amp::einsum<policy>(tape, "qhd,khd->hqk", a, b);
  const auto g = check::random<amp::float16>(context, {2, 5, 3}, 3);
  amp::backward(context, y, g.view());
  const auto direct = amp::einsum_backward<policy>(context, "qhd,khd->hqk", g, a.value(), b.value());
  CHECK(values(context, a.gradient()) == values(context, direct.first));
  CHECK(values(context, b.gradient()) == values(context, direct.second));
}
