// The rules of one call, asked where the policy, the op and all input formats are known.
#pragma once
#include <amphora/policy/compute.hpp>  // compute_t, output_t, floating_t

#include <type_traits>  // is_same_v

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

template <class... F> constexpr bool any_low(list<F...>) { return (is_low_precision_v<F> || ...); }
template <class... F> constexpr bool any_f64(list<F...>) { return (std::is_same_v<F, f64> || ...); }
template <class... F> constexpr bool all_f64(list<F...>) { return (std::is_same_v<F, f64> && ...); }
constexpr bool all_same(list<>) { return true; }
template <class First, class... F> constexpr bool all_same(list<First, F...>) { return (std::is_same_v<First, F> && ...); }

template <class Answer, class Inputs> inline constexpr bool common_answer_v = !any_f64(Inputs{}) || all_f64(Inputs{});
template <class Inputs> inline constexpr bool common_answer_v<widest, Inputs> = true;
template <class Inputs> inline constexpr bool common_answer_v<as_given, Inputs> = all_same(Inputs{});

/// The first operand that stands in memory in another format than Want; Want where none does.
template <class Want, class Inputs> struct first_cast { using t = Want; };
template <class Want, class First, class... Rest> struct first_cast<Want, list<First, Rest...>>
    : std::conditional_t<std::is_same_v<First, Want>, first_cast<Want, list<Rest...>>, type<First>> {};

}  // namespace detail

/// Whether Op may run at all: a forbidden op may not where an input or the compute format has less than 32 bits.
template <class Policy, class Op, class... Inputs> inline constexpr bool is_allowed_v =
    !is_below_v<Op, op::forbidden> || !(is_low_precision_v<compute_t<Policy, Op, Inputs...>> || detail::any_low(detail::floating_t<Inputs...>{}));

/// Whether the inputs come to one format: f64 is never cast by a policy, and as_given needs equal ones.
template <class Policy, class Op, class... Inputs> inline constexpr bool have_common_format_v =
    detail::common_answer_v<setting_t<Policy, role::compute, Op>, detail::floating_t<Inputs...>>;

/// Whether Have must be converted in memory to be read as Want.
template <class Have, class Want> inline constexpr bool is_cast_v = !std::is_same_v<Have, Want>;

namespace detail {
template <class Policy, class Op, class... Inputs> using operand_t = in_memory_t<compute_t<Policy, Op, Inputs...>>;
template <class Policy, class Op, class... Inputs>
using cast_operand_t = typename first_cast<operand_t<Policy, Op, Inputs...>, std::conditional_t<is_below_v<Op, op::contraction>, floating_t<Inputs...>, list<>>>::t;
template <class Policy, class Op, class... Inputs> inline constexpr bool narrows_output_v =
    bits_v<output_t<Policy, Op, Inputs...>> < bits_v<operand_t<Policy, Op, Inputs...>> && is_format_v<output_t<Policy, Op, Inputs...>>;
template <class Policy, class Op> inline constexpr bool is_strict_v = std::is_same_v<setting_t<Policy, role::casts, Op>, refused>;
}  // namespace detail

/// Whether the call converts nothing in memory: the operands of a contraction are as it reads them, and no op stores less
/// than it computed. Conversions in registers are none.
template <class Policy, class Op, class... Inputs> inline constexpr bool casts_nothing_v =
    !is_cast_v<detail::cast_operand_t<Policy, Op, Inputs...>, detail::operand_t<Policy, Op, Inputs...>> && !detail::narrows_output_v<Policy, Op, Inputs...>;

template <class Op> constexpr void require_op() {
  static_assert(is_op_v<Op>, "amphora [unknown-op]: not an op; give the tag a parent, e.g. using parent = amphora::op::transparent");
}
template <class Policy, class Op, class... Inputs> constexpr void require_allowed() {
  static_assert(is_allowed_v<Policy, Op, Inputs...>,
      "amphora [forbidden-op]: its gradient leaves a 16-bit range even if it computes in f32; for binary_cross_entropy call binary_cross_entropy_with_logits, or stay in f32 from its inputs on");
}
template <class Policy, class Op, class... Inputs> constexpr void require_common_format() {
  static_assert(have_common_format_v<Policy, Op, Inputs...>,
      "amphora [mixed-formats]: no common format: f64 is never cast, and as_given takes equal formats; write amphora::cast<Format>(context, x), or give the op a compute format");
}
template <class Policy, class Op, class Have, class Want> constexpr void require_no_cast() {
  static_assert(!is_cast_v<Have, Want>,
      "amphora [implicit-cast]: this strict policy would cast an operand from Have to Want; write amphora::cast<Want>(context, x), or drop amphora::strict");
}
template <class Policy, class Op, class... Inputs> constexpr void require_full_output() {
  static_assert(!detail::narrows_output_v<Policy, Op, Inputs...>,
      "amphora [implicit-cast]: this strict policy stores less than the op computes; write amphora::output<amphora::as_computed> and cast by hand, or drop amphora::strict");
}

/// Insists on the rules of a call, in this order, the first broken one alone: unknown-policy, unknown-op, forbidden-op,
/// mixed-formats, implicit-cast.
///
/// Inputs  the formats of the call's inputs; not_a_format for integers
/// Value   whether all hold: `if constexpr (require_call<…>()) … else return result{};` gives the caller one error only
template <class Policy, class Op, class... Inputs> constexpr bool require_call() {
  if constexpr (!is_policy_v<Policy>) {
    require_policy<Policy>();
    return false;
  } else if constexpr (!is_op_v<Op>) {
    require_op<Op>();
    return false;
  } else if constexpr (!is_allowed_v<Policy, Op, Inputs...>) {
    require_allowed<Policy, Op, Inputs...>();
    return false;
  } else if constexpr (!have_common_format_v<Policy, Op, Inputs...>) {
    require_common_format<Policy, Op, Inputs...>();
    return false;
  } else if constexpr (detail::is_strict_v<Policy, Op> && !casts_nothing_v<Policy, Op, Inputs...>) {
    using have = detail::cast_operand_t<Policy, Op, Inputs...>;
    using want = detail::operand_t<Policy, Op, Inputs...>;
    if constexpr (is_cast_v<have, want>) require_no_cast<Policy, Op, have, want>();
    else require_full_output<Policy, Op, Inputs...>();
    return false;
  } else {
    return true;
  }
}

}}  // namespace amphora
