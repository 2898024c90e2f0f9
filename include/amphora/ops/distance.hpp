// Norms of differences: of two arrays, of each two rows of two matrices, of each two rows of one; forward and backward.
#pragma once
#include <amphora/op/reduction.hpp>    // op::dist, op::cdist
#include <amphora/ops/call.hpp>        // result_t, require_into, made, fresh_pair
#include <amphora/ops/kernels.hpp>     // broadcast
#include <amphora/ops/norm_terms.hpp>  // norm_terms, norm_gradient_into
#include <amphora/ops/operand.hpp>     // into, operand, reshaped
#include <amphora/tensor/shape.hpp>    // shape

#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// The norm of a − b over all axes.
struct dist_form {
  norm_rule rule;

  template <class A, class B> shape value_shape(const char* call, const view<const A>& a, const view<const B>& b) const {
    if (broadcast(call, a.shape(), b.shape()).elements() == 0 && (rule.p < 0 || rule.picks()))
      fail("shape", call, " of order ", rule.p, " between arrays without elements, of shapes ", a.shape(), " and ", b.shape(), "; it is 0 for a finite order from 0 up");
    return {};
  }
  template <class Context, class A, class B> norm_terms<Context, A, B> terms(Context& context, const view<const A>& a, const view<const B>& b) const {
    const shape wide = broadcast("dist", a.shape(), b.shape());
    return {context, rule, wide, axis_set::of({}, wide.rank()), a, b};
  }
  template <int, class Any, class A, class B> const Any& lifted(const Any& any, const view<const A>&, const view<const B>&) const { return any; }
};

/// The norms of the differences of rows: of a [..., P, M] as [..., P, 1, M], of b [..., R, M] as [..., 1, R, M].
struct cdist_form {
  norm_rule rule;

  template <class A, class B> shape value_shape(const char* call, const view<const A>& a, const view<const B>& b) const {
    const shape &x = a.shape(), &y = b.shape();
    if (x.rank() < 2 || y.rank() < 2 || x.rank() == shape::max_rank || y.rank() == shape::max_rank || x[-1] != y[-1])
      fail("shape", call, " needs rows of one length, [..., P, M] and [..., R, M] of at most 7 axes, not ", x, " and ", y);
    if (rule.p < 0) fail("setting", call, " has order ", rule.p, "; distances of rows have one from 0 up");
    const shape wide = broadcast(call, apart(x, 1), apart(y, 0));
    return reduced_shape(wide, axis_set::of({-1}, wide.rank()), false);
  }
  template <class Context, class A, class B> norm_terms<Context, A, B> terms(Context& context, const view<const A>& a, const view<const B>& b) const {
    const auto x = a.reshaped(apart(a.shape(), 1));
    const auto y = b.reshaped(apart(b.shape(), 0));
    const shape wide = broadcast("cdist", x.shape(), y.shape());
    return {context, rule, wide, axis_set::of({-1}, wide.rank()), x, y};
  }
  template <int K, class T, class A, class B> view<const T> lifted(const view<const T>& h, const view<const A>& a, const view<const B>& b) const {
    return h.reshaped(K == 0 ? apart(a.shape(), 1) : apart(b.shape(), 0));
  }
  template <int K, class Target, class A, class B> Target lifted(const Target& g, const view<const A>& a, const view<const B>& b) const {
    return amphora::detail::reshaped(g, K == 0 ? apart(a.shape(), 1) : apart(b.shape(), 0));
  }

 private:
  /// With an axis of extent 1 before the rows, or after them.
  static shape apart(const shape& s, int after) {
    std::int64_t extents[shape::max_rank] = {};
    const int at = s.rank() - 2 + after;
    for (int i = 0; i <= s.rank(); ++i) extents[i] = i < at ? s[i] : i == at ? 1 : s[i - 1];
    return shape(extents, s.rank() + 1);
  }
};

template <class Policy, class Op, class Context, class Form, class Y, class A, class B>
void distance_into(const char* call, Context& context, const Form& form, const into<Y>& y, const A& a, const B& b) {
  if constexpr (require_into<Policy, Op, Y, A, B>()) {
    require_shape(call, "an output", y.target.shape(), form.value_shape(call, operand(a), operand(b)));
    form.terms(context, operand(a), operand(b)).value_into(write(y.target));
  }
}
template <class Policy, class Op, class Context, class Form, class A, class B>
auto distance_made(const char* call, Context& context, const Form& form, const A& a, const B& b) {
  using result = result_t<Policy, Op, Context, A, B>;
  if constexpr (may_call<Policy, Op, A, B>())
    return made<result>(context, form.value_shape(call, operand(a), operand(b)), [&](auto y) { distance_into<Policy, Op>(call, context, form, into(y), a, b); });
  else return result{};
}
template <class Policy, class Op, class Context, class Form, class G, class A, class B, class GA, class GB>
void distance_gradients_into(const char* call, Context& context, const Form& form, const G& grad, const A& a, const B& b, const GA& ga, const GB& gb) {
  if constexpr (may_call<Policy, Op, A, B>()) {
    require_shape(call, "a gradient of the value", operand(grad).shape(), form.value_shape(call, operand(a), operand(b)));
    if constexpr (is_gradient_target_v<GA>) require_shape(call, "a gradient of a", memory_of(ga).shape(), operand(a).shape());
    if constexpr (is_gradient_target_v<GB>) require_shape(call, "a gradient of b", memory_of(gb).shape(), operand(b).shape());
    const auto terms = form.terms(context, operand(a), operand(b));
    const auto norm = terms.norms(), shares = terms.upstream(operand(grad), norm);
    if constexpr (is_gradient_target_v<GA>) terms.template slope_into<0>(form.template lifted<0>(ga, operand(a), operand(b)), shares, norm);
    if constexpr (is_gradient_target_v<GB>) terms.template slope_into<1>(form.template lifted<1>(gb, operand(a), operand(b)), shares, norm);
  }
}
template <class Policy, class Op, class Context, class Form, class G, class A, class B>
auto distance_gradients(const char* call, Context& context, const Form& form, const G& grad, const A& a, const B& b) {
  auto result = fresh_pair(context, a, b);
  distance_gradients_into<Policy, Op>(call, context, form, grad, a, b, into(result.first), into(result.second));
  return result;
}

}  // namespace detail

