#include <amphora/autograd/add.hpp>
#include <amphora/autograd/backward.hpp>
#include <amphora/autograd/checkpoint.hpp>
#include <amphora/autograd/dropout.hpp>
#include <amphora/autograd/gelu.hpp>
#include <amphora/autograd/linear.hpp>
#include <amphora/policy/opt_level.hpp>

#include <autograd/values.hpp>
#include <ops/gradient_check.hpp>

#include <doctest/doctest.h>

#include <memory>

namespace amp = amphora;
using mixed = amp::o1<amp::f16>;

namespace {

struct block {
  test_context context;
  amp::tape<test_context> tape{context};
  amp::variable<float, test_context> x = tape.leaf(check::random<float>(context, {6, 8}, 1)), w = tape.leaf(check::random<float>(context, {8, 8}, 2)),
                                     b = tape.leaf(check::random<float>(context, {8}, 3));
  int calls = 0;
  std::weak_ptr<void> inner;

  /// Uses w and b by itself.
  auto segment() {
    return [this](const auto& t, const auto& input) {
      ++calls;
      const auto hidden = amp::gelu<mixed>(t, amp::linear<mixed>(t, input, w, b));
      inner = hidden.shared();
      return amp::dropout<mixed>(t, hidden, {0.4, 1, 2});
    };
  }
  std::vector<std::vector<double>> gradients() {
    std::vector<std::vector<double>> result;
    for (auto* leaf : {&x, &w, &b}) result.push_back(leaf->gradient() ? values(context, leaf->gradient()) : std::vector<double>()), leaf->clear_gradient();
    return result;
  }
};

}  // namespace

TEST_CASE("a checkpoint keeps no inner value, and its gradients have the bits of those without it") {
  block p;
  const auto seed = check::random<float>(p.context, {6, 8}, 4);
  const auto plain = p.segment()(p.tape, p.segment()(p.tape, p.x));
  amp::backward(p.context, plain, seed.view());
  const auto want = p.gradients();
  p.calls = 0;
  const auto once = amp::checkpoint(p.tape, p.segment(), p.x);
  CHECK(p.inner.expired());
  const auto value = amp::checkpoint(p.tape, p.segment(), once);
  CHECK(values(p.context, value) == values(p.context, plain));
  CHECK(p.calls == 2);
  amp::backward(p.context, value, seed.view());
  CHECK(p.calls == 4);
  CHECK(p.gradients() == want);
  CHECK(p.inner.expired());
  CHECK_THROWS_WITH_AS(amp::backward(p.context, value, seed.view()), doctest::Contains("amphora [used-twice]"), amp::error);
}

TEST_CASE("leaves that a checkpoint uses by itself get gradients, also where its arguments need none") {
  block p;
  const auto seed = check::random<float>(p.context, {6, 8}, 4);
  const auto data = p.x.detach();
  amp::backward(p.context, p.segment()(p.tape, data), seed.view());
  const auto want = p.gradients();
  const auto value = amp::checkpoint(p.tape, p.segment(), data);
  const auto [gw] = amp::grad(p.context, value, p.tape.constant(amp::cast<amp::f16>(p.context, seed)), amp::graph::keep, p.w);
  CHECK(values(p.context, gw) == want[1]);
  amp::backward(p.context, value, seed.view(), amp::graph::keep);
  CHECK(p.gradients() == want);
  amp::backward(p.context, value, seed.view());  // kept, so computed once more
  CHECK(p.gradients() == want);
  CHECK(want[0].empty());
  CHECK(!amp::checkpoint(p.tape.no_grad(), p.segment(), p.x).needs_gradient());
}

TEST_CASE("second derivatives go through a checkpoint") {
  block p;
  const auto seed = p.tape.leaf(check::random<amp::float16>(p.context, {6, 8}, 4));
  const auto v = p.tape.constant(check::random<float>(p.context, {6, 8}, 5));
  const auto second = [&](const auto& y) {
    const auto [gx] = amp::grad(p.context, y, seed, amp::graph::create, p.x);
    const auto [a, b, c] = amp::grad(p.context, gx, v, amp::graph::free, p.x, p.w, seed);
    return std::vector<std::vector<double>>{values(p.context, a), values(p.context, b), values(p.context, c)};
  };
  CHECK(second(amp::checkpoint(p.tape, p.segment(), p.x)) == second(p.segment()(p.tape, p.x)));
}

TEST_CASE("another variable that a checkpoint uses by itself is found") {
  block p;
  const auto seed = check::random<float>(p.context, {6, 8}, 4);
  const auto between = amp::gelu<mixed>(p.tape, amp::gelu<mixed>(p.tape, amp::gelu<mixed>(p.tape, p.x)));
  const auto value = amp::checkpoint(p.tape, [between, &p](const auto& t, const auto& input) { return amp::add<mixed>(t, between, amp::linear<mixed>(t, input, p.w)); }, p.x);
  const auto both = amp::add<mixed>(p.tape, between, value);
  CHECK_THROWS_WITH_AS(amp::backward(p.context, both, seed.view()), doctest::Contains("amphora [used-twice]"), amp::error);
}
