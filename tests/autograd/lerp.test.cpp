#include <amphora/autograd/arithmetic.hpp>

#include <autograd/golden.hpp>
#include <autograd/second_slopes.hpp>

namespace amp = amphora;
using policy = amp::o1<amp::f16>;

TEST_CASE("maximum, minimum and lerp of variables have the reference's values, gradients and second derivatives") {
  test_context context;
  constexpr const char* file = "promoting_more.json";
  CHECK(golden::taped_cases(file, "maximum", [](const auto& tape, const auto& a, const auto& b, const auto&) { return amp::maximum<policy>(tape, a, b); }, "input", "other") == 8);
  CHECK(golden::taped_cases(file, "minimum", [](const auto& tape, const auto& a, const auto& b, const auto&) { return amp::minimum<policy>(tape, a, b); }, "input", "other") == 8);
  int second = 0;
  for (const auto& c : golden::cases(file, {"lerp"}))
    second += c.has("weight") ? golden::taped(context, c, [](const auto& tape, const auto& a, const auto& b, const auto& w) { return amp::lerp<policy>(tape, a, b, w); }, "input", "end", "weight")
                              : golden::taped(context, c, [&](const auto& tape, const auto& a, const auto& b) { return amp::lerp<policy>(tape, a, b, c.option("weight").template get<double>()); }, "input", "end");
  CHECK(second == 13);
}

TEST_CASE("the gradient of lerp's weight can be differentiated too") {
  test_context context;
  const auto end = check::random<double>(context, {3, 4}, 9);
  check::second_slopes(context, check::random<double>(context, {3, 4}, 1), check::random<double>(context, {4}, 2), check::random<double>(context, {3, 4}, 3), check::random<double>(context, {4}, 4),
                       [&](const auto& tape, const auto& a, const auto& w) { return amp::lerp<policy>(tape, a, tape.constant(end), w); },
                       [&](const auto& g, const auto& a, const auto& w) { return amp::lerp_backward<policy>(context, g, a, end, w).third; });
}
