// Group normalization, forward and backward.
#pragma once
#include <amphora/op/normalization.hpp>   // op::group_norm
#include <amphora/ops/call.hpp>           // result_t, made
#include <amphora/ops/normalization.hpp>  // group_call, normalize_into, normalize_gradients, no_weight

#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// PyTorch refuses one number a group only where there is one group in all.
inline groups_call group_norm_call(const char* call, const shape& x, std::int64_t groups, double eps) {
  const groups_call c = group_call(call, x, groups, eps);
  if (c.terms * x[0] == 1) fail("shape", call, " has one number a group in ", x, "; give it more channels or a larger image");
  return c;
}

}  // namespace detail

/// (x − mean) / √(variance + eps) · w + b, where groups of channels of one example share mean and variance: a sensitive op, in float.
///
/// x       [batch, channels, ...]
/// groups  divides the channels
/// w, b    [channels], or no_weight{} and no_bias{}
/// Value   x's shape; group_norm<Policy>(context, into(y), x, groups, …) writes it to y, which may be x itself
/// Errors  shape, setting; nothing is written before
/// Cost    as layer_norm, where a group of one example is a line
template <class Policy, class Context, class X, class W = no_weight, class B = no_bias, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto group_norm(Context& context, const X& x, std::int64_t groups, const W& w = {}, const B& b = {}, double eps = 1e-5) {
  using result = detail::result_t<Policy, op::group_norm, Context, X>;
  if constexpr (detail::may_call<Policy, op::group_norm, X>())
    return detail::made<result>(context, detail::operand(x).shape(), [&](auto y) { group_norm<Policy>(context, into(y), x, groups, w, b, eps); });
  else return result{};
}
template <class Policy, class Context, class Y, class X, class W = no_weight, class B = no_bias>
void group_norm(Context& context, into<Y> y, const X& x, std::int64_t groups, const W& w = {}, const B& b = {}, double eps = 1e-5) {
  detail::normalize_into<Policy, op::group_norm>("group_norm", context, detail::group_norm_call("group_norm", detail::operand(x).shape(), groups, eps), y, x, w, b);
}

/// The gradients of group_norm. The statistics are made anew in float.
///
/// w           as forward had it
/// gx, gw, gb  into(view), add_to(view) or no_gradient{}
template <class Policy, class Context, class G, class X, class W, class GX, class GW, class GB, std::enable_if_t<detail::is_gradient_choice_v<GX>, int> = 0>
void group_norm_backward(Context& context, const G& grad, const X& x, std::int64_t groups, const W& w, const GX& gx, const GW& gw, const GB& gb, double eps = 1e-5) {
  detail::normalize_gradients<Policy, op::group_norm>("group_norm_backward", context, detail::group_norm_call("group_norm_backward", detail::operand(x).shape(), groups, eps), grad, x, w,
                                                      gx, gw, gb);
}
/// The same as fresh tensors: x's and w's in their own formats, b's in w's; without weights x's alone.
template <class Policy, class Context, class G, class X, class W = no_weight, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto group_norm_backward(Context& context, const G& grad, const X& x, std::int64_t groups, const W& w = {}, double eps = 1e-5) {
  auto result = detail::fresh_norm_gradients<Context, X, W, W>(context, detail::group_norm_call("group_norm_backward", detail::operand(x).shape(), groups, eps), x);
  group_norm_backward<Policy>(context, grad, x, groups, w, into(result.x), detail::into_affine<W>(result.w), detail::into_affine<W>(result.b), eps);
  return result;
}

}}  // namespace amphora
