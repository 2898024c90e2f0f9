// Ops that are one function of each element of up to three operands: value, slopes and curvatures over formats, with broadcasting.
#pragma once
#include <amphora/detail/config.hpp>  // AMPHORA_HD
#include <amphora/detail/rows.hpp>    // list
#include <amphora/format/real.hpp>    // multiply_once
#include <amphora/ops/add.hpp>        // unbroadcast
#include <amphora/ops/call.hpp>       // read_t, result_t, require_into, made
#include <amphora/ops/kernels.hpp>    // map_kernels, make_loops, broadcast
#include <amphora/ops/operand.hpp>    // into, operand

#include <cstdint>      // int64_t
#include <tuple>        // get, tie
#include <type_traits>  // void_t
#include <utility>      // declval

namespace amphora { inline namespace AMPHORA_ABI {

/// The gradients of an op of three operands: `auto [ga, gb, gc] = …`.
template <class A, class B, class C> struct gradient_triple { A first; B second; C third; };

namespace detail {

/// Names an operand: slope(by<0>, …) is the slope by the first.
template <int Operand> struct by {};

/// A function f of the operands x… has, over float and double:
///
///     f.value(x…)
///     f.slope(by<K>, grad, x…)            grad · ∂f/∂x_K
///     f.curvature(by<K>, by<J>, h, x…)    h · ∂²f/∂x_K ∂x_J; where it has none, that is 0
///     f.bend(by<K>, by<J>)                instead of curvature: ∂²f/∂x_K ∂x_J is this number everywhere
///     f.factor(by<K>)                     instead of slope: f is linear in x_K and this is its slope
template <class Function> struct element_value {
  Function f;
  template <class... Real> AMPHORA_HD auto operator()(std::int64_t, Real... x) const { return f.value(x...); }
};
template <class Function, int K> struct element_slope {
  Function f;
  template <class Real, class... Rest> AMPHORA_HD Real operator()(std::int64_t, Real grad, Rest... x) const { return f.slope(by<K>{}, grad, x...); }
};
template <class Function, int K, int J> struct element_curvature {
  Function f;
  template <class Real, class... Rest> AMPHORA_HD Real operator()(std::int64_t, Real v, Real grad, Rest... x) const {
    return f.curvature(by<K>{}, by<J>{}, multiply_once(v, grad), x...);
  }
};

template <class Always, class Function, int K, int J, class... X> inline constexpr bool bends = false;
template <class Function, int K, int J, class... X>
inline constexpr bool bends<std::void_t<decltype(std::declval<const Function&>().curvature(by<K>{}, by<J>{}, 0.0f, X()...))>, Function, K, J, X...> = true;
template <class> struct float_for { using type = float; };  // an alias of no pack, to nvcc
/// Whether f's slope by operand K depends on operand J.
template <class Function, int K, int J, class... Operands> inline constexpr bool bends_v = bends<void, Function, K, J, typename float_for<Operands>::type...>;

template <class Always, class Function, int K, int J> inline constexpr bool bends_evenly = false;
template <class Function, int K, int J> inline constexpr bool bends_evenly<std::void_t<decltype(std::declval<const Function&>().bend(by<K>{}, by<J>{}))>, Function, K, J> = true;
/// Whether that is so by a number.
template <class Function, int K, int J> inline constexpr bool bends_evenly_v = bends_evenly<void, Function, K, J>;

template <class Always, class Function, int K> inline constexpr bool is_linear = false;
template <class Function, int K> inline constexpr bool is_linear<std::void_t<decltype(std::declval<const Function&>().factor(by<K>{}))>, Function, K> = true;
/// Whether f is linear in operand K, with a slope that depends on nothing.
template <class Function, int K> inline constexpr bool is_linear_v = is_linear<void, Function, K>;

inline shape broadcast_all(const char*, const shape& a) { return a; }
template <class... Rest> shape broadcast_all(const char* call, const shape& a, const shape& b, const Rest&... rest) { return broadcast_all(call, broadcast(call, a, b), rest...); }

/// y = f(x…) over the loops of `wide`.
template <class Context, class Function, class Y, class... Read, class... X>
void map_all(list<Read...>, Context& context, const Function& f, const shape& wide, const target<Y>& y, const view<const X>&... x) {
  map_kernels<typename Context::device>::run(context, f, make_loops<static_cast<int>(sizeof...(X))>(wide, {&x.shape()...}), y, read_as<Read>(x)...);
}
/// The same where y has the shape of an operand that may have been broadcast to `wide`: the sum over the axes that it did not have.
template <class Context, class Function, class Target, class... Read, class... X>
void map_sum(list<Read...> reads, Context& context, const Function& f, const shape& wide, const Target& y, const view<const X>&... x) {
  const shape& own = memory_of(y).shape();
  if (own.elements() == wide.elements()) return map_all(reads, context, f, wide, gradient_target(y), x...);
  using format = arithmetic_format_t<format_of_t<X>...>;
  tensor_of_t<format, Context> each(context, wide);
  map_all(reads, context, f, wide, write(each.view()), x...);
  unbroadcast<format>(context, y, operand(each), own, 1);
}

/// The formats in which Op reads its operands.
template <class Policy, class Op, class... X> using reads_of_t = list<read_t<Policy, Op, given_t<X>, given_t<X>...>...>;
template <class First, class List> struct before_list;
template <class First, class... Rest> struct before_list<First, list<Rest...>> { using t = list<First, Rest...>; };
template <class First, class List> using before_t = typename before_list<First, List>::t;

template <class Policy, class Op, class Context, class Function, class Y, class... X>
void apply_into(const char* call, Context& context, const Function& f, const into<Y>& y, const X&... x) {
  if constexpr (require_into<Policy, Op, Y, X...>()) {
    const shape wide = broadcast_all(call, operand(x).shape()...);
    require_shape(call, "an output", y.target.shape(), wide);
    map_all(reads_of_t<Policy, Op, X...>{}, context, element_value<Function>{f}, wide, write(y.target), operand(x)...);
  }
}
template <class Policy, class Op, class Context, class Function, class... X>
auto applied(const char* call, Context& context, const Function& f, const X&... x) {
  using result = result_t<Policy, Op, Context, X...>;
  if constexpr (may_call<Policy, Op, X...>())
    return made<result>(context, broadcast_all(call, operand(x).shape()...), [&](auto y) { apply_into<Policy, Op>(call, context, f, into(y), x...); });
  else return result{};
}

/// The gradient of operand K: grad · slope, summed over the axes along which that operand was broadcast.
template <int K, class Policy, class Op, class Context, class Function, class Target, class G, class... X>
void slope_into(const char* call, Context& context, const Function& f, const Target& gx, const G& grad, const X&... x) {
  if constexpr (is_gradient_target_v<Target> && may_call<Policy, Op, X...>()) {
    const shape wide = broadcast_all(call, operand(x).shape()...);
    require_shape(call, "a gradient of the value", operand(grad).shape(), wide);
    require_shape(call, "a gradient", memory_of(gx).shape(), operand(std::get<static_cast<std::size_t>(K)>(std::tie(x...))).shape());
    if constexpr (is_linear_v<Function, K>) unbroadcast<given_t<G>>(context, gx, operand(grad), memory_of(gx).shape(), f.factor(by<K>{}));
    else map_sum(before_t<given_t<G>, reads_of_t<Policy, Op, X...>>{}, context, element_slope<Function, K>{f}, wide, gx, operand(grad), operand(x)...);
  }
}
/// Of a single operand, to memory of its own.
template <class Policy, class Op, class Context, class Function, class G, class X>
auto slope(const char* call, Context& context, const Function& f, const G& grad, const X& x) {
  return made<gradient_of_t<X, Context>>(context, operand(x).shape(), [&](auto gx) { slope_into<0, Policy, Op>(call, context, f, into(gx), grad, x); });
}
/// Of two operands, to where each one's gradient is wanted; or to memory of its own.
template <class Policy, class Op, class Context, class Function, class G, class A, class B, class GA, class GB>
void slopes_into(const char* call, Context& context, const Function& f, const G& grad, const A& a, const B& b, const GA& ga, const GB& gb) {
  slope_into<0, Policy, Op>(call, context, f, ga, grad, a, b);
  slope_into<1, Policy, Op>(call, context, f, gb, grad, a, b);
}
template <class Policy, class Op, class Context, class Function, class G, class A, class B>
auto slopes(const char* call, Context& context, const Function& f, const G& grad, const A& a, const B& b) {
  auto result = fresh_pair(context, a, b);
  slopes_into<Policy, Op>(call, context, f, grad, a, b, into(result.first), into(result.second));
  return result;
}
/// Of three.
template <class Policy, class Op, class Context, class Function, class G, class A, class B, class C, class GA, class GB, class GC>
void slopes_into(const char* call, Context& context, const Function& f, const G& grad, const A& a, const B& b, const C& c, const GA& ga, const GB& gb, const GC& gc) {
  slope_into<0, Policy, Op>(call, context, f, ga, grad, a, b, c);
  slope_into<1, Policy, Op>(call, context, f, gb, grad, a, b, c);
  slope_into<2, Policy, Op>(call, context, f, gc, grad, a, b, c);
}
template <class Policy, class Op, class Context, class Function, class G, class A, class B, class C>
auto slopes(const char* call, Context& context, const Function& f, const G& grad, const A& a, const B& b, const C& c) {
  gradient_triple<gradient_of_t<A, Context>, gradient_of_t<B, Context>, gradient_of_t<C, Context>> result{
      {context, operand(a).shape()}, {context, operand(b).shape()}, {context, operand(c).shape()}};
  slopes_into<Policy, Op>(call, context, f, grad, a, b, c, into(result.first), into(result.second), into(result.third));
  return result;
}

/// For second derivatives, over the loops of `wide` and summed to the shape of y, as gradients are: g · slope by operand K, and v · g · curvature by
/// K and J; g and v may be of a narrower shape.
template <int K, class Policy, class Op, class Context, class Function, class Target, class G, class... X>
void slope_sum(Context& context, const Function& f, const shape& wide, const Target& y, const G& g, const X&... x) {
  map_sum(before_t<given_t<G>, reads_of_t<Policy, Op, X...>>{}, context, element_slope<Function, K>{f}, wide, y, operand(g), operand(x)...);
}
template <int K, int J, class Policy, class Op, class Context, class Function, class Target, class V, class G, class... X>
void curvature_sum(Context& context, const Function& f, const shape& wide, const Target& y, const V& v, const G& g, const X&... x) {
  map_sum(before_t<given_t<V>, before_t<given_t<G>, reads_of_t<Policy, Op, X...>>>{}, context, element_curvature<Function, K, J>{f}, wide, y, operand(v), operand(g), operand(x)...);
}

}  // namespace detail
}}  // namespace amphora
