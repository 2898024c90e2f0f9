// The logarithm of a sum of exponentials over axes, forward and backward.
#pragma once
#include <amphora/detail/config.hpp>   // AMPHORA_HD
#include <amphora/format/real.hpp>     // add_once, multiply_once
#include <amphora/op/reduction.hpp>    // op::logsumexp
#include <amphora/ops/call.hpp>        // result_t, require_into, made
#include <amphora/ops/fold.hpp>        // fold_all, map_all
#include <amphora/ops/function.hpp>    // map_all
#include <amphora/ops/operand.hpp>     // into, operand
#include <amphora/ops/reduction.hpp>   // axes, axis_set

#include <cmath>    // exp, log
#include <cstdint>  // int64_t
#include <limits>   // infinity

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

inline constexpr double positive_infinity = std::numeric_limits<double>::infinity();

/// Σ exp(sign · x) as the largest term so far and the sum in units of it: one exponential a term, and none overflows.
struct exponential_sum {
  double sign;

  AMPHORA_HD fold_state start() const { return {-positive_infinity, 0}; }
  template <class Real> AMPHORA_HD void add(fold_state& s, Real x) const {
    const Real here = static_cast<Real>(sign) * x, largest = static_cast<Real>(s.first);
    if (here <= largest) {
      s.second = add_once(s.second, here == largest ? 1.0 : static_cast<double>(std::exp(here - largest)));
    } else {
      s.second = add_once(s.second > 0 ? multiply_once(s.second, static_cast<double>(std::exp(largest - here))) : s.second, here > largest ? 1.0 : static_cast<double>(here));
      if (here > largest) s.first = static_cast<double>(here);
    }
  }
  AMPHORA_HD fold_state join(const fold_state& a, const fold_state& b) const {
    const double largest = a.first > b.first ? a.first : b.first;
    return {largest, add_once(part(a, largest), part(b, largest))};
  }
  AMPHORA_HD double finish(const fold_state& s) const { return s.first + std::log(s.second); }

 private:
  AMPHORA_HD static double part(const fold_state& s, double largest) { return s.first == largest || s.second == 0 ? s.second : multiply_once(s.second, std::exp(s.first - largest)); }
};
/// grad · exp(sign · x − logsumexp).
struct times_share {
  double sign;
  template <class Real> AMPHORA_HD Real share(Real x, Real log_sum) const { return std::exp(static_cast<Real>(sign) * x - log_sum); }
  template <class Real> AMPHORA_HD Real operator()(std::int64_t, Real grad, Real x, Real log_sum) const { return grad * share(x, log_sum); }
};

/// log Σ exp(sign · x) for each result, where it broadcasts against x; in float, or double where x is f64.
template <class Context, class X>
auto log_sums(Context& context, const view<const X>& x, const axis_set& over, double sign = 1) {
  tensor_of_t<arithmetic_format_t<format_of_t<X>>, Context> result(context, kept_shape(x.shape(), over));
  fold_all(list<format_of_t<X>>{}, context, exponential_sum{sign}, x.shape(), over, write(result.view()), x);
  return result;
}
/// Σ h · share for each result, to a target.
template <class Context, class Y, class H, class X, class L>
void share_sums(Context& context, const target<Y>& y, const view<const H>& h, const view<const X>& x, const view<const L>& log_sum, const axis_set& over, double sign = 1) {
  fold_all(list<format_of_t<H>, format_of_t<X>, format_of_t<L>>{}, context, sum_of_terms<times_share>{{sign}}, x.shape(), over, y, h, x, log_sum);
}

template <class Policy, class Context, class Target, class G, class X>
void logsumexp_gradient_into(Context& context, const Target& gx, const G& grad, const X& x, const axes& over) {
  if constexpr (may_call<Policy, op::logsumexp, X>()) {
    const auto input = operand(x);
    const axis_set set = axis_set::of(over, input.shape().rank());
    require_shape("logsumexp_backward", "a gradient of the value", operand(grad).shape(), reduced_shape(input.shape(), set, over.keeps()));
    require_shape("logsumexp_backward", "a gradient of x", memory_of(gx).shape(), input.shape());
    const auto log_sum = log_sums(context, input, set);
    map_all(list<given_t<G>, given_t<X>, typename decltype(log_sum)::format>{}, context, times_share{1}, input.shape(), gradient_target(gx),
            operand(grad).reshaped(log_sum.shape()), input, log_sum.view());
  }
}

}  // namespace detail

/// log Σ exp(x) over axes: a reduction, in float whatever comes in, in one pass that overflows nowhere.
///
/// over    axes{} for all; axes{0, -1}; axes{1}.keep() leaves an extent of 1
/// Value   −inf where there is nothing to add, or −inf alone
/// Errors  shape
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto logsumexp(Context& context, const X& x, const axes& over = {}) {
  using result = detail::result_t<Policy, op::logsumexp, Context, X>;
  if constexpr (detail::may_call<Policy, op::logsumexp, X>()) {
    const shape s = detail::operand(x).shape();
    return detail::made<result>(context, detail::reduced_shape(s, detail::axis_set::of(over, s.rank()), over.keeps()), [&](auto y) { logsumexp<Policy>(context, into(y), x, over); });
  } else {
    return result{};
  }
}
template <class Policy, class Context, class Y, class X>
void logsumexp(Context& context, into<Y> y, const X& x, const axes& over = {}) {
  using namespace detail;
  if constexpr (require_into<Policy, op::logsumexp, Y, X>()) {
    const auto input = operand(x);
    const axis_set set = axis_set::of(over, input.shape().rank());
    require_shape("logsumexp", "an output", y.target.shape(), reduced_shape(input.shape(), set, over.keeps()));
    fold_all(list<given_t<X>>{}, context, exponential_sum{1}, input.shape(), set, write(y.target), input);
  }
}

/// The gradient of logsumexp, grad · exp(x − logsumexp); x is what forward was given. NaN at +inf, and where all are −inf.
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto logsumexp_backward(Context& context, const G& grad, const X& x, const axes& over = {}) {
  return detail::made<detail::gradient_of_t<X, Context>>(context, detail::operand(x).shape(),
                                                         [&](auto gx) { detail::logsumexp_gradient_into<Policy>(context, into(gx), grad, x, over); });
}
template <class Policy, class Context, class Target, class G, class X, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void logsumexp_backward(Context& context, const Target& gx, const G& grad, const X& x, const axes& over = {}) {
  detail::logsumexp_gradient_into<Policy>(context, gx, grad, x, over);
}

}}  // namespace amphora
