// The cross product of vectors along an axis, forward and backward.
#pragma once
#include <amphora/detail/config.hpp>  // AMPHORA_HD
#include <amphora/format/real.hpp>    // add_once, multiply_once
#include <amphora/op/promoting.hpp>   // op::cross
#include <amphora/ops/add.hpp>        // unbroadcast
#include <amphora/ops/call.hpp>       // read_t, result_t, require_into, made
#include <amphora/ops/kernels.hpp>    // broadcast
#include <amphora/ops/pick.hpp>       // pick_kernels, pool_of

#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// a × b over arrays [outer, 3, inner] whose operands may stand still along some axes.
struct cross_product {
  int rank = 0;
  std::int64_t extent[shape::max_rank] = {}, stride_a[shape::max_rank] = {}, stride_b[shape::max_rank] = {};
  std::int64_t inner = 1, along_a = 1, along_b = 1;

  AMPHORA_READS template <class A, class B> AMPHORA_HD auto operator()(std::int64_t i, const A& a, const B& b) const {
    const std::int64_t component = i / inner % 3;
    std::int64_t at_a = 0, at_b = 0;
    for (int axis = rank - 1; axis >= 0; --axis) {
      const std::int64_t outer = i / extent[axis], c = i - outer * extent[axis];
      at_a += c * stride_a[axis], at_b += c * stride_b[axis], i = outer;
    }
    const std::int64_t next = component < 2 ? component + 1 : 0, last = component > 0 ? component - 1 : 2;
    return add_once(multiply_once(a(at_a + next * along_a), b(at_b + last * along_b)), -multiply_once(a(at_a + last * along_a), b(at_b + next * along_b)));
  }
  /// Errors  shape
  static cross_product of(const char* call, const shape& a, const shape& b, int axis) {
    const shape wide = broadcast(call, a, b);
    cross_product result;
    const int at = axis < 0 ? axis + wide.rank() : axis;
    if (at < 0 || at >= wide.rank() || wide[at] != 3 || extent_of(a, wide, at) != 3 || extent_of(b, wide, at) != 3)
      fail("shape", call, " along axis ", axis, " of ", a, " and ", b, " needs three numbers along that axis of both");
    result.rank = wide.rank(), result.inner = wide.product(at + 1, wide.rank());
    for (int i = 0; i < wide.rank(); ++i) {
      result.extent[i] = wide[i];
      result.stride_a[i] = i == at ? 0 : stride_of(a, wide, i), result.stride_b[i] = i == at ? 0 : stride_of(b, wide, i);
    }
    result.along_a = stride_of(a, wide, at), result.along_b = stride_of(b, wide, at);
    return result;
  }

 private:
  static std::int64_t extent_of(const shape& s, const shape& wide, int axis) {
    const int own = axis - (wide.rank() - s.rank());
    return own < 0 ? 1 : s[own];
  }
  static std::int64_t stride_of(const shape& s, const shape& wide, int axis) {
    const int own = axis - (wide.rank() - s.rank());
    return own < 0 || s[own] == 1 ? 0 : s.product(own + 1, s.rank());
  }
};

template <class ReadA, class ReadB, class Context, class Y, class A, class B>
void run_cross(Context& context, int axis, const shape& wide, const target<Y>& y, const view<const A>& a, const view<const B>& b) {
  pick_kernels<typename Context::device>::run(context, cross_product::of("cross", a.shape(), b.shape(), axis), wide.elements(), y, pool_of<ReadA>(a), pool_of<ReadB>(b));
}
/// a × b, summed to the shape of the target.
template <class ReadA, class ReadB, class Context, class Target, class A, class B>
void cross_sum(Context& context, int axis, const Target& target, const view<const A>& a, const view<const B>& b) {
  const shape wide = broadcast("cross_backward", a.shape(), b.shape());
  const shape& own = memory_of(target).shape();
  if (own.elements() == wide.elements()) return run_cross<ReadA, ReadB>(context, axis, wide, gradient_target(target), a, b);
  using format = arithmetic_format_t<format_of_t<A>, format_of_t<B>>;
  tensor_of_t<format, Context> each(context, wide);
  run_cross<ReadA, ReadB>(context, axis, wide, write(each.view()), a, b);
  unbroadcast<format>(context, target, operand(each), own, 1);
}
/// An axis of the broadcast shape, counted from the end: the same in both operands.
inline int from_end(int axis, const shape& wide) { return axis < 0 ? axis : axis - wide.rank(); }

}  // namespace detail

