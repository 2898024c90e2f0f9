#include <amphora/autograd/cosine_similarity.hpp>

#include <autograd/golden.hpp>
#include <autograd/second_slopes.hpp>
#include <autograd/values.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;
using policy = amp::o1<amp::f16>;

TEST_CASE("cosine_similarity of variables has the reference's value, gradients and second derivatives, below eps too") {
  test_context context;
  int second = 0;
  for (const auto& c : golden::cases("sensitive_reduction.json", {"cosine_similarity"}))
    second += golden::taped(context, c, [&](const auto& tape, const auto& a, const auto& b) {
      return amp::cosine_similarity<policy>(tape, a, b, c.option("dim").template get<int>(), c.option("eps").template get<double>());
    }, "x1", "x2");
  CHECK(second == 11);
}

TEST_CASE("second derivatives of the gradients of both operands of cosine_similarity hold") {
  test_context context;
  const auto a = check::random<double>(context, {2, 1, 4}, 1), b = check::random<double>(context, {3, 4}, 2);
  for (int axis : {1, 2}) {
    const auto g = check::random<double>(context, amp::cosine_similarity<policy>(context, a, b, axis).shape(), 3);
    check::second_slopes(context, check::copied(context, a.view()), check::copied(context, b.view()), check::copied(context, g.view()), check::random<double>(context, {3, 4}, 4),
                         [&](const auto& t, const auto& x, const auto& y) { return amp::cosine_similarity<policy>(t, x, y, axis); },
                         [&](const auto& s, const auto& x, const auto& y) { return amp::cosine_similarity_backward<policy>(context, s, x, y, axis).second; });
    check::second_slopes(context, check::copied(context, b.view()), check::copied(context, a.view()), check::copied(context, g.view()), check::random<double>(context, {2, 1, 4}, 5),
                         [&](const auto& t, const auto& x, const auto& y) { return amp::cosine_similarity<policy>(t, y, x, axis); },
                         [&](const auto& s, const auto& x, const auto& y) { return amp::cosine_similarity_backward<policy>(context, s, y, x, axis).first; });
  }
}

TEST_CASE("gradients of cosine_similarity of variables have the bits of the explicit ones, in each operand's format") {
  test_context context;
  const amp::tape tape(context);
  const auto a = tape.leaf(check::random<amp::float16>(context, {7, 33}, 1));
  const auto b = tape.leaf(check::random<float>(context, {33}, 2));
  const auto g = check::random<float>(context, {7}, 3);
  amp::backward(context, amp::cosine_similarity<policy>(tape, a, b), g.view());
  const auto of = amp::cosine_similarity_backward<policy>(context, g, a.value(), b.value());
  CHECK(values(context, a.gradient()) == values(context, of.first));
  CHECK(values(context, b.gradient()) == values(context, of.second));
}
