// sub, mul, div, addcmul, addcdiv, atan2, maximum, minimum, lerp and where of variables.
#pragma once
#include <amphora/autograd/function.hpp>  // apply_taped
#include <amphora/ops/addcmul.hpp>        // addcmul_function
#include <amphora/ops/arithmetic.hpp>     // mul_function
#include <amphora/ops/atan2.hpp>          // atan2_function
#include <amphora/ops/lerp.hpp>           // lerp_function, lerp_number_function
#include <amphora/ops/maximum.hpp>        // extremum_function
#include <amphora/ops/number.hpp>         // mul_number_function
#include <amphora/ops/where.hpp>          // where, taken_into

namespace amphora { inline namespace AMPHORA_ABI {

namespace detail {

/// The part of a gradient that belongs to what was taken, summed to the shape of the value; and the other way round. It has derivatives of any order.
struct taken_record {
  view<const bool> condition;
  bool where;
  shape wide;

  template <class Pass, class H, class G> void backward(Pass& pass, const H& h, const H&, const G& gradient) const { give(pass, gradient, h); }
  template <class Pass, class To, class G> void give(Pass& pass, const To& to, const G& gradient) const {
    pass.write(to, [&](auto target) { map_sum(list<e5m2, given_t<G>>{}, pass.context(), taken_function{where}, wide, target, truths(condition), gradient.value()); },
               *this, gradient);
  }
};
struct where_record {
  view<const bool> condition;
  template <class Pass, class G, class A, class B> void backward(Pass& pass, const G& gradient, const G&, const A& a, const B& b) const {
    taken_record{condition, true, gradient.shape()}.give(pass, a, gradient);
    taken_record{condition, false, gradient.shape()}.give(pass, b, gradient);
  }
};

}  // namespace detail

/// As of ops/arithmetic.hpp, recorded. sub and mul have derivatives of any order, div has second ones, and by its gradient all.
template <class Policy, class Context, class A, class B, detail::if_variables_t<A, B> = 0>
auto sub(const tape<Context>& recording, const A& a, const B& b, double alpha = 1) {
  return detail::apply_taped<Policy, op::sub>("sub", recording, detail::sub_function{alpha}, a, b);
}
template <class Policy, class Context, class A, class B, detail::if_variables_t<A, B> = 0>
auto mul(const tape<Context>& recording, const A& a, const B& b) {
  return detail::apply_taped<Policy, op::mul>("mul", recording, detail::mul_function{}, a, b);
}
template <class Policy, class Context, class A, class B, detail::if_variables_t<A, B> = 0>
auto div(const tape<Context>& recording, const A& a, const B& b) {
  return detail::apply_taped<Policy, op::div>("div", recording, detail::div_function{}, a, b);
}
template <class Policy, class Context, class A, class B, detail::if_variables_t<A, B> = 0>
auto div(const tape<Context>& recording, const A& a, const B& b, rounding to) {
  return to == rounding::none ? div<Policy>(recording, a, b) : detail::apply_taped<Policy, op::div>("div", recording, detail::rounded_div_function{to}, a, b);
}

/// As of ops/number.hpp, recorded: by a number mul and div have derivatives of any order, a number divided by a variable has second ones.
template <class Policy, class Context, class X, detail::if_variables_t<X> = 0>
auto mul(const tape<Context>& recording, const X& x, double number) {
  return detail::apply_taped<Policy, op::mul>("mul", recording, detail::mul_number_function{number}, x);
}
template <class Policy, class Context, class X, detail::if_variables_t<X> = 0>
auto div(const tape<Context>& recording, const X& x, double number) {
  return detail::apply_taped<Policy, op::div>("div", recording, detail::div_number_function{number}, x);
}
template <class Policy, class Context, class X, detail::if_variables_t<X> = 0>
auto div(const tape<Context>& recording, double number, const X& x) {
  return detail::apply_taped<Policy, op::rdiv>("div", recording, detail::number_div_function{number}, x);
}

/// As of ops/addcmul.hpp, recorded: addcmul as mul, addcdiv as div.
template <class Policy, class Context, class X, class A, class B, detail::if_variables_t<X, A, B> = 0>
auto addcmul(const tape<Context>& recording, const X& x, const A& a, const B& b, double value = 1) {
  return detail::apply_taped<Policy, op::addcmul>("addcmul", recording, detail::addcmul_function{value}, x, a, b);
}
template <class Policy, class Context, class X, class A, class B, detail::if_variables_t<X, A, B> = 0>
auto addcdiv(const tape<Context>& recording, const X& x, const A& a, const B& b, double value = 1) {
  return detail::apply_taped<Policy, op::addcdiv>("addcdiv", recording, detail::addcdiv_function{value}, x, a, b);
}

/// As of ops/atan2.hpp, recorded, with second derivatives.
template <class Policy, class Context, class A, class B, detail::if_variables_t<A, B> = 0>
auto atan2(const tape<Context>& recording, const A& a, const B& b) {
  return detail::apply_taped<Policy, op::atan2>("atan2", recording, detail::atan2_function{}, a, b);
}

/// As of ops/maximum.hpp, recorded: their second derivatives are 0, and derivatives by a gradient are of any order.
template <class Policy, class Context, class A, class B, detail::if_variables_t<A, B> = 0>
auto maximum(const tape<Context>& recording, const A& a, const B& b) {
  return detail::apply_taped<Policy, op::maximum>("maximum", recording, detail::extremum_function{1}, a, b);
}
template <class Policy, class Context, class A, class B, detail::if_variables_t<A, B> = 0>
auto minimum(const tape<Context>& recording, const A& a, const B& b) {
  return detail::apply_taped<Policy, op::minimum>("minimum", recording, detail::extremum_function{-1}, a, b);
}

/// As of ops/lerp.hpp, recorded, with derivatives of any order by a number, and second ones by a variable.
template <class Policy, class Context, class A, class B, detail::if_variables_t<A, B> = 0>
auto lerp(const tape<Context>& recording, const A& a, const B& b, double weight) {
  return detail::apply_taped<Policy, op::lerp>("lerp", recording, detail::lerp_number_function{weight}, a, b);
}
template <class Policy, class Context, class A, class B, class W, detail::if_variables_t<A, B, W> = 0>
auto lerp(const tape<Context>& recording, const A& a, const B& b, const W& weight) {
  return detail::apply_taped<Policy, op::lerp>("lerp", recording, detail::lerp_function{}, a, b, weight);
}

/// As of ops/where.hpp, recorded, with derivatives of any order.
///
/// condition  bool; must outlive the graph
template <class Policy, class Context, class C, class A, class B, detail::if_variables_t<A, B> = 0>
auto where(const tape<Context>& recording, const C& condition, const A& a, const B& b) {
  return record(recording, where<Policy>(recording.context(), condition, a.value(), b.value()), detail::where_record{detail::operand(condition)}, a, b);
}

}}  // namespace amphora
