#include <amphora/autograd/activation.hpp>

#include <autograd/golden.hpp>
#include <autograd/values.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;
using policy = amp::o1<amp::f16>;

namespace {

/// How many cases of an op of one operand had second derivatives to compare.
template <class Function>
int activation_cases(const char* op, const Function& function) {
  test_context context;
  int result = 0;
  for (const auto& c : golden::cases(golden::elementwise_file, {op})) {
    if (c.has("min")) continue;  // below
    result += golden::taped(context, c, [&](const auto& tape, const auto& x) { return function(tape, x, c); }, "input");
  }
  return result;
}

}  // namespace

TEST_CASE("activations of variables have the reference's values, gradients and second derivatives") {
  CHECK(activation_cases("sigmoid", [](const auto& tape, const auto& x, const auto&) { return amp::sigmoid<policy>(tape, x); }) == 5);
  CHECK(activation_cases("tanh", [](const auto& tape, const auto& x, const auto&) { return amp::tanh<policy>(tape, x); }) == 5);
  CHECK(activation_cases("silu", [](const auto& tape, const auto& x, const auto&) { return amp::silu<policy>(tape, x); }) == 5);
  CHECK(activation_cases("elu", [](const auto& tape, const auto& x, const auto& c) { return amp::elu<policy>(tape, x, c.option("alpha").template get<double>()); }) == 10);
  CHECK(activation_cases("leaky_relu", [](const auto& tape, const auto& x, const auto& c) { return amp::leaky_relu<policy>(tape, x, c.option("negative_slope").template get<double>()); }) == 15);
}

TEST_CASE("abs, neg, sqrt and clamp of variables have the reference's values, gradients and second derivatives") {
  CHECK(activation_cases("abs", [](const auto& tape, const auto& x, const auto&) { return amp::abs<policy>(tape, x); }) == 5);
  CHECK(activation_cases("neg", [](const auto& tape, const auto& x, const auto&) { return amp::neg<policy>(tape, x); }) == 5);
  CHECK(activation_cases("sqrt", [](const auto& tape, const auto& x, const auto&) { return amp::sqrt<policy>(tape, x); }) == 5);
  CHECK(activation_cases("clamp", [](const auto& tape, const auto& x, const auto& c) {
    const double infinity = std::numeric_limits<double>::infinity();
    return amp::clamp<policy>(tape, x, c.option("min").is_null() ? -infinity : c.option("min").template get<double>(), c.option("max").is_null() ? infinity : c.option("max").template get<double>());
  }) == 20);
  test_context context;
  int between = 0;
  for (const auto& c : golden::cases(golden::elementwise_file, {"clamp"}))
    if (c.has("max")) between += golden::taped(context, c, [](const auto& tape, const auto& x, const auto& a, const auto& b) { return amp::clamp<policy>(tape, x, a, b); }, "input", "min", "max");
  CHECK(between == 3);
}

TEST_CASE("gradients of activations of variables have the bits of the explicit ones, in the operand's format") {
  test_context context;
  const amp::tape tape(context);
  const auto x = tape.leaf(check::random<amp::float16>(context, {3, 50}, 1));
  const auto g = check::random<amp::float16>(context, {3, 50}, 2);
  const auto same = [&](const auto& y, const auto& gradient) {
    auto input = x;
    input.clear_gradient();
    amp::backward(context, y, g.view());
    CHECK(values(context, input.gradient()) == values(context, gradient));
  };
  same(amp::silu<policy>(tape, x), amp::silu_backward<policy>(context, g, x.value()));
  same(amp::sigmoid<policy>(tape, x), amp::sigmoid_backward<policy>(context, g, x.value()));
  same(amp::tanh<policy>(tape, x), amp::tanh_backward<policy>(context, g, x.value()));
  same(amp::clamp<policy>(tape, x, -0.5, 0.5), amp::clamp_backward<policy>(context, g, x.value(), -0.5, 0.5));
  same(amp::abs<policy>(tape, x), amp::abs_backward<policy>(context, g, x.value()));
  same(amp::neg<policy>(tape, x), amp::neg_backward<policy>(context, g, x.value()));
}

TEST_CASE("a third derivative of an activation by its operand is refused by name, one by its gradient is not") {
  test_context context;
  const amp::tape tape(context);
  const auto x = tape.leaf(check::random<double>(context, {8}, 1));
  const auto g = tape.leaf(check::random<double>(context, {8}, 2)), v = tape.leaf(check::random<double>(context, {8}, 3)), u = tape.leaf(check::random<double>(context, {8}, 4));
  const auto y = amp::silu<policy>(tape, x);
  const auto [first] = amp::grad(context, y, g, amp::graph::create, x);
  const auto [by_x, by_g] = amp::grad(context, first, v, amp::graph::create, x, g);
  CHECK_THROWS_WITH_AS(amp::grad(context, by_x, u, amp::graph::keep, x), doctest::Contains("no-derivative"), amp::error);
  const auto [again] = amp::grad(context, by_g, u, amp::graph::keep, v);  // by_g = v · slope(x)
  CHECK(values(context, again) == values(context, amp::silu_backward<policy>(context, u.value(), x.value())));
}
