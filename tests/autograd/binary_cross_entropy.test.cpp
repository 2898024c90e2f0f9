#include <amphora/autograd/element_loss.hpp>

#include <autograd/golden.hpp>
#include <autograd/second_slopes.hpp>
#include <ops/gradient_check.hpp>
#include <ops/loss_case.hpp>

namespace amp = amphora;
using policy = amp::o1<amp::f16>;

TEST_CASE("binary cross entropies have the reference's values, gradients and second derivatives") {
  const auto weights = [](const auto& tape, const auto& c, const char* name) { return tape.constant(c.input(name).template to<double>(tape.context())); };
  test_context context;
  int second = 0;
  for (const auto& c : golden::loss_cases("binary_cross_entropy_with_logits")) second += golden::taped(context, c, [&](const auto& tape, const auto& x, const auto& t) {
    const auto r = golden::reduction_of(c);
    const bool weighted = c.has("weight"), positive = c.has("pos_weight");
    if (weighted && positive) return amp::binary_cross_entropy_with_logits<policy>(tape, x, t, r, weights(tape, c, "weight"), weights(tape, c, "pos_weight"));
    if (weighted) return amp::binary_cross_entropy_with_logits<policy>(tape, x, t, r, weights(tape, c, "weight"));
    if (positive) return amp::binary_cross_entropy_with_logits<policy>(tape, x, t, r, amp::no_weights{}, weights(tape, c, "pos_weight"));
    return amp::binary_cross_entropy_with_logits<policy>(tape, x, t, r);
  }, "input", "target");
  CHECK(second == 12);
  int first = 0;
  for (auto c : golden::loss_cases("binary_cross_entropy")) {
    c.data.erase("second");  // PyTorch's adds 1e-12 to x and 1 − x there: below
    const auto r = golden::reduction_of(c);
    golden::taped(context, c, [&](const auto& tape, const auto& x, const auto& t) {
      return c.has("weight") ? amp::binary_cross_entropy<policy>(tape, x, t, r, weights(tape, c, "weight")) : amp::binary_cross_entropy<policy>(tape, x, t, r);
    }, "input", "target");
    ++first;
  }
  CHECK(first == 9);
  auto numbers = check::random_numbers<double>(12, 1);
  for (double& p : numbers) p = 0.5 + p / 4;
  check::second_slopes(context, check::random<double>(context, {3, 4}, 2), check::given(context, {3, 4}, numbers), check::random<double>(context, {}, 3), check::random<double>(context, {3, 4}, 4),
                       [](const auto& tape, const auto& t, const auto& x) { return amp::binary_cross_entropy<policy>(tape, x, t); },
                       [&](const auto& g, const auto& t, const auto& x) { return amp::binary_cross_entropy_backward<policy>(context, g, x, t).first; });
}
