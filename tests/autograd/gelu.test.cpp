#include <amphora/autograd/gelu.hpp>

#include <autograd/golden.hpp>
#include <autograd/values.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;
using policy = amp::o1<amp::f16>;

TEST_CASE("gelu of variables has the reference's value, gradient and second derivatives in both forms") {
  test_context context;
  int second = 0;
  for (const auto& c : golden::cases("second.json", {"gelu"})) {
    const auto form = c.option("approximate") == "tanh" ? amp::gelu_form::tanh : amp::gelu_form::erf;
    second += golden::taped(context, c, [&](const auto& tape, const auto& x) { return amp::gelu<policy>(tape, x, form); }, "input");
  }
  CHECK(second == 10);
}

TEST_CASE("gelu's second derivative is the slope of its first") {
  test_context context;
  const amp::tape tape(context);
  for (const auto form : {amp::gelu_form::erf, amp::gelu_form::tanh}) {
    auto numbers = check::random<double>(context, {40}, 4);
    const auto g = check::random<double>(context, {40}, 5), v = check::random<double>(context, {40}, 6);
    const auto x = tape.leaf(check::given<double>(context, {40}, amp::wait_read(context, numbers)));
    const auto [gx] = amp::grad(context, amp::gelu<policy>(tape, x, form), tape.constant(g), amp::graph::create, x);
    const auto [gxx] = amp::grad(context, gx, tape.constant(v), amp::graph::free, x);
    amp::tensor<double, test_context> slope(context, {40});
    amp::copy(context, gxx.value(), slope.view());
    check::slopes(context, [&] { return check::dot(context, v, amp::gelu_backward<policy>(context, g, numbers, form)); }, numbers, slope);
  }
}

TEST_CASE("a third derivative of gelu by its operand is an error that says so; by its gradient there is one") {
  test_context context;
  const amp::tape tape(context);
  const auto x = tape.leaf(check::random<double>(context, {3}, 7)), g = tape.leaf(check::random<double>(context, {3}, 8));
  const auto [first] = amp::grad(context, amp::gelu<policy>(tape, x), g, amp::graph::create, x);
  const auto [by_x, by_g] = amp::grad(context, first, g, amp::graph::create, x, g);
  CHECK_THROWS_WITH_AS(amp::grad(context, by_x, g, amp::graph::keep, x), doctest::Contains("amphora [no-derivative]"), amp::error);
  const auto [third] = amp::grad(context, by_g, g, amp::graph::keep, x);
  CHECK(values(context, third) == values(context, by_x));
}
