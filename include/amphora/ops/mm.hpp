// Products of two matrices, of batches of them, of a matrix and a vector, of two vectors, each of the shapes that its name says.
#pragma once
#include <amphora/op/contraction.hpp>         // op::mm, op::bmm, op::mv
#include <amphora/op/promoting.hpp>           // op::dot, op::vdot
#include <amphora/ops/call.hpp>               // result_t, require_into_on, may_call_on, made, fresh_pair
#include <amphora/ops/operand.hpp>            // into, operand
#include <amphora/ops/symmetric_product.hpp>  // symmetric_product, product_gradients

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// Operands of exactly these ranks, of which the last is at most the other; a batch has one size in both.
template <class Op> inline constexpr int rank_a = std::is_same_v<Op, op::bmm> ? 3 : std::is_same_v<Op, op::dot> || std::is_same_v<Op, op::vdot> ? 1 : 2;
template <class Op> inline constexpr int rank_b = std::is_same_v<Op, op::mv> ? 1 : rank_a<Op>;

template <class Op>
matmul_sizes sizes_of(const char* call, const shape& a, const shape& b) {
  constexpr const char* due = rank_a<Op> == 3 ? "a is [batch, m, k], b is [batch, k, n]" : rank_a<Op> == 1 ? "both are [k]" : rank_b<Op> == 1 ? "a is [m, k], b is [k]" : "a is [m, k], b is [k, n]";
  if (a.rank() != rank_a<Op> || b.rank() != rank_b<Op> || a[-1] != (b.rank() == 1 ? b[0] : b[-2]) || (a.rank() == 3 && a[0] != b[0]))
    fail("shape", call, " cannot multiply a of shape ", a, " with b of shape ", b, "; ", due, "; matmul broadcasts");
  return matmul_sizes(call, a, b);
}

template <class Policy, class Op, class Context, class C, class A, class B>
void mm_into(const char* call, Context& context, const into<C>& c, const A& a, const B& b) {
  if constexpr (require_into_on<Context, Policy, Op, C, A, B>()) {
    const matmul_sizes sizes = sizes_of<Op>(call, operand(a).shape(), operand(b).shape());
    require_shape(call, "an output", c.target.shape(), sizes.value);
    run_matmul<compute_t<Policy, Op, given_t<A>, given_t<B>>, accumulate_t<Policy, Op, given_t<A>, given_t<B>>>(context, sizes.forward(), write(c.target), operand(a), operand(b));
  }
}
template <class Policy, class Op, class Context, class A, class B>
auto mm_made(const char* call, Context& context, const A& a, const B& b) {
  using result = result_t<Policy, Op, Context, A, B>;
  if constexpr (may_call_on<Context, Policy, Op, A, B>())
    return made<result>(context, sizes_of<Op>(call, operand(a).shape(), operand(b).shape()).value, [&](auto c) { mm_into<Policy, Op>(call, context, into(c), a, b); });
  else return result{};
}
template <class Policy, class Op, class Context, class G, class A, class B, class GA, class GB>
void mm_gradients_into(const char* call, Context& context, const G& grad, const A& a, const B& b, const GA& ga, const GB& gb) {
  if constexpr (may_call_on<Context, Policy, Op, A, B>()) {
    const matmul_sizes sizes = sizes_of<Op>(call, operand(a).shape(), operand(b).shape());
    require_shape(call, "a gradient of the value", operand(grad).shape(), sizes.value);
    if constexpr (is_gradient_target_v<GA>) require_shape(call, "a gradient of a", memory_of(ga).shape(), operand(a).shape());
    if constexpr (is_gradient_target_v<GB>) require_shape(call, "a gradient of b", memory_of(gb).shape(), operand(b).shape());
    product_gradients<compute_t<Policy, Op, given_t<A>, given_t<B>>, accumulate_t<Policy, Op, given_t<A>, given_t<B>>>(context, symmetric_product::of(sizes), operand(grad), operand(a), operand(b), ga, gb);
  }
}
template <class Policy, class Op, class Context, class G, class A, class B>
auto mm_gradients(const char* call, Context& context, const G& grad, const A& a, const B& b) {
  auto result = fresh_pair(context, a, b);
  mm_gradients_into<Policy, Op>(call, context, grad, a, b, into(result.first), into(result.second));
  return result;
}

}  // namespace detail

/// a · b of two matrices, a contraction as matmul, without its broadcasting.
///
/// a, b    [m, k], [k, n]
/// Value   [m, n]; mm<Policy>(context, into(c), a, b) writes it to c
/// Errors  shape
template <class Policy, class Context, class A, class B, std::enable_if_t<detail::is_operand_v<A>, int> = 0>
auto mm(Context& context, const A& a, const B& b) { return detail::mm_made<Policy, op::mm>("mm", context, a, b); }
template <class Policy, class Context, class C, class A, class B>
void mm(Context& context, into<C> c, const A& a, const B& b) { detail::mm_into<Policy, op::mm>("mm", context, c, a, b); }

