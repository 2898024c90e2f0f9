// Products of two arrays by an equation of the names of their axes, forward and backward.
#pragma once
#include <amphora/op/contraction.hpp>        // op::einsum
#include <amphora/ops/contraction_call.hpp>  // contract_made, contract_into, contract_gradients
#include <amphora/ops/einsum_equation.hpp>   // named_axes
#include <amphora/ops/operand.hpp>           // into, is_operand_v

#include <type_traits>  // enable_if_t

namespace amphora { inline namespace AMPHORA_ABI {

/// The product of two arrays by an equation of the names of their axes: what both have and the result lacks is summed, in float. A contraction:
/// operands are read in the policy's compute format, and the result is rounded once.
///
/// equation  "ij,jk->ik"; a name that one operand has twice is its diagonal; "..." stands for further axes, which broadcast, as axes of extent 1
///           do; without "->" the result has the ellipsis, then in the order of the alphabet the names that stand once
/// Value     einsum<Policy>(context, into(c), equation, a, b) writes it to c
/// Errors    setting  an equation that is none, or not of two operands
///           shape
/// Cost      one batch of matrix products, with a pass before or after it for what does not lie as matrices or their transposes; without sums one pass
template <class Policy, class Context, class A, class B, std::enable_if_t<detail::is_operand_v<A>, int> = 0>
auto einsum(Context& context, const char* equation, const A& a, const B& b) { return detail::contract_made<Policy, op::einsum>("einsum", detail::named_axes{equation}, context, a, b); }
template <class Policy, class Context, class C, class A, class B>
void einsum(Context& context, into<C> c, const char* equation, const A& a, const B& b) { detail::contract_into<Policy, op::einsum>("einsum", detail::named_axes{equation}, context, c, a, b); }

/// The gradients of einsum.
///
/// ga, gb  into(view), add_to(view) or no_gradient{}
template <class Policy, class Context, class G, class A, class B>
auto einsum_backward(Context& context, const char* equation, const G& grad, const A& a, const B& b) {
  return detail::contract_gradients<Policy, op::einsum>("einsum_backward", detail::named_axes{equation}, context, grad, a, b);
}
template <class Policy, class Context, class G, class A, class B, class GA, class GB>
void einsum_backward(Context& context, const char* equation, const G& grad, const A& a, const B& b, const GA& ga, const GB& gb) {
  detail::contract_gradients_into<Policy, op::einsum>("einsum_backward", detail::named_axes{equation}, context, grad, a, b, ga, gb);
}

}}  // namespace amphora
