// Products over axes, forward and backward.
#pragma once
#include <amphora/detail/config.hpp>  // AMPHORA_HD
#include <amphora/format/real.hpp>    // add_once, multiply_once
#include <amphora/op/reduction.hpp>   // op::prod
#include <amphora/ops/call.hpp>       // result_t, require_into, made
#include <amphora/ops/fold.hpp>       // fold_all, gives_pairs_v
#include <amphora/ops/function.hpp>   // map_all
#include <amphora/ops/operand.hpp>    // into, operand
#include <amphora/ops/reduction.hpp>  // axes, axis_set

#include <cmath>    // copysign, HUGE_VAL
#include <cstdint>  // int64_t
#include <limits>   // quiet_NaN

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

inline constexpr double undefined_product = std::numeric_limits<double>::quiet_NaN();

/// How many factors are 0, infinite or NaN, each up to 3, in one number.
struct odd_factors {
  int zeros, infinities, nans;

  AMPHORA_HD static odd_factors of(double code) {
    const int all = static_cast<int>(code);
    return {all & 3, all >> 2 & 3, all >> 4};
  }
  AMPHORA_HD static odd_factors of_one(double x) { return {x == 0, x - x != 0 && x == x, x != x}; }
  AMPHORA_HD double code() const { return static_cast<double>(zeros | infinities << 2 | nans << 4); }
  AMPHORA_HD odd_factors operator+(const odd_factors& other) const { return {up_to_3(zeros + other.zeros), up_to_3(infinities + other.infinities), up_to_3(nans + other.nans)}; }
  AMPHORA_HD odd_factors operator-(const odd_factors& other) const { return {zeros - other.zeros, infinities - other.infinities, nans - other.nans}; }
  /// A product of these and of factors that come to `rest`.
  AMPHORA_HD double product(double rest) const {
    if (nans > 0 || (zeros > 0 && infinities > 0)) return undefined_product;
    return zeros > 0 ? std::copysign(0.0, rest) : infinities > 0 ? std::copysign(HUGE_VAL, rest) : rest;
  }

 private:
  AMPHORA_HD static int up_to_3(int n) { return n > 3 ? 3 : n; }
};

/// The product of what is neither 0, infinite nor NaN, with the signs of all; and what else there is.
struct prod_parts {
  AMPHORA_HD fold_state start() const { return {1, 0}; }
  template <class Real> AMPHORA_HD void add(fold_state& s, Real x) const { s = join(s, {plain(static_cast<double>(x)), odd_factors::of_one(static_cast<double>(x)).code()}); }
  AMPHORA_HD fold_state join(const fold_state& a, const fold_state& b) const {
    return {multiply_once(a.first, b.first), b.second == 0 && a.second == 0 ? 0 : (odd_factors::of(a.second) + odd_factors::of(b.second)).code()};
  }
  AMPHORA_HD fold_state finish(const fold_state& s) const { return s; }
  /// What a factor leaves in the product of the plain ones.
  AMPHORA_HD static double plain(double x) { return x != x ? 1 : x == 0 || x - x != 0 ? std::copysign(1.0, x) : x; }
};
struct prod_fold : prod_parts {
  AMPHORA_HD double finish(const fold_state& s) const { return odd_factors::of(s.second).product(s.first); }
};
/// grad times the product of all others: nothing is divided by a 0, and no infinity by itself.
struct prod_slope {
  AMPHORA_HD double operator()(std::int64_t, double grad, double x, double product, double odd) const {
    const odd_factors others = odd_factors::of(odd) - odd_factors::of_one(x);
    return grad * others.product(product / prod_parts::plain(x));
  }
};

/// Over axes of x: the two numbers of prod_parts for each result, in double.
template <class Context, class X>
class prod_terms {
 public:
  prod_terms(Context& context, const view<const X>& x, const axis_set& over)
      : kept_(kept_shape(x.shape(), over)), pairs_(context, shape{2 * kept_.elements()}) {
    fold_all(list<format_of_t<X>>{}, context, prod_parts{}, x.shape(), over, write(pairs_.view()), x);
  }
  const shape& kept() const { return kept_; }
  view<const double> product() const { return {pairs_.data(), kept_}; }
  view<const double> odd() const { return {pairs_.data() + kept_.elements(), kept_}; }

 private:
  shape kept_;
  tensor<double, Context> pairs_;
};

template <class Policy, class Context, class Target, class G, class X>
void prod_gradient_into(Context& context, const Target& gx, const G& grad, const X& x, const axes& over) {
  if constexpr (may_call<Policy, op::prod, X>()) {
    const auto input = operand(x);
    const axis_set set = axis_set::of(over, input.shape().rank());
    require_shape("prod_backward", "a gradient of the value", operand(grad).shape(), reduced_shape(input.shape(), set, over.keeps()));
    require_shape("prod_backward", "a gradient of x", memory_of(gx).shape(), input.shape());
    const prod_terms<Context, typename decltype(input)::value_type> terms(context, input, set);
    map_all(list<given_t<G>, given_t<X>, f64, f64>{}, context, prod_slope{}, input.shape(), gradient_target(gx), operand(grad).reshaped(terms.kept()), input, terms.product(), terms.odd());
  }
}

}  // namespace detail

/// The product over axes: a reduction, in double whatever comes in, so that none of its steps leaves float's range where the product does not.
///
/// over    axes{} for all; axes{0, -1}; axes{1}.keep() leaves an extent of 1
/// Value   1 where there is nothing to multiply
/// Errors  shape
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto prod(Context& context, const X& x, const axes& over = {}) {
  using result = detail::result_t<Policy, op::prod, Context, X>;
  if constexpr (detail::may_call<Policy, op::prod, X>()) {
    const shape s = detail::operand(x).shape();
    return detail::made<result>(context, detail::reduced_shape(s, detail::axis_set::of(over, s.rank()), over.keeps()), [&](auto y) { prod<Policy>(context, into(y), x, over); });
  } else {
    return result{};
  }
}
template <class Policy, class Context, class Y, class X>
void prod(Context& context, into<Y> y, const X& x, const axes& over = {}) {
  using namespace detail;
  if constexpr (require_into<Policy, op::prod, Y, X>()) {
    const auto input = operand(x);
    const axis_set set = axis_set::of(over, input.shape().rank());
    require_shape("prod", "an output", y.target.shape(), reduced_shape(input.shape(), set, over.keeps()));
    fold_all(list<given_t<X>>{}, context, prod_fold{}, input.shape(), set, write(y.target), input);
  }
}

/// The gradient of prod, each time the product of all others: exact where factors are 0. x is what forward was given.
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto prod_backward(Context& context, const G& grad, const X& x, const axes& over = {}) {
  return detail::made<detail::gradient_of_t<X, Context>>(context, detail::operand(x).shape(), [&](auto gx) { detail::prod_gradient_into<Policy>(context, into(gx), grad, x, over); });
}
template <class Policy, class Context, class Target, class G, class X, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void prod_backward(Context& context, const Target& gx, const G& grad, const X& x, const axes& over = {}) {
  detail::prod_gradient_into<Policy>(context, gx, grad, x, over);
}

}}  // namespace amphora
