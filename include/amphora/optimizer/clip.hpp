// What a step may do to gradients between the check and the update: clipping by their norm, or by value.
#pragma once
#include <amphora/error.hpp>                 // fail
#include <amphora/scale/gradient_facts.hpp>  // is_finite, is_nan

namespace amphora { inline namespace AMPHORA_ABI {

/// Gradients are taken as they are.
struct no_clip {
  static constexpr bool needs_norm = false;
  constexpr void check() const {}
};

/// All gradients are multiplied by min(1, max / (norm + 1e-6)), where norm is that of all of them together.
///
/// max   ≥ 0 and finite, in units of ∂loss/∂weight (the scale is taken out first)
/// norm  its order: p > 0, or infinity for the largest absolute value
/// Errors  setting  a negative, infinite or NaN max; an order that is not above 0
/// Source  PyTorch's clip_grad_norm_, its epsilon included
struct clip_global_norm {
  static constexpr bool needs_norm = true;
  float max = 1;
  double norm = 2;

  constexpr void check() const {
    if (!detail::is_finite(max) || max < 0) detail::fail("setting", "clip_global_norm wants a finite max of 0 or more, not ", max);
    if (detail::is_nan(norm) || norm <= 0) detail::fail("setting", "clip_global_norm wants an order of the norm above 0, not ", norm);
  }
};

/// Each gradient is cut to [-limit, limit].
///
/// limit  > 0 and finite, in units of ∂loss/∂weight
/// Errors  setting  any other limit
struct clip_value {
  static constexpr bool needs_norm = false;
  float limit = 1;

  constexpr void check() const {
    if (!detail::is_finite(limit) || limit <= 0) detail::fail("setting", "clip_value wants a finite limit above 0, not ", limit);
  }
};

template <class T> inline constexpr bool is_clip_v = false;
template <> inline constexpr bool is_clip_v<no_clip> = true;
template <> inline constexpr bool is_clip_v<clip_global_norm> = true;
template <> inline constexpr bool is_clip_v<clip_value> = true;

}}  // namespace amphora
