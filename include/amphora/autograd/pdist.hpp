// pdist of variables.
#pragma once
#include <amphora/autograd/function.hpp>       // if_variables_t
#include <amphora/autograd/gradient_pass.hpp>  // gradient_pass
#include <amphora/ops/pdist.hpp>               // pdist, pdist_form

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// The sum of the gradients of both operands of cdist(x, x), as a value of its own.
struct pdist_gradient_record {
  norm_rule rule;

  template <class Pass, class H, class G, class X> void backward(Pass& pass, const H& h, const H&, const G& grad, const X& x) const {
    auto& context = pass.context();
    using context_type = typename Pass::context_type;
    using format = arithmetic_format_t<given_t<X>>;
    const pdist_form form{rule};
    const cdist_form rows{rule};
    const auto input = x.value();
    const auto terms = form.terms(context, input);
    const auto norm = terms.norms();
    const auto first = rows.template lifted<0>(h.value(), input, input), second = rows.template lifted<1>(h.value(), input, input);
    const auto along_first = terms.template along<0>(first, norm), along_second = terms.template along<1>(second, norm);
    pass.write(grad, [&](auto target) {
      tensor_of_t<format, context_type> along(context, form.square(x.shape()));
      map_all(list<format, format>{}, context, add_value{1}, along.shape(), detail::write(along.view()), along_first.view().reshaped(along.shape()),
              along_second.view().reshaped(along.shape()));
      triangle_kernels<typename context_type::device>::pick(context, x.shape()[0], gradient_target(target), read(operand(along)));
    });
    pass.write(x, [&](auto target) {
      const auto square = form.template spread<format>(context, x.shape(), grad.value());
      const auto shares = terms.upstream(square.view(), norm);
      tensor_of_t<format, context_type> all(context, x.shape());
      terms.template curvature_into<0, 0>(rows.template lifted<0>(into(all), input, input), shares, first, along_first, norm);
      terms.template curvature_into<0, 1>(rows.template lifted<1>(add_to(all), input, input), shares, first, along_first, norm);
      terms.template curvature_into<1, 0>(rows.template lifted<0>(add_to(all), input, input), shares, second, along_second, norm);
      terms.template curvature_into<1, 1>(rows.template lifted<1>(add_to(all), input, input), shares, second, along_second, norm);
      map_all(list<format>{}, context, times_factor{1}, x.shape(), gradient_target(target), operand(all));
    });
  }
};
template <class Policy>
struct pdist_record {
  double p;
  template <class Pass, class G, class X> void backward(Pass& pass, const G& gradient, const G&, const X& x) const {
    pass.write(x, [&](auto target) { pdist_gradient_into<Policy>(pass.context(), target, gradient.value(), x.value(), p); },
               pdist_gradient_record{norm_rule::of("pdist", p, true)}, gradient, x);
  }
};

}  // namespace detail

/// As of ops/pdist.hpp, recorded. It has second derivatives, 0 between equal rows; a third one is `no-derivative`.
template <class Policy, class Context, class X, detail::if_variables_t<X> = 0>
auto pdist(const tape<Context>& recording, const X& x, double p = 2) {
  return record(recording, pdist<Policy>(recording.context(), x.value(), p), detail::pdist_record<Policy>{p}, x);
}

}}  // namespace amphora
