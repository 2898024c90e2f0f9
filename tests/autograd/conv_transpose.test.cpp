#include <amphora/autograd/conv_transpose.hpp>

#include <autograd/convolution_case.hpp>
#include <autograd/golden.hpp>
#include <autograd/values.hpp>
#include <ops/convolution_case.hpp>
#include <ops/gradient_check.hpp>

namespace amp = amphora;
using policy = amp::o1<amp::f16>;
using options = amp::convolution_options;

TEST_CASE("conv_transpose1d, conv_transpose2d and conv_transpose3d of variables have the reference's value, gradients and second derivatives") {
  CHECK(second_derivatives("conv_transpose1d", [](const auto& tape, const auto& how, const auto& x, const auto& w, const auto& b) { return amp::conv_transpose1d<policy>(tape, x, w, b, how); }) == 8);
  CHECK(second_derivatives("conv_transpose2d", [](const auto& tape, const auto& how, const auto& x, const auto& w, const auto& b) { return amp::conv_transpose2d<policy>(tape, x, w, b, how); }) == 9);
  CHECK(second_derivatives("conv_transpose3d", [](const auto& tape, const auto& how, const auto& x, const auto& w, const auto& b) { return amp::conv_transpose3d<policy>(tape, x, w, b, how); }) == 3);
}
