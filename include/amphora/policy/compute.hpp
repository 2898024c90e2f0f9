// The formats of one call: what it computes in, sums in and stores.
#pragma once
#include <amphora/policy/lookup.hpp>  // setting_t
#include <amphora/policy/widest.hpp>  // widest_t

#include <type_traits>  // conditional_t, is_same_v

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// Only formats count: integers and bools are never cast and have no say.
template <class... Inputs> using floating_t = decltype((list<>{} + ... + std::conditional_t<is_format_v<Inputs>, list<Inputs>, list<>>{}));

/// The format that an answer comes to for these input formats. f64 is never cast by a policy.
template <class Answer, class Inputs> struct settled { using t = Answer; };
template <class Answer, class First, class... Rest> struct settled<Answer, list<First, Rest...>> {
  using t = std::conditional_t<(std::is_same_v<First, f64> || ... || std::is_same_v<Rest, f64>), f64,
      std::conditional_t<std::is_same_v<Answer, widest>, widest_t<First, Rest...>,
          std::conditional_t<std::is_same_v<Answer, as_given>, First, Answer>>>;
};
/// tf32 is how a product reads floats; in memory they are f32.
template <class Format> using in_memory_t = std::conditional_t<std::is_same_v<Format, tf32>, f32, Format>;

template <class Format, class Computed>
using at_least_computed = widest_t<Format, std::conditional_t<is_format_v<Computed>, in_memory_t<Computed>, Format>>;
template <class Value, class Op, class Computed> struct sum_of { using t = at_least_computed<Value, Computed>; };
template <class Format, class Op, class Computed> struct sum_of<said<Format, narrow>, Op, Computed> {
  using t = std::conditional_t<std::is_same_v<Computed, f64>, f64,
      std::conditional_t<is_below_v<Op, op::sensitive>, widest_t<f32, at_least_computed<Format, Computed>>, Format>>;
};

}  // namespace detail

/// The format in which Op reads its operands under Policy.
///
/// Inputs  the formats of the call's inputs, what is no format is passed over; without them the answer may be widest or as_given
/// Errors  unknown-policy
template <class Policy, class Op, class... Inputs>
using compute_t = typename detail::settled<setting_t<Policy, role::compute, Op>, detail::floating_t<Inputs...>>::t;

/// The format of what Op stores under Policy.
template <class Policy, class Op, class... Inputs>
using output_t = std::conditional_t<std::is_same_v<setting_t<Policy, role::output, Op>, as_computed>,
    detail::in_memory_t<compute_t<Policy, Op, Inputs...>>,
    typename detail::settled<setting_t<Policy, role::output, Op>, detail::floating_t<Inputs...>>::t>;

/// The format of Op's sums under Policy: at least that of its operands unless said aloud, and in a sensitive op at least f32.
template <class Policy, class Op, class... Inputs>
using accumulate_t = typename detail::sum_of<setting_t<Policy, role::accumulate, Op>, Op, compute_t<Policy, Op, Inputs...>>::t;

namespace detail {
template <class Policy, class Op, bool = is_policy_v<Policy>&& is_op_v<Op>> inline constexpr bool wide_accumulator = false;
template <class Policy, class Op>
inline constexpr bool wide_accumulator<Policy, Op, true> = significand_bits_v<accumulate_t<Policy, Op>> >= significand_bits_v<f32>;
}  // namespace detail

/// Whether Policy sums Op in at least f32's 24 significant bits; false for what is no policy or no op.
///
/// Source  Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 4.2: the error bound grows with n·u
template <class Policy, class Op> inline constexpr bool wide_accumulator_v = detail::wide_accumulator<Policy, Op>;

}}  // namespace amphora
