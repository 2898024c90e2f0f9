#include <amphora/autograd/add.hpp>
#include <amphora/autograd/backward.hpp>
#include <amphora/autograd/cast.hpp>
#include <amphora/autograd/matmul.hpp>
#include <amphora/autograd/relu.hpp>
#include <amphora/policy/opt_level.hpp>

#include <autograd/values.hpp>

#include <doctest/doctest.h>

#include <utility>

namespace amp = amphora;
using plain = amp::o0<>;
using list = std::vector<double>;

namespace {

using variable = amp::variable<float, test_context>;

/// x and y, one number each, and what is made of them.
struct pair {
  test_context context;
  amp::tape<test_context> tape{context};
  variable x = leaf(3), y = leaf(5);

  variable leaf(double value) { return tape.leaf(numbers<float>(context, {1}, {value})); }
  variable constant(double value) { return tape.constant(numbers<float>(context, {1}, {value})); }
  variable times(const variable& a, const variable& b) { return amp::matmul<plain>(tape, a, b); }
  variable plus(const variable& a, const variable& b) { return amp::add<plain>(tape, amp::reshape(tape, a, {1}), amp::reshape(tape, b, {1})); }
  variable product(const variable& a, const variable& b) { return amp::reshape(tape, times(amp::reshape(tape, a, {1}), amp::reshape(tape, b, {1})), {1}); }
  double of(const variable& v) { return values(context, v).at(0); }
};

}  // namespace

static_assert(amp::is_variable_v<variable> && !amp::is_variable_v<amp::tensor<float, test_context>>);

TEST_CASE("each leaf gets the gradient of all ways to it") {
  pair p;
  const auto square = p.product(p.x, p.x);
  amp::backward(p.context, p.plus(p.product(square, p.y), p.x));  // x² y + x
  CHECK(p.of(p.x.gradient()) == 31);
  CHECK(p.of(p.y.gradient()) == 9);
  CHECK(!square.gradient());  // no leaf
}

TEST_CASE("a leaf adds the gradients of all passes, until it is cleared") {
  pair p;
  amp::backward(p.context, p.product(p.x, p.y));
  const auto first = p.x.gradient();
  amp::backward(p.context, p.product(p.x, p.x));
  CHECK(p.of(p.x.gradient()) == 11);
  CHECK(p.of(first) == 5);  // who holds a gradient keeps it as it was
  p.x.clear_gradient();
  CHECK(!p.x.gradient());
  amp::backward(p.context, p.product(p.x, p.x));
  CHECK(p.of(p.x.gradient()) == 6);
}

TEST_CASE("a graph that was used up says so before anything changes, and one that is kept can be used again") {
  pair p;
  const auto inner = p.product(p.x, p.y), outer = p.product(inner, p.y), other = p.product(inner, p.x);
  amp::backward(p.context, outer, amp::graph::keep);
  amp::backward(p.context, outer);
  CHECK(p.of(p.x.gradient()) == 50);
  CHECK_THROWS_WITH_AS(amp::backward(p.context, outer), doctest::Contains("amphora [used-twice]"), amp::error);
  CHECK_THROWS_WITH_AS(amp::backward(p.context, other), doctest::Contains("amphora [used-twice]"), amp::error);
  CHECK(p.of(p.x.gradient()) == 50);
  CHECK(p.of(inner) == 15);  // its value is still there
  amp::backward(p.context, p.product(p.x, p.y));
  CHECK(p.of(p.x.gradient()) == 55);
}

TEST_CASE("a pass begins at one number, or at a seed of the value's shape, in any format") {
  pair p;
  const auto x = p.tape.leaf(numbers<float>(p.context, {3}, {-1, 2, 3}));
  const auto y = amp::relu<plain>(p.tape, x);
  CHECK_THROWS_WITH_AS(amp::backward(p.context, y), doctest::Contains("amphora [shape]"), amp::error);
  CHECK_THROWS_WITH_AS(amp::backward(p.context, y, numbers<float>(p.context, {2}, {1, 2}).view()), doctest::Contains("amphora [shape]"), amp::error);
  const auto seed = numbers<amp::float16>(p.context, {3}, {1, 2, 4});
  amp::backward(p.context, y, seed.view());
  CHECK(values(p.context, x.gradient()) == list{0, 2, 4});
}

