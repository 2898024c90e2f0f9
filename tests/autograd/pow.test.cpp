#include <amphora/autograd/transcendental.hpp>

#include <autograd/golden.hpp>
#include <autograd/second_slopes.hpp>
#include <autograd/values.hpp>

namespace amp = amphora;
using policy = amp::o1<amp::f16>;

TEST_CASE("pow of a variable and a number has the reference's value, gradient and second derivatives") {
  test_context context;
  int second = 0;
  for (auto c : golden::cases(golden::transcendental_file, {"pow"})) {
    if (c.has("input") && c.has("exponent")) continue;
    if (c.has("input")) {
      second += golden::taped(context, c, [&](const auto& tape, const auto& x) { return amp::pow<policy>(tape, x, c.option("exponent").template get<double>()); }, "input");
      continue;
    }
    if (c.option("input") == 0.0) {  // 0^y is flat for y ≥ 0; PyTorch multiplies 0 by infinity there
      const golden::array y = c.input("exponent");
      auto& numbers = c.data["second"]["grads"]["exponent"]["values"];
      for (std::size_t i = 0; i < y.values.size(); ++i)
        if (y.values[i] >= 0) numbers[i] = 0;
    }
    second += golden::taped(context, c, [&](const auto& tape, const auto& y) { return amp::pow<policy>(tape, c.option("input").template get<double>(), y); }, "exponent");
  }
  CHECK(second == 32);
}

TEST_CASE("pow of two variables has the reference's value, gradients and second derivatives, broadcast or not") {
  test_context context;
  int second = 0;
  for (const auto& c : golden::cases(golden::transcendental_file, {"pow"}))
    if (c.has("input") && c.has("exponent") && c.name() != "pow/special_tensor_tensor")
      second += golden::taped(context, c, [](const auto& tape, const auto& x, const auto& y) { return amp::pow<policy>(tape, x, y); }, "input", "exponent");
  CHECK(second == 4);
}

TEST_CASE("where PyTorch's second derivative of pow is a number at 0, infinity or NaN, ours is the same") {
  test_context context;
  const amp::tape tape(context);
  for (const auto& c : golden::cases(golden::transcendental_file, {"pow"})) {
    if (c.name() != "pow/special_tensor_tensor") continue;
    const auto x = tape.leaf(c.input("input").to<double>(context)), y = tape.leaf(c.input("exponent").to<double>(context)), g = tape.leaf(c.grad_output().to<double>(context));
    const auto [first] = amp::grad(context, amp::pow<policy>(tape, x, y), g, amp::graph::create, x);
    const auto& second = c.data.at("second");
    const auto of = amp::grad(context, first, tape.constant(golden::array(second.at("v")).to<double>(context)), amp::graph::free, x, y, g);
    const std::vector<double> got[] = {values(context, std::get<0>(of)), values(context, std::get<1>(of)), values(context, std::get<2>(of))};
    const char* const names[] = {"input", "exponent", "grad_outputs.output"};
    int compared = 0;
    for (int k = 0; k < 3; ++k) {
      const golden::array want(second.at("grads").at(names[k]));
      for (std::size_t i = 0; i < want.values.size(); ++i) {
        const double w = want.values[i];
        if (std::isnan(w)) continue;
        ++compared;
        INFO(names[k], " ", i, ": ", got[k][i], " where ", w, " is due");
        CHECK((std::isinf(w) ? got[k][i] == w : std::fabs(got[k][i] - w) <= 32 * amp::f64::unit_roundoff * std::fabs(w)));
      }
    }
    CHECK(compared >= 30);
  }
}

TEST_CASE("the gradient of an exponent can be differentiated too, broadcast or not") {
  test_context context;
  for (const amp::shape& of_y : {amp::shape{3, 4}, amp::shape{4}})
    check::second_slopes(context, check::random_from(context, {3, 4}, 1, 0.5), check::random<double>(context, of_y, 2), check::random<double>(context, {3, 4}, 3),
                         check::random<double>(context, of_y, 4), [](const auto& tape, const auto& x, const auto& y) { return amp::pow<policy>(tape, x, y); },
                         [&](const auto& g, const auto& x, const auto& y) { return amp::pow_backward<policy>(context, g, x, y).second; });
}
