// conv1d, conv2d and conv3d of variables.
#pragma once
#include <amphora/autograd/convolution.hpp>  // convolved_taped
#include <amphora/ops/conv.hpp>                // conv1d, conv2d, conv3d

namespace amphora { inline namespace AMPHORA_ABI {

/// As of ops/conv.hpp, recorded, with derivatives of any order.
///
/// b  a variable, or no_bias{}
template <class Policy, class Context, class X, class W, class B = no_bias, std::enable_if_t<is_variable_v<X> && is_variable_v<W>, int> = 0>
auto conv1d(const tape<Context>& recording, const X& x, const W& w, const B& b = {}, const convolution_options& options = {}) {
  return detail::convolved_taped<Policy, op::conv1d>(recording, x, w, b, options);
}
template <class Policy, class Context, class X, class W, class B = no_bias, std::enable_if_t<is_variable_v<X> && is_variable_v<W>, int> = 0>
auto conv2d(const tape<Context>& recording, const X& x, const W& w, const B& b = {}, const convolution_options& options = {}) {
  return detail::convolved_taped<Policy, op::conv2d>(recording, x, w, b, options);
}
template <class Policy, class Context, class X, class W, class B = no_bias, std::enable_if_t<is_variable_v<X> && is_variable_v<W>, int> = 0>
auto conv3d(const tape<Context>& recording, const X& x, const W& w, const B& b = {}, const convolution_options& options = {}) {
  return detail::convolved_taped<Policy, op::conv3d>(recording, x, w, b, options);
}

}}  // namespace amphora
