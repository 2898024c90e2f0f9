// The mean squared error, forward and backward.
#pragma once
#include <amphora/detail/config.hpp>  // AMPHORA_HD
#include <amphora/format/real.hpp>    // multiply_once
#include <amphora/op/loss.hpp>        // op::mse_loss
#include <amphora/ops/loss.hpp>       // loss_made, loss_slopes, reduction

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

struct mse_function {
  template <class Real> AMPHORA_HD constexpr Real value(Real x, Real t) const { return multiply_once(x - t, x - t); }
  template <class Real> AMPHORA_HD constexpr Real slope(by<0>, Real grad, Real x, Real t) const { return 2 * (x - t) * grad; }
  template <class Real> AMPHORA_HD constexpr Real slope(by<1>, Real grad, Real x, Real t) const { return -2 * (x - t) * grad; }
  template <int K, int J> constexpr double bend(by<K>, by<J>) const { return K == J ? 2 : -2; }
};

}  // namespace detail

/// (x − t)², averaged, added or left as it is: a sensitive op, in float whatever comes in.
///
/// x, t    shapes that broadcast
/// Value   a scalar, or the broadcast shape without a reduction, in the policy's output format; the mean of nothing is NaN
/// Errors  shape
/// Cost    one pass over x and t, whatever the reduction
template <class Policy, class Context, class X, class T, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto mse_loss(Context& context, const X& x, const T& t, reduction r = reduction::mean) {
  return detail::loss_made<Policy, op::mse_loss>("mse_loss", context, detail::mse_function{}, r, x, t);
}
template <class Policy, class Context, class Y, class X, class T>
void mse_loss(Context& context, into<Y> y, const X& x, const T& t, reduction r = reduction::mean) {
  detail::loss_into<Policy, op::mse_loss>("mse_loss", context, detail::mse_function{}, r, y, x, t);
}

/// The gradients of mse_loss.
///
/// grad    of the loss: a scalar on the device, or the broadcast shape without a reduction
/// gx, gt  into(view), add_to(view) or no_gradient{}
template <class Policy, class Context, class G, class X, class T, class GX, class GT, std::enable_if_t<detail::is_gradient_choice_v<GX>, int> = 0>
void mse_loss_backward(Context& context, const G& grad, const X& x, const T& t, const GX& gx, const GT& gt, reduction r = reduction::mean) {
  detail::loss_slopes_into<Policy, op::mse_loss>("mse_loss_backward", context, detail::mse_function{}, r, gx, gt, grad, x, t);
}
template <class Policy, class Context, class G, class X, class T>
auto mse_loss_backward(Context& context, const G& grad, const X& x, const T& t, reduction r = reduction::mean) {
  return detail::loss_slopes<Policy, op::mse_loss>("mse_loss_backward", context, detail::mse_function{}, r, grad, x, t);
}

}}  // namespace amphora
