#include <amphora/autograd/transcendental.hpp>

#include <autograd/golden.hpp>

namespace amp = amphora;
using policy = amp::o1<amp::f16>;

namespace {

constexpr const char* file = "sensitive_transcendental.json";

template <class Function>
int second(const char* op, const Function& function) {
  test_context context;
  int result = 0;
  for (const auto& c : golden::cases(file, {op})) result += golden::taped(context, c, [&](const auto& tape, const auto& x) { return function(tape, x, c); }, "input");
  return result;
}

}  // namespace

TEST_CASE("functions of angles, roots and erfinv of variables have the reference's values, gradients and second derivatives") {
  CHECK(second("tan", [](const auto& tape, const auto& x, const auto&) { return amp::tan<policy>(tape, x); }) == 6);
  CHECK(second("asin", [](const auto& tape, const auto& x, const auto&) { return amp::asin<policy>(tape, x); }) == 6);
  CHECK(second("acos", [](const auto& tape, const auto& x, const auto&) { return amp::acos<policy>(tape, x); }) == 6);
  CHECK(second("sinh", [](const auto& tape, const auto& x, const auto&) { return amp::sinh<policy>(tape, x); }) == 6);
  CHECK(second("cosh", [](const auto& tape, const auto& x, const auto&) { return amp::cosh<policy>(tape, x); }) == 6);
  CHECK(second("erfinv", [](const auto& tape, const auto& x, const auto&) { return amp::erfinv<policy>(tape, x); }) == 6);
  CHECK(second("rsqrt", [](const auto& tape, const auto& x, const auto&) { return amp::rsqrt<policy>(tape, x); }) == 6);
  CHECK(second("reciprocal", [](const auto& tape, const auto& x, const auto&) { return amp::reciprocal<policy>(tape, x); }) == 6);
}
