// relu of variables.
#pragma once
#include <amphora/autograd/gradient_pass.hpp>  // gradient_pass
#include <amphora/ops/relu.hpp>                // relu, relu_backward

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// grad where x is positive: linear in grad, and flat in x.
template <class Policy>
struct relu_gradient_record {
  template <class Pass, class H, class G, class X> void backward(Pass& pass, const H& gradient, const H&, const G& grad, const X& x) const {
    pass.write(grad, [&](auto target) { relu_backward<Policy>(pass.context(), target, gradient.value(), x.value()); }, *this, gradient, x);
  }
};
template <class Policy>
struct relu_record {
  template <class Pass, class G, class X> void backward(Pass& pass, const G& gradient, const G&, const X& x) const {
    pass.write(x, [&](auto target) { relu_backward<Policy>(pass.context(), target, gradient.value(), x.value()); }, relu_gradient_record<Policy>{}, gradient, x.detach());
  }
};

}  // namespace detail

/// relu as of ops/relu.hpp, recorded. Its second derivative is zero everywhere.
template <class Policy, class Context, class X, std::enable_if_t<is_variable_v<X>, int> = 0>
auto relu(const tape<Context>& recording, const X& x) {
  return record(recording, relu<Policy>(recording.context(), x.value()), detail::relu_record<Policy>{}, x);
}

}}  // namespace amphora