TEST_CASE("what is made of constants, detached or made without recording has no pass") {
  pair p;
  CHECK(!p.product(p.constant(1), p.constant(2)).needs_gradient());
  CHECK_THROWS_WITH_AS(amp::backward(p.context, p.constant(1)), doctest::Contains("amphora [not-recorded]"), amp::error);
  const auto detached = p.product(p.x, p.y).detach();
  CHECK_THROWS_WITH_AS(amp::backward(p.context, detached), doctest::Contains("amphora [not-recorded]"), amp::error);
  amp::backward(p.context, p.product(detached, p.x));
  CHECK(p.of(p.x.gradient()) == 15);
  CHECK(!p.y.gradient());
  const auto quiet = p.tape.no_grad();
  CHECK(!quiet.records());
  const auto value = amp::matmul<plain>(quiet, p.x, p.y);
  CHECK(!value.needs_gradient());
  CHECK(p.of(value) == 15);
  const variable empty;
  CHECK(!empty);
  CHECK_THROWS_WITH_AS(empty.value(), doctest::Contains("amphora [empty-variable]"), amp::error);
}

TEST_CASE("grad gives the gradients by any variable and touches no leaf") {
  pair p;
  amp::backward(p.context, p.product(p.x, p.y));
  const auto unrelated = p.leaf(7);
  const auto inner = p.product(p.x, p.x), outer = p.product(inner, p.y);
  const auto [by_inner, by_y, by_unrelated, by_x] = amp::grad(p.context, outer, amp::graph::keep, inner, p.y, unrelated, p.x);
  CHECK(p.of(by_inner) == 5);
  CHECK(p.of(by_y) == 9);
  CHECK(!by_unrelated);
  CHECK(p.of(by_x) == 30);
  CHECK(!by_x.needs_gradient());
  CHECK(p.of(p.x.gradient()) == 5);
  CHECK(p.of(p.y.gradient()) == 3);
  const auto [by_itself] = amp::grad(p.context, outer, amp::graph::free, outer);
  CHECK(p.of(by_itself) == 1);
  amp::backward(p.context, outer);  // that used nothing up
  CHECK(p.of(p.x.gradient()) == 35);
}

TEST_CASE("grad goes only where it leads to what was asked for") {
  pair p;
  int seen = 0;
  auto side = p.product(p.x, p.x);
  side.on_gradient([&](const auto&) { ++seen; });
  const auto all = p.product(side, p.y);
  const auto [by_y] = amp::grad(p.context, all, amp::graph::keep, p.y);
  CHECK(p.of(by_y) == 9);
  CHECK(seen == 0);
  amp::backward(p.context, all);
  CHECK(seen == 1);
}

TEST_CASE("grad adds up the gradients of several values") {
  pair p;
  const auto a = p.product(p.x, p.y), b = p.product(a, p.x);
  const auto seed_a = p.constant(2), seed_b = p.constant(10);
  const auto [by_x, by_a] = amp::grad(p.context, std::tie(a, b), std::tie(seed_a, seed_b), amp::graph::free, p.x, a);
  CHECK(p.of(by_x) == 310);  // 2 · 5 + 10 · 30
  CHECK(p.of(by_a) == 32);
}

TEST_CASE("gradients of gradients, of any order") {
  pair p;
  const auto cube = p.product(p.product(p.x, p.x), p.x);
  const auto [first] = amp::grad(p.context, cube, amp::graph::create, p.x);
  const auto [second] = amp::grad(p.context, first, amp::graph::create, p.x);
  const auto [third] = amp::grad(p.context, second, amp::graph::create, p.x);
  const auto [fourth] = amp::grad(p.context, third, amp::graph::free, p.x);
  CHECK(p.of(first) == 27);
  CHECK(p.of(second) == 18);
  CHECK(p.of(third) == 6);
  CHECK((!fourth || p.of(fourth) == 0));
  amp::backward(p.context, p.product(cube, p.y), amp::graph::create);
  auto kept = p.x.gradient();
  CHECK(kept.needs_gradient());
  p.x.clear_gradient(), p.y.clear_gradient();
  amp::backward(p.context, kept);  // 3 x² y
  CHECK(p.of(p.x.gradient()) == 90);
  CHECK(p.of(p.y.gradient()) == 27);
}

