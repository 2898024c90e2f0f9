#include <amphora/autograd/gradient_route.hpp>

#include <amphora/autograd/add.hpp>
#include <amphora/policy/opt_level.hpp>
#include <autograd/values.hpp>

#include <doctest/doctest.h>

#include <vector>

namespace amp = amphora;

namespace routed {

using route = amp::detail::gradient_route<test_context>;

/// (x + y) + x, and the constant that x + y is added to beside it.
struct sums {
  test_context context;
  amp::tape<test_context> tape{context};
  amp::variable<float, test_context> x = tape.leaf(numbers<float>(context, {1}, {1})), y = tape.leaf(numbers<float>(context, {1}, {2})), fixed = tape.constant(numbers<float>(context, {1}, {3}));
  amp::variable<float, test_context> inner = plus(x, y), outer = plus(inner, x), beside = plus(inner, fixed);

  amp::variable<float, test_context> plus(const amp::variable<float, test_context>& a, const amp::variable<float, test_context>& b) { return amp::add<amp::o0<>>(tape, a, b); }
};

}  // namespace routed

TEST_CASE("a route to the leaves needs all values behind its start that lead to one, and knows no others") {
  routed::sums s;
  routed::route route(true);
  route.find(s.beside.shared());
  for (const auto* value : {&s.x, &s.y, &s.inner, &s.beside}) REQUIRE(route.at(value->shared().get()));
  for (const auto* value : {&s.x, &s.y, &s.inner, &s.beside}) CHECK(route.at(value->shared().get())->is_needed);
  CHECK(!route.at(s.fixed.shared().get()));
  CHECK(!route.at(s.outer.shared().get()));
  CHECK(!route.at(s.x.shared().get())->is_passed_on);
}

TEST_CASE("a route to what was asked for needs that and what leads to it, not what lies behind it") {
  routed::sums s;
  routed::route to_y(false), to_inner(false);
  to_y.want(s.y.shared()), to_y.find(s.outer.shared());
  CHECK(to_y.at(s.y.shared().get())->is_answer);
  CHECK(to_y.at(s.inner.shared().get())->is_passed_on);
  CHECK(!to_y.at(s.x.shared().get())->is_needed);
  to_inner.want(s.inner.shared()), to_inner.find(s.outer.shared());
  CHECK(to_inner.at(s.inner.shared().get())->is_needed);
  CHECK(!to_inner.at(s.inner.shared().get())->is_passed_on);
  CHECK(!to_inner.at(s.y.shared().get())->is_needed);
}

TEST_CASE("values come after all that were made of them, equals in the order in which they were reached, each once") {
  routed::sums s;
  routed::route route(true);
  route.find(s.outer.shared()), route.find(s.beside.shared());
  CHECK(!route.next());
  for (const auto* value : {&s.y, &s.x, &s.inner, &s.y, &s.beside, &s.outer, &s.inner}) route.enqueue(value->shared());
  for (const auto* value : {&s.beside, &s.outer, &s.inner, &s.y, &s.x}) CHECK(route.next() == value->shared());
  CHECK(!route.next());
  route.enqueue(s.x.shared());  // another gradient of one that had its turn
  CHECK(route.next() == s.x.shared());
}
