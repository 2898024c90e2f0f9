// Norms over axes, forward and backward.
#pragma once
#include <amphora/op/reduction.hpp>    // op::norm, op::linalg_vector_norm
#include <amphora/ops/call.hpp>        // result_t, require_into, made
#include <amphora/ops/norm_terms.hpp>  // norm_terms, norm_gradient_into
#include <amphora/ops/operand.hpp>     // into, operand
#include <amphora/ops/reduction.hpp>   // axes, axis_set

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

struct norm_form {
  norm_rule rule;
  axes over;

  axis_set set(const shape& s) const { return axis_set::of(over, s.rank()); }
  shape value_shape(const shape& s) const { return reduced_shape(s, set(s), over.keeps()); }
  /// Errors  shape  a norm that picks a term, or divides by one, where there is none
  void require_terms(const char* call, const shape& s) const {
    if (rule.p >= 0 && !rule.picks()) return;
    if (s.elements() == 0 && value_shape(s).elements() > 0)
      fail("shape", call, " of order ", rule.p, " over axes without elements of ", s, "; it is 0 for a finite order from 0 up");
  }
  template <class Context, class X> norm_terms<Context, X> terms(Context& context, const view<const X>& x) const { return {context, rule, x.shape(), set(x.shape()), x}; }
  template <int, class Any, class X> const Any& lifted(const Any& any, const view<const X>&) const { return any; }
};

template <class Policy, class Op, class Context, class Y, class X>
void norm_into(const char* call, Context& context, const into<Y>& y, const X& x, double p, const axes& over) {
  if constexpr (require_into<Policy, Op, Y, X>()) {
    const norm_form form{norm_rule::of(call, p), over};
    const auto input = operand(x);
    require_shape(call, "an output", y.target.shape(), form.value_shape(input.shape()));
    form.require_terms(call, input.shape());
    form.terms(context, input).value_into(write(y.target));
  }
}
template <class Policy, class Op, class Context, class X>
auto norm_made(const char* call, Context& context, const X& x, double p, const axes& over) {
  using result = result_t<Policy, Op, Context, X>;
  if constexpr (may_call<Policy, Op, X>())
    return made<result>(context, norm_form{{}, over}.value_shape(operand(x).shape()), [&](auto y) { norm_into<Policy, Op>(call, context, into(y), x, p, over); });
  else return result{};
}
template <class Policy, class Op, class Context, class Target, class G, class X>
void norm_backward_into(const char* call, Context& context, const Target& gx, const G& grad, const X& x, double p, const axes& over) {
  if constexpr (may_call<Policy, Op, X>()) {
    const norm_form form{norm_rule::of(call, p), over};
    require_shape(call, "a gradient of the value", operand(grad).shape(), form.value_shape(operand(x).shape()));
    require_shape(call, "a gradient of x", memory_of(gx).shape(), operand(x).shape());
    norm_gradient_into<0>(form, context, gx, operand(grad), operand(x));
  }
}
template <class Policy, class Op, class Context, class G, class X>
auto norm_backward_made(const char* call, Context& context, const G& grad, const X& x, double p, const axes& over) {
  return made<gradient_of_t<X, Context>>(context, operand(x).shape(), [&](auto gx) { norm_backward_into<Policy, Op>(call, context, into(gx), grad, x, p, over); });
}

}  // namespace detail

/// (Σ |x|^p)^(1/p) over axes: a reduction, in float with sums in double, so that of numbers near 1e20 it is not infinite, and near 1e-30 not 0.
///
/// p       2, 1, any number; ±∞ for the largest or smallest magnitude; 0 counts what is not 0
/// over    axes{} for all; axes{0, -1}; axes{1}.keep() leaves an extent of 1
/// Value   0 of nothing, where p is finite and ≥ 0
/// Errors  shape; setting
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto norm(Context& context, const X& x, double p = 2, const axes& over = {}) { return detail::norm_made<Policy, op::norm>("norm", context, x, p, over); }
template <class Policy, class Context, class Y, class X>
void norm(Context& context, into<Y> y, const X& x, double p = 2, const axes& over = {}) { detail::norm_into<Policy, op::norm>("norm", context, y, x, p, over); }

/// The gradient of norm; x is what forward was given. 0 at the zero vector, for p = 0, and at an element that is 0 or, for p = 1, NaN; for p = ±∞
/// shared among ties.
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto norm_backward(Context& context, const G& grad, const X& x, double p = 2, const axes& over = {}) {
  return detail::norm_backward_made<Policy, op::norm>("norm_backward", context, grad, x, p, over);
}
template <class Policy, class Context, class Target, class G, class X, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void norm_backward(Context& context, const Target& gx, const G& grad, const X& x, double p = 2, const axes& over = {}) {
  detail::norm_backward_into<Policy, op::norm>("norm_backward", context, gx, grad, x, p, over);
}

/// norm under the tag op::linalg_vector_norm, for policies that set it apart.
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto vector_norm(Context& context, const X& x, double p = 2, const axes& over = {}) {
  return detail::norm_made<Policy, op::linalg_vector_norm>("vector_norm", context, x, p, over);
}
template <class Policy, class Context, class Y, class X>
void vector_norm(Context& context, into<Y> y, const X& x, double p = 2, const axes& over = {}) {
  detail::norm_into<Policy, op::linalg_vector_norm>("vector_norm", context, y, x, p, over);
}
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto vector_norm_backward(Context& context, const G& grad, const X& x, double p = 2, const axes& over = {}) {
  return detail::norm_backward_made<Policy, op::linalg_vector_norm>("vector_norm_backward", context, grad, x, p, over);
}
template <class Policy, class Context, class Target, class G, class X, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void vector_norm_backward(Context& context, const Target& gx, const G& grad, const X& x, double p = 2, const axes& over = {}) {
  detail::norm_backward_into<Policy, op::linalg_vector_norm>("vector_norm_backward", context, gx, grad, x, p, over);
}

}}  // namespace amphora