/// The norm of order p of a − b, over all their elements: in float, with sums in double.
///
/// a, b    shapes that broadcast
/// p       as of norm
/// Value   a scalar
/// Errors  shape; setting
template <class Policy, class Context, class A, class B, std::enable_if_t<detail::is_operand_v<A> && detail::is_operand_v<B>, int> = 0>
auto dist(Context& context, const A& a, const B& b, double p = 2) {
  return detail::distance_made<Policy, op::dist>("dist", context, detail::dist_form{detail::norm_rule::of("dist", p)}, a, b);
}
template <class Policy, class Context, class Y, class A, class B, std::enable_if_t<detail::is_operand_v<A> && detail::is_operand_v<B>, int> = 0>
void dist(Context& context, into<Y> y, const A& a, const B& b, double p = 2) {
  detail::distance_into<Policy, op::dist>("dist", context, detail::dist_form{detail::norm_rule::of("dist", p)}, y, a, b);
}

/// The gradients of dist, as those of norm; 0 for p = 0.
///
/// ga, gb  into(view), add_to(view) or no_gradient{}
template <class Policy, class Context, class G, class A, class B, class GA, class GB, std::enable_if_t<detail::is_gradient_choice_v<GA>, int> = 0>
void dist_backward(Context& context, const G& grad, const A& a, const B& b, const GA& ga, const GB& gb, double p = 2) {
  detail::distance_gradients_into<Policy, op::dist>("dist_backward", context, detail::dist_form{detail::norm_rule::of("dist_backward", p)}, grad, a, b, ga, gb);
}
template <class Policy, class Context, class G, class A, class B, std::enable_if_t<detail::is_operand_v<A> && detail::is_operand_v<B>, int> = 0>
auto dist_backward(Context& context, const G& grad, const A& a, const B& b, double p = 2) {
  return detail::distance_gradients<Policy, op::dist>("dist_backward", context, detail::dist_form{detail::norm_rule::of("dist_backward", p)}, grad, a, b);
}

/// The norms of order p of the differences of each row of a and each of b. The differences are never in memory, nor is their square taken apart
/// into a product, which would cancel.
///
/// a       [..., P, M]
/// b       [..., R, M], where what comes before broadcasts
/// p       0 or more
/// Value   [..., P, R]
/// Errors  shape; setting
template <class Policy, class Context, class A, class B, std::enable_if_t<detail::is_operand_v<A> && detail::is_operand_v<B>, int> = 0>
auto cdist(Context& context, const A& a, const B& b, double p = 2) {
  return detail::distance_made<Policy, op::cdist>("cdist", context, detail::cdist_form{detail::norm_rule::of("cdist", p, true)}, a, b);
}
template <class Policy, class Context, class Y, class A, class B, std::enable_if_t<detail::is_operand_v<A> && detail::is_operand_v<B>, int> = 0>
void cdist(Context& context, into<Y> y, const A& a, const B& b, double p = 2) {
  detail::distance_into<Policy, op::cdist>("cdist", context, detail::cdist_form{detail::norm_rule::of("cdist", p, true)}, y, a, b);
}

/// The gradients of cdist. 0 between equal rows and for p = 0; for p = ∞ each of equally large differences gets all of it.
///
/// ga, gb  into(view), add_to(view) or no_gradient{}
template <class Policy, class Context, class G, class A, class B, class GA, class GB, std::enable_if_t<detail::is_gradient_choice_v<GA>, int> = 0>
void cdist_backward(Context& context, const G& grad, const A& a, const B& b, const GA& ga, const GB& gb, double p = 2) {
  detail::distance_gradients_into<Policy, op::cdist>("cdist_backward", context, detail::cdist_form{detail::norm_rule::of("cdist_backward", p, true)}, grad, a, b, ga, gb);
}
template <class Policy, class Context, class G, class A, class B, std::enable_if_t<detail::is_operand_v<A> && detail::is_operand_v<B>, int> = 0>
auto cdist_backward(Context& context, const G& grad, const A& a, const B& b, double p = 2) {
  return detail::distance_gradients<Policy, op::cdist>("cdist_backward", context, detail::cdist_form{detail::norm_rule::of("cdist_backward", p, true)}, grad, a, b);
}

}}  // namespace amphora
