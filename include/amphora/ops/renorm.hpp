// Slices along an axis scaled down to a norm, forward and backward.
#pragma once
#include <amphora/detail/config.hpp>   // AMPHORA_HD
#include <amphora/op/reduction.hpp>    // op::renorm
#include <amphora/ops/call.hpp>        // result_t, require_into, made
#include <amphora/ops/fold.hpp>        // fold_all
#include <amphora/ops/function.hpp>    // map_all
#include <amphora/ops/norm_terms.hpp>  // norm_terms
#include <amphora/ops/operand.hpp>     // into, operand

#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// The epsilon is PyTorch's.
struct renorm_limit {
  double most;
  template <class Real> AMPHORA_HD constexpr bool cuts(Real norm) const { return norm > static_cast<Real>(most); }
  template <class Real> AMPHORA_HD static constexpr Real size(Real norm) { return norm + static_cast<Real>(1e-7); }
};
struct renorm_value {
  renorm_limit limit;
  template <class Real> AMPHORA_HD constexpr Real operator()(std::int64_t, Real x, Real norm) const { return limit.cuts(norm) ? x * (static_cast<Real>(limit.most) / limit.size(norm)) : x; }
};
/// `shares` is Σ x grad of the slice, shared as the slope of its norm is.
struct renorm_slope {
  renorm_limit limit;
  norm_rule rule;
  template <class Real> AMPHORA_HD Real operator()(std::int64_t, Real grad, Real x, Real norm, Real shares) const {
    if (!limit.cuts(norm)) return grad;
    return static_cast<Real>(limit.most) / limit.size(norm) * (grad - shares / limit.size(norm) * rule.slope(x, norm));
  }
};

/// The slices of x along an axis: of each its norm over all other axes.
template <class Context, class X>
class renorm_terms {
 public:
  using terms = norm_terms<Context, X>;
  using format = typename terms::format;
  using numbers = typename terms::numbers;

  renorm_terms(Context& context, const norm_rule& its_rule, int axis, double most, const view<const X>& x)
      : limit{most}, rule(its_rule), over(axis_set::of({axis}, x.shape().rank())), norm_of(context, rule, x.shape(), others(), x), norm(norm_of.norms()), context_(context), x_(x) {}

  /// Σ x a over each slice.
  template <class A> numbers against_x(const view<const A>& a) const { return dot(x_, a); }
  template <class A, class B> numbers dot(const view<const A>& a, const view<const B>& b) const {
    numbers result(context_, norm.shape());
    fold_all(list<format_of_t<A>, format_of_t<B>>{}, context_, sum_of_terms<times_each>{}, x_.shape(), over, write(result.view()), a, b);
    return result;
  }
  template <class Y> void value_into(const target<Y>& y) const { map_all(list<format_of_t<X>, format>{}, context_, renorm_value{limit}, x_.shape(), y, x_, norm.view()); }
  template <class Target, class G> void slope_into(const Target& gx, const view<const G>& grad) const {
    const numbers against = against_x(grad), shares = norm_of.upstream(against.view(), norm);
    map_all(list<format_of_t<G>, format_of_t<X>, format, format>{}, context_, renorm_slope{limit, rule}, x_.shape(), gradient_target(gx), grad, x_, norm.view(), shares.view());
  }

  renorm_limit limit;
  norm_rule rule;
  axis_set over;  ///< all axes but the slices'
  terms norm_of;
  numbers norm;

 private:
  const axis_set& others() {
    for (bool& has : over.has) has = !has;
    return over;
  }

  Context& context_;
  view<const X> x_;
};
/// Errors  shape; setting  an order that is not positive, a negative limit
template <class Context, class X>
renorm_terms<Context, X> renorm_of(const char* call, Context& context, double p, int axis, double most, const view<const X>& x) {
  const norm_rule rule = norm_rule::of(call, p);
  if (!(p > 0)) fail("setting", call, " has order ", p, "; give one above 0");
  if (!(most >= 0)) fail("setting", call, " has a largest norm of ", most, "; it must not be negative");
  if (x.shape().rank() < 2) fail("shape", call, " needs an axis of slices and another, not ", x.shape());
  return {context, rule, axis, most, x};
}

template <class Policy, class Context, class Target, class G, class X>
void renorm_gradient_into(Context& context, const Target& gx, const G& grad, const X& x, double p, int axis, double most) {
  if constexpr (may_call<Policy, op::renorm, X>()) {
    require_shape("renorm_backward", "a gradient of the value", operand(grad).shape(), operand(x).shape());
    require_shape("renorm_backward", "a gradient of x", memory_of(gx).shape(), operand(x).shape());
    renorm_of("renorm_backward", context, p, axis, most, operand(x)).slope_into(gx, operand(grad));
  }
}

}  // namespace detail

/// x, with each slice along an axis whose norm of order p is above a largest one scaled by largest / (norm + 1e-7): a reduction, in float whatever
/// comes in. A norm of just the largest stays.
///
/// axis    the slices': x[i] along axis 0, and so on; a negative one counts from the end
/// most    the largest norm
/// Value   x's shape
/// Errors  shape; setting
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto renorm(Context& context, const X& x, double p, int axis, double most) {
  using result = detail::result_t<Policy, op::renorm, Context, X>;
  if constexpr (detail::may_call<Policy, op::renorm, X>())
    return detail::made<result>(context, detail::operand(x).shape(), [&](auto y) { renorm<Policy>(context, into(y), x, p, axis, most); });
  else return result{};
}
template <class Policy, class Context, class Y, class X>
void renorm(Context& context, into<Y> y, const X& x, double p, int axis, double most) {
  using namespace detail;
  if constexpr (require_into<Policy, op::renorm, Y, X>()) {
    require_shape("renorm", "an output", y.target.shape(), operand(x).shape());
    renorm_of("renorm", context, p, axis, most, operand(x)).value_into(write(y.target));
  }
}

/// The gradient of renorm; x is what forward was given.
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto renorm_backward(Context& context, const G& grad, const X& x, double p, int axis, double most) {
  return detail::made<detail::gradient_of_t<X, Context>>(context, detail::operand(x).shape(),
                                                         [&](auto gx) { detail::renorm_gradient_into<Policy>(context, into(gx), grad, x, p, axis, most); });
}
template <class Policy, class Context, class Target, class G, class X, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void renorm_backward(Context& context, const Target& gx, const G& grad, const X& x, double p, int axis, double most) {
  detail::renorm_gradient_into<Policy>(context, gx, grad, x, p, axis, most);
}

}}  // namespace amphora
