// einsum, tensordot and vecdot of variables.
#pragma once
#include <amphora/autograd/gradient_pass.hpp>  // gradient_pass
#include <amphora/op/contraction.hpp>          // op::einsum, op::linalg_vecdot
#include <amphora/op/promoting.hpp>            // op::tensordot
#include <amphora/ops/contraction.hpp>         // contraction, contract
#include <amphora/ops/contraction_call.hpp>    // contract_made
#include <amphora/ops/einsum_equation.hpp>     // named_axes
#include <amphora/ops/reduction.hpp>           // axes
#include <amphora/ops/tensordot.hpp>           // tensordot_axes
#include <amphora/ops/vecdot.hpp>              // vecdot_axis
#include <amphora/policy/compute.hpp>          // compute_t

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// The gradients of a contraction are contractions, so that it has derivatives of any order.
template <class Read, class Accumulate>
struct contraction_record {
  contraction x;

  template <class Pass, class G, class A, class B> void backward(Pass& pass, const G& gradient, const G&, const A& a, const B& b) const {
    give(pass, a, x.for_a(), gradient, b), give(pass, b, x.for_b(), a, gradient);
  }

 private:
  template <class Pass, class To, class Left, class Right> static void give(Pass& pass, const To& to, const contraction& x, const Left& left, const Right& right) {
    pass.write(to, [&](auto target) { contract<Read, Accumulate>(pass.context(), x, gradient_target(target), left.value(), right.value()); }, contraction_record{x}, left, right);
  }
};
template <class Policy, class Op, class How, class Context, class A, class B>
auto contract_taped(const char* call, const How& how, const tape<Context>& recording, const A& a, const B& b) {
  using op_record = contraction_record<compute_t<Policy, Op, given_t<A>, given_t<B>>, accumulate_t<Policy, Op, given_t<A>, given_t<B>>>;
  return record(recording, contract_made<Policy, Op>(call, how, recording.context(), a.value(), b.value()), op_record{contraction_of(call, how, a.shape(), b.shape())}, a, b);
}

}  // namespace detail

/// As of ops/einsum.hpp, ops/tensordot.hpp and ops/vecdot.hpp, recorded: they have derivatives of any order.
template <class Policy, class Context, class A, class B, std::enable_if_t<is_variable_v<A> && is_variable_v<B>, int> = 0>
auto einsum(const tape<Context>& recording, const char* equation, const A& a, const B& b) { return detail::contract_taped<Policy, op::einsum>("einsum", detail::named_axes{equation}, recording, a, b); }
template <class Policy, class Context, class A, class B, std::enable_if_t<is_variable_v<A> && is_variable_v<B>, int> = 0>
auto tensordot(const tape<Context>& recording, const A& a, const B& b, int last = 2) {
  return detail::contract_taped<Policy, op::tensordot>("tensordot", detail::tensordot_axes{last < 0 ? shape::max_rank + 1 : last, {}, {}}, recording, a, b);
}
template <class Policy, class Context, class A, class B, std::enable_if_t<is_variable_v<A> && is_variable_v<B>, int> = 0>
auto tensordot(const tape<Context>& recording, const A& a, const B& b, const axes& of_a, const axes& of_b) {
  return detail::contract_taped<Policy, op::tensordot>("tensordot", detail::tensordot_axes{-1, of_a, of_b}, recording, a, b);
}
template <class Policy, class Context, class A, class B, std::enable_if_t<is_variable_v<A> && is_variable_v<B>, int> = 0>
auto vecdot(const tape<Context>& recording, const A& a, const B& b, int axis = -1) {
  return detail::contract_taped<Policy, op::linalg_vecdot>("vecdot", detail::vecdot_axis{axis}, recording, a, b);
}

}}  // namespace amphora
