// A learned slope for negative numbers, forward and backward.
#pragma once
#include <amphora/detail/config.hpp>   // AMPHORA_HD
#include <amphora/op/contraction.hpp>  // op::prelu
#include <amphora/ops/function.hpp>    // applied, slopes

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// At 0 and at NaN the slope is the weight, also to be differentiated (PyTorch's second derivatives at 0 are those of another slope, 1).
struct prelu_function {
  template <class Real> AMPHORA_HD constexpr Real value(Real x, Real w) const { return x > 0 ? x : w * x; }
  template <class Real> AMPHORA_HD constexpr Real slope(by<0>, Real grad, Real x, Real w) const { return x > 0 ? grad : w * grad; }
  template <class Real> AMPHORA_HD constexpr Real slope(by<1>, Real grad, Real x, Real) const { return x > 0 ? Real(0) : x * grad; }
  template <class Real> AMPHORA_HD constexpr Real curvature(by<0>, by<1>, Real h, Real x, Real) const { return x > 0 ? Real(0) : h; }
  template <class Real> AMPHORA_HD constexpr Real curvature(by<1>, by<0>, Real h, Real x, Real) const { return x > 0 ? Real(0) : h; }
};

/// One weight for all, or one for each place along axis 1, as a shape that broadcasts to x's.
inline shape weight_along(const char* call, const shape& x, const shape& w) {
  if (w.elements() == 1) return {};
  if (w.rank() != 1 || x.rank() < 2 || w[0] != x[1]) fail("shape", call, " has weights of shape ", w, " where one weight, or one for each place along axis 1 of ", x, ", is due");
  std::int64_t extents[shape::max_rank] = {w[0], 1, 1, 1, 1, 1, 1, 1};
  return shape(extents, x.rank() - 1);
}

}  // namespace detail

/// x where it is positive, else w · x, in the policy's compute format.
///
/// x       any shape
/// w       one weight, or [x's extent along axis 1]
/// Value   x's shape; prelu<Policy>(context, into(y), x, w) writes it to y, which may be x itself
/// Errors  shape
template <class Policy, class Context, class X, class W, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto prelu(Context& context, const X& x, const W& w) {
  const auto weights = detail::operand(w);
  return detail::applied<Policy, op::prelu>("prelu", context, detail::prelu_function{}, x,
                                          weights.reshaped(detail::weight_along("prelu", detail::operand(x).shape(), weights.shape())));
}
template <class Policy, class Context, class Y, class X, class W>
void prelu(Context& context, into<Y> y, const X& x, const W& w) {
  const auto weights = detail::operand(w);
  detail::apply_into<Policy, op::prelu>("prelu", context, detail::prelu_function{}, y, x,
                                        weights.reshaped(detail::weight_along("prelu", detail::operand(x).shape(), weights.shape())));
}

/// The gradients of prelu.
///
/// gx, gw  into(view), add_to(view) or no_gradient{}
template <class Policy, class Context, class G, class X, class W, class GX, class GW, std::enable_if_t<detail::is_gradient_choice_v<GX>, int> = 0>
void prelu_backward(Context& context, const G& grad, const X& x, const W& w, const GX& gx, const GW& gw) {
  const auto weights = detail::operand(w);
  if constexpr (detail::is_gradient_target_v<GW>) detail::require_shape("prelu_backward", "a gradient of the weights", detail::memory_of(gw).shape(), weights.shape());
  const shape along = detail::weight_along("prelu_backward", detail::operand(x).shape(), weights.shape());
  detail::slopes_into<Policy, op::prelu>("prelu_backward", context, detail::prelu_function{}, grad, x, weights.reshaped(along), gx, detail::reshaped(gw, along));
}
template <class Policy, class Context, class G, class X, class W>
auto prelu_backward(Context& context, const G& grad, const X& x, const W& w) {
  auto result = detail::fresh_pair(context, x, w);
  prelu_backward<Policy>(context, grad, x, w, into(result.first), into(result.second));
  return result;
}

}}  // namespace amphora
