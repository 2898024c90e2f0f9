#include <amphora/autograd/element_loss.hpp>

#include <amphora/scale/scaler.hpp>
#include <autograd/golden.hpp>
#include <autograd/values.hpp>
#include <ops/gradient_check.hpp>
#include <ops/loss_case.hpp>

namespace amp = amphora;
using policy = amp::o1<amp::f16>;

namespace {

/// How many cases of an op had second derivatives to compare.
template <class Function, class... Names>
int second(const char* op, const Function& function, const Names&... names) {
  test_context context;
  int result = 0;
  for (const auto& c : golden::loss_cases(op)) result += golden::taped(context, c, [&](const auto& tape, const auto&... x) { return function(tape, c, x...); }, names...);
  return result;
}
double number(const golden::test_case& c, const char* name) { return c.option(name).get<double>(); }
amp::tensor<double, test_context> target(test_context& context, const golden::test_case& c) { return c.input("target").to<double>(context); }

}  // namespace

TEST_CASE("losses of an error have the reference's values, gradients and second derivatives") {
  CHECK(second("mse_loss", [](const auto& tape, const auto& c, const auto& x, const auto& t) { return amp::mse_loss<policy>(tape, x, t, golden::reduction_of(c)); }, "input", "target") == 12);
  CHECK(second("l1_loss", [](const auto& tape, const auto& c, const auto& x, const auto& t) { return amp::l1_loss<policy>(tape, x, t, golden::reduction_of(c)); }, "input", "target") == 9);
  CHECK(second("smooth_l1_loss", [](const auto& tape, const auto& c, const auto& x, const auto& t) { return amp::smooth_l1_loss<policy>(tape, x, t, golden::reduction_of(c), number(c, "beta")); }, "input", "target") == 21);
  CHECK(second("huber_loss", [](const auto& tape, const auto& c, const auto& x, const auto& t) { return amp::huber_loss<policy>(tape, x, t, golden::reduction_of(c), number(c, "delta")); }, "input", "target") == 15);
}

TEST_CASE("likelihood losses have the reference's values, gradients and second derivatives") {
  CHECK(second("poisson_nll_loss", [](const auto& tape, const auto& c, const auto& x) {
    return amp::poisson_nll_loss<policy>(tape, x, tape.constant(target(tape.context(), c)), {golden::reduction_of(c), c.option("log_input"), c.option("full"), number(c, "eps")});
  }, "input") == 15);
  CHECK(second("gaussian_nll_loss", [](const auto& tape, const auto& c, const auto& x, const auto& t, const auto& v) {
    return amp::gaussian_nll_loss<policy>(tape, x, t, v, {golden::reduction_of(c), c.option("full"), number(c, "eps")});
  }, "input", "target", "var") == 12);
  CHECK(second("kl_div", [](const auto& tape, const auto& c, const auto& x, const auto& t) {
    return amp::kl_div<policy>(tape, x, t, {golden::reduction_of(c), c.option("log_target"), c.option("reduction") == "batchmean"});
  }, "input", "target") == 8);
}

TEST_CASE("losses of a score against a sign have the reference's values, gradients and second derivatives") {
  CHECK(second("soft_margin_loss", [](const auto& tape, const auto& c, const auto& x) { return amp::soft_margin_loss<policy>(tape, x, tape.constant(target(tape.context(), c)), golden::reduction_of(c)); }, "input") == 6);
  CHECK(second("hinge_embedding_loss", [](const auto& tape, const auto& c, const auto& x) {
    return amp::hinge_embedding_loss<policy>(tape, x, tape.constant(target(tape.context(), c)), golden::reduction_of(c), number(c, "margin"));
  }, "input") == 6);
  CHECK(second("margin_ranking_loss", [](const auto& tape, const auto& c, const auto& x, const auto& y) {
    return amp::margin_ranking_loss<policy>(tape, x, y, tape.constant(target(tape.context(), c)), golden::reduction_of(c), number(c, "margin"));
  }, "input1", "input2") == 12);
}

TEST_CASE("a pass from a scaled loss leaves the explicit gradient of that scale, in the operands' formats") {
  test_context context;
  const amp::tape tape(context);
  auto scaler = amp::scaler<test_context>(context, amp::growth{2, 0.5, 3, 1024});
  const auto x = check::random<amp::float16>(context, {37, 5}, 1);
  const auto t = check::random<float>(context, {5}, 2);
  const auto scale = check::filled(context, {}, 1024.0f);
  const auto same = [&](const auto& loss_of, const auto& gradient) {
    const auto leaf = tape.leaf(amp::cast<amp::f16>(context, x));
    const auto loss = loss_of(leaf);
    const auto scaled_loss = scaler.scale(context, loss.value());
    amp::backward(context, loss, scaled_loss);
    CHECK(values(context, leaf.gradient()) == values(context, gradient));
  };
  same([&](const auto& leaf) { return amp::mse_loss<policy>(tape, leaf, t); }, amp::mse_loss_backward<policy>(context, scale, x, t).first);
  same([&](const auto& leaf) { return amp::huber_loss<policy>(tape, leaf, t, amp::reduction::mean, 0.5); }, amp::huber_loss_backward<policy>(context, scale, x, t, amp::reduction::mean, 0.5).first);
  same([&](const auto& leaf) { return amp::binary_cross_entropy_with_logits<policy>(tape, leaf, t); }, amp::binary_cross_entropy_with_logits_backward<policy>(context, scale, x, t).first);
}

TEST_CASE("a third derivative of a squared error is nothing, of a Poisson loss it is refused by name") {
  test_context context;
  const amp::tape tape(context);
  const auto x = tape.leaf(check::random<double>(context, {8}, 1));
  const auto t = check::random<double>(context, {8}, 2), v = check::random<double>(context, {8}, 3), u = check::random<double>(context, {8}, 4);
  const auto [first] = amp::grad(context, amp::mse_loss<policy>(tape, x, t), amp::graph::create, x);
  const auto [bent] = amp::grad(context, first, tape.constant(v), amp::graph::create, x);
  for (std::size_t i = 0; i < 8; ++i) CHECK(values(context, bent)[i] == doctest::Approx(amp::wait_read(context, v)[i] / 4));
  const auto [third] = amp::grad(context, bent, tape.constant(u), amp::graph::free, x);
  CHECK(!third);
  const auto [slope] = amp::grad(context, amp::poisson_nll_loss<policy>(tape, x, t), amp::graph::create, x);
  const auto [curve] = amp::grad(context, slope, tape.constant(v), amp::graph::create, x);
  CHECK_THROWS_WITH_AS(amp::grad(context, curve, tape.constant(u), amp::graph::free, x), doctest::Contains("no-derivative"), amp::error);
}
