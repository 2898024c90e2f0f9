// The distances of each two rows of one matrix, forward and backward.
#pragma once
#include <amphora/op/reduction.hpp>    // op::pdist
#include <amphora/ops/call.hpp>        // result_t, require_into, made
#include <amphora/ops/distance.hpp>    // cdist_form
#include <amphora/ops/norm_terms.hpp>  // norm_rule
#include <amphora/ops/operand.hpp>     // into, operand
#include <amphora/ops/triangle.hpp>    // triangle_kernels

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// The pairs (i, j) with i < j of n rows, row by row: what stands above the diagonal of [n, n].
struct pdist_form {
  norm_rule rule;

  /// Errors  shape; setting
  shape value_shape(const char* call, const shape& x) const {
    if (x.rank() != 2) fail("shape", call, " needs rows, [n, m], not ", x);
    if (rule.p < 0) fail("setting", call, " has order ", rule.p, "; distances of rows have one from 0 up");
    return {triangle_size(x[0])};
  }
  static shape square(const shape& x) { return {x[0], x[0]}; }
  template <class Context, class X> auto terms(Context& context, const view<const X>& x) const { return cdist_form{rule}.terms(context, x, x); }
  /// Numbers of pairs as those of a matrix, 0 on and below its diagonal.
  template <class Format, class Context, class G> tensor_of_t<Format, Context> spread(Context& context, const shape& x, const view<const G>& pairs) const {
    tensor_of_t<Format, Context> result(context, square(x));
    triangle_kernels<typename Context::device>::spread(context, x[0], write(result.view()), read(pairs));
    return result;
  }
};

template <class Policy, class Context, class Target, class G, class X>
void pdist_gradient_into(Context& context, const Target& gx, const G& grad, const X& x, double p) {
  if constexpr (may_call<Policy, op::pdist, X>()) {
    const pdist_form form{norm_rule::of("pdist_backward", p, true)};
    const auto input = operand(x);
    require_shape("pdist_backward", "a gradient of the value", operand(grad).shape(), form.value_shape("pdist_backward", input.shape()));
    require_shape("pdist_backward", "a gradient of x", memory_of(gx).shape(), input.shape());
    using format = arithmetic_format_t<given_t<X>>;
    const auto terms = form.terms(context, input);
    const auto square = form.template spread<format>(context, input.shape(), operand(grad));
    const cdist_form rows{form.rule};
    const auto norm = terms.norms(), shares = terms.upstream(square.view(), norm);
    tensor_of_t<format, Context> both(context, input.shape());  // a row is the first of some pairs, and the second of others
    terms.template slope_into<0>(rows.template lifted<0>(into(both), input, input), shares, norm);
    terms.template slope_into<1>(rows.template lifted<1>(add_to(both), input, input), shares, norm);
    map_all(list<format>{}, context, times_factor{1}, input.shape(), gradient_target(gx), operand(both));
  }
}

}  // namespace detail

/// The norms of order p of the differences of each two rows, of pairs (0, 1), (0, 2), …, (1, 2), …: what stands above the diagonal of cdist(x, x), under
/// its rules.
///
/// x       [n, m]
/// p       0 or more
/// Value   [n (n − 1) / 2]
/// Errors  shape; setting
/// Cost    [n, n] numbers of memory on the way
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto pdist(Context& context, const X& x, double p = 2) {
  using result = detail::result_t<Policy, op::pdist, Context, X>;
  if constexpr (detail::may_call<Policy, op::pdist, X>())
    return detail::made<result>(context, detail::pdist_form{detail::norm_rule::of("pdist", p, true)}.value_shape("pdist", detail::operand(x).shape()),
                                [&](auto y) { pdist<Policy>(context, into(y), x, p); });
  else return result{};
}
template <class Policy, class Context, class Y, class X>
void pdist(Context& context, into<Y> y, const X& x, double p = 2) {
  using namespace detail;
  if constexpr (require_into<Policy, op::pdist, Y, X>()) {
    const pdist_form form{norm_rule::of("pdist", p, true)};
    const auto input = operand(x);
    require_shape("pdist", "an output", y.target.shape(), form.value_shape("pdist", input.shape()));
    const auto norm = form.terms(context, input).norms();
    triangle_kernels<typename Context::device>::pick(context, input.shape()[0], write(y.target), read(norm.view()));
  }
}

/// The gradient of pdist, as those of cdist.
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto pdist_backward(Context& context, const G& grad, const X& x, double p = 2) {
  return detail::made<detail::gradient_of_t<X, Context>>(context, detail::operand(x).shape(), [&](auto gx) { detail::pdist_gradient_into<Policy>(context, into(gx), grad, x, p); });
}
template <class Policy, class Context, class Target, class G, class X, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void pdist_backward(Context& context, const Target& gx, const G& grad, const X& x, double p = 2) { detail::pdist_gradient_into<Policy>(context, gx, grad, x, p); }

}}  // namespace amphora
