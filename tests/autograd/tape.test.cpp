#include <amphora/autograd/add.hpp>
#include <amphora/autograd/backward.hpp>
#include <amphora/autograd/linear.hpp>
#include <amphora/autograd/tape.hpp>
#include <amphora/policy/opt_level.hpp>
#include <amphora/scale/fixed.hpp>
#include <amphora/scale/scaler.hpp>
#include <amphora/policy/plan.hpp>
#include <amphora/tensor/parameter.hpp>
#include <amphora/tensor/tied_parameter.hpp>

#include <autograd/values.hpp>
#include <ops/gradient_check.hpp>

#include <doctest/doctest.h>

namespace amp = amphora;
using mixed = amp::o2<amp::f16>;
using list = std::vector<double>;

static_assert(amp::is_tape_v<amp::tape<test_context>> && !amp::is_tape_v<test_context>);

namespace {

/// A layer and what its backward pass should leave.
struct layer {
  test_context context;
  amp::tape<test_context> tape{context};
  amp::parameter<mixed, amp::op::linear, test_context> w{context, "w", {4, 6}}, b{context, "b", {4}};
  amp::tensor<float, test_context> x = check::random<float>(context, {5, 6}, 1);
  amp::tensor<amp::float16, test_context> g = check::random<amp::float16>(context, {5, 4}, 2);

  layer() { w.load(context, check::random<float>(context, {4, 6}, 3)), b.load(context, check::random<float>(context, {4}, 4)); }
  auto forward() { return amp::linear<mixed>(tape, tape.constant(x), tape.leaf(w), tape.leaf(b)); }
  list of_w() { return values(context, amp::view<const amp::float16>(w.gradient())); }
  list of_b() { return values(context, amp::view<const amp::float16>(b.gradient())); }
  list direct_w(bool twice = false) {
    amp::tensor<amp::float16, test_context> gw(context, {4, 6});
    amp::linear_backward<mixed>(context, g, x, w.weights(), amp::no_gradient{}, amp::into(gw));
    if (twice) amp::linear_backward<mixed>(context, g, x, w.weights(), amp::no_gradient{}, amp::add_to(gw));
    return values(context, gw);
  }
};

}  // namespace

TEST_CASE("a parameter's gradient is written where its step reads it, by the fused backward itself") {
  layer l;
  const auto y = l.forward();
  static_assert(std::is_same_v<decltype(y)::value_type, amp::float16>);
  amp::fill(l.context, l.w.gradient(), amp::float16(7.0f));  // of the step before
  const auto allocations = l.context.allocations();
  amp::backward(l.context, y, l.g.view());
  if (tests_cuda) CHECK(l.context.allocations() <= allocations + 1);  // the seed alone: no gradient lies anywhere else
  CHECK(l.of_w() == l.direct_w());
  amp::backward(l.context, l.forward(), l.g.view());  // of another graph: written again
  CHECK(l.of_w() == l.direct_w());
}

TEST_CASE("an accumulating leaf adds to what stands there") {
  layer l;
  amp::backward(l.context, l.forward(), l.g.view());
  amp::backward(l.context, amp::linear<mixed>(l.tape, l.tape.constant(l.x), l.tape.accumulating_leaf(l.w), l.tape.leaf(l.b)), l.g.view());
  CHECK(l.of_w() == l.direct_w(true));
}

TEST_CASE("several leaves of one parameter add up within a pass") {
  layer l;
  amp::backward(l.context, amp::add<mixed>(l.tape, l.forward(), l.forward()), l.g.view());
  CHECK(l.of_w() == l.direct_w(true));
}

TEST_CASE("a leaf in the caller's memory shows its gradient, adds in later passes, and starts anew when it is cleared") {
  test_context context;
  const amp::tape tape(context);
  const auto value = numbers<float>(context, {2}, {1, 2});
  auto memory = numbers<amp::float16>(context, {2}, {9, 9});
  auto x = tape.leaf(value.view(), memory.view());
  CHECK(!x.gradient());
  const auto pass = [&] { amp::backward(context, amp::add<mixed>(tape, x, x), numbers<float>(context, {2}, {1, 10}).view()); };
  pass();
  CHECK(values(context, x.gradient()) == list{2, 20});
  CHECK(x.gradient().value().data() == memory.data());
  pass();
  CHECK(values(context, x.gradient()) == list{4, 40});
  x.clear_gradient();
  pass();
  CHECK(values(context, memory) == list{2, 20});
  x.on_gradient([](const auto& g) { return g; });  // then it is complete before it is written
  pass();
  CHECK(values(context, memory) == list{4, 40});
  CHECK_THROWS_WITH_AS(tape.leaf(value.view(), memory.view().reshaped({1, 2})), doctest::Contains("amphora [shape]"), amp::error);
  const auto seed = tape.constant(numbers<float>(context, {2}, {1, 1}));
  const auto [g] = amp::grad(context, amp::add<amp::o0<>>(tape, x, x), seed, amp::graph::free, x);
  static_assert(std::is_same_v<decltype(g)::value_type, amp::float16>);
  CHECK(values(context, g) == list{2, 2});
  CHECK(values(context, memory) == list{4, 40});
}