/// The gradients of mm.
///
/// ga, gb  into(view), add_to(view) or no_gradient{}
template <class Policy, class Context, class G, class A, class B>
auto mm_backward(Context& context, const G& grad, const A& a, const B& b) { return detail::mm_gradients<Policy, op::mm>("mm_backward", context, grad, a, b); }
template <class Policy, class Context, class G, class A, class B, class GA, class GB>
void mm_backward(Context& context, const G& grad, const A& a, const B& b, const GA& ga, const GB& gb) {
  detail::mm_gradients_into<Policy, op::mm>("mm_backward", context, grad, a, b, ga, gb);
}

/// mm of each matrix of a batch.
///
/// a, b  [batch, m, k], [batch, k, n]
template <class Policy, class Context, class A, class B, std::enable_if_t<detail::is_operand_v<A>, int> = 0>
auto bmm(Context& context, const A& a, const B& b) { return detail::mm_made<Policy, op::bmm>("bmm", context, a, b); }
template <class Policy, class Context, class C, class A, class B>
void bmm(Context& context, into<C> c, const A& a, const B& b) { detail::mm_into<Policy, op::bmm>("bmm", context, c, a, b); }
template <class Policy, class Context, class G, class A, class B>
auto bmm_backward(Context& context, const G& grad, const A& a, const B& b) { return detail::mm_gradients<Policy, op::bmm>("bmm_backward", context, grad, a, b); }
template <class Policy, class Context, class G, class A, class B, class GA, class GB>
void bmm_backward(Context& context, const G& grad, const A& a, const B& b, const GA& ga, const GB& gb) {
  detail::mm_gradients_into<Policy, op::bmm>("bmm_backward", context, grad, a, b, ga, gb);
}

/// A matrix times a vector.
///
/// a, b  [m, k], [k]
template <class Policy, class Context, class A, class B, std::enable_if_t<detail::is_operand_v<A>, int> = 0>
auto mv(Context& context, const A& a, const B& b) { return detail::mm_made<Policy, op::mv>("mv", context, a, b); }
template <class Policy, class Context, class C, class A, class B>
void mv(Context& context, into<C> c, const A& a, const B& b) { detail::mm_into<Policy, op::mv>("mv", context, c, a, b); }
template <class Policy, class Context, class G, class A, class B>
auto mv_backward(Context& context, const G& grad, const A& a, const B& b) { return detail::mm_gradients<Policy, op::mv>("mv_backward", context, grad, a, b); }
template <class Policy, class Context, class G, class A, class B, class GA, class GB>
void mv_backward(Context& context, const G& grad, const A& a, const B& b, const GA& ga, const GB& gb) {
  detail::mm_gradients_into<Policy, op::mv>("mv_backward", context, grad, a, b, ga, gb);
}

/// Σ a · b of two vectors, in the widest input format with the sum in float. vdot is the same: there are no complex numbers here.
///
/// a, b   [k] both
/// Value  a scalar
template <class Policy, class Context, class A, class B, std::enable_if_t<detail::is_operand_v<A>, int> = 0>
auto dot(Context& context, const A& a, const B& b) { return detail::mm_made<Policy, op::dot>("dot", context, a, b); }
template <class Policy, class Context, class C, class A, class B>
void dot(Context& context, into<C> c, const A& a, const B& b) { detail::mm_into<Policy, op::dot>("dot", context, c, a, b); }
template <class Policy, class Context, class G, class A, class B>
auto dot_backward(Context& context, const G& grad, const A& a, const B& b) { return detail::mm_gradients<Policy, op::dot>("dot_backward", context, grad, a, b); }
template <class Policy, class Context, class G, class A, class B, class GA, class GB>
void dot_backward(Context& context, const G& grad, const A& a, const B& b, const GA& ga, const GB& gb) {
  detail::mm_gradients_into<Policy, op::dot>("dot_backward", context, grad, a, b, ga, gb);
}
template <class Policy, class Context, class A, class B, std::enable_if_t<detail::is_operand_v<A>, int> = 0>
auto vdot(Context& context, const A& a, const B& b) { return detail::mm_made<Policy, op::vdot>("vdot", context, a, b); }
template <class Policy, class Context, class C, class A, class B>
void vdot(Context& context, into<C> c, const A& a, const B& b) { detail::mm_into<Policy, op::vdot>("vdot", context, c, a, b); }
template <class Policy, class Context, class G, class A, class B>
auto vdot_backward(Context& context, const G& grad, const A& a, const B& b) { return detail::mm_gradients<Policy, op::vdot>("vdot_backward", context, grad, a, b); }
template <class Policy, class Context, class G, class A, class B, class GA, class GB>
void vdot_backward(Context& context, const G& grad, const A& a, const B& b, const GA& ga, const GB& gb) {
  detail::mm_gradients_into<Policy, op::vdot>("vdot_backward", context, grad, a, b, ga, gb);
}

}}  // namespace amphora
