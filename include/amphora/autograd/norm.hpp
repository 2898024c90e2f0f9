// norm and vector_norm of variables.
#pragma once
#include <amphora/autograd/function.hpp>       // if_variables_t
#include <amphora/autograd/gradient_pass.hpp>  // gradient_pass
#include <amphora/ops/norm.hpp>                // norm, vector_norm, norm_form
#include <amphora/ops/operand.hpp>             // reshaped

#include <cstddef>  // size_t
#include <tuple>    // get, tie
#include <utility>  // index_sequence

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// The gradient of operand K of a norm, as a value of its own: what it is worth to the gradient of the norm, and to the operands.
template <class Form, int K>
struct norm_gradient_record {
  Form form;

  template <class Pass, class H, class G, class... X> void backward(Pass& pass, const H& h, const H&, const G& grad, const X&... x) const {
    const auto terms = form.terms(pass.context(), x.value()...);
    const auto norm = terms.norms(), shares = terms.upstream(grad.value(), norm);
    const auto of_gradient = form.template lifted<K>(h.value(), x.value()...);
    const auto along = terms.template along<K>(of_gradient, norm);
    pass.write(grad, [&](auto target) { terms.to_grad(reshaped(target, along.shape()), along, norm); });
    each(pass, terms, shares, of_gradient, along, norm, std::index_sequence_for<X...>(), x...);
  }

 private:
  template <class Pass, class Terms, class Numbers, class H, std::size_t... J, class... X>
  void each(Pass& pass, const Terms& terms, const Numbers& shares, const H& h, const Numbers& along, const Numbers& norm, std::index_sequence<J...>, const X&... x) const {
    (bend<static_cast<int>(J)>(pass, std::get<J>(std::tie(x...)), terms, shares, h, along, norm, x...), ...);
  }
  template <int J, class Pass, class To, class Terms, class Numbers, class H, class... X>
  void bend(Pass& pass, const To& to, const Terms& terms, const Numbers& shares, const H& h, const Numbers& along, const Numbers& norm, const X&... x) const {
    pass.write(to, [&](auto target) { terms.template curvature_into<K, J>(form.template lifted<J>(target, x.value()...), shares, h, along, norm); });
  }
};
template <class Form>
struct norm_record {
  Form form;
  template <class Pass, class G, class... X> void backward(Pass& pass, const G& gradient, const G&, const X&... x) const { each(pass, gradient, std::index_sequence_for<X...>(), x...); }

 private:
  template <class Pass, class G, std::size_t... K, class... X> void each(Pass& pass, const G& gradient, std::index_sequence<K...>, const X&... x) const {
    (one<static_cast<int>(K)>(pass, std::get<K>(std::tie(x...)), gradient, x...), ...);
  }
  template <int K, class Pass, class To, class G, class... X> void one(Pass& pass, const To& to, const G& gradient, const X&... x) const {
    pass.write(to, [&](auto target) { norm_gradient_into<K>(form, pass.context(), target, gradient.value(), x.value()...); }, norm_gradient_record<Form, K>{form}, gradient, x...);
  }
};

}  // namespace detail

/// As of ops/norm.hpp, recorded. They have second derivatives; a third one is `no-derivative`. At the zero vector and, for p < 2, at a 0 those are NaN.
template <class Policy, class Context, class X, detail::if_variables_t<X> = 0>
auto norm(const tape<Context>& recording, const X& x, double p = 2, const axes& over = {}) {
  return record(recording, norm<Policy>(recording.context(), x.value(), p, over), detail::norm_record<detail::norm_form>{{detail::norm_rule::of("norm", p), over}}, x);
}
template <class Policy, class Context, class X, detail::if_variables_t<X> = 0>
auto vector_norm(const tape<Context>& recording, const X& x, double p = 2, const axes& over = {}) {
  return record(recording, vector_norm<Policy>(recording.context(), x.value(), p, over), detail::norm_record<detail::norm_form>{{detail::norm_rule::of("vector_norm", p), over}}, x);
}

}}  // namespace amphora
