// cumsum and cumprod of variables.
#pragma once
#include <amphora/autograd/function.hpp>       // if_variables_t
#include <amphora/autograd/gradient_pass.hpp>  // gradient_pass
#include <amphora/detail/config.hpp>           // AMPHORA_HD
#include <amphora/ops/cumulative.hpp>          // cumsum, cumprod, cumprod_terms

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// A running sum from either end: each is the gradient of the other.
template <class Policy>
struct cumsum_record {
  int axis;
  bool backward_sum = false;
  template <class Pass, class G, class X> void backward(Pass& pass, const G& gradient, const G&, const X& x) const {
    pass.write(x, [&](auto target) {
      const lines_of lines = lines_along("backward", x.shape(), axis);
      scan_into(pass.context(), sum_scan{}, lines, {!backward_sum, false}, gradient_target(target), gradient.value());
    }, cumsum_record{axis, !backward_sum}, gradient);
  }
};

struct sum_of_products {
  template <class Real> AMPHORA_HD constexpr Real operator()(std::int64_t, Real a, Real b, Real c, Real d) const { return a * b + c * d; }
};
struct sum_of_two {
  template <class Real> AMPHORA_HD constexpr Real operator()(std::int64_t, Real a, Real b) const { return a + b; }
};
/// With E the products before each place, R = grad + Σ grad · products behind, and what a step h of x makes of the products before: D ← x D + E h.
/// By grad the gradient is worth x D + E h; by x it is R D + W E, where from the end W ← x W + h R.
struct cumprod_gradient_record {
  int axis;

  template <class Pass, class H, class G, class X> void backward(Pass& pass, const H& h, const H&, const G& grad, const X& x) const {
    auto& context = pass.context();
    const cumprod_terms<typename Pass::context_type, typename X::value_type> terms(context, lines_along("backward", x.shape(), axis), x.value());
    using numbers = typename decltype(terms)::numbers;
    using format = typename numbers::format;
    const auto before = terms.before();
    const auto step = terms.scan(recurrence_scan{}, {false, true}, before.view(), h.value());
    pass.write(grad, [&](auto target) {
      map_all(list<given_t<X>, format, format, given_t<H>>{}, context, sum_of_products{}, x.shape(), gradient_target(target), x.value(), step.view(), before.view(), h.value());
    });
    pass.write(x, [&](auto target) {
      const auto behind = terms.behind(grad.value());
      numbers rest(context, x.shape());
      map_all(list<given_t<G>, format>{}, context, sum_of_two{}, x.shape(), detail::write(rest.view()), grad.value(), behind.view());
      const auto steps_behind = terms.scan(recurrence_scan{}, {true, true}, h.value(), operand(rest));
      map_all(list<format, format, format, format>{}, context, sum_of_products{}, x.shape(), gradient_target(target), operand(rest), step.view(), steps_behind.view(), before.view());
    });
  }
};
template <class Policy>
struct cumprod_record {
  int axis;
  template <class Pass, class G, class X> void backward(Pass& pass, const G& gradient, const G&, const X& x) const {
    pass.write(x, [&](auto target) { cumprod_gradient_into<Policy>(pass.context(), target, gradient.value(), x.value(), axis); }, cumprod_gradient_record{axis}, gradient, x);
  }
};

}  // namespace detail

/// As of ops/cumulative.hpp, recorded: cumsum has derivatives of any order, cumprod second ones; a third one is `no-derivative`.
template <class Policy, class Context, class X, detail::if_variables_t<X> = 0>
auto cumsum(const tape<Context>& recording, const X& x, int axis = -1) {
  return record(recording, cumsum<Policy>(recording.context(), x.value(), axis), detail::cumsum_record<Policy>{axis}, x);
}
template <class Policy, class Context, class X, detail::if_variables_t<X> = 0>
auto cumprod(const tape<Context>& recording, const X& x, int axis = -1) {
  return record(recording, cumprod<Policy>(recording.context(), x.value(), axis), detail::cumprod_record<Policy>{axis}, x);
}

}}  // namespace amphora
