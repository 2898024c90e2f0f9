// a + alpha · b with broadcasting, forward and backward.
#pragma once
#include <amphora/detail/config.hpp>   // AMPHORA_HD
#include <amphora/format/real.hpp>     // add_once, multiply_once
#include <amphora/op/promoting.hpp>    // op::add
#include <amphora/ops/call.hpp>        // read_t, result_t, require_into, made
#include <amphora/ops/kernels.hpp>     // map_kernels, make_loops, broadcast
#include <amphora/ops/operand.hpp>     // into, operand
#include <amphora/ops/reduction.hpp>   // sum_over, broadcast_axes

#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// alpha = 0 takes nothing of b, not even a NaN.
struct add_value {
  double alpha;
  template <class Real> AMPHORA_HD constexpr Real operator()(std::int64_t, Real a, Real b) const { return alpha == 0 ? a : add_once(a, multiply_once(static_cast<Real>(alpha), b)); }
};
struct times_factor {
  double factor;
  template <class Real> AMPHORA_HD constexpr Real operator()(std::int64_t, Real x) const { return static_cast<Real>(factor) * x; }
};
struct divided_by {
  double divisor;
  template <class Real> AMPHORA_HD constexpr Real operator()(std::int64_t, Real x) const { return x / static_cast<Real>(divisor); }
};

/// The gradient of an operand that was broadcast to `wide`: factor · the sum of grad over the axes that it did not have.
template <class Read, class Context, class Target, class G>
void unbroadcast(Context& context, const Target& g, const view<const G>& grad, const shape& narrow, double factor) {
  const shape& wide = grad.shape();
  if (narrow.elements() == wide.elements())
    map_kernels<typename Context::device>::run(context, times_factor{factor}, make_loops<1>(wide, {&wide}), gradient_target(g), read_as<Read>(grad));
  else sum_over<arithmetic_format_t<Read>>(context, gradient_target(g), read_as<Read>(grad), reduction_of(wide, broadcast_axes(wide, narrow)), 1, factor);
}

}  // namespace detail

/// a + alpha · b in the widest input format, each element rounded once.
///
/// a, b    shapes that broadcast
/// Value   the broadcast shape; add<Policy>(context, into(y), a, b) writes it to y, which may be an operand of that shape
/// Errors  shape
template <class Policy, class Context, class A, class B, std::enable_if_t<detail::is_operand_v<A>, int> = 0>
auto add(Context& context, const A& a, const B& b, double alpha = 1) {
  using result = detail::result_t<Policy, op::add, Context, A, B>;
  if constexpr (detail::may_call<Policy, op::add, A, B>())
    return detail::made<result>(context, detail::broadcast("add", detail::operand(a).shape(), detail::operand(b).shape()),
                                [&](auto y) { add<Policy>(context, into(y), a, b, alpha); });
  else return result{};
}
template <class Policy, class Context, class Y, class A, class B>
void add(Context& context, into<Y> y, const A& a, const B& b, double alpha = 1) {
  using namespace detail;
  if constexpr (require_into<Policy, op::add, Y, A, B>()) {
    const auto x1 = operand(a);
    const auto x2 = operand(b);
    const shape value = broadcast("add", x1.shape(), x2.shape());
    require_shape("add", "an output", y.target.shape(), value);
    map_kernels<typename Context::device>::run(context, add_value{alpha}, make_loops<2>(value, {&x1.shape(), &x2.shape()}), write(y.target),
        read_as<read_t<Policy, op::add, given_t<A>, given_t<A>, given_t<B>>>(x1), read_as<read_t<Policy, op::add, given_t<B>, given_t<A>, given_t<B>>>(x2));
  }
}

/// The gradients of add; of a and b only shape and format are looked at.
///
/// ga, gb  into(view), add_to(view) or no_gradient{}
template <class Policy, class Context, class G, class A, class B, class GA, class GB, std::enable_if_t<detail::is_gradient_choice_v<GA>, int> = 0>
void add_backward(Context& context, const G& grad, const A& a, const B& b, const GA& ga, const GB& gb, double alpha = 1) {
  using namespace detail;
  if constexpr (detail::may_call<Policy, op::add, A, B>()) {
    require_shape("add_backward", "a gradient of the value", operand(grad).shape(), broadcast("add_backward", operand(a).shape(), operand(b).shape()));
    if constexpr (is_gradient_target_v<GA>) require_shape("add_backward", "a gradient of a", memory_of(ga).shape(), operand(a).shape());
    if constexpr (is_gradient_target_v<GB>) require_shape("add_backward", "a gradient of b", memory_of(gb).shape(), operand(b).shape());
    if constexpr (is_gradient_target_v<GA>) unbroadcast<given_t<G>>(context, ga, operand(grad), operand(a).shape(), 1);
    if constexpr (is_gradient_target_v<GB>) unbroadcast<given_t<G>>(context, gb, operand(grad), operand(b).shape(), alpha);
  }
}
template <class Policy, class Context, class G, class A, class B>
auto add_backward(Context& context, const G& grad, const A& a, const B& b, double alpha = 1) {
  auto result = detail::fresh_pair(context, a, b);
  add_backward<Policy>(context, grad, a, b, into(result.first), into(result.second), alpha);
  return result;
}

}}  // namespace amphora
