// sigmoid, tanh, silu, elu, leaky_relu, abs, neg, sqrt and clamp of variables.
#pragma once
#include <amphora/autograd/function.hpp>  // apply_taped
#include <amphora/ops/activation.hpp>     // sigmoid_function
#include <amphora/ops/clamp.hpp>          // clamp_function
#include <amphora/ops/root.hpp>           // sqrt_function
#include <amphora/ops/sign.hpp>           // abs_function

namespace amphora { inline namespace AMPHORA_ABI {

/// As of ops/activation.hpp, recorded. They have second derivatives, and by their gradients all; by x a third one is `no-derivative`.
template <class Policy, class Context, class X, detail::if_variables_t<X> = 0>
auto sigmoid(const tape<Context>& recording, const X& x) { return detail::apply_taped<Policy, op::sigmoid>("sigmoid", recording, detail::sigmoid_function{}, x); }
template <class Policy, class Context, class X, detail::if_variables_t<X> = 0>
auto tanh(const tape<Context>& recording, const X& x) { return detail::apply_taped<Policy, op::tanh>("tanh", recording, detail::tanh_function{}, x); }
template <class Policy, class Context, class X, detail::if_variables_t<X> = 0>
auto silu(const tape<Context>& recording, const X& x) { return detail::apply_taped<Policy, op::silu>("silu", recording, detail::silu_function{}, x); }
template <class Policy, class Context, class X, detail::if_variables_t<X> = 0>
auto elu(const tape<Context>& recording, const X& x, double alpha = 1) {
  return detail::apply_taped<Policy, op::elu>("elu", recording, detail::elu_function{alpha}, x);
}
template <class Policy, class Context, class X, detail::if_variables_t<X> = 0>
auto leaky_relu(const tape<Context>& recording, const X& x, double negative_slope = 0.01) {
  return detail::apply_taped<Policy, op::leaky_relu>("leaky_relu", recording, detail::leaky_relu_function{negative_slope}, x);
}

/// As of ops/sign.hpp and ops/root.hpp, recorded.
template <class Policy, class Context, class X, detail::if_variables_t<X> = 0>
auto abs(const tape<Context>& recording, const X& x) { return detail::apply_taped<Policy, op::abs>("abs", recording, detail::abs_function{}, x); }
template <class Policy, class Context, class X, detail::if_variables_t<X> = 0>
auto neg(const tape<Context>& recording, const X& x) { return detail::apply_taped<Policy, op::neg>("neg", recording, detail::neg_function{}, x); }
template <class Policy, class Context, class X, detail::if_variables_t<X> = 0>
auto sqrt(const tape<Context>& recording, const X& x) { return detail::apply_taped<Policy, op::sqrt>("sqrt", recording, detail::sqrt_function{}, x); }

/// As of ops/clamp.hpp, recorded.
template <class Policy, class Context, class X, detail::if_variables_t<X> = 0>
auto clamp(const tape<Context>& recording, const X& x, double lowest, double highest) {
  return detail::apply_taped<Policy, op::clamp>("clamp", recording, detail::clamp_function{lowest, highest}, x);
}
template <class Policy, class Context, class X, class A, class B, detail::if_variables_t<X, A, B> = 0>
auto clamp(const tape<Context>& recording, const X& x, const A& lowest, const B& highest) {
  return detail::apply_taped<Policy, op::clamp>("clamp", recording, detail::clamp_between_function{}, x, lowest, highest);
}

}}  // namespace amphora
