#include <amphora/autograd/row_loss.hpp>

#include <autograd/golden.hpp>
#include <autograd/values.hpp>
#include <ops/gradient_check.hpp>
#include <ops/loss_case.hpp>

namespace amp = amphora;
using policy = amp::o1<amp::f16>;

TEST_CASE("cosine_embedding_loss of variables has the reference's value, gradients and second derivatives") {
  test_context context;
  int second = 0;
  for (const auto& c : golden::loss_cases("cosine_embedding_loss"))
    second += golden::taped(context, c, [&](const auto& tape, const auto& x, const auto& y) {
      return amp::cosine_embedding_loss<policy>(tape, x, y, tape.constant(c.input("target").to<double>(context)), golden::reduction_of(c), c.option("margin").get<double>());
    }, "input1", "input2");
  CHECK(second == 9);
}

TEST_CASE("triplet_margin_loss of variables has the reference's value, gradients and second derivatives") {
  test_context context;
  int second = 0;
  for (const auto& c : golden::loss_cases("triplet_margin_loss"))
    second += golden::taped(context, c, [&](const auto& tape, const auto& a, const auto& p, const auto& n) {
      return amp::triplet_margin_loss<policy>(tape, a, p, n, {golden::reduction_of(c), c.option("margin"), c.option("p"), c.option("eps"), c.option("swap")});
    }, "anchor", "positive", "negative");
  CHECK(second == 12);
}

TEST_CASE("gradients of row losses of variables have the bits of the explicit ones, in the operands' formats") {
  test_context context;
  const amp::tape tape(context);
  const auto x = check::random<amp::float16>(context, {4, 9}, 1), y = check::random<amp::float16>(context, {4, 9}, 2), z = check::random<amp::float16>(context, {9}, 3);
  const auto t = check::given<float>(context, {4}, {1, -1, -1, 1});
  const auto a = tape.leaf(amp::cast<amp::f16>(context, x)), n = tape.leaf(amp::cast<amp::f16>(context, z));
  const auto scale = check::filled(context, {}, 256.0f);
  amp::backward(context, amp::triplet_margin_loss<policy>(tape, a, y, n), scale.view());
  const auto gradients = amp::triplet_margin_loss_backward<policy>(context, scale, x, y, z);
  CHECK(values(context, a.gradient()) == values(context, gradients.first));
  CHECK(values(context, n.gradient()) == values(context, gradients.third));
  const auto b = tape.leaf(amp::cast<amp::f16>(context, x));
  amp::backward(context, amp::cosine_embedding_loss<policy>(tape, b, z, t), scale.view());
  CHECK(values(context, b.gradient()) == values(context, amp::cosine_embedding_loss_backward<policy>(context, scale, x, z, t).first));
}