TEST_CASE("hooks see complete gradients, in their order, and may replace them") {
  pair p;
  auto square = p.product(p.x, p.x);
  list seen;
  square.on_gradient([&](const variable& g) { seen.push_back(p.of(g)); });
  square.on_gradient([&](const variable& g) { return amp::add<plain>(p.tape.no_grad(), g, g); });
  square.on_gradient([&](const variable& g) { seen.push_back(p.of(g)); });
  p.x.on_gradient([&](const variable& g) { seen.push_back(p.of(g)); });
  amp::backward(p.context, p.plus(p.product(square, p.y), square));
  CHECK(seen == list{6, 12, 72});
  CHECK(p.of(p.x.gradient()) == 72);
  CHECK(p.of(p.y.gradient()) == 9);
  p.y.on_gradient([&](const variable&) { return p.tape.constant(numbers<float>(p.context, {2}, {1, 2})); });
  CHECK_THROWS_WITH_AS(amp::backward(p.context, p.product(p.x, p.y)), doctest::Contains("amphora [shape]"), amp::error);
}

TEST_CASE("a pass that ends by an exception leaves nothing that a later one could meet, and passes may nest") {
  pair p;
  struct stop {};
  bool throws = true;
  auto middle = p.product(p.x, p.y);
  double nested = 0;
  middle.on_gradient([&](const variable&) {
    if (std::exchange(throws, false)) throw stop();
    const auto [g] = amp::grad(p.context, p.product(p.x, p.x), amp::graph::free, p.x);
    nested = p.of(g);
  });
  const auto end = p.product(p.product(middle, p.x), middle);
  CHECK_THROWS_AS(amp::backward(p.context, end, amp::graph::keep), stop);
  p.x.clear_gradient(), p.y.clear_gradient();
  amp::backward(p.context, end, amp::graph::keep);  // x³ y²
  CHECK(p.of(p.x.gradient()) == 27 * 25);
  CHECK(p.of(p.y.gradient()) == 27 * 10);
  CHECK(nested == 6);
  throws = true;
  CHECK_THROWS_AS(amp::grad(p.context, end, amp::graph::keep, p.y), stop);
  const auto [gy] = amp::grad(p.context, end, amp::graph::free, p.y);
  CHECK(p.of(gy) == 27 * 10);
  CHECK(p.of(p.x.gradient()) == 27 * 25);
}

TEST_CASE("memory goes as a pass consumes it, and a long chain ends without recursion") {
  test_context context;
  const amp::tape tape(context);
  const auto start = tape.leaf(numbers<float>(context, {1}, {1}));
  const auto chain = [&](int length) {
    auto x = amp::relu<plain>(tape, start);
    for (int i = 0; i < length; ++i) x = amp::relu<plain>(tape, x);
    return x;
  };
  const int length = tests_cuda ? 3000 : 200000;
  { const auto dropped = chain(length); }
  const auto end = chain(length);
  std::weak_ptr<void> inner;
  {
    const auto x = amp::relu<plain>(tape, start), y = amp::relu<plain>(tape, x);
    inner = x.shared();
    const auto z = amp::relu<plain>(tape, y);
    CHECK(!inner.expired());
    amp::backward(context, z, amp::graph::keep);
    amp::backward(context, z);
  }
  CHECK(inner.expired());
  amp::backward(context, end);
  CHECK(values(context, start.gradient()) == list{3});
  const auto x = [&] {
    const auto y = amp::relu<plain>(tape, start);
    inner = y.shared();
    return amp::relu<plain>(tape, y);
  }();
  CHECK(!inner.expired());
  amp::backward(context, x);
  CHECK(inner.expired());  // though x is still there
}
