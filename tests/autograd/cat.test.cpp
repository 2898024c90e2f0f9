#include <amphora/autograd/cat.hpp>

#include <autograd/indexing_case.hpp>

namespace amp = amphora;
using policy = amp::o1<amp::f16>;

TEST_CASE("cat and stack of variables have the reference's values, gradients and second derivatives") {
  test_context context;
  int second = 0;
  for (const auto& c : golden::cases("widening.json", {"cat", "stack"})) {
    const int axis = c.option("dim");
    const bool stacks = c.data.at("op") == "stack";
    const auto run = [&](const auto& tape, const auto&... x) { return stacks ? amp::stack<policy>(tape, axis, x...) : amp::cat<policy>(tape, axis, x...); };
    if (c.has("tensors.2")) second += golden::taped(context, c, run, "tensors.0", "tensors.1", "tensors.2");
    else if (c.has("tensors.1")) second += golden::taped(context, c, run, "tensors.0", "tensors.1");
    else second += golden::taped(context, c, run, "tensors.0");
  }
  CHECK(second == 15);
}

TEST_CASE("the gradients of cat can be differentiated by each operand's, and go to operands of other formats") {
  test_context context;
  check::second_slopes(context, check::random<double>(context, {2, 3}, 1), check::random<double>(context, {2, 2}, 2), check::random<double>(context, {2, 5}, 3), check::random<double>(context, {2, 2}, 4),
                       [](const auto& tape, const auto& a, const auto& b) { return amp::cat<policy>(tape, 1, a, b); },
                       [&](const auto& g, const auto& a, const auto& b) { return std::move(std::get<1>(amp::cat_backward<policy>(context, g, 1, a, b))); });
  const amp::tape<test_context> tape(context);
  const auto a = tape.leaf(check::random<amp::float16>(context, {3}, 1));
  const auto b = tape.leaf(check::random<float>(context, {2}, 2));
  const auto y = amp::cat<policy>(tape, 0, a, b);
  amp::backward(context, y, tape.constant(check::filled<float>(context, {5}, 0.5f)));
  CHECK(check::equal_bits(context, [&] { check::tensor<amp::float16> copy(context, {3}); amp::copy(context, a.gradient().value(), copy.view()); return copy; }(), check::filled<amp::float16>(context, {3}, amp::convert<amp::f16>(0.5))));
}
