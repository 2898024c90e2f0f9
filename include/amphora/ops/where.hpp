// One of two arrays' numbers, element by element, forward and backward.
#pragma once
#include <amphora/detail/config.hpp>  // AMPHORA_HD
#include <amphora/op/promoting.hpp>   // op::where
#include <amphora/ops/function.hpp>   // map_all, map_sum

#include <cstdint>      // int64_t
#include <type_traits>  // is_same_v

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// A bool is read as the e5m2 number of its byte: false is 0, true the smallest number above.
inline view<const float8_e5m2> truths(const view<const bool>& condition) { return {reinterpret_cast<const float8_e5m2*>(condition.data()), condition.shape()}; }

/// By selection: what is not taken is not read into the result, not even a NaN.
struct select_function {
  template <class Real> AMPHORA_HD constexpr Real operator()(std::int64_t, Real condition, Real a, Real b) const { return condition != 0 ? a : b; }
};
struct taken_function {
  bool where;
  template <class Real> AMPHORA_HD constexpr Real operator()(std::int64_t, Real condition, Real grad) const { return (condition != 0) == where ? grad : Real(0); }
};
template <class Context, class Target, class G>
void taken_into(const char* call, Context& context, bool where, const Target& target, const view<const bool>& condition, const view<const G>& grad, const shape& own) {
  if constexpr (is_gradient_target_v<Target>) {
    require_shape(call, "a gradient", memory_of(target).shape(), own);
    map_sum(list<e5m2, format_of_t<G>>{}, context, taken_function{where}, grad.shape(), target, truths(condition), grad);
  }
}
template <class C> inline constexpr bool are_truths_v = false;
template <> inline constexpr bool are_truths_v<view<bool>> = true;
template <> inline constexpr bool are_truths_v<view<const bool>> = true;
template <class Context> inline constexpr bool are_truths_v<tensor<bool, Context>> = true;

}  // namespace detail

/// a where the condition holds, else b, in the widest input format.
///
/// condition  bool, device; condition, a and b: shapes that broadcast
/// Value      the broadcast shape; where<Policy>(context, into(y), condition, a, b) writes it to y
/// Errors     shape
template <class Policy, class Context, class C, class A, class B, std::enable_if_t<detail::are_truths_v<C> && detail::is_operand_v<A>, int> = 0>
auto where(Context& context, const C& condition, const A& a, const B& b) {
  using namespace detail;
  using result = result_t<Policy, op::where, Context, A, B>;
  if constexpr (may_call<Policy, op::where, A, B>())
    return made<result>(context, broadcast_all("where", operand(condition).shape(), operand(a).shape(), operand(b).shape()),
                        [&](auto y) { where<Policy>(context, into(y), condition, a, b); });
  else return result{};
}
template <class Policy, class Context, class Y, class C, class A, class B>
void where(Context& context, into<Y> y, const C& condition, const A& a, const B& b) {
  using namespace detail;
  if constexpr (require_into<Policy, op::where, Y, A, B>()) {
    const shape wide = broadcast_all("where", operand(condition).shape(), operand(a).shape(), operand(b).shape());
    require_shape("where", "an output", y.target.shape(), wide);
    map_all(before_t<e5m2, reads_of_t<Policy, op::where, A, B>>{}, context, select_function{}, wide, write(y.target), truths(operand(condition)), operand(a), operand(b));
  }
}

/// The gradients of where; of a and b only shape and format are looked at. What was not taken gets 0, whatever the gradient is.
///
/// ga, gb  into(view), add_to(view) or no_gradient{}
template <class Policy, class Context, class G, class C, class A, class B, class GA, class GB, std::enable_if_t<detail::is_gradient_choice_v<GA>, int> = 0>
void where_backward(Context& context, const G& grad, const C& condition, const A& a, const B& b, const GA& ga, const GB& gb) {
  using namespace detail;
  if constexpr (may_call<Policy, op::where, A, B>()) {
    require_shape("where_backward", "a gradient of the value", operand(grad).shape(), broadcast_all("where_backward", operand(condition).shape(), operand(a).shape(), operand(b).shape()));
    taken_into("where_backward", context, true, ga, operand(condition), operand(grad), operand(a).shape());
    taken_into("where_backward", context, false, gb, operand(condition), operand(grad), operand(b).shape());
  }
}
template <class Policy, class Context, class G, class C, class A, class B, std::enable_if_t<detail::is_operand_v<B>, int> = 0>
auto where_backward(Context& context, const G& grad, const C& condition, const A& a, const B& b) {
  auto result = detail::fresh_pair(context, a, b);
  where_backward<Policy>(context, grad, condition, a, b, into(result.first), into(result.second));
  return result;
}

}}  // namespace amphora
