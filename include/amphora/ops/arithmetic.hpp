// a − alpha · b, a · b and a / b with broadcasting, forward and backward.
#pragma once
#include <amphora/detail/config.hpp>  // AMPHORA_HD
#include <amphora/format/real.hpp>    // add_once, multiply_once
#include <amphora/op/promoting.hpp>   // op::sub, op::mul, op::div
#include <amphora/ops/function.hpp>   // applied, slopes

#include <cmath>  // copysign, floor, fmod, trunc

namespace amphora { inline namespace AMPHORA_ABI {

/// What div does with what is behind the point.
enum class rounding {
  none,   ///< keeps it
  trunc,  ///< towards zero
  floor,  ///< down
};

namespace detail {

/// alpha = 0 takes nothing of b, not even a NaN.
struct sub_function {
  double alpha;
  template <class Real> AMPHORA_HD constexpr Real value(Real a, Real b) const { return alpha == 0 ? a : add_once(a, -multiply_once(static_cast<Real>(alpha), b)); }
  constexpr double factor(by<0>) const { return 1; }
  constexpr double factor(by<1>) const { return -alpha; }
};
struct mul_function {
  template <class Real> AMPHORA_HD constexpr Real value(Real a, Real b) const { return a * b; }
  template <class Real> AMPHORA_HD constexpr Real slope(by<0>, Real grad, Real, Real b) const { return grad * b; }
  template <class Real> AMPHORA_HD constexpr Real slope(by<1>, Real grad, Real a, Real) const { return grad * a; }
  constexpr double bend(by<0>, by<1>) const { return 1; }
  constexpr double bend(by<1>, by<0>) const { return 1; }
};
struct div_function {
  template <class Real> AMPHORA_HD constexpr Real value(Real a, Real b) const { return a / b; }
  template <class Real> AMPHORA_HD constexpr Real slope(by<0>, Real grad, Real, Real b) const { return grad / b; }
  template <class Real> AMPHORA_HD constexpr Real slope(by<1>, Real grad, Real a, Real b) const { return -grad * (a / b / b); }
  template <class Real> AMPHORA_HD constexpr Real curvature(by<0>, by<1>, Real h, Real, Real b) const { return -h / b / b; }
  template <class Real> AMPHORA_HD constexpr Real curvature(by<1>, by<0>, Real h, Real, Real b) const { return -h / b / b; }
  template <class Real> AMPHORA_HD constexpr Real curvature(by<1>, by<1>, Real h, Real a, Real b) const { return 2 * h * (a / b / b / b); }
};
/// Flat but for its steps: the gradients are 0, at the steps too. Down as Python's //: from the remainder, since a rounded quotient may have
/// passed an integer.
struct rounded_div_function {
  rounding to;
  template <class Real> AMPHORA_HD Real value(Real a, Real b) const {
    const Real quotient = a / b;
    if (to == rounding::trunc || b == 0) return std::trunc(quotient);
    const Real rest = std::fmod(a, b), whole = (a - rest) / b - ((rest != 0 && (b < 0) != (rest < 0)) ? Real(1) : Real(0));
    if (whole == 0) return std::copysign(Real(0), quotient);
    const Real down = std::floor(whole);
    return whole - down > Real(0.5) ? down + 1 : down;
  }
  template <int K, class Real> AMPHORA_HD constexpr Real slope(by<K>, Real, Real, Real) const { return 0; }
};

}  // namespace detail

/// a − alpha · b in the widest input format, each element rounded once.
///
/// a, b    shapes that broadcast
/// Value   the broadcast shape; sub<Policy>(context, into(y), a, b) writes it to y, which may be an operand of that shape
/// Errors  shape
template <class Policy, class Context, class A, class B, std::enable_if_t<detail::is_operand_v<A> && detail::is_operand_v<B>, int> = 0>
auto sub(Context& context, const A& a, const B& b, double alpha = 1) { return detail::applied<Policy, op::sub>("sub", context, detail::sub_function{alpha}, a, b); }
template <class Policy, class Context, class Y, class A, class B, std::enable_if_t<detail::is_operand_v<A> && detail::is_operand_v<B>, int> = 0>
void sub(Context& context, into<Y> y, const A& a, const B& b, double alpha = 1) {
  detail::apply_into<Policy, op::sub>("sub", context, detail::sub_function{alpha}, y, a, b);
}

/// The gradients of sub; of a and b only shape and format are looked at.
///
/// ga, gb  into(view), add_to(view) or no_gradient{}
template <class Policy, class Context, class G, class A, class B, class GA, class GB, std::enable_if_t<detail::is_gradient_choice_v<GA>, int> = 0>
void sub_backward(Context& context, const G& grad, const A& a, const B& b, const GA& ga, const GB& gb, double alpha = 1) {
  detail::slopes_into<Policy, op::sub>("sub_backward", context, detail::sub_function{alpha}, grad, a, b, ga, gb);
}
template <class Policy, class Context, class G, class A, class B, std::enable_if_t<detail::is_operand_v<A> && detail::is_operand_v<B>, int> = 0>
auto sub_backward(Context& context, const G& grad, const A& a, const B& b, double alpha = 1) {
  return detail::slopes<Policy, op::sub>("sub_backward", context, detail::sub_function{alpha}, grad, a, b);
}

/// a · b, under the rules of sub.
template <class Policy, class Context, class A, class B, std::enable_if_t<detail::is_operand_v<A> && detail::is_operand_v<B>, int> = 0>
auto mul(Context& context, const A& a, const B& b) { return detail::applied<Policy, op::mul>("mul", context, detail::mul_function{}, a, b); }
template <class Policy, class Context, class Y, class A, class B, std::enable_if_t<detail::is_operand_v<A> && detail::is_operand_v<B>, int> = 0>
void mul(Context& context, into<Y> y, const A& a, const B& b) {
  detail::apply_into<Policy, op::mul>("mul", context, detail::mul_function{}, y, a, b);
}

/// The gradients of mul.
///
/// ga, gb  into(view), add_to(view) or no_gradient{}
template <class Policy, class Context, class G, class A, class B, class GA, class GB, std::enable_if_t<detail::is_gradient_choice_v<GA>, int> = 0>
void mul_backward(Context& context, const G& grad, const A& a, const B& b, const GA& ga, const GB& gb) {
  detail::slopes_into<Policy, op::mul>("mul_backward", context, detail::mul_function{}, grad, a, b, ga, gb);
}
template <class Policy, class Context, class G, class A, class B, std::enable_if_t<detail::is_operand_v<A> && detail::is_operand_v<B>, int> = 0>
auto mul_backward(Context& context, const G& grad, const A& a, const B& b) {
  return detail::slopes<Policy, op::mul>("mul_backward", context, detail::mul_function{}, grad, a, b);
}

/// a / b, under the rules of sub.
template <class Policy, class Context, class A, class B, std::enable_if_t<detail::is_operand_v<A> && detail::is_operand_v<B>, int> = 0>
auto div(Context& context, const A& a, const B& b) { return detail::applied<Policy, op::div>("div", context, detail::div_function{}, a, b); }
template <class Policy, class Context, class Y, class A, class B, std::enable_if_t<detail::is_operand_v<A> && detail::is_operand_v<B>, int> = 0>
void div(Context& context, into<Y> y, const A& a, const B& b) {
  detail::apply_into<Policy, op::div>("div", context, detail::div_function{}, y, a, b);
}

/// The gradients of div.
///
/// ga, gb  into(view), add_to(view) or no_gradient{}
template <class Policy, class Context, class G, class A, class B, class GA, class GB, std::enable_if_t<detail::is_gradient_choice_v<GA>, int> = 0>
void div_backward(Context& context, const G& grad, const A& a, const B& b, const GA& ga, const GB& gb) {
  detail::slopes_into<Policy, op::div>("div_backward", context, detail::div_function{}, grad, a, b, ga, gb);
}
template <class Policy, class Context, class G, class A, class B, std::enable_if_t<detail::is_operand_v<A> && detail::is_operand_v<B>, int> = 0>
auto div_backward(Context& context, const G& grad, const A& a, const B& b) {
  return detail::slopes<Policy, op::div>("div_backward", context, detail::div_function{}, grad, a, b);
}

/// a / b rounded to an integer: div<Policy>(context, a, b, rounding::floor).
template <class Policy, class Context, class A, class B, std::enable_if_t<detail::is_operand_v<A>, int> = 0>
auto div(Context& context, const A& a, const B& b, rounding to) {
  using result = detail::result_t<Policy, op::div, Context, A, B>;
  if constexpr (detail::may_call<Policy, op::div, A, B>())
    return detail::made<result>(context, detail::broadcast("div", detail::operand(a).shape(), detail::operand(b).shape()),
                                [&](auto y) { div<Policy>(context, into(y), a, b, to); });
  else return result{};
}
template <class Policy, class Context, class Y, class A, class B>
void div(Context& context, into<Y> y, const A& a, const B& b, rounding to) {
  if (to == rounding::none) detail::apply_into<Policy, op::div>("div", context, detail::div_function{}, y, a, b);
  else detail::apply_into<Policy, op::div>("div", context, detail::rounded_div_function{to}, y, a, b);
}

/// The gradients of div with a rounding: 0 where it rounds.
template <class Policy, class Context, class G, class A, class B, class GA, class GB, std::enable_if_t<detail::is_gradient_choice_v<GA>, int> = 0>
void div_backward(Context& context, const G& grad, const A& a, const B& b, const GA& ga, const GB& gb, rounding to) {
  if (to == rounding::none) detail::slopes_into<Policy, op::div>("div_backward", context, detail::div_function{}, grad, a, b, ga, gb);
  else detail::slopes_into<Policy, op::div>("div_backward", context, detail::rounded_div_function{to}, grad, a, b, ga, gb);
}
template <class Policy, class Context, class G, class A, class B>
auto div_backward(Context& context, const G& grad, const A& a, const B& b, rounding to) {
  auto result = detail::fresh_pair(context, a, b);
  div_backward<Policy>(context, grad, a, b, into(result.first), into(result.second), to);
  return result;
}

}}  // namespace amphora
