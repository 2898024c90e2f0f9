// conv_transpose1d, conv_transpose2d and conv_transpose3d of variables.
#pragma once
#include <amphora/autograd/convolution.hpp>  // convolved_taped
#include <amphora/ops/conv_transpose.hpp>      // conv_transpose1d, conv_transpose2d, conv_transpose3d

namespace amphora { inline namespace AMPHORA_ABI {

/// As of ops/conv_transpose.hpp, recorded, with derivatives of any order.
///
/// b  a variable, or no_bias{}
template <class Policy, class Context, class X, class W, class B = no_bias, std::enable_if_t<is_variable_v<X> && is_variable_v<W>, int> = 0>
auto conv_transpose1d(const tape<Context>& recording, const X& x, const W& w, const B& b = {}, const convolution_options& options = {}) {
  return detail::convolved_taped<Policy, op::conv_transpose1d>(recording, x, w, b, options);
}
template <class Policy, class Context, class X, class W, class B = no_bias, std::enable_if_t<is_variable_v<X> && is_variable_v<W>, int> = 0>
auto conv_transpose2d(const tape<Context>& recording, const X& x, const W& w, const B& b = {}, const convolution_options& options = {}) {
  return detail::convolved_taped<Policy, op::conv_transpose2d>(recording, x, w, b, options);
}
template <class Policy, class Context, class X, class W, class B = no_bias, std::enable_if_t<is_variable_v<X> && is_variable_v<W>, int> = 0>
auto conv_transpose3d(const tape<Context>& recording, const X& x, const W& w, const B& b = {}, const convolution_options& options = {}) {
  return detail::convolved_taped<Policy, op::conv_transpose3d>(recording, x, w, b, options);
}

}}  // namespace amphora
