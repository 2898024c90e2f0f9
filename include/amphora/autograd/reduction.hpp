// sum and mean of variables.
#pragma once
#include <amphora/autograd/function.hpp>       // if_variables_t
#include <amphora/autograd/gradient_pass.hpp>  // gradient_pass
#include <amphora/ops/sum.hpp>                 // sum, mean, divisor_of

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// A sum or mean over axes of x; and, the other way, each element's part of a result. Each is the gradient of the other.
template <class Policy, class Op> struct sum_record;
template <class Policy, class Op>
struct sum_part_record {
  axes over;
  shape wide;

  template <class Pass, class H, class G> void backward(Pass& pass, const H& h, const H&, const G& gradient) const {
    pass.write(gradient, [&](auto target) {
      const reduction_loops loops = reduction_of(wide, axis_set::of(over, wide.rank()));
      sum_over<arithmetic_format_t<given_t<H>>>(pass.context(), gradient_target(target), read(h.value()), loops, loops.terms > 0 ? divisor_of<Op>(loops) : 1);  // of nothing: 0
    }, sum_record<Policy, Op>{over}, h);
  }
};
template <class Policy, class Op>
struct sum_record {
  axes over;
  template <class Pass, class G, class X> void backward(Pass& pass, const G& gradient, const G&, const X& x) const {
    pass.write(x, [&](auto target) { sum_gradient_into<Policy, Op>("backward", pass.context(), target, gradient.value(), x.value(), over); },
               sum_part_record<Policy, Op>{over, x.shape()}, gradient);
  }
};

}  // namespace detail

/// As of ops/sum.hpp, recorded; with derivatives of any order.
template <class Policy, class Context, class X, detail::if_variables_t<X> = 0>
auto sum(const tape<Context>& recording, const X& x, const axes& over = {}) {
  return record(recording, sum<Policy>(recording.context(), x.value(), over), detail::sum_record<Policy, op::sum>{over}, x);
}
template <class Policy, class Context, class X, detail::if_variables_t<X> = 0>
auto mean(const tape<Context>& recording, const X& x, const axes& over = {}) {
  return record(recording, mean<Policy>(recording.context(), x.value(), over), detail::sum_record<Policy, op::mean>{over}, x);
}

}}  // namespace amphora
