// The reference's second-order products of convolutions, by a tape.
#pragma once
#include <autograd/golden.hpp>
#include <ops/convolution_case.hpp>

#include <amphora/ops/linear.hpp>  // no_bias

namespace amp = amphora;

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
