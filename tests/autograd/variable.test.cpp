#include <amphora/autograd/variable.hpp>

#include <amphora/autograd/add.hpp>
#include <amphora/autograd/backward.hpp>
#include <amphora/policy/opt_level.hpp>
#include <autograd/values.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <vector>

namespace amp = amphora;

static_assert(std::is_same_v<amp::variable<float, test_context>::gradient_type, float>);
static_assert(amp::is_variable_v<amp::variable<float, test_context, amp::float16>> && !amp::is_variable_v<amp::view<float>> && !amp::is_variable_v<int>);

TEST_CASE("a copy of a variable is the same value of the graph, whose memory ends with the last of them") {
  test_context context;
  const amp::tape tape(context);
  std::optional x(tape.leaf(numbers<float>(context, {2}, {1, 2})));
  auto copy = *x;
  amp::backward(context, amp::add<amp::o0<>>(tape, *x, copy), numbers<float>(context, {2}, {1, 3}).view());
  CHECK(values(context, copy.gradient()) == std::vector<double>{2, 6});
  copy.clear_gradient();
  CHECK(!x->gradient());
  const std::weak_ptr<void> cell = x->shared();
  x.reset();
  CHECK(values(context, copy) == std::vector<double>{1, 2});
  copy = {};
  CHECK(cell.expired());
}

TEST_CASE("a detached variable is a constant in the same memory, which it keeps, in any shape of as many elements") {
  test_context context;
  const amp::tape tape(context);
  std::optional x(tape.leaf(numbers<float>(context, {2, 3}, {1, 2, 3, 4, 5, 6})));
  const auto sum = amp::add<amp::o0<>>(tape, *x, *x);
  CHECK(x->is_leaf());
  CHECK(!sum.is_leaf());
  const auto constant = sum.detach();
  CHECK(constant.value().data() == sum.value().data());
  CHECK(constant.is_leaf());
  CHECK(!constant.needs_gradient());
  const auto flat = x->in_same_memory<amp::float16>({6});
  static_assert(std::is_same_v<decltype(flat)::gradient_type, amp::float16>);
  CHECK(flat.value().data() == x->value().data());
  CHECK_THROWS_WITH_AS(x->in_same_memory({5}), doctest::Contains("amphora [shape]: cannot view [2, 3] as [5]"), amp::error);
  x.reset();
  CHECK(values(context, flat) == std::vector<double>{1, 2, 3, 4, 5, 6});
  const amp::variable<float, test_context> empty;
  CHECK(!empty.needs_gradient());
  CHECK_THROWS_WITH_AS(empty.gradient(), doctest::Contains("amphora [empty-variable]"), amp::error);
  CHECK_THROWS_WITH_AS(empty.is_leaf(), doctest::Contains("amphora [empty-variable]"), amp::error);
}
