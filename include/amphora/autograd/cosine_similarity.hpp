// cosine_similarity of variables.
#pragma once
#include <amphora/autograd/function.hpp>       // if_variables_t
#include <amphora/autograd/gradient_pass.hpp>  // gradient_pass
#include <amphora/detail/config.hpp>           // AMPHORA_HD
#include <amphora/ops/cosine_similarity.hpp>   // cosine_similarity, cosine_of

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// For the gradient of a with h: P = Σ a b, A = Σ h b, B = Σ h a / |a|, and N the norms, at least eps. The sum of both is
/// g (A / (N_a N_b) − P B / (N_a² N_b)).
struct cosine_second {
  cosine_rule rule;
  /// Σ h a as B.
  template <class Real> AMPHORA_HD static constexpr Real own_part(Real against_a, Real norm_a) { return norm_a == 0 ? Real(0) : against_a / norm_a; }
};
struct cosine_to_grad : cosine_second {
  template <class Real> AMPHORA_HD constexpr Real operator()(std::int64_t, Real against_b, Real against_a, Real product, Real norm_a, Real norm_b) const {
    const Real size_a = rule.size(norm_a), size_b = rule.size(norm_b);
    return (against_b - product / size_a * own_part(against_a, norm_a)) / size_a / size_b;
  }
};
/// What of a, b and h the gradient of a is made of, and what of b and a that of b.
struct cosine_a_of_a : cosine_second {
  template <class Real> AMPHORA_HD constexpr Real operator()(std::int64_t, Real grad, Real against_b, Real against_a, Real product, Real norm_a, Real norm_b) const {
    if (norm_a == 0) return 0;
    const Real size_a = rule.size(norm_a), size_b = rule.size(norm_b), own = own_part(against_a, norm_a), cosine = product / size_a / size_b;
    return grad * (2 * cosine * own / size_a - against_b / size_a / size_b + cosine * own / norm_a) / size_a / norm_a;
  }
};
struct cosine_b_of_a : cosine_second {
  template <class Real> AMPHORA_HD constexpr Real operator()(std::int64_t, Real grad, Real against_a, Real norm_a, Real norm_b) const {
    return -grad * own_part(against_a, norm_a) / rule.size(norm_a) / rule.size(norm_a) / rule.size(norm_b);
  }
};
struct cosine_h_of_a : cosine_second {
  template <class Real> AMPHORA_HD constexpr Real operator()(std::int64_t, Real grad, Real product, Real norm_a, Real norm_b) const {
    return -grad * (product / rule.size(norm_a) / rule.size(norm_b)) / rule.size(norm_a) / norm_a;  // NaN at the zero vector, as in PyTorch
  }
};
struct cosine_b_of_b : cosine_second {
  template <class Real> AMPHORA_HD constexpr Real operator()(std::int64_t, Real grad, Real against_b, Real against_a, Real product, Real norm_a, Real norm_b) const {
    if (norm_b == 0) return 0;
    return -cosine_to_grad{{rule}}(0, against_b, against_a, product, norm_a, norm_b) * grad / rule.size(norm_b) / norm_b;
  }
};
struct weighted_three {
  template <class Real> AMPHORA_HD constexpr Real operator()(std::int64_t, Real weight_a, Real a, Real weight_b, Real b, Real weight_c, Real c) const {
    return weight_a * a + weight_b * b + weight_c * c;
  }
};

/// The gradient of a, as a value of its own. Of the gradient of b it is the one of the operands the other way round.
struct cosine_gradient_record {
  int axis;
  double eps;

  template <class Pass, class H, class G, class A, class B> void backward(Pass& pass, const H& h, const H&, const G& grad, const A& a, const B& b) const {
    auto& context = pass.context();
    const auto terms = cosine_of(context, eps, axis, a.value(), b.value());
    using format = typename decltype(terms)::format;
    const auto &rule = terms.rule;
    const auto product = terms.dot(), norm_a = terms.norm_a(), norm_b = terms.norm_b(), against_a = terms.dot(h.value(), a.value()), against_b = terms.dot(h.value(), b.value());
    const auto g = grad.value().reshaped(terms.kept);
    pass.write(grad, [&](auto target) {
      map_all(list<f64, f64, f64, f64, f64>{}, context, cosine_to_grad{{rule}}, terms.kept, gradient_target(target), against_b.view(), against_a.view(), product.view(),
              norm_a.view(), norm_b.view());
    });
    const auto give = [&](const auto& to, const auto& of_a, const auto& of_b, const auto& of_h) {
      pass.write(to, [&](auto target) {
        map_or_fold(list<format, given_t<A>, format, given_t<B>, format, given_t<H>>{}, context, weighted_three{}, terms.wide, target, of_a.view(), a.value(), of_b.view(), b.value(),
                    of_h.view(), h.value());
      });
    };
    const auto b_of_a = terms.each(cosine_b_of_a{{rule}}, g, against_a.view(), norm_a.view(), norm_b.view());
    if (pass.wants(a))
      give(a, terms.each(cosine_a_of_a{{rule}}, g, against_b.view(), against_a.view(), product.view(), norm_a.view(), norm_b.view()), b_of_a,
           terms.each(cosine_h_of_a{{rule}}, g, product.view(), norm_a.view(), norm_b.view()));
    if (pass.wants(b))
      give(b, b_of_a, terms.each(cosine_b_of_b{{rule}}, g, against_b.view(), against_a.view(), product.view(), norm_a.view(), norm_b.view()),
           terms.each(cosine_slope_other{rule}, g, norm_a.view(), norm_b.view()));
  }
};
template <class Policy>
struct cosine_record {
  int axis;
  double eps;
  template <class Pass, class G, class A, class B> void backward(Pass& pass, const G& gradient, const G&, const A& a, const B& b) const {
    auto& context = pass.context();
    pass.write(a, [&](auto target) { cosine_similarity_backward<Policy>(context, gradient.value(), a.value(), b.value(), target, no_gradient{}, axis, eps); },
               cosine_gradient_record{axis, eps}, gradient, a, b);
    pass.write(b, [&](auto target) { cosine_similarity_backward<Policy>(context, gradient.value(), a.value(), b.value(), no_gradient{}, target, axis, eps); },
               cosine_gradient_record{axis, eps}, gradient, b, a);
  }
};

}  // namespace detail

/// As of ops/cosine_similarity.hpp, recorded. It has second derivatives; a third one is `no-derivative`.
template <class Policy, class Context, class A, class B, detail::if_variables_t<A, B> = 0>
auto cosine_similarity(const tape<Context>& recording, const A& a, const B& b, int axis = 1, double eps = 1e-8) {
  return record(recording, cosine_similarity<Policy>(recording.context(), a.value(), b.value(), axis, eps), detail::cosine_record<Policy>{axis, eps}, a, b);
}

}}  // namespace amphora
