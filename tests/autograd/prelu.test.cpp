#include <amphora/autograd/prelu.hpp>

#include <autograd/golden.hpp>
#include <autograd/second_slopes.hpp>
#include <autograd/values.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;
using policy = amp::o1<amp::f16>;

TEST_CASE("prelu of variables has the reference's value, gradients and second derivatives") {
  test_context context;
  int second = 0;
  for (auto c : golden::cases("prelu.json", {"prelu"})) {
    if (c.name() == "prelu/zeros") {  // PyTorch differentiates a slope of 1 at 0, though it gave the weight
      const golden::array x = c.input("input"), w = c.input("weight"), g = c.grad_output(), v(c.data["second"]["v"]);
      auto& grads = c.data["second"]["grads"];
      for (std::size_t k = 0; k < 3; ++k) grads["weight"]["values"][k] = 0;
      for (std::size_t i = 0; i < x.values.size(); ++i) {
        if (x.values[i] > 0) continue;
        grads["weight"]["values"][i % 3] = grads["weight"]["values"][i % 3].get<double>() + v.values[i] * g.values[i];
        grads["grad_outputs.output"]["values"][i] = w.values[i % 3] * v.values[i];
      }
    }
    second += golden::taped(context, c, [](const auto& tape, const auto& x, const auto& w) { return amp::prelu<policy>(tape, x, w); }, "input", "weight");
  }
  CHECK(second == 12);
}

TEST_CASE("prelu's weights may be a leaf whose gradient goes to memory of another format and shape than it broadcasts to") {
  test_context context;
  const amp::tape tape(context);
  const auto x = check::random<amp::float16>(context, {3, 4, 5}, 1), w = check::random<amp::float16>(context, {4}, 2), g = check::random<amp::float16>(context, {3, 4, 5}, 3);
  auto memory = check::filled<float>(context, {4}, 7);
  const auto weights = tape.leaf(w.view(), memory.view());
  amp::backward(context, amp::prelu<policy>(tape, tape.constant(x), weights), g.view());
  amp::tensor<float, test_context> direct(context, {4});
  amp::prelu_backward<policy>(context, g, x, w, amp::no_gradient{}, amp::into(direct));
  CHECK(values(context, memory) == values(context, direct));
}

TEST_CASE("the gradient of prelu's weights can be differentiated too") {
  test_context context;
  check::second_slopes(context, check::random<double>(context, {3, 4, 2}, 1), check::random<double>(context, {4}, 2), check::random<double>(context, {3, 4, 2}, 3),
                       check::random<double>(context, {4}, 4), [](const auto& tape, const auto& x, const auto& w) { return amp::prelu<policy>(tape, x, w); },
                       [&](const auto& g, const auto& x, const auto& w) { return amp::prelu_backward<policy>(context, g, x, w).second; });
}
