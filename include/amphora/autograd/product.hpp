// Matrix products in a graph: the gradients of one are products again, so they can be differentiated as often as one likes.
#pragma once
#include <amphora/autograd/gradient_pass.hpp>  // gradient_pass
#include <amphora/ops/matmul.hpp>              // run_matmul
#include <amphora/ops/symmetric_product.hpp>   // symmetric_product
#include <amphora/tensor/tensor.hpp>           // tensor_of_t

#include <utility>  // move

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

template <class Read, class Accumulate>
struct product_record {
  symmetric_product p;

  template <class Pass, class G, class A, class B> void backward(Pass& pass, const G& gradient, const G&, const A& a, const B& b) const {
    if (p.a_transposed) give(pass, a, p.for_a(), b, gradient);
    else give(pass, a, p.for_a(), gradient, b);
    if (p.b_transposed) give(pass, b, p.for_b(), gradient, a);
    else give(pass, b, p.for_b(), a, gradient);
  }
  /// Gives `to` the product of two variables.
  template <class Pass, class To, class Left, class Right>
  static void give(Pass& pass, const To& to, const symmetric_product& p, const Left& left, const Right& right) {
    pass.write(to, [&](auto target) { run_matmul<Read, Accumulate>(pass.context(), p.loops(), gradient_target(target), left.value(), right.value()); },
               product_record{p}, left, right);
  }
};

/// The product of two variables in memory of Format, recorded.
template <class Format, class Read, class Accumulate, class Context, class A, class B>
auto product_taped(const tape<Context>& recording, const symmetric_product& p, const shape& value_shape, const A& a, const B& b) {
  tensor_of_t<Format, Context> value(recording.context(), value_shape);
  run_matmul<Read, Accumulate>(recording.context(), p.loops(), write(value.view()), a.value(), b.value());
  return record(recording, std::move(value), product_record<Read, Accumulate>{p}, a, b);
}

}}}  // namespace amphora::detail
