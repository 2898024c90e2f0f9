#include <amphora/autograd/record.hpp>

#include <amphora/autograd/backward.hpp>
#include <autograd/values.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <utility>
#include <vector>

namespace amp = amphora;

namespace recorded {

/// An op that only keeps something, and gives all its inputs the gradient of its value.
struct keeping {
  std::shared_ptr<int> kept;
  template <class Pass, class G, class... X> void backward(Pass& pass, const G& gradient, const G&, const X&... x) const { (pass.give(x, gradient), ...); }
};
template <class... X> auto keep(test_context& context, const amp::tape<test_context>& tape, std::shared_ptr<int> what, const X&... x) {
  return amp::record(tape, numbers<float>(context, {2}, {1, 2}), keeping{std::move(what)}, x...);
}

}  // namespace recorded

TEST_CASE("an empty variable among an op's inputs stands for what the call was not given: it gets nothing, and adds nothing to the depth") {
  test_context context;
  const amp::tape tape(context);
  const auto x = tape.leaf(numbers<float>(context, {2}, {3, 4}));
  const amp::variable<float, test_context> none;
  const auto y = recorded::keep(context, tape, nullptr, none, x, none);
  CHECK(y.shared()->depth == 1);
  CHECK(recorded::keep(context, tape, nullptr, x, y).shared()->depth == 2);
  amp::backward(context, y, numbers<float>(context, {2}, {5, 6}).view());
  CHECK(values(context, x.gradient()) == std::vector<double>{5, 6});
  CHECK(!recorded::keep(context, tape, nullptr, none).needs_gradient());
}

TEST_CASE("what an op keeps lives until the graph is used up, and no longer than the graph; where nothing is recorded it goes at once") {
  test_context context;
  const amp::tape tape(context);
  const auto x = tape.leaf(numbers<float>(context, {2}, {3, 4})), constant = tape.constant(numbers<float>(context, {2}, {3, 4}));
  std::weak_ptr<int> seen;
  const auto keep = [&](const auto& on, const auto& input) {
    auto what = std::make_shared<int>(1);
    seen = what;
    return recorded::keep(context, on, std::move(what), input);
  };
  const auto of_constant = keep(tape, constant);
  CHECK(seen.expired());
  const auto without = keep(tape.no_grad(), x);
  CHECK(seen.expired());
  const auto seed = numbers<float>(context, {2}, {1, 1});
  {
    const auto y = keep(tape, x);
    amp::backward(context, y, seed.view(), amp::graph::keep);
    CHECK(!seen.expired());
    amp::backward(context, y, seed.view());
    CHECK(seen.expired());
    CHECK(values(context, y) == std::vector<double>{1, 2});
  }
  { const auto y = keep(tape, x); CHECK(!seen.expired()); }
  CHECK(seen.expired());
}
