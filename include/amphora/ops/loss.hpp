// Losses of each element, added up or left as they are: from a function over operands that broadcast to one kernel each way.
#pragma once
#include <amphora/detail/config.hpp>       // AMPHORA_HD
#include <amphora/ops/function.hpp>        // element_value, slope_sum, broadcast_all, by
#include <amphora/ops/loss_reduction.hpp>  // reduction, batch
#include <amphora/ops/map_reduce.hpp>      // map_reduce
#include <amphora/ops/operand.hpp>         // into, operand

#include <type_traits>  // void_t
#include <utility>      // declval

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// A function whose sum is divided: its slopes and bends are by the divisor smaller. Its value is not divided, since the sum is.
template <class Function>
struct averaged {
  Function f;
  double divisor;

  template <class... Real> AMPHORA_HD auto value(Real... x) const { return f.value(x...); }
  template <int K, class Real, class... X> AMPHORA_HD Real slope(by<K> k, Real grad, X... x) const { return f.slope(k, grad / static_cast<Real>(divisor), x...); }
  template <int K, int J, class Real, class... X, class Has = Function>
  AMPHORA_HD auto curvature(by<K> k, by<J> j, Real h, X... x) const -> decltype(std::declval<const Has&>().curvature(k, j, h, x...)) {
    return f.curvature(k, j, h / static_cast<Real>(divisor), x...);
  }
  template <int K, int J, class Has = Function>
  auto bend(by<K> k, by<J> j) const -> decltype(std::declval<const Has&>().bend(k, j)) { return f.bend(k, j) / divisor; }
};

template <class Always, class Function, int K, class... X> inline constexpr bool slopes_by = false;
template <class Function, int K, class... X>
inline constexpr bool slopes_by<std::void_t<decltype(std::declval<const Function&>().slope(by<K>{}, 0.0f, X()...))>, Function, K, X...> = true;
/// Whether f has a slope by operand K: weights, and targets that are but signs, take no gradient.
template <class Function, int K, class... Operands> inline constexpr bool slopes_by_v = slopes_by<void, Function, K, typename float_for<Operands>::type...>;

/// A loss of the error x − t alone: Error has value(d), slope(grad, d) and curvature(h, d).
template <class Error>
struct error_function {
  Error e;
  template <class Real> AMPHORA_HD Real value(Real x, Real t) const { return e.value(x - t); }
  template <int K, class Real> AMPHORA_HD Real slope(by<K>, Real grad, Real x, Real t) const {
    const Real s = e.slope(grad, x - t);
    return K == 0 ? s : -s;
  }
  template <int K, int J, class Real, class Has = Error>
  AMPHORA_HD auto curvature(by<K>, by<J>, Real h, Real x, Real t) const -> decltype(std::declval<const Has&>().curvature(h, x - t)) {
    const Real c = e.curvature(h, x - t);
    return K == J ? c : -c;
  }
};

/// y = the losses f(x…) of the broadcast elements, reduced.
template <class Policy, class Op, class Context, class Function, class Y, class... X>
void loss_into(const char* call, Context& context, const Function& f, const batch& all, const into<Y>& y, const X&... x) {
  if constexpr (require_into<Policy, Op, Y, X...>()) {
    const shape wide = broadcast_all(call, operand(x).shape()...);
    require_shape(call, "a loss", y.target.shape(), all.of(wide));
    if (all.reduction == reduction::none) map_all(reads_of_t<Policy, Op, X...>{}, context, element_value<Function>{f}, wide, write(y.target), operand(x)...);
    else map_reduce<accumulate_t<Policy, Op, given_t<X>...>>(reads_of_t<Policy, Op, X...>{}, context, element_value<Function>{f}, wide, write(y.target), y.target.shape(),
                                                             all.divisor(wide), operand(x)...);
  }
}
template <class Policy, class Op, class Context, class Function, class... X>
auto loss_made(const char* call, Context& context, const Function& f, const batch& all, const X&... x) {
  using result = result_t<Policy, Op, Context, X...>;
  if constexpr (may_call<Policy, Op, X...>())
    return made<result>(context, all.of(broadcast_all(call, operand(x).shape()...)), [&](auto y) { loss_into<Policy, Op>(call, context, f, all, into(y), x...); });
  else return result{};
}

/// The gradient of operand K, summed over the axes along which that operand was broadcast. grad is the loss's: a scalar, or one an element.
template <int K, class Policy, class Op, class Context, class Function, class Target, class G, class... X>
void loss_slope_into(const char* call, Context& context, const Function& f, const batch& all, const Target& gx, const G& grad, const X&... x) {
  if constexpr (is_gradient_target_v<Target> && may_call<Policy, Op, X...>()) {
    const shape wide = broadcast_all(call, operand(x).shape()...);
    require_shape(call, "a gradient of the loss", operand(grad).shape(), all.of(wide));
    require_shape(call, "a gradient", memory_of(gx).shape(), operand(std::get<static_cast<std::size_t>(K)>(std::tie(x...))).shape());
    slope_sum<K, Policy, Op>(context, averaged<Function>{f, all.divisor(wide)}, wide, gx, grad, x...);
  }
}
/// Of the first operand alone, to memory of its own.
template <class Policy, class Op, class Context, class Function, class G, class First, class... Rest>
auto loss_slope(const char* call, Context& context, const Function& f, const batch& all, const G& grad, const First& x, const Rest&... rest) {
  return made<gradient_of_t<First, Context>>(context, operand(x).shape(), [&](auto gx) { loss_slope_into<0, Policy, Op>(call, context, f, all, into(gx), grad, x, rest...); });
}
/// Of the first two operands, to where each one's is wanted, or to memory of its own.
template <class Policy, class Op, class Context, class Function, class GA, class GB, class G, class... X>
void loss_slopes_into(const char* call, Context& context, const Function& f, const batch& all, const GA& ga, const GB& gb, const G& grad, const X&... x) {
  loss_slope_into<0, Policy, Op>(call, context, f, all, ga, grad, x...);
  loss_slope_into<1, Policy, Op>(call, context, f, all, gb, grad, x...);
}
template <class Policy, class Op, class Context, class Function, class G, class A, class B, class... Rest>
auto loss_slopes(const char* call, Context& context, const Function& f, const batch& all, const G& grad, const A& a, const B& b, const Rest&... rest) {
  auto result = fresh_pair(context, a, b);
  loss_slopes_into<Policy, Op>(call, context, f, all, into(result.first), into(result.second), grad, a, b, rest...);
  return result;
}

}}}  // namespace amphora::detail
