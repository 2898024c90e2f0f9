// renorm of variables.
#pragma once
#include <amphora/autograd/function.hpp>       // if_variables_t
#include <amphora/autograd/gradient_pass.hpp>  // gradient_pass
#include <amphora/detail/config.hpp>           // AMPHORA_HD
#include <amphora/ops/renorm.hpp>              // renorm, renorm_of

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// With n the norm of a slice and e = n + 1e-7: φ = most (Σ h g / e − Σ x g · Σ h s / e²), where s is the slope of the norm. A slice that is not cut has Σ h g.
struct renorm_to_grad {
  renorm_limit limit;
  template <class Real> AMPHORA_HD constexpr Real operator()(std::int64_t, Real h, Real x, Real norm, Real along) const {
    return limit.cuts(norm) ? static_cast<Real>(limit.most) / limit.size(norm) * (h - x * along / limit.size(norm)) : h;
  }
};
/// What the slope of the norm is worth: (2 Σ x g · Σ h s / e − Σ h g) of each slice.
struct renorm_of_norm {
  template <class Real> AMPHORA_HD constexpr Real operator()(std::int64_t, Real h_grad, Real x_grad, Real along, Real norm) const {
    return 2 * x_grad * along / renorm_limit::size(norm) - h_grad;
  }
};
struct renorm_curvature {
  renorm_limit limit;
  norm_rule rule;
  template <class Real> AMPHORA_HD Real operator()(std::int64_t, Real grad, Real h, Real x, Real norm, Real along, Real of_norm, Real x_grad) const {
    if (!limit.cuts(norm)) return 0;
    const Real size = limit.size(norm);
    return static_cast<Real>(limit.most) / size / size * (of_norm * rule.slope(x, norm) - grad * along - x_grad * rule.curvature(h, x, norm, along));
  }
};

struct renorm_gradient_record {
  double p;
  int axis;
  double most;

  template <class Pass, class H, class G, class X> void backward(Pass& pass, const H& h, const H&, const G& grad, const X& x) const {
    auto& context = pass.context();
    const auto terms = renorm_of("backward", context, p, axis, most, x.value());
    using numbers = typename decltype(terms)::numbers;
    using format = typename numbers::format;
    const shape& kept = terms.norm.shape();
    const numbers along_h = terms.norm_of.template along<0>(h.value(), terms.norm);
    const numbers along = terms.norm_of.upstream(along_h.view(), terms.norm);  // shared, where the norm picks
    pass.write(grad, [&](auto target) {
      map_all(list<given_t<H>, given_t<X>, format, format>{}, context, renorm_to_grad{terms.limit}, x.shape(), gradient_target(target), h.value(), x.value(), terms.norm.view(), along.view());
    });
    pass.write(x, [&](auto target) {
      const numbers h_grad = terms.dot(h.value(), grad.value()), x_grad = terms.against_x(grad.value());
      numbers of_norm(context, kept);
      map_all(list<format, format, format, format>{}, context, renorm_of_norm{}, kept, detail::write(of_norm.view()), h_grad.view(), x_grad.view(), along.view(), terms.norm.view());
      const numbers shares = terms.norm_of.upstream(operand(of_norm), terms.norm);
      map_all(list<given_t<G>, given_t<H>, given_t<X>, format, format, format, format>{}, context, renorm_curvature{terms.limit, terms.rule}, x.shape(), gradient_target(target), grad.value(),
              h.value(), x.value(), terms.norm.view(), along.view(), shares.view(), x_grad.view());
    });
  }
};
template <class Policy>
struct renorm_record {
  double p;
  int axis;
  double most;
  template <class Pass, class G, class X> void backward(Pass& pass, const G& gradient, const G&, const X& x) const {
    pass.write(x, [&](auto target) { renorm_gradient_into<Policy>(pass.context(), target, gradient.value(), x.value(), p, axis, most); }, renorm_gradient_record{p, axis, most}, gradient, x);
  }
};

}  // namespace detail

/// As of ops/renorm.hpp, recorded. It has second derivatives, 0 by x in a slice that is not cut; a third one is `no-derivative`.
template <class Policy, class Context, class X, detail::if_variables_t<X> = 0>
auto renorm(const tape<Context>& recording, const X& x, double p, int axis, double most) {
  return record(recording, renorm<Policy>(recording.context(), x.value(), p, axis, most), detail::renorm_record<Policy>{p, axis, most}, x);
}

}}  // namespace amphora
