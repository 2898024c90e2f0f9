// gelu of variables, and its second derivative.
#pragma once
#include <amphora/autograd/gradient_pass.hpp>  // gradient_pass
#include <amphora/detail/config.hpp>           // AMPHORA_HD
#include <amphora/ops/gelu.hpp>                // gelu, gelu_backward
#include <amphora/ops/kernels.hpp>             // map_kernels, make_loops

#include <cmath>    // exp
#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// h · grad · gelu''(x).
struct gelu_curve {
  gelu_form form;
  template <class Real> AMPHORA_HD Real operator()(std::int64_t, Real h, Real grad, Real x) const {
    if (form == gelu_form::erf) return h * grad * ((2 - x * x) * (Real(0.39894228040143268) * std::exp(Real(-0.5) * x * x)));
    const Real u = gelu_value::bent(x), s = 1 / (1 + std::exp(-u)), rest = 1 / (1 + std::exp(u));
    const Real slope = Real(1.5957691216057307) * (1 + Real(3 * 0.044715) * x * x), bend = Real(1.5957691216057307 * 6 * 0.044715) * x;  // of u
    return h * grad * (s * rest * (2 * slope + x * ((rest - s) * slope * slope + bend)));
  }
};

/// grad · gelu'(x).
template <class Policy>
struct gelu_gradient_record {
  gelu_form form;
  template <class Pass, class H, class G, class X> void backward(Pass& pass, const H& gradient, const H&, const G& grad, const X& x) const {
    pass.write(grad, [&](auto target) { gelu_backward<Policy>(pass.context(), target, gradient.value(), x.value(), form); }, *this, gradient, x);
    pass.write(x, [&](auto target) {
      using reads = read_t<Policy, op::gelu, given_t<X>, given_t<X>>;
      map_kernels<typename Pass::context_type::device>::run(pass.context(), gelu_curve{form}, make_loops<3>(x.shape(), {&x.shape(), &x.shape(), &x.shape()}), gradient_target(target),
                                                            read(gradient.value()), read(grad.value()), read_as<reads>(x.value()));
    });
  }
};
template <class Policy>
struct gelu_record {
  gelu_form form;
  template <class Pass, class G, class X> void backward(Pass& pass, const G& gradient, const G&, const X& x) const {
    pass.write(x, [&](auto target) { gelu_backward<Policy>(pass.context(), target, gradient.value(), x.value(), form); }, gelu_gradient_record<Policy>{form}, gradient, x);
  }
};

}  // namespace detail

/// gelu as of ops/gelu.hpp, recorded. It has second derivatives, and by its gradient all; by x a third one is `no-derivative`.
template <class Policy, class Context, class X, std::enable_if_t<is_variable_v<X>, int> = 0>
auto gelu(const tape<Context>& recording, const X& x, gelu_form form = gelu_form::erf) {
  return record(recording, gelu<Policy>(recording.context(), x.value(), form), detail::gelu_record<Policy>{form}, x);
}

}}  // namespace amphora
