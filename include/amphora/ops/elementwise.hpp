// Ops of one operand, element by element: from policy and operands to one kernel over formats.
#pragma once
#include <amphora/ops/call.hpp>     // read_t, result_t, require_into, made
#include <amphora/ops/kernels.hpp>  // map_kernels, make_loops
#include <amphora/ops/operand.hpp>  // into, operand

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

template <class Read, class Context, class Function, class Target, class X>
void map_one(const char* call, Context& context, const Function& f, const Target& y, const shape& shape_y, const view<const X>& x) {
  require_shape(call, "an output", shape_y, x.shape());
  map_kernels<typename Context::device>::run(context, f, make_loops<1>(x.shape(), {&x.shape()}), y, read_as<Read>(x));
}
template <class ReadA, class ReadB, class Context, class Function, class Target, class A, class B>
void map_two(const char* call, Context& context, const Function& f, const Target& y, const shape& shape_y, const view<const A>& a, const view<const B>& b) {
  require_shape(call, "an operand", b.shape(), a.shape());
  require_shape(call, "an output", shape_y, a.shape());
  map_kernels<typename Context::device>::run(context, f, make_loops<2>(a.shape(), {&a.shape(), &b.shape()}), y, read_as<ReadA>(a), read_as<ReadB>(b));
}

/// f(index, x) -> y
template <class Policy, class Op, class Context, class Function, class Y, class X>
void unary_into(const char* call, Context& context, const Function& f, const into<Y>& y, const X& x) {
  if constexpr (require_into<Policy, Op, Y, X>())
    map_one<read_t<Policy, Op, given_t<X>, given_t<X>>>(call, context, f, write(y.target), y.target.shape(), operand(x));
}
template <class Policy, class Op, class Context, class Function, class X>
auto unary(const char* call, Context& context, const Function& f, const X& x) {
  using result = result_t<Policy, Op, Context, X>;
  if constexpr (may_call<Policy, Op, X>())
    return made<result>(context, operand(x).shape(), [&](auto y) { unary_into<Policy, Op>(call, context, f, into(y), x); });
  else return result{};
}

/// f(index, grad, x) -> gradient of x
template <class Policy, class Op, class Context, class Function, class Target, class G, class X>
void unary_gradient_into(const char* call, Context& context, const Function& f, const Target& gx, const G& grad, const X& x) {
  if constexpr (may_call<Policy, Op, X>())
    map_two<given_t<G>, read_t<Policy, Op, given_t<X>, given_t<X>>>(call, context, f, gradient_target(gx), memory_of(gx).shape(), operand(grad), operand(x));
}
template <class Policy, class Op, class Context, class Function, class G, class X>
auto unary_gradient(const char* call, Context& context, const Function& f, const G& grad, const X& x) {
  using result = gradient_of_t<X, Context>;
  return made<result>(context, operand(x).shape(), [&](auto gx) { unary_gradient_into<Policy, Op>(call, context, f, into(gx), grad, x); });
}

}}}  // namespace amphora::detail
