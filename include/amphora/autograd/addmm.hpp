// addmm, addmv, addr, addbmm and baddbmm of variables.
#pragma once
#include <amphora/autograd/product.hpp>  // product_record
#include <amphora/autograd/sum_to.hpp>   // give_sum
#include <amphora/ops/addmm.hpp>         // add_product_made

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

template <class Read, class Accumulate>
struct add_product_record {
  symmetric_product p;
  double beta;
  template <class Pass, class G, class X, class A, class B> void backward(Pass& pass, const G& gradient, const G& value, const X& input, const A& a, const B& b) const {
    give_sum(pass, input, gradient, beta);
    product_record<Read, Accumulate>{p}.backward(pass, gradient, value, a, b);
  }
};
template <class Policy, class Op, class Context, class X, class A, class B>
auto add_product_taped(const char* call, const tape<Context>& recording, const X& input, const A& a, const B& b, double beta, double alpha) {
  using op_record = add_product_record<added_read_t<Policy, Op, X, A, B>, added_sum_t<Policy, Op, X, A, B>>;
  return record(recording, add_product_made<Policy, Op>(call, recording.context(), input.value(), a.value(), b.value(), beta, alpha),
                op_record{added_product_of<Op>(call, input.shape(), a.shape(), b.shape(), alpha).p, beta}, input, a, b);
}

}  // namespace detail

/// As of ops/addmm.hpp, recorded: they have derivatives of any order.
template <class Policy, class Context, class X, class A, class B, std::enable_if_t<is_variable_v<X> && is_variable_v<A> && is_variable_v<B>, int> = 0>
auto addmm(const tape<Context>& recording, const X& input, const A& a, const B& b, double beta = 1, double alpha = 1) {
  return detail::add_product_taped<Policy, op::addmm>("addmm", recording, input, a, b, beta, alpha);
}
template <class Policy, class Context, class X, class A, class B, std::enable_if_t<is_variable_v<X> && is_variable_v<A> && is_variable_v<B>, int> = 0>
auto addmv(const tape<Context>& recording, const X& input, const A& a, const B& b, double beta = 1, double alpha = 1) {
  return detail::add_product_taped<Policy, op::addmv>("addmv", recording, input, a, b, beta, alpha);
}
template <class Policy, class Context, class X, class A, class B, std::enable_if_t<is_variable_v<X> && is_variable_v<A> && is_variable_v<B>, int> = 0>
auto addr(const tape<Context>& recording, const X& input, const A& a, const B& b, double beta = 1, double alpha = 1) {
  return detail::add_product_taped<Policy, op::addr>("addr", recording, input, a, b, beta, alpha);
}
template <class Policy, class Context, class X, class A, class B, std::enable_if_t<is_variable_v<X> && is_variable_v<A> && is_variable_v<B>, int> = 0>
auto addbmm(const tape<Context>& recording, const X& input, const A& a, const B& b, double beta = 1, double alpha = 1) {
  return detail::add_product_taped<Policy, op::addbmm>("addbmm", recording, input, a, b, beta, alpha);
}
template <class Policy, class Context, class X, class A, class B, std::enable_if_t<is_variable_v<X> && is_variable_v<A> && is_variable_v<B>, int> = 0>
auto baddbmm(const tape<Context>& recording, const X& input, const A& a, const B& b, double beta = 1, double alpha = 1) {
  return detail::add_product_taped<Policy, op::baddbmm>("baddbmm", recording, input, a, b, beta, alpha);
}

}}  // namespace amphora
