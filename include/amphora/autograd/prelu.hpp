// prelu of variables.
#pragma once
#include <amphora/autograd/function.hpp>  // if_variables_t
#include <amphora/ops/prelu.hpp>          // prelu, prelu_backward, weight_along

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// A gradient of operand K: grad · slope, in the shape of that operand.
template <class Policy, int K>
struct prelu_gradient_record {
  template <class Pass, class H, class G, class X, class W> void backward(Pass& pass, const H& h, const H&, const G& grad, const X& x, const W& w) const {
    const auto weights = w.value().reshaped(weight_along("prelu", x.shape(), w.shape()));
    const auto of_value = K == 0 ? h.value() : h.value().reshaped(weights.shape());
    pass.write(grad, [&](auto target) { slope_sum<K, Policy, op::prelu>(pass.context(), prelu_function{}, x.shape(), target, of_value, x.value(), weights); });
    if constexpr (K == 0)
      pass.write(w, [&](auto target) { bend<0, 1>(pass, x.shape(), reshaped(target, weights.shape()), of_value, grad, x, weights); });
    else pass.write(x, [&](auto target) { bend<1, 0>(pass, x.shape(), target, of_value, grad, x, weights); });
  }

 private:
  template <int By, int J, class Pass, class Target, class V, class G, class X, class Weights>
  static void bend(Pass& pass, const shape& wide, const Target& target, const V& v, const G& grad, const X& x, const Weights& weights) {
    curvature_sum<By, J, Policy, op::prelu>(pass.context(), prelu_function{}, wide, target, v, grad.value(), x.value(), weights);
  }
};
template <class Policy>
struct prelu_record {
  template <class Pass, class G, class X, class W> void backward(Pass& pass, const G& gradient, const G&, const X& x, const W& w) const {
    pass.write(x, [&](auto target) { prelu_backward<Policy>(pass.context(), gradient.value(), x.value(), w.value(), target, no_gradient{}); },
               prelu_gradient_record<Policy, 0>{}, gradient, x, w);
    pass.write(w, [&](auto target) { prelu_backward<Policy>(pass.context(), gradient.value(), x.value(), w.value(), no_gradient{}, target); },
               prelu_gradient_record<Policy, 1>{}, gradient, x, w);
  }
};

}  // namespace detail

/// As of ops/prelu.hpp, recorded. It has second derivatives; a third one is `no-derivative`.
template <class Policy, class Context, class X, class W, detail::if_variables_t<X, W> = 0>
auto prelu(const tape<Context>& recording, const X& x, const W& w) {
  return record(recording, prelu<Policy>(recording.context(), x.value(), w.value()), detail::prelu_record<Policy>{}, x, w);
}

}}  // namespace amphora
