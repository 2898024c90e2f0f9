// What every op asks of its policy before the policy ends and formats go on.
#pragma once
#include <amphora/format/format_of.hpp>     // is_storage_v
#include <amphora/op/tree.hpp>              // is_below_v, op::sensitive
#include <amphora/ops/operand.hpp>          // given_t, into
#include <amphora/policy/architecture.hpp>  // require_call_on
#include <amphora/policy/call.hpp>          // require_call
#include <amphora/policy/compute.hpp>       // compute_t, output_t

#include <type_traits>  // conditional_t, is_same_v
#include <utility>      // declval

namespace amphora { inline namespace AMPHORA_ABI {

/// Whether memory given for an op's value holds the format that the policy stores.
template <class Have, class Want> inline constexpr bool is_output_v = std::is_same_v<Have, Want>;

/// Insists on is_output_v. Host code only.
template <class Have, class Want>
constexpr bool require_output() {
  static_assert(is_output_v<Have, Want>,
      "amphora [mixed-formats]: the memory given to into() holds another format (Have) than the policy stores (Want); "
      "give memory of that format, or set output<Have> in the policy");
  return is_output_v<Have, Want>;
}

/// Whether an op can compute with T: numbers of a known format.
template <class T> inline constexpr bool is_computable_v = is_storage_v<T>;

/// Insists on is_computable_v. Host code only.
template <class T>
constexpr bool require_computable() {
  static_assert(is_computable_v<T>,
      "amphora [unknown-storage-type]: an operand holds integers, or a type whose format is not known; "
      "give float, amphora::float16, ..., or specialise amphora::format_of for your type");
  return is_computable_v<T>;
}

namespace detail {

/// The format that Op reads an operand in. A sensitive op takes what it is given and converts in registers; all others read
/// the compute format, as if the operand had been cast. f64 is never cast.
template <class Policy, class Op, class Given, class... Inputs>
using read_t = std::conditional_t<is_below_v<Op, op::sensitive> || std::is_same_v<Given, f64>, Given, compute_t<Policy, Op, Inputs...>>;

/// The tensor that holds the value of Op for operands of these types.
template <class Policy, class Op, class Context, class... Operands>
using result_t = tensor<storage_t<output_t<Policy, Op, given_t<Operands>...>>, Context>;

template <class X> constexpr bool require_operand() {
  if constexpr (is_operand_v<X>) return require_computable<typename std::decay_t<decltype(operand(std::declval<const X&>()))>::value_type>();
  else return true;  // a word such as no_bias
}

/// Whether a call may go on: its operands are numbers, and the policy's rules hold. The first broken rule is the only error.
template <class Policy, class Op, class... Operands>
constexpr bool may_call() {
  if constexpr (!(require_operand<Operands>() && ...)) return false;
  else return require_call<Policy, Op, given_t<Operands>...>();
}
/// The same where memory is given for the value.
template <class Policy, class Op, class Y, class... Operands>
constexpr bool require_into() {
  if constexpr (may_call<Policy, Op, Operands...>()) return require_output<format_of_t<Y>, output_t<Policy, Op, given_t<Operands>...>>();
  else return false;
}

/// The same for contractions, which ask more of a device than loads and stores: the rule of architectures holds too.
template <class Context, class Policy, class Op, class... Operands>
constexpr bool may_call_on() {
  if constexpr (!(require_operand<Operands>() && ...)) return false;
  else return require_call_on<typename Context::device, Policy, Op, given_t<Operands>...>();
}
template <class Context, class Policy, class Op, class Y, class... Operands>
constexpr bool require_into_on() {
  if constexpr (may_call_on<Context, Policy, Op, Operands...>()) return require_output<format_of_t<Y>, output_t<Policy, Op, given_t<Operands>...>>();
  else return false;
}

/// The tensor that holds the gradient of an operand, in the operand's own format.
template <class X, class Context> using gradient_of_t = tensor<typename std::decay_t<decltype(operand(std::declval<const X&>()))>::value_type, Context>;

/// Fills a fresh tensor through the form of a call that takes memory.
template <class Result, class Context, class Function>
Result made(Context& context, const shape& s, Function&& fill) {
  Result y(context, s);
  fill(y.view());
  return y;
}

}  // namespace detail

/// The gradients of an op of two operands: `auto [ga, gb] = …`.
template <class A, class B> struct gradient_pair { A first; B second; };

namespace detail {

template <class Context, class A, class B>
gradient_pair<gradient_of_t<A, Context>, gradient_of_t<B, Context>> fresh_pair(Context& context, const A& a, const B& b) {
  return {gradient_of_t<A, Context>(context, operand(a).shape()), gradient_of_t<B, Context>(context, operand(b).shape())};
}

}  // namespace detail
}}  // namespace amphora
