// prod of variables.
#pragma once
#include <amphora/autograd/function.hpp>       // if_variables_t
#include <amphora/autograd/gradient_pass.hpp>  // gradient_pass
#include <amphora/detail/config.hpp>           // AMPHORA_HD
#include <amphora/format/real.hpp>             // add_once
#include <amphora/ops/prod.hpp>                // prod, prod_terms, undefined_product

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// Σ h / x over what is not 0, and Σ h over what is.
struct prod_quotients {
  AMPHORA_HD fold_state start() const { return {}; }
  template <class Real> AMPHORA_HD void add(fold_state& s, Real h, Real x) const {
    if (x == 0) s.second = add_once(s.second, static_cast<double>(h));
    else s.first = add_once(s.first, static_cast<double>(h) / static_cast<double>(x));
  }
  AMPHORA_HD fold_state join(const fold_state& a, const fold_state& b) const { return {add_once(a.first, b.first), add_once(a.second, b.second)}; }
  AMPHORA_HD fold_state finish(const fold_state& s) const { return s; }
};
/// Σ h · the products of all others, from the product of what is not 0. An infinity or a NaN makes it NaN.
struct prod_to_grad {
  AMPHORA_HD double operator()(std::int64_t, double product, double odd, double quotients, double at_zeros) const {
    const odd_factors all = odd_factors::of(odd);
    if (all.infinities + all.nans > 0) return undefined_product;
    return all.zeros == 0 ? product * quotients : all.zeros == 1 ? product * at_zeros : 0;
  }
};
/// And its slope: Σ h over the others · the products of all but the two.
struct prod_curvature {
  AMPHORA_HD double operator()(std::int64_t, double grad, double h, double x, double product, double odd, double quotients, double at_zeros) const {
    const odd_factors all = odd_factors::of(odd);
    if (all.infinities + all.nans > 0) return undefined_product;
    if (all.zeros == 0) return grad * (product / x * (quotients - h / x));
    if (all.zeros == 1) return grad * (x == 0 ? product * quotients : product / x * at_zeros);
    return all.zeros == 2 && x == 0 ? grad * (product * (at_zeros - h)) : 0;
  }
};

struct prod_gradient_record {
  axes over;

  template <class Pass, class H, class G, class X> void backward(Pass& pass, const H& h, const H&, const G& grad, const X& x) const {
    auto& context = pass.context();
    const axis_set set = axis_set::of(over, x.shape().rank());
    const prod_terms<typename Pass::context_type, typename X::value_type> terms(context, x.value(), set);
    const shape& kept = terms.kept();
    tensor<double, typename Pass::context_type> sums(context, {2 * kept.elements()});
    fold_all(list<given_t<H>, given_t<X>>{}, context, prod_quotients{}, x.shape(), set, detail::write(sums.view()), h.value(), x.value());
    const view<const double> quotients(sums.data(), kept), at_zeros(sums.data() + kept.elements(), kept);
    pass.write(grad, [&](auto target) {
      map_all(list<f64, f64, f64, f64>{}, context, prod_to_grad{}, kept, gradient_target(target), terms.product(), terms.odd(), quotients, at_zeros);
    });
    pass.write(x, [&](auto target) {
      map_all(list<given_t<G>, given_t<H>, given_t<X>, f64, f64, f64, f64>{}, context, prod_curvature{}, x.shape(), gradient_target(target), grad.value().reshaped(kept), h.value(), x.value(),
              terms.product(), terms.odd(), quotients, at_zeros);
    });
  }
};
template <class Policy>
struct prod_record {
  axes over;
  template <class Pass, class G, class X> void backward(Pass& pass, const G& gradient, const G&, const X& x) const {
    pass.write(x, [&](auto target) { prod_gradient_into<Policy>(pass.context(), target, gradient.value(), x.value(), over); }, prod_gradient_record{over}, gradient, x);
  }
};

}  // namespace detail

/// As of ops/prod.hpp, recorded. It has second derivatives, exact where factors are 0; a third one is `no-derivative`.
template <class Policy, class Context, class X, detail::if_variables_t<X> = 0>
auto prod(const tape<Context>& recording, const X& x, const axes& over = {}) {
  return record(recording, prod<Policy>(recording.context(), x.value(), over), detail::prod_record<Policy>{over}, x);
}

}}  // namespace amphora
