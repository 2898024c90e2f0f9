#include <amphora/autograd/sum_to.hpp>

#include <amphora/autograd/add.hpp>
#include <amphora/autograd/backward.hpp>
#include <amphora/policy/opt_level.hpp>
#include <autograd/values.hpp>

#include <doctest/doctest.h>

#include <vector>

namespace amp = amphora;

TEST_CASE("the sum of what was broadcast and the spreading of what was summed are each other's gradients, as often as one likes, with their factor") {
  test_context context;
  const amp::tape tape(context);
  const auto leaf = [&](const amp::shape& shape, const std::vector<double>& of) { return tape.leaf(numbers<float>(context, shape, of)); };
  const auto a = leaf({2, 3}, {1, 2, 3, 4, 5, 6}), b = leaf({3}, {7, 8, 9}), g = leaf({2, 3}, {1, 10, 100, 2, 20, 200}), v = leaf({3}, {1, 2, 3}), u = leaf({2, 3}, {1, 1, 1, 3, 3, 3});
  const auto [gb] = amp::grad(context, amp::add<amp::o0<>>(tape, a, b, 0.5), g, amp::graph::create, b);
  CHECK(values(context, gb) == std::vector<double>{1.5, 15, 150});
  const auto [by_g] = amp::grad(context, gb, v, amp::graph::create, g);
  CHECK(values(context, by_g) == std::vector<double>{0.5, 1, 1.5, 0.5, 1, 1.5});
  const auto [by_v] = amp::grad(context, by_g, u, amp::graph::create, v);
  CHECK(values(context, by_v) == std::vector<double>{2, 2, 2});
  const auto [by_u] = amp::grad(context, by_v, v, amp::graph::free, u);
  CHECK(values(context, by_u) == values(context, by_g));
}
