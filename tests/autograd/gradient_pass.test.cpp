#include <amphora/autograd/gradient_pass.hpp>

#include <amphora/autograd/add.hpp>
#include <amphora/autograd/backward.hpp>
#include <amphora/policy/opt_level.hpp>
#include <autograd/values.hpp>

#include <doctest/doctest.h>

#include <string>
#include <type_traits>
#include <vector>

namespace amp = amphora;

namespace passed {

using words = std::vector<std::string>;

/// The same numbers; its backward says how it was asked to write.
struct writing {
  words* said;
  template <class Pass, class G, class X> void backward(Pass& pass, const G& gradient, const G&, const X& x) const {
    pass.write(x, [&](auto target) {
      said->push_back(std::is_same_v<decltype(target), amp::add_to<float>> ? "add_to" : "into");
      amp::cast_backward(pass.context(), target, gradient.value());
    });
  }
};
/// Numbers in f32 of x in any format; its backward gives x what it gets.
struct giving {
  template <class Pass, class G, class X> void backward(Pass& pass, const G& gradient, const G&, const X& x) const { pass.give(x, gradient); }
};
template <class Op, class X> auto same(test_context& context, const amp::tape<test_context>& tape, const Op& op, const X& x) {
  return amp::record(tape, amp::cast<amp::f32>(context, x.value()), op, x);
}

}  // namespace passed

TEST_CASE("a backward that writes gets fresh memory first and adds to it after, in a leaf's own memory too; where gradients are differentiated it never adds") {
  test_context context;
  const amp::tape tape(context);
  passed::words said;
  auto memory = numbers<float>(context, {2}, {9, 9});
  const auto numbers_of_x = numbers<float>(context, {2}, {1, 2}), seed = numbers<float>(context, {2}, {3, 5});
  const auto pass = [&](const auto& x, amp::graph after) {
    said.clear();
    const auto y = amp::add<amp::o0<>>(tape, passed::same(context, tape, passed::writing{&said}, x), passed::same(context, tape, passed::writing{&said}, x));
    amp::backward(context, y, seed.view(), after);
  };
  const auto x = tape.leaf(numbers<float>(context, {2}, {1, 2})), again = tape.leaf(numbers<float>(context, {2}, {1, 2}));
  const auto in_memory = tape.leaf(numbers_of_x.view(), memory.view());
  pass(x, amp::graph::free);
  CHECK(said == passed::words{"into", "add_to"});
  CHECK(values(context, x.gradient()) == std::vector<double>{6, 10});
  pass(again, amp::graph::create);
  CHECK(said == passed::words{"into", "into"});
  CHECK(values(context, again.gradient()) == std::vector<double>{6, 10});
  auto leaf = again;
  leaf.clear_gradient();  // its graph holds the leaf, and the leaf it
  pass(in_memory, amp::graph::free);
  CHECK(said == passed::words{"into", "add_to"});
  pass(in_memory, amp::graph::free);
  CHECK(said == passed::words{"add_to", "add_to"});
  CHECK(values(context, memory) == std::vector<double>{12, 20});
}

TEST_CASE("a gradient that leads to nothing that was asked for is not written") {
  test_context context;
  const amp::tape tape(context);
  passed::words said;
  const auto x = tape.leaf(numbers<float>(context, {2}, {1, 2})), other = tape.leaf(numbers<float>(context, {2}, {1, 2})), seed = tape.constant(numbers<float>(context, {2}, {3, 5}));
  const auto y = amp::add<amp::o0<>>(tape, passed::same(context, tape, passed::writing{&said}, x), other);
  const auto [by_other] = amp::grad(context, y, seed, amp::graph::keep, other);
  CHECK(values(context, by_other) == std::vector<double>{3, 5});
  CHECK(said.empty());
  const auto [by_x] = amp::grad(context, y, seed, amp::graph::free, x);
  CHECK(values(context, by_x) == std::vector<double>{3, 5});
  CHECK(said == passed::words{"into"});
}

TEST_CASE("a gradient that is given is cast to the format of its variable's, with the cast's own gradient; one of another shape is an error") {
  test_context context;
  const amp::tape tape(context);
  const auto x = tape.leaf(numbers<amp::float16>(context, {2}, {1, 2}));
  const auto seed = tape.leaf(numbers<float>(context, {2}, {1.0 / 3, 7}));
  const auto v = tape.constant(numbers<amp::float16>(context, {2}, {0.5, 3}));
  const auto [gx] = amp::grad(context, passed::same(context, tape, passed::giving{}, x), seed, amp::graph::create, x);
  static_assert(std::is_same_v<decltype(gx)::value_type, amp::float16>);
  CHECK(values(context, gx) == std::vector<double>{static_cast<double>(amp::convert<amp::f16>(1.0 / 3)), 7});
  const auto [by_seed] = amp::grad(context, gx, v, amp::graph::free, seed);
  static_assert(std::is_same_v<decltype(by_seed)::value_type, float>);
  CHECK(values(context, by_seed) == std::vector<double>{0.5, 3});
  const auto shorter = tape.leaf(numbers<float>(context, {1}, {1}));
  const auto wrong = amp::record(tape, numbers<float>(context, {2}, {1, 2}), passed::giving{}, shorter);
  CHECK_THROWS_WITH_AS(amp::backward(context, wrong, seed), doctest::Contains("amphora [shape]: backward has a gradient of shape [2] where [1] is due"), amp::error);
}
