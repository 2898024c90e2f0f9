// max(0, x), forward and backward.
#pragma once
#include <amphora/detail/config.hpp>   // AMPHORA_HD
#include <amphora/op/transparent.hpp>  // op::relu
#include <amphora/ops/elementwise.hpp> // unary, unary_backward

#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// NaN stays NaN, as in PyTorch.
struct relu_value {
  template <class Real> AMPHORA_HD constexpr Real operator()(std::int64_t, Real x) const { return x < 0 ? Real(0) : x; }
};
/// 0 at 0; at NaN the gradient passes.
struct relu_slope {
  template <class Real> AMPHORA_HD constexpr Real operator()(std::int64_t, Real grad, Real x) const { return x <= 0 ? Real(0) : grad; }
};

}  // namespace detail

/// max(0, x) in the format that came in, whatever the policy's other ops compute in.
///
/// x      any shape
/// Value  x's shape; relu<Policy>(context, into(y), x) writes it to y, which may be x itself
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto relu(Context& context, const X& x) { return detail::unary<Policy, op::relu>("relu", context, detail::relu_value{}, x); }
template <class Policy, class Context, class Y, class X>
void relu(Context& context, into<Y> y, const X& x) { detail::unary_into<Policy, op::relu>("relu", context, detail::relu_value{}, y, x); }

/// The gradient of relu: grad where x is positive, else 0. x may be relu's own value.
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto relu_backward(Context& context, const G& grad, const X& x) {
  return detail::unary_gradient<Policy, op::relu>("relu_backward", context, detail::relu_slope{}, grad, x);
}
template <class Policy, class Context, class Target, class G, class X, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void relu_backward(Context& context, const Target& gx, const G& grad, const X& x) {
  detail::unary_gradient_into<Policy, op::relu>("relu_backward", context, detail::relu_slope{}, gx, grad, x);
}

}}  // namespace amphora
