#include <amphora/autograd/addmm.hpp>
#include <amphora/autograd/mm.hpp>

#include <autograd/golden.hpp>
#include <autograd/values.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;
using policy = amp::o1<amp::f16>;

TEST_CASE("mm, bmm, mv, dot and vdot of variables have the reference's value, gradients and second derivatives") {
  test_context context;
  int second = 0;
  for (const auto& c : golden::cases("contraction_matmul.json", {"mm", "bmm", "mv", "dot"})) {
    const std::string op = c.data.at("op");
    const char* other = c.has("mat2") ? "mat2" : c.has("vec") ? "vec" : "tensor";
    second += golden::taped(context, c, [&](const auto& tape, const auto& a, const auto& b) {
      return op == "mm" ? amp::mm<policy>(tape, a, b) : op == "bmm" ? amp::bmm<policy>(tape, a, b) : op == "mv" ? amp::mv<policy>(tape, a, b) : amp::dot<policy>(tape, a, b);
    }, "input", other);
    if (op == "dot") golden::taped(context, c, [](const auto& tape, const auto& a, const auto& b) { return amp::vdot<policy>(tape, a, b); }, "input", other);
  }
  CHECK(second == 26);
}

TEST_CASE("addmm and its kin of variables have the reference's value, gradients and second derivatives") {
  test_context context;
  int second = 0;
  for (const auto& c : golden::cases("contraction_matmul.json", {"addmm", "addmv", "addr", "addbmm", "baddbmm"})) {
    const std::string op = c.data.at("op");
    const double beta = golden::number(c.option("beta")), alpha = golden::number(c.option("alpha"));
    if (alpha == 0) continue;  // NaN in PyTorch's gradients; held by tests/ops
    const std::array<const char*, 2> name = c.has("mat1") ? std::array<const char*, 2>{"mat1", "mat2"} : c.has("mat") ? std::array<const char*, 2>{"mat", "vec"}
                                          : c.has("vec1") ? std::array<const char*, 2>{"vec1", "vec2"} : std::array<const char*, 2>{"batch1", "batch2"};
    second += golden::taped(context, c, [&](const auto& tape, const auto& x, const auto& a, const auto& b) {
      return op == "addmm" ? amp::addmm<policy>(tape, x, a, b, beta, alpha) : op == "addmv" ? amp::addmv<policy>(tape, x, a, b, beta, alpha) : op == "addr" ? amp::addr<policy>(tape, x, a, b, beta, alpha)
           : op == "addbmm" ? amp::addbmm<policy>(tape, x, a, b, beta, alpha) : amp::baddbmm<policy>(tape, x, a, b, beta, alpha);
    }, "input", name[0], name[1]);
  }
  CHECK(second >= 35);
}

TEST_CASE("the gradients of addmm of variables have the bits of addmm_backward, in the formats of the operands") {
  test_context context;
  const amp::tape tape(context);
  const auto x = tape.leaf(check::random<float>(context, {5}, 1)), a = tape.leaf(check::random<float>(context, {3, 7}, 2));
  const auto b = tape.leaf(check::random<amp::float16>(context, {7, 5}, 3));
  const auto y = amp::addmm<policy>(tape, x, a, b, 0.5, 2);
  const auto g = check::random<amp::float16>(context, {3, 5}, 4);
  amp::backward(context, y, g.view());
  const auto direct = amp::addmm_backward<policy>(context, g, x.value(), a.value(), b.value(), 0.5, 2);
  CHECK(values(context, x.gradient()) == values(context, direct.first));
  CHECK(values(context, a.gradient()) == values(context, direct.second));
  CHECK(values(context, b.gradient()) == values(context, direct.third));
}
