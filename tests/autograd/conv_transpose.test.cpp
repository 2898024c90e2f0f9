#include <amphora/autograd/conv_transpose.hpp>

#include <autograd/golden.hpp>
#include <autograd/values.hpp>
#include <ops/convolution_case.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;
using policy = amp::o1<amp::f16>;
using options = amp::convolution_options;

namespace {

/// Of each case with an op that takes (policy, tape, options, x, w, b…).
template <class Function> int second_derivatives(const char* op, const Function& function) {
  test_context context;
  int second = 0;
  for (const auto& c : golden::cases("contraction_conv.json", {op})) {
    const auto how = golden::convolution_options_of(c);
    if (c.has("bias")) second += golden::taped(context, c, [&](const auto& tape, const auto& x, const auto& w, const auto& b) { return function(tape, how, x, w, b); }, "input", "weight", "bias");
    else second += golden::taped(context, c, [&](const auto& tape, const auto& x, const auto& w) { return function(tape, how, x, w, amp::no_bias{}); }, "input", "weight");
  }
  return second;
}

}  // namespace

TEST_CASE("conv_transpose1d, conv_transpose2d and conv_transpose3d of variables have the reference's value, gradients and second derivatives") {
  CHECK(second_derivatives("conv_transpose1d", [](const auto& tape, const auto& how, const auto& x, const auto& w, const auto& b) { return amp::conv_transpose1d<policy>(tape, x, w, b, how); }) == 8);
  CHECK(second_derivatives("conv_transpose2d", [](const auto& tape, const auto& how, const auto& x, const auto& w, const auto& b) { return amp::conv_transpose2d<policy>(tape, x, w, b, how); }) == 9);
  CHECK(second_derivatives("conv_transpose3d", [](const auto& tape, const auto& how, const auto& x, const auto& w, const auto& b) { return amp::conv_transpose3d<policy>(tape, x, w, b, how); }) == 3);
}
