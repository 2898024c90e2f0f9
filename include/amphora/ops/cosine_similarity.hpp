// The cosine of the angle between vectors along an axis, forward and backward.
#pragma once
#include <amphora/detail/config.hpp>   // AMPHORA_HD
#include <amphora/op/reduction.hpp>    // op::cosine_similarity
#include <amphora/ops/call.hpp>        // result_t, require_into, made, fresh_pair
#include <amphora/ops/fold.hpp>        // fold_all, map_or_fold
#include <amphora/ops/function.hpp>    // map_all, broadcast_all
#include <amphora/ops/norm_rule.hpp>   // norm_fold
#include <amphora/ops/operand.hpp>     // into, operand

#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// For each pair of vectors, from their product and norms. As in PyTorch each norm is at least eps in the value, while the slope is that of the norm
/// itself: x / norm, and 0 for the zero vector.
struct cosine_rule {
  double eps;
  template <class Real> AMPHORA_HD constexpr Real size(Real norm) const { return norm < static_cast<Real>(eps) ? static_cast<Real>(eps) : norm; }
};
struct cosine_value {
  cosine_rule rule;
  template <class Real> AMPHORA_HD constexpr Real operator()(std::int64_t, Real product, Real norm_a, Real norm_b) const { return product / rule.size(norm_a) / rule.size(norm_b); }
};
/// What of b, and of a, the gradient of a is made of.
struct cosine_slope_other {
  cosine_rule rule;
  template <class Real> AMPHORA_HD constexpr Real operator()(std::int64_t, Real grad, Real norm_a, Real norm_b) const { return grad / rule.size(norm_a) / rule.size(norm_b); }
};
struct cosine_slope_own {
  cosine_rule rule;
  template <class Real> AMPHORA_HD constexpr Real operator()(std::int64_t, Real grad, Real product, Real norm_a, Real norm_b) const {
    return norm_a == 0 ? Real(0) : -grad * (product / rule.size(norm_a) / rule.size(norm_b)) / rule.size(norm_a) / norm_a;
  }
};
struct weighted_pair {
  template <class Real> AMPHORA_HD constexpr Real operator()(std::int64_t, Real weight_a, Real a, Real weight_b, Real b) const { return weight_a * a + weight_b * b; }
};

/// Two arrays of vectors along an axis of the shape that they are broadcast to.
template <class Context, class A, class B>
class cosine_terms {
 public:
  using format = arithmetic_format_t<format_of_t<A>, format_of_t<B>>;
  using numbers = tensor_of_t<format, Context>;
  using sums = tensor<double, Context>;  ///< a product of norms may leave float's range where their quotient does not

  cosine_terms(Context& context, double eps, int axis, const view<const A>& a, const view<const B>& b)
      : rule{eps}, wide(broadcast("cosine_similarity", a.shape(), b.shape())), over(axis_set::of({axis}, wide.rank())), kept(kept_shape(wide, over)), a_(a), b_(b), context_(context) {}

  sums dot() const { return dot(a_, b_); }
  sums norm_a() const { return norm(a_); }
  sums norm_b() const { return norm(b_); }
  template <class X, class Y> sums dot(const view<const X>& x, const view<const Y>& y) const {
    sums result(context_, kept);
    fold_all(list<format_of_t<X>, format_of_t<Y>>{}, context_, sum_of_terms<times_each>{}, wide, over, write(result.view()), x, y);
    return result;
  }
  template <class X> sums norm(const view<const X>& x) const {
    sums result(context_, kept);  // of what is broadcast along the axis too, as often as it stands there
    fold_all(list<format_of_t<X>>{}, context_, norm_fold{}, wide, over, write(result.view()), x);
    return result;
  }
  /// A function of numbers of each pair.
  template <class Function, class... X> numbers each(const Function& f, const view<const X>&... x) const {
    numbers result(context_, kept);
    map_all(list<format_of_t<X>...>{}, context_, f, kept, write(result.view()), x...);
    return result;
  }
  template <class Y> void value_into(const target<Y>& y) const {
    const sums product = dot(), size_a = norm_a(), size_b = norm_b();
    map_all(list<f64, f64, f64>{}, context_, cosine_value{rule}, kept, y, product.view(), size_a.view(), size_b.view());
  }
  /// The gradient of a; that of b is of the terms the other way round.
  template <class Target, class G> void slope_into(const Target& ga, const view<const G>& grad) const {
    const sums product = dot(), size_a = norm_a(), size_b = norm_b();
    const numbers other = each(cosine_slope_other{rule}, grad.reshaped(kept), size_a.view(), size_b.view());
    const numbers own = each(cosine_slope_own{rule}, grad.reshaped(kept), product.view(), size_a.view(), size_b.view());
    map_or_fold(list<format, format_of_t<B>, format, format_of_t<A>>{}, context_, weighted_pair{}, wide, ga, other.view(), b_, own.view(), a_);
  }

