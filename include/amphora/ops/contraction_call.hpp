// Calls of ops that are one contraction, forward and backward.
#pragma once
#include <amphora/ops/call.hpp>         // result_t, require_into_on, may_call_on, made, fresh_pair
#include <amphora/ops/contraction.hpp>  // contraction, contract
#include <amphora/ops/operand.hpp>      // into, operand, gradient_target
#include <amphora/policy/compute.hpp>   // compute_t, accumulate_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// Writes the value of such an op to memory of the caller's.
///
/// how  what the call says of the axes: contraction_of(call, how, a's shape, b's shape), found beside its type, gives them labels
template <class Policy, class Op, class How, class Context, class C, class A, class B>
void contract_into(const char* call, const How& how, Context& context, const into<C>& c, const A& a, const B& b) {
  if constexpr (require_into_on<Context, Policy, Op, C, A, B>()) {
    const contraction x = contraction_of(call, how, operand(a).shape(), operand(b).shape());
    require_shape(call, "an output", c.target.shape(), x.of[2]);
    contract<compute_t<Policy, Op, given_t<A>, given_t<B>>, accumulate_t<Policy, Op, given_t<A>, given_t<B>>>(context, x, write(c.target), operand(a), operand(b));
  }
}
template <class Policy, class Op, class How, class Context, class A, class B>
auto contract_made(const char* call, const How& how, Context& context, const A& a, const B& b) {
  using result = result_t<Policy, Op, Context, A, B>;
  if constexpr (may_call_on<Context, Policy, Op, A, B>())
    return made<result>(context, contraction_of(call, how, operand(a).shape(), operand(b).shape()).of[2], [&](auto c) { contract_into<Policy, Op>(call, how, context, into(c), a, b); });
  else return result{};
}
template <class Policy, class Op, class How, class Context, class G, class A, class B, class GA, class GB>
void contract_gradients_into(const char* call, const How& how, Context& context, const G& grad, const A& a, const B& b, const GA& ga, const GB& gb) {
  if constexpr (may_call_on<Context, Policy, Op, A, B>()) {
    using reads = compute_t<Policy, Op, given_t<A>, given_t<B>>;
    using sums = accumulate_t<Policy, Op, given_t<A>, given_t<B>>;
    const contraction x = contraction_of(call, how, operand(a).shape(), operand(b).shape());
    require_shape(call, "a gradient of the value", operand(grad).shape(), x.of[2]);
    if constexpr (is_gradient_target_v<GA>) require_shape(call, "a gradient of a", memory_of(ga).shape(), x.of[0]);
    if constexpr (is_gradient_target_v<GB>) require_shape(call, "a gradient of b", memory_of(gb).shape(), x.of[1]);
    if constexpr (is_gradient_target_v<GA>) contract<reads, sums>(context, x.for_a(), gradient_target(ga), operand(grad), operand(b));
    if constexpr (is_gradient_target_v<GB>) contract<reads, sums>(context, x.for_b(), gradient_target(gb), operand(a), operand(grad));
  }
}
template <class Policy, class Op, class How, class Context, class G, class A, class B>
auto contract_gradients(const char* call, const How& how, Context& context, const G& grad, const A& a, const B& b) {
  auto result = fresh_pair(context, a, b);
  contract_gradients_into<Policy, Op>(call, how, context, grad, a, b, into(result.first), into(result.second));
  return result;
}

}}}  // namespace amphora::detail