TEST_CASE("constants lie in memory of their own, or of the caller's, of any type") {
  test_context context;
  const amp::tape tape(context);
  const auto x = check::random<float>(context, {3}, 1);
  CHECK(tape.constant(x).value().data() == x.data());
  CHECK(tape.constant(x.view()).value().data() == x.data());
  CHECK(!tape.constant(x).needs_gradient());
  CHECK(values(context, tape.constant(check::random<float>(context, {3}, 1))) == values(context, x));
  const auto indices = tape.constant(check::given<std::int64_t>(context, {2}, {7, 9}));
  CHECK(values(context, indices) == list{7, 9});
}

TEST_CASE("a frozen parameter is a constant") {
  layer l;
  amp::parameter<mixed, amp::op::linear, test_context> frozen{l.context, "frozen", {4, 6}, amp::training::frozen};
  const auto leaf = l.tape.leaf(frozen);
  CHECK(!leaf.needs_gradient());
  amp::backward(l.context, amp::linear<mixed>(l.tape, l.tape.constant(l.x), leaf, l.tape.leaf(l.b)), l.g.view());
  amp::tensor<amp::float16, test_context> gb(l.context, {4});
  amp::linear_backward<mixed>(l.context, l.g, l.x, l.w.weights(), amp::no_gradient{}, amp::no_gradient{}, amp::into(gb));
  CHECK(l.of_b() == values(l.context, gb));
}

TEST_CASE("a tied parameter has a leaf for each of its readers, and one gradient") {
  struct head;
  struct tokens;
  struct network : amp::plan<amp::o0<>, amp::at<head, mixed>> {};
  using first = amp::on<tokens, amp::op::linear>;
  using second = amp::on<head, amp::op::linear>;
  test_context context;
  const amp::tape tape(context);
  amp::tied_parameter<network, test_context, first, second> w{context, "w", {3, 3}};
  w.load(context, check::random<float>(context, {3, 3}, 1));
  const auto a = tape.leaf_of<first>(w);
  const auto b = tape.leaf_of<second>(w);
  static_assert(std::is_same_v<decltype(a)::value_type, float> && std::is_same_v<decltype(b)::value_type, amp::float16>);
  const auto seed = check::random<float>(context, {3, 3}, 2);
  amp::backward(context, amp::add<amp::o0<>>(tape, a, b), seed.view());
  const auto once = values(context, seed), both = values(context, amp::view<const float>(w.gradient()));
  for (std::size_t i = 0; i < once.size(); ++i) CHECK(both[i] == 2 * once[i]);
}

TEST_CASE("from a scaled loss or its ticket leaves get scaled gradients") {
  test_context context;
  const amp::tape tape(context);
  amp::scaler scaler(context, amp::fixed{1024});
  const auto x = tape.leaf(numbers<float>(context, {}, {3}));
  const auto loss = [&] { return amp::add<mixed>(tape, x, x); };
  {
    const auto value = loss();
    const auto scaled_loss = scaler.scale(context, value.value());
    amp::backward(context, value, scaled_loss);
  }
  CHECK(values(context, x.gradient()) == list{2048});
  auto ticket = scaler.ticket(context);
  amp::backward(context, loss(), ticket);
  CHECK(values(context, x.gradient()) == list{4096});
  amp::backward(context, loss(), amp::ticket{});  // of no scaler
  CHECK(values(context, x.gradient()) == list{4098});
  auto stale = [&] {
    amp::scaler other(context, amp::fixed{2});
    return other.ticket(context);
  }();
  CHECK_THROWS_WITH_AS(amp::backward(context, loss(), stale), doctest::Contains("amphora [stale-ticket]"), amp::error);
}
