#include <amphora/autograd/cat.hpp>

#include <amphora/autograd/scope.hpp>

#include <autograd/indexing_case.hpp>
#include <autograd/values.hpp>

#include <array>
#include <vector>

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

TEST_CASE("cat and stack of a list of variables have the reference's values, gradients and second derivatives") {
  test_context context;
  int second = 0;
  for (const auto& c : golden::cases("widening.json", {"cat", "stack"})) {
    const int axis = c.option("dim");
    const bool stacks = c.data.at("op") == "stack";
    const auto run = [&](const auto& tape, const auto&... x) {
      const std::vector<golden::double_variable> list{x...};
      return stacks ? amp::stack<policy>(tape, axis, list) : amp::cat<policy>(tape, axis, list);
    };
    if (c.has("tensors.2")) second += golden::taped(context, c, run, "tensors.0", "tensors.1", "tensors.2");
    else if (c.has("tensors.1")) second += golden::taped(context, c, run, "tensors.0", "tensors.1");
    else second += golden::taped(context, c, run, "tensors.0");
  }
  CHECK(second == 15);
}

TEST_CASE("a list of variables has the bits of the call that names them: value, gradients, and gradients of those") {
  test_context context;
  const amp::tape<test_context> tape(context);
  using variable = amp::variable<amp::float16, test_context>;
  const auto leaf = [&](unsigned seed) { return tape.leaf(check::random<amp::float16>(context, {4, 3}, seed)); };
  const variable a = leaf(1), c = leaf(3), seed = tape.leaf(check::random<amp::float16>(context, {16, 3}, 4)), v = leaf(5);
  const variable b = tape.constant(check::random<amp::float16>(context, {4, 3}, 2));
  const auto all = [&](const variable& y) {
    const auto [ga, gc] = amp::grad(context, y, seed, amp::graph::create, a, c);
    const auto [of_seed] = amp::grad(context, ga, v, amp::graph::free, seed);
    return std::vector<std::vector<double>>{values(context, y), values(context, ga), values(context, gc), values(context, of_seed)};
  };
  const std::vector<variable> list{a, b, c, a};  // one twice, one that needs no gradient
  CHECK(all(amp::cat<policy>(tape, 0, list)) == all(amp::cat<policy>(tape, 0, a, b, c, a)));
  const std::array<variable, 4> rows{a, b, c, a};
  const auto flat = [&](const auto& y) { return amp::reshape(tape, y, {16, 3}); };
  CHECK(all(flat(amp::stack<policy>(tape, 1, rows))) == all(flat(amp::stack<policy>(tape, 1, a, b, c, a))));
  amp::autocast<policy>(tape, [&](auto amp) { CHECK(values(context, amp.cat(0, list)) == values(context, amp.cat(0, a, b, c, a))); });
}

TEST_CASE("a list of leaves is recorded where one of them needs a gradient, and used up by a pass") {
  test_context context;
  const amp::tape<test_context> tape(context);
  std::vector<amp::variable<float, test_context>> leaves, constants;
  std::vector<double> due;
  for (int k = 0; k < 40; ++k) {
    leaves.push_back(tape.leaf(check::filled<float>(context, {1 + k % 4}, 1.0f))), constants.push_back(leaves.back().detach());
    for (int i = 0; i < 1 + k % 4; ++i) due.push_back(k);
  }
  CHECK(!amp::cat<policy>(tape, 0, constants).needs_gradient());
  CHECK(!amp::cat<policy>(tape.no_grad(), 0, leaves).needs_gradient());
  const auto y = amp::cat<policy>(tape, 0, leaves);
  const auto seed = numbers<float>(context, y.shape(), due);
  amp::backward(context, y, seed.view());
  for (std::size_t k = 0; k < leaves.size(); ++k) CHECK(values(context, leaves[k].gradient()) == std::vector<double>(1 + k % 4, static_cast<double>(k)));
  CHECK_THROWS_WITH_AS(amp::backward(context, y, seed.view()), doctest::Contains("amphora [used-twice]"), amp::error);

  leaves.clear();
  CHECK_THROWS_WITH_AS(amp::cat<policy>(tape, 0, leaves), doctest::Contains("cat is given an empty list"), amp::error);
  leaves.assign(2, {});
  CHECK_THROWS_WITH_AS(amp::stack<policy>(tape, 0, leaves), doctest::Contains("amphora [empty-variable]"), amp::error);
  constants.resize(2);  // of [1] and [2]
  CHECK_THROWS_WITH_AS(amp::stack<policy>(tape, 0, constants), doctest::Contains("stack has an operand of shape [2] where [1] is due"), amp::error);
}

TEST_CASE("a long chain of lists ends, and goes back, without recursion") {
  test_context context;
  const amp::tape<test_context> tape(context);
  const auto x = tape.leaf(check::filled<float>(context, {1}, 1.0f));
  const int length = tests_cuda ? 3000 : 50000;
  const auto chain = [&] {
    std::vector<amp::variable<float, test_context>> list{x};
    for (int k = 0; k < length; ++k) list.assign(1, amp::cat<policy>(tape, 0, list));
    return list.front();
  };
  (void)chain();
  amp::backward(context, chain());
  CHECK(values(context, x.gradient()) == std::vector<double>{1});
}
