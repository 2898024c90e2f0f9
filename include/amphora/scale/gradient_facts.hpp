// What is known of a list of gradients after one pass over them, and how their stored values are to be read.
#pragma once
#include <amphora/detail/bit_cast.hpp>   // bit_cast
#include <amphora/detail/config.hpp>     // AMPHORA_HD
#include <amphora/format/format_id.hpp>  // format_id
#include <amphora/format/real.hpp>       // real

#include <cstdint>  // int64_t, uint32_t

namespace amphora { inline namespace AMPHORA_ABI {

/// What a step does where a gradient is not finite.
enum class on_overflow {
  skip,      ///< nothing at all is changed (the default)
  saturate,  ///< infinities become the largest number of the gradient's format, NaN becomes 0; the step is taken, the count told
  zero,      ///< each becomes 0; the step is taken, the count told
};

namespace detail {

/// By its bits, so that no flag of the compiler can say otherwise.
AMPHORA_HD constexpr bool is_finite(float x) { return (bit_cast<std::uint32_t>(x) & 0x7f800000u) != 0x7f800000u; }
AMPHORA_HD constexpr bool is_finite(double x) { return (bit_cast<std::uint64_t>(x) >> 52 & 0x7ff) != 0x7ff; }
AMPHORA_HD constexpr bool is_nan(float x) { return (bit_cast<std::uint32_t>(x) & 0x7fffffffu) > 0x7f800000u; }
AMPHORA_HD constexpr bool is_nan(double x) { return (bit_cast<std::uint64_t>(x) & 0x7fffffffffffffffu) > 0x7ff0000000000000u; }
AMPHORA_HD constexpr float signed_like(float magnitude, float x) {
  return bit_cast<float>(bit_cast<std::uint32_t>(magnitude) | (bit_cast<std::uint32_t>(x) & 0x80000000u));
}

AMPHORA_HD constexpr float largest_of(format_id format) {
  return format == format_id::f16 ? 65504.0f : format == format_id::bf16 ? 0x1.fep127f : 0x1.fffffep127f;
}

}  // namespace detail

/// What the one read-only pass found, and how stored gradients are to be read; it lies on the device.
///
/// A gradient's value is `stored · inverse`, repaired where it is not finite and the choice says so, `· coefficient`, cut to
/// ± limit. Unscaling and clipping change these numbers, never the stored gradients.
struct gradient_facts {
  double norm = 0;                     ///< Euclidean norm of the true gradients, all together, before clipping
  double clip_norm = 0;                ///< what the last clip by norm found, in its order, before it clipped
  std::int64_t non_finite = 0;         ///< how many values were not finite, before or after multiplication by inverse
  std::uint32_t found_non_finite = 0;  ///< not 0 if any was
  std::uint32_t present = 0;           ///< not 0 if there was a gradient at all
  float inverse = 1;                   ///< 1 / scale
  float coefficient = 1;               ///< of clipping by norm
  float limit = 0;                     ///< of clipping by value; 0: none
  on_overflow choice = on_overflow::skip;

  /// stored · factor() = true gradient, where is_plain().
  AMPHORA_HD float factor() const { return static_cast<float>(static_cast<double>(inverse) * static_cast<double>(coefficient)); }
  /// Whether every value may be read as stored · factor().
  AMPHORA_HD bool is_plain() const {
    return !(limit > 0) && (choice == on_overflow::skip || !found_non_finite) && (factor() >= 0x1p-126f || coefficient == 0) && detail::is_finite(factor());
  }
  /// One stored number as the update sees it. Counts in changed what had to be repaired.
  AMPHORA_HD float value(float stored, float largest, std::int64_t& changed) const {
    float x = stored;
    if (!detail::is_finite(x)) {
      ++changed;
      x = choice == on_overflow::saturate && !detail::is_nan(x) ? detail::signed_like(largest, x) : choice == on_overflow::skip ? x : 0.0f;
    }
    float y = (real(x) * real(inverse)).x;
    if (!detail::is_finite(y) && detail::is_finite(x)) {
      ++changed;
      y = choice == on_overflow::saturate ? detail::signed_like(0x1.fffffep127f, x) : choice == on_overflow::skip ? y : 0.0f;
    }
    y = (real(y) * real(coefficient)).x;
    if (limit > 0) y = y > limit ? limit : y < -limit ? -limit : y;
    return y;
  }
};

}}  // namespace amphora
