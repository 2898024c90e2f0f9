// Sums and means over axes, forward and backward.
#pragma once
#include <amphora/op/reduction.hpp>   // op::sum, op::mean
#include <amphora/ops/add.hpp>        // divided_by
#include <amphora/ops/call.hpp>       // result_t, require_into, made
#include <amphora/ops/kernels.hpp>    // map_kernels, make_loops
#include <amphora/ops/operand.hpp>    // into, operand
#include <amphora/ops/reduction.hpp>  // axes, sum_over

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// An op::mean divides by the number of terms, an op::sum by nothing.
template <class Op> double divisor_of(const reduction_loops& loops) { return std::is_same_v<Op, op::mean> ? static_cast<double>(loops.terms) : 1; }

template <class Policy, class Op, class Context, class Y, class X>
void sum_into(const char* call, Context& context, const into<Y>& y, const X& x, const axes& over) {
  if constexpr (require_into<Policy, Op, Y, X>()) {
    const shape s = operand(x).shape();
    const axis_set set = axis_set::of(over, s.rank());
    const reduction_loops loops = reduction_of(s, set);
    require_shape(call, "an output", y.target.shape(), reduced_shape(s, set, over.keeps()));
    sum_over<accumulate_t<Policy, Op, given_t<X>>>(context, write(y.target), read(operand(x)), loops, divisor_of<Op>(loops));
  }
}
template <class Policy, class Op, class Context, class X>
auto sum_made(const char* call, Context& context, const X& x, const axes& over) {
  using result = result_t<Policy, Op, Context, X>;
  if constexpr (detail::may_call<Policy, Op, X>()) {
    const shape s = operand(x).shape();
    return made<result>(context, reduced_shape(s, axis_set::of(over, s.rank()), over.keeps()), [&](auto y) { sum_into<Policy, Op>(call, context, into(y), x, over); });
  } else {
    return result{};
  }
}
/// Each element's gradient is that of its sum, divided where it was a mean.
template <class Policy, class Op, class Context, class Target, class G, class X>
void sum_gradient_into(const char* call, Context& context, const Target& gx, const G& grad, const X& x, const axes& over) {
  if constexpr (detail::may_call<Policy, Op, X>()) {
    const shape s = operand(x).shape();
    const axis_set set = axis_set::of(over, s.rank());
    require_shape(call, "a gradient of the sum", operand(grad).shape(), reduced_shape(s, set, over.keeps()));
    require_shape(call, "a gradient of x", memory_of(gx).shape(), s);
    const shape aligned = reduced_shape(s, set, true);
    map_kernels<typename Context::device>::run(context, divided_by{divisor_of<Op>(reduction_of(s, set))}, make_loops<1>(s, {&aligned}), gradient_target(gx),
                                               read(operand(grad)));
  }
}
template <class Policy, class Op, class Context, class G, class X>
auto sum_gradient(const char* call, Context& context, const G& grad, const X& x, const axes& over) {
  return made<gradient_of_t<X, Context>>(context, operand(x).shape(), [&](auto gx) { sum_gradient_into<Policy, Op>(call, context, into(gx), grad, x, over); });
}

}  // namespace detail

/// The sum over axes: a reduction, in float whatever comes in, rounded once at the end. The order is fixed, so it has the
/// same bits on any number of threads.
///
/// over    axes{} for all; axes{0, -1}; axes{1}.keep() leaves an extent of 1
/// Value   0 where there is nothing to add
/// Errors  shape
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto sum(Context& context, const X& x, const axes& over = {}) { return detail::sum_made<Policy, op::sum>("sum", context, x, over); }
template <class Policy, class Context, class Y, class X>
void sum(Context& context, into<Y> y, const X& x, const axes& over = {}) { detail::sum_into<Policy, op::sum>("sum", context, y, x, over); }

/// The gradient of sum; of x only shape and format are looked at.
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto sum_backward(Context& context, const G& grad, const X& x, const axes& over = {}) {
  return detail::sum_gradient<Policy, op::sum>("sum_backward", context, grad, x, over);
}
template <class Policy, class Context, class Target, class G, class X, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void sum_backward(Context& context, const Target& gx, const G& grad, const X& x, const axes& over = {}) {
  detail::sum_gradient_into<Policy, op::sum>("sum_backward", context, gx, grad, x, over);
}

/// The mean over axes, under the rules of sum; NaN where there is nothing to average.
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto mean(Context& context, const X& x, const axes& over = {}) { return detail::sum_made<Policy, op::mean>("mean", context, x, over); }
template <class Policy, class Context, class Y, class X>
void mean(Context& context, into<Y> y, const X& x, const axes& over = {}) { detail::sum_into<Policy, op::mean>("mean", context, y, x, over); }

/// The gradient of mean; of x only shape and format are looked at.
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto mean_backward(Context& context, const G& grad, const X& x, const axes& over = {}) {
  return detail::sum_gradient<Policy, op::mean>("mean_backward", context, grad, x, over);
}
template <class Policy, class Context, class Target, class G, class X, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void mean_backward(Context& context, const Target& gx, const G& grad, const X& x, const axes& over = {}) {
  detail::sum_gradient_into<Policy, op::mean>("mean_backward", context, gx, grad, x, over);
}

}}  // namespace amphora
