// linear of variables.
#pragma once
#include <amphora/autograd/product.hpp>  // product_record
#include <amphora/autograd/relu.hpp>     // relu_gradient_record
#include <amphora/autograd/sum_to.hpp>   // sum_to_record
#include <amphora/ops/linear.hpp>        // linear, linear_backward
#include <amphora/policy/compute.hpp>    // compute_t

#include <type_traits>  // is_same_v

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

template <class Policy, class Relu>
struct linear_record {
  template <class Pass, class G, class X, class W, class... B>
  void backward(Pass& pass, const G& gradient, const G& value, const X& x, const W& w, const B&... b) const {
    if constexpr (std::is_same_v<Relu, with_relu>) {  // by the value: where it is not positive, the sum was not
      const G of_sum = record(pass.tape(), relu_backward<Policy>(pass.context(), gradient.value(), value.value()), relu_gradient_record<Policy>{}, gradient, value.detach());
      linear_record<Policy, no_relu>{}.backward(pass, of_sum, value, x, w, b...);
    } else {
      using products = product_record<compute_t<Policy, op::linear, given_t<X>, given_t<W>>, accumulate_t<Policy, op::linear, given_t<X>, given_t<W>>>;
      auto& context = pass.context();
      const auto grad = gradient.value();
      const linear_sizes sizes("linear", x.shape(), w.shape());
      const auto p = symmetric_product::of_rows(sizes.rows, sizes.n, sizes.k, true);
      const no_gradient none;
      pass.write(x, [&](auto target) { linear_backward<Policy>(context, grad, x.value(), w.value(), target, none, none); }, products{p.for_a()}, gradient, w);
      pass.write(w, [&](auto target) { linear_backward<Policy>(context, grad, x.value(), w.value(), none, target, none); }, products{p.for_b()}, gradient, x);
      (pass.write(b, [&](auto target) { linear_backward<Policy>(context, grad, x.value(), w.value(), none, none, target); }, sum_to_record{1}, gradient), ...);
    }
  }
};

}  // namespace detail

/// linear as of ops/linear.hpp, recorded.
///
/// b     a variable, or no_bias{}
/// relu  with_relu{}: in the same pass; its gradient is masked by the value
template <class Policy, class Context, class X, class W, class B = no_bias, class Relu = no_relu,
          std::enable_if_t<is_variable_v<X> && is_variable_v<W> && !std::is_same_v<Relu, with_gelu>, int> = 0>
auto linear(const tape<Context>& recording, const X& x, const W& w, const B& b = {}, Relu relu = {}) {
  auto& context = recording.context();
  const detail::linear_record<Policy, Relu> op{};
  if constexpr (is_variable_v<B>) return record(recording, linear<Policy>(context, x.value(), w.value(), b.value(), relu), op, x, w, b);
  else return record(recording, linear<Policy>(context, x.value(), w.value(), b, relu), op, x, w);
}

}}  // namespace amphora
