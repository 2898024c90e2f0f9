// The mean squared error, forward and backward.
#pragma once
#include <amphora/detail/config.hpp>      // AMPHORA_HD
#include <amphora/op/loss.hpp>            // op::mse_loss
#include <amphora/ops/add.hpp>            // unbroadcast
#include <amphora/ops/call.hpp>           // result_t, require_into, made
#include <amphora/ops/cross_entropy.hpp>  // reduction
#include <amphora/ops/kernels.hpp>        // map_kernels, make_loops, broadcast
#include <amphora/ops/operand.hpp>        // into, operand
#include <amphora/ops/reduction.hpp>      // sum_over

#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

struct squared_error {
  template <class Real> AMPHORA_HD constexpr Real operator()(std::int64_t, Real x, Real t) const { return (x - t) * (x - t); }
};
/// Of the first operand; the second's is its negative.
struct squared_error_slope {
  double sign, divisor;
  template <class Real> AMPHORA_HD constexpr Real operator()(std::int64_t, Real grad, Real x, Real t) const {
    return static_cast<Real>(sign) * 2 * (x - t) * (grad / static_cast<Real>(divisor));
  }
};

template <class Context, class Target, class G, class X, class T>
void mse_gradient(Context& context, const Target& target, const view<const G>& grad, const view<const X>& x, const view<const T>& t,
                  const shape& wide, double sign, double divisor) {
  using kernels = map_kernels<typename Context::device>;
  const shape& own = memory_of(target).shape();
  const squared_error_slope slope{sign, divisor};
  const auto loops = make_loops<3>(wide, {&grad.shape(), &x.shape(), &t.shape()});
  if (own.elements() == wide.elements()) {
    kernels::run(context, slope, loops, gradient_target(target), read(grad), read(x), read(t));
  } else {
    using format = arithmetic_format_t<format_of_t<X>, format_of_t<T>>;
    tensor_of_t<format, Context> each(context, wide);
    kernels::run(context, slope, loops, write(each.view()), read(grad), read(x), read(t));
    unbroadcast<format>(context, target, operand(each), own, 1);
  }
}

}  // namespace detail

/// (x − t)², averaged, added or left as it is: a sensitive op, in float whatever comes in.
///
/// x, t    shapes that broadcast
/// Value   a scalar, or the broadcast shape without a reduction, in the policy's output format; the mean of nothing is NaN
/// Errors  shape
template <class Policy, class Context, class X, class T, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto mse_loss(Context& context, const X& x, const T& t, reduction r = reduction::mean) {
  using result = detail::result_t<Policy, op::mse_loss, Context, X, T>;
  if constexpr (detail::may_call<Policy, op::mse_loss, X, T>())
    return detail::made<result>(context, detail::loss_shape(r, detail::broadcast("mse_loss", detail::operand(x).shape(), detail::operand(t).shape())),
                                [&](auto y) { mse_loss<Policy>(context, into(y), x, t, r); });
  else return result{};
}
template <class Policy, class Context, class Y, class X, class T>
void mse_loss(Context& context, into<Y> y, const X& x, const T& t, reduction r = reduction::mean) {
  using namespace detail;
  if constexpr (require_into<Policy, op::mse_loss, Y, X, T>()) {
    using kernels = map_kernels<typename Context::device>;
    const auto a = operand(x);
    const auto b = operand(t);
    const shape wide = broadcast("mse_loss", a.shape(), b.shape());
    require_shape("mse_loss", "an output", y.target.shape(), loss_shape(r, wide));
    const auto loops = make_loops<2>(wide, {&a.shape(), &b.shape()});
    if (r == reduction::none) return kernels::run(context, squared_error{}, loops, write(y.target), read(a), read(b));
    using accumulate = accumulate_t<Policy, op::mse_loss, given_t<X>, given_t<T>>;
    using format = arithmetic_format_t<given_t<X>, given_t<T>>;
    tensor_of_t<format, Context> each(context, wide);
    kernels::run(context, squared_error{}, loops, write(each.view()), read(a), read(b));
    const double divisor = r == reduction::mean ? static_cast<double>(wide.elements()) : 1;
    sum_over<accumulate>(context, write(y.target), read(operand(each)), reduction_of(wide, axis_set::of({}, wide.rank())), divisor);
  }
}

/// The gradients of mse_loss.
///
/// grad    of the loss: a scalar on the device, or the broadcast shape without a reduction
/// gx, gt  into(view), add_to(view) or no_gradient{}
template <class Policy, class Context, class G, class X, class T, class GX, class GT, std::enable_if_t<detail::is_gradient_choice_v<GX>, int> = 0>
void mse_loss_backward(Context& context, const G& grad, const X& x, const T& t, const GX& gx, const GT& gt, reduction r = reduction::mean) {
  using namespace detail;
  if constexpr (detail::may_call<Policy, op::mse_loss, X, T>()) {
    const shape wide = broadcast("mse_loss_backward", operand(x).shape(), operand(t).shape());
    require_shape("mse_loss_backward", "a gradient of the loss", operand(grad).shape(), loss_shape(r, wide));
    if constexpr (is_gradient_target_v<GX>) require_shape("mse_loss_backward", "a gradient of x", memory_of(gx).shape(), operand(x).shape());
    if constexpr (is_gradient_target_v<GT>) require_shape("mse_loss_backward", "a gradient of t", memory_of(gt).shape(), operand(t).shape());
    const double divisor = r == reduction::mean ? static_cast<double>(wide.elements()) : 1;
    if constexpr (is_gradient_target_v<GX>) mse_gradient(context, gx, operand(grad), operand(x), operand(t), wide, 1, divisor);
    if constexpr (is_gradient_target_v<GT>) mse_gradient(context, gt, operand(grad), operand(x), operand(t), wide, -1, divisor);
  }
}
template <class Policy, class Context, class G, class X, class T>
auto mse_loss_backward(Context& context, const G& grad, const X& x, const T& t, reduction r = reduction::mean) {
  auto result = detail::fresh_pair(context, x, t);
  mse_loss_backward<Policy>(context, grad, x, t, into(result.first), into(result.second), r);
  return result;
}

}}  // namespace amphora
