#include <amphora/autograd/class_margin_loss.hpp>

#include <autograd/golden.hpp>
#include <ops/gradient_check.hpp>
#include <ops/loss_case.hpp>

namespace amp = amphora;
using policy = amp::o1<amp::f16>;

TEST_CASE("losses of classes of variables have the reference's values and gradients, and no second derivatives") {
  test_context context;
  int run = 0;
  for (const auto& c : golden::loss_cases("multi_margin_loss")) {
    ++run;
    golden::taped(context, c, [&](const auto& tape, const auto& x) {
      const amp::multi_margin_settings settings{golden::reduction_of(c), c.option("margin"), c.option("p")};
      const auto t = tape.constant(c.input("target").to_index(context));
      return c.has("weight") ? amp::multi_margin_loss<policy>(tape, x, t, settings, tape.constant(c.input("weight").to<double>(context))) : amp::multi_margin_loss<policy>(tape, x, t, settings);
    }, "input");
  }
  for (const auto& c : golden::loss_cases("multilabel_margin_loss")) {
    ++run;
    golden::taped(context, c, [&](const auto& tape, const auto& x) { return amp::multilabel_margin_loss<policy>(tape, x, tape.constant(c.input("target").to_index(context)), golden::reduction_of(c)); }, "input");
  }
  CHECK(run == 30);
  const amp::tape tape(context);
  const auto x = tape.leaf(check::random<double>(context, {2, 3}, 1));
  const auto t = check::given<std::int64_t>(context, {2}, {0, 2});
  const auto [first] = amp::grad(context, amp::multi_margin_loss<policy>(tape, x, t), amp::graph::create, x);
  CHECK_THROWS_WITH_AS(amp::grad(context, first, tape.constant(check::random<double>(context, {2, 3}, 2)), amp::graph::free, x), doctest::Contains("no-derivative"), amp::error);
}
