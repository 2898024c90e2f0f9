// matmul of variables.
#pragma once
#include <amphora/autograd/product.hpp>  // product_record
#include <amphora/ops/matmul.hpp>        // matmul, matmul_backward
#include <amphora/policy/compute.hpp>    // compute_t

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

template <class Policy>
struct matmul_record {
  template <class Pass, class G, class A, class B> void backward(Pass& pass, const G& gradient, const G& value, const A& a, const B& b) const {
    using products = product_record<compute_t<Policy, op::matmul, given_t<A>, given_t<B>>, accumulate_t<Policy, op::matmul, given_t<A>, given_t<B>>>;
    products{symmetric_product::of(matmul_sizes("matmul", a.shape(), b.shape()))}.backward(pass, gradient, value, a, b);
  }
};

}  // namespace detail

/// matmul as of ops/matmul.hpp, recorded.
template <class Policy, class Context, class A, class B, std::enable_if_t<is_variable_v<A> && is_variable_v<B>, int> = 0>
auto matmul(const tape<Context>& recording, const A& a, const B& b) {
  return record(recording, matmul<Policy>(recording.context(), a.value(), b.value()), detail::matmul_record<Policy>{}, a, b);
}

}}  // namespace amphora
