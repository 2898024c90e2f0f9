// What a step may be given as its gradients.
#pragma once
#include <amphora/scale/scaled.hpp>  // is_scaled_v

#include <type_traits>  // is_const_v, is_invocable_v, is_lvalue_reference_v, remove_cv_t, remove_reference_t

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// Whether an argument of type Gradients&& is a function, which would compute the loss again.
template <class Gradients>
inline constexpr bool is_closure_v = std::is_invocable_v<std::remove_cv_t<std::remove_reference_t<Gradients>>&>;
/// Whether an argument of type Gradients&& is a scaled handle that cannot be used up.
template <class Gradients>
inline constexpr bool is_kept_handle_v =
    is_scaled_v<std::remove_cv_t<std::remove_reference_t<Gradients>>> && (std::is_lvalue_reference_v<Gradients> || std::is_const_v<std::remove_reference_t<Gradients>>);

}  // namespace detail

/// Whether a step takes an argument of type Gradients&&.
///
/// Gradients  scaled by move, unscaled, or what a gradient_list is made from
/// Value      false for a function that computes the loss again, and for a scaled handle that is not moved
template <class Gradients>
inline constexpr bool is_step_gradients_v = !detail::is_closure_v<Gradients> && !detail::is_kept_handle_v<Gradients>;

/// Insists on is_step_gradients_v. Host code only.
template <class Gradients>
constexpr bool require_step_gradients() {
  static_assert(!detail::is_closure_v<Gradients>,
      "amphora [closure]: a step that evaluates the loss again would do so with scaled gradients; call backward first and pass its gradients");
  static_assert(!detail::is_kept_handle_v<Gradients>, "amphora [scaled-gradient]: a step uses scaled gradients up; write std::move(gradients)");
  return is_step_gradients_v<Gradients>;
}

}}  // namespace amphora
