#include <amphora/autograd/bilinear.hpp>
#include <amphora/autograd/multi_dot.hpp>

#include <autograd/golden.hpp>
#include <autograd/values.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;
using policy = amp::o1<amp::f16>;

TEST_CASE("multi_dot, chain_matmul and bilinear of variables have the reference's value, gradients and second derivatives") {
  test_context context;
  int second = 0;
  for (const auto& c : golden::cases("contraction_matmul.json", {"multi_dot", "chain_matmul"})) {
    const bool is_chain = c.data.at("op") == "chain_matmul";
    const auto function = [&](const auto& tape, const auto&... x) { return is_chain ? amp::chain_matmul<policy>(tape, x...) : amp::multi_dot<policy>(tape, x...); };
    const std::string list = is_chain ? "matrices." : "tensors.";
    const std::string a = list + "0", b = list + "1", d = list + "2", e = list + "3";
    if (c.has(e.c_str())) second += golden::taped(context, c, function, a.c_str(), b.c_str(), d.c_str(), e.c_str());
    else if (c.has(d.c_str())) second += golden::taped(context, c, function, a.c_str(), b.c_str(), d.c_str());
    else second += golden::taped(context, c, function, a.c_str(), b.c_str());
  }
  CHECK(second == 9);
  for (const auto& c : golden::cases("contraction_matmul.json", {"bilinear"})) {
    if (c.has("bias")) second += golden::taped(context, c, [](const auto& tape, const auto& x, const auto& y, const auto& w, const auto& b) { return amp::bilinear<policy>(tape, x, y, w, b); }, "input1", "input2", "weight", "bias");
    else second += golden::taped(context, c, [](const auto& tape, const auto& x, const auto& y, const auto& w) { return amp::bilinear<policy>(tape, x, y, w); }, "input1", "input2", "weight");
  }
  CHECK(second == 15);
}

TEST_CASE("the gradients of a chain and of bilinear have the bits of their explicit backward, in the formats of the operands") {
  test_context context;
  const amp::tape tape(context);
  const auto a = tape.leaf(check::random<float>(context, {3, 9}, 1));
  const auto b = tape.leaf(check::random<amp::float16>(context, {9, 9}, 2));
  const auto g = check::random<amp::float16>(context, {3, 9}, 4);
  amp::backward(context, amp::multi_dot<policy>(tape, a, b, b), g.view());
  const auto direct = amp::multi_dot_backward<policy>(context, g, a.value(), b.value(), b.value());
  CHECK(values(context, a.gradient()) == values(context, std::get<0>(direct)));
  const auto first = values(context, std::get<1>(direct)), last = values(context, std::get<2>(direct)), sum = values(context, b.gradient());
  for (std::size_t i = 0; i < sum.size(); ++i) CHECK(std::fabs(sum[i] - (first[i] + last[i])) <= 0x1p-9 * (1 + std::fabs(sum[i])));  // the sum is made before its rounding

  const auto x = tape.leaf(check::random<float>(context, {3, 4}, 1)), y = tape.leaf(check::random<float>(context, {3, 5}, 2)), w = tape.leaf(check::random<float>(context, {2, 4, 5}, 3));
  const auto seed = check::random<float>(context, {3, 2}, 4);
  amp::backward(context, amp::bilinear<policy>(tape, x, y, w), seed.view());
  const auto of = amp::bilinear_backward<policy>(context, seed, x.value(), y.value(), w.value());
  CHECK(values(context, x.gradient()) == values(context, of.x1));
  CHECK(values(context, y.gradient()) == values(context, of.x2));
  CHECK(values(context, w.gradient()) == values(context, of.w));
}