  cosine_rule rule;
  shape wide;
  axis_set over;
  shape kept;

 private:
  view<const A> a_;
  view<const B> b_;
  Context& context_;
};
template <class Context, class A, class B>
cosine_terms<Context, A, B> cosine_of(Context& context, double eps, int axis, const view<const A>& a, const view<const B>& b) { return {context, eps, axis, a, b}; }

inline shape cosine_shape(const char* call, const shape& a, const shape& b, int axis) {
  const shape wide = broadcast(call, a, b);
  return reduced_shape(wide, axis_set::of({axis}, wide.rank()), false);
}

}  // namespace detail

/// Σ a b / (|a| |b|) along an axis: a reduction, in float with sums in double, whatever comes in. Each norm counts as eps at least.
///
/// a, b    shapes that broadcast
/// axis    of the shape that they broadcast to; a negative one counts from the end
/// Errors  shape
template <class Policy, class Context, class A, class B, std::enable_if_t<detail::is_operand_v<A> && detail::is_operand_v<B>, int> = 0>
auto cosine_similarity(Context& context, const A& a, const B& b, int axis = 1, double eps = 1e-8) {
  using result = detail::result_t<Policy, op::cosine_similarity, Context, A, B>;
  if constexpr (detail::may_call<Policy, op::cosine_similarity, A, B>())
    return detail::made<result>(context, detail::cosine_shape("cosine_similarity", detail::operand(a).shape(), detail::operand(b).shape(), axis),
                                [&](auto y) { cosine_similarity<Policy>(context, into(y), a, b, axis, eps); });
  else return result{};
}
template <class Policy, class Context, class Y, class A, class B, std::enable_if_t<detail::is_operand_v<A> && detail::is_operand_v<B>, int> = 0>
void cosine_similarity(Context& context, into<Y> y, const A& a, const B& b, int axis = 1, double eps = 1e-8) {
  using namespace detail;
  if constexpr (require_into<Policy, op::cosine_similarity, Y, A, B>()) {
    require_shape("cosine_similarity", "an output", y.target.shape(), cosine_shape("cosine_similarity", operand(a).shape(), operand(b).shape(), axis));
    cosine_of(context, eps, axis, operand(a), operand(b)).value_into(write(y.target));
  }
}

/// The gradients of cosine_similarity. Below eps they are not those of the value, which is flat in the norm there: PyTorch's convention, so that a zero
/// vector has one of order 1 / eps.
///
/// ga, gb  into(view), add_to(view) or no_gradient{}
template <class Policy, class Context, class G, class A, class B, class GA, class GB, std::enable_if_t<detail::is_gradient_choice_v<GA>, int> = 0>
void cosine_similarity_backward(Context& context, const G& grad, const A& a, const B& b, const GA& ga, const GB& gb, int axis = 1, double eps = 1e-8) {
  using namespace detail;
  if constexpr (may_call<Policy, op::cosine_similarity, A, B>()) {
    constexpr const char* call = "cosine_similarity_backward";
    require_shape(call, "a gradient of the value", operand(grad).shape(), cosine_shape(call, operand(a).shape(), operand(b).shape(), axis));
    if constexpr (is_gradient_target_v<GA>) require_shape(call, "a gradient of a", memory_of(ga).shape(), operand(a).shape());
    if constexpr (is_gradient_target_v<GB>) require_shape(call, "a gradient of b", memory_of(gb).shape(), operand(b).shape());
    if constexpr (is_gradient_target_v<GA>) cosine_of(context, eps, axis, operand(a), operand(b)).slope_into(ga, operand(grad));
    if constexpr (is_gradient_target_v<GB>) cosine_of(context, eps, axis, operand(b), operand(a)).slope_into(gb, operand(grad));
  }
}
template <class Policy, class Context, class G, class A, class B, std::enable_if_t<detail::is_operand_v<A> && detail::is_operand_v<B>, int> = 0>
auto cosine_similarity_backward(Context& context, const G& grad, const A& a, const B& b, int axis = 1, double eps = 1e-8) {
  auto result = detail::fresh_pair(context, a, b);
  cosine_similarity_backward<Policy>(context, grad, a, b, into(result.first), into(result.second), axis, eps);
  return result;
}

}}  // namespace amphora