/// The cross products of vectors of three along an axis, in the widest input format.
///
/// a, b    shapes that broadcast, with 3 along the axis
/// axis    of the broadcast shape; negative ones count from the end
/// Errors  shape
template <class Policy, class Context, class A, class B, std::enable_if_t<detail::is_operand_v<A>, int> = 0>
auto cross(Context& context, const A& a, const B& b, int axis = -1) {
  using result = detail::result_t<Policy, op::cross, Context, A, B>;
  if constexpr (detail::may_call<Policy, op::cross, A, B>())
    return detail::made<result>(context, detail::broadcast("cross", detail::operand(a).shape(), detail::operand(b).shape()), [&](auto y) { cross<Policy>(context, into(y), a, b, axis); });
  else return result{};
}
template <class Policy, class Context, class Y, class A, class B>
void cross(Context& context, into<Y> y, const A& a, const B& b, int axis = -1) {
  using namespace detail;
  if constexpr (require_into<Policy, op::cross, Y, A, B>()) {
    const shape wide = broadcast("cross", operand(a).shape(), operand(b).shape());
    cross_product::of("cross", operand(a).shape(), operand(b).shape(), axis);
    require_shape("cross", "an output", y.target.shape(), wide);
    run_cross<read_t<Policy, op::cross, given_t<A>, given_t<A>, given_t<B>>, read_t<Policy, op::cross, given_t<B>, given_t<A>, given_t<B>>>(context, from_end(axis, wide), wide, write(y.target), operand(a), operand(b));
  }
}
/// The gradients of cross: b × grad and grad × a, summed where an operand was broadcast.
///
/// ga, gb  into(view), add_to(view) or no_gradient{}
template <class Policy, class Context, class G, class A, class B, class GA, class GB, std::enable_if_t<detail::is_gradient_choice_v<GA>, int> = 0>
void cross_backward(Context& context, const G& grad, const A& a, const B& b, const GA& ga, const GB& gb, int axis = -1) {
  using namespace detail;
  if constexpr (may_call<Policy, op::cross, A, B>()) {
    const shape wide = broadcast("cross_backward", operand(a).shape(), operand(b).shape());
    cross_product::of("cross_backward", operand(a).shape(), operand(b).shape(), axis);
    require_shape("cross_backward", "a gradient of the value", operand(grad).shape(), wide);
    if constexpr (is_gradient_target_v<GA>) require_shape("cross_backward", "a gradient of a", memory_of(ga).shape(), operand(a).shape());
    if constexpr (is_gradient_target_v<GB>) require_shape("cross_backward", "a gradient of b", memory_of(gb).shape(), operand(b).shape());
    using read_a = read_t<Policy, op::cross, given_t<A>, given_t<A>, given_t<B>>;
    using read_b = read_t<Policy, op::cross, given_t<B>, given_t<A>, given_t<B>>;
    if constexpr (is_gradient_target_v<GA>) cross_sum<read_b, given_t<G>>(context, from_end(axis, wide), ga, operand(b), operand(grad));
    if constexpr (is_gradient_target_v<GB>) cross_sum<given_t<G>, read_a>(context, from_end(axis, wide), gb, operand(grad), operand(a));
  }
}
template <class Policy, class Context, class G, class A, class B, std::enable_if_t<detail::is_operand_v<B>, int> = 0>
auto cross_backward(Context& context, const G& grad, const A& a, const B& b, int axis = -1) {
  auto result = detail::fresh_pair(context, a, b);
  cross_backward<Policy>(context, grad, a, b, into(result.first), into(result.second), axis);
  return result;
}

}}  // namespace amphora
