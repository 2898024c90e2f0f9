// mm, bmm, mv, dot and vdot of variables.
#pragma once
#include <amphora/autograd/product.hpp>  // product_record
#include <amphora/ops/mm.hpp>            // mm, sizes_of
#include <amphora/policy/compute.hpp>    // compute_t

#include <utility>  // move

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

template <class Policy, class Op, class Context, class A, class B>
auto mm_taped(const char* call, const tape<Context>& recording, const A& a, const B& b) {
  using products = product_record<compute_t<Policy, Op, given_t<A>, given_t<B>>, accumulate_t<Policy, Op, given_t<A>, given_t<B>>>;
  auto value = mm_made<Policy, Op>(call, recording.context(), a.value(), b.value());
  return record(recording, std::move(value), products{symmetric_product::of(sizes_of<Op>(call, a.shape(), b.shape()))}, a, b);
}

}  // namespace detail

/// As of ops/mm.hpp, recorded: they have derivatives of any order.
template <class Policy, class Context, class A, class B, std::enable_if_t<is_variable_v<A> && is_variable_v<B>, int> = 0>
auto mm(const tape<Context>& recording, const A& a, const B& b) { return detail::mm_taped<Policy, op::mm>("mm", recording, a, b); }
template <class Policy, class Context, class A, class B, std::enable_if_t<is_variable_v<A> && is_variable_v<B>, int> = 0>
auto bmm(const tape<Context>& recording, const A& a, const B& b) { return detail::mm_taped<Policy, op::bmm>("bmm", recording, a, b); }
template <class Policy, class Context, class A, class B, std::enable_if_t<is_variable_v<A> && is_variable_v<B>, int> = 0>
auto mv(const tape<Context>& recording, const A& a, const B& b) { return detail::mm_taped<Policy, op::mv>("mv", recording, a, b); }
template <class Policy, class Context, class A, class B, std::enable_if_t<is_variable_v<A> && is_variable_v<B>, int> = 0>
auto dot(const tape<Context>& recording, const A& a, const B& b) { return detail::mm_taped<Policy, op::dot>("dot", recording, a, b); }
template <class Policy, class Context, class A, class B, std::enable_if_t<is_variable_v<A> && is_variable_v<B>, int> = 0>
auto vdot(const tape<Context>& recording, const A& a, const B& b) { return detail::mm_taped<Policy, op::vdot>("vdot", recording, a, b); }

}}  // namespace amphora
