#include <amphora/autograd/transcendental.hpp>

#include <autograd/golden.hpp>

namespace amp = amphora;
using policy = amp::o1<amp::f16>;

TEST_CASE("functions of angles, roots and erfinv of variables have the reference's values, gradients and second derivatives") {
  CHECK(golden::taped_cases(golden::transcendental_file, "tan", [](const auto& tape, const auto& x, const auto&) { return amp::tan<policy>(tape, x); }) == 6);
  CHECK(golden::taped_cases(golden::transcendental_file, "asin", [](const auto& tape, const auto& x, const auto&) { return amp::asin<policy>(tape, x); }) == 6);
  CHECK(golden::taped_cases(golden::transcendental_file, "acos", [](const auto& tape, const auto& x, const auto&) { return amp::acos<policy>(tape, x); }) == 6);
  CHECK(golden::taped_cases(golden::transcendental_file, "sinh", [](const auto& tape, const auto& x, const auto&) { return amp::sinh<policy>(tape, x); }) == 6);
  CHECK(golden::taped_cases(golden::transcendental_file, "cosh", [](const auto& tape, const auto& x, const auto&) { return amp::cosh<policy>(tape, x); }) == 6);
  CHECK(golden::taped_cases(golden::transcendental_file, "erfinv", [](const auto& tape, const auto& x, const auto&) { return amp::erfinv<policy>(tape, x); }) == 6);
  CHECK(golden::taped_cases(golden::transcendental_file, "rsqrt", [](const auto& tape, const auto& x, const auto&) { return amp::rsqrt<policy>(tape, x); }) == 6);
  CHECK(golden::taped_cases(golden::transcendental_file, "reciprocal", [](const auto& tape, const auto& x, const auto&) { return amp::reciprocal<policy>(tape, x); }) == 6);
}
