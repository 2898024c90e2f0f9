// One gradient's part of a norm, value by value in double: the same text on every device.
#pragma once
#include <amphora/detail/bit_cast.hpp>       // bit_cast
#include <amphora/detail/config.hpp>         // AMPHORA_HD
#include <amphora/format/real.hpp>           // real, times
#include <amphora/optimizer/sum_order.hpp>   // larger_magnitude
#include <amphora/scale/gradient_facts.hpp>  // gradient_facts, is_finite

#include <cmath>    // pow, sqrt
#include <cstdint>  // int64_t, uint32_t, uint64_t

// Into the loop around them, whose attributes keep g++ from fusing; a function of its own would be fused in.
#if defined(__GNUC__)
#define AMPHORA_TERM AMPHORA_HD __attribute__((always_inline)) inline
#else
#define AMPHORA_TERM AMPHORA_HD inline
#endif

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// The order of the norm that is the largest magnitude.
AMPHORA_HD inline double infinite_order() { return bit_cast<double>(std::uint64_t(0x7ff0000000000000u)); }

/// The magnitude of one stored gradient, as facts has it read.
///
/// largest     of the gradient's format, for saturation
/// non_finite  is counted up where it is not finite, before or after multiplication by the inverse scale
AMPHORA_TERM double magnitude_of(float stored, float largest, const gradient_facts& f, std::int64_t& non_finite) {
  const bool finite = is_finite(stored);
  if (!finite) {
    ++non_finite;
    if (f.choice != on_overflow::skip) stored = f.choice == on_overflow::saturate && !is_nan(stored) ? largest : 0.0f;
  }
  double value = times(static_cast<double>(bit_cast<float>(bit_cast<std::uint32_t>(stored) & 0x7fffffffu)), static_cast<double>(f.inverse));
  if (finite && !is_finite((real(stored) * real(f.inverse)).x)) {
    ++non_finite;
    if (f.choice != on_overflow::skip) value = f.choice == on_overflow::saturate ? static_cast<double>(0x1.fffffep127f) : 0.0;
  }
  value = times(value, static_cast<double>(f.coefficient));
  return f.limit > 0 && value > static_cast<double>(f.limit) ? static_cast<double>(f.limit) : value;
}

/// A lane with one more magnitude in it.
///
/// order  of the norm; infinity gives the maximum, 0 counts what is not zero
/// unit   divides the magnitude first, so that no power overflows
AMPHORA_TERM double with_term(double lane, double value, double order, double unit) {
  if (!is_finite(order)) return larger_magnitude(lane, value);
  if (order == 2) return lane + times(value, value);
  if (order == 1) return lane + value;
  if (order == 0) return lane + (value != 0 ? 1 : 0);
  return lane + std::pow(value / unit, order);
}

/// Whether a norm of this order takes a maximum first, in whose units it then sums.
AMPHORA_HD constexpr bool takes_unit(double order) { return is_finite(order) && order != 0 && order != 1 && order != 2; }

/// The norm from the sum of its terms.
AMPHORA_HD inline double norm_of_sum(double sum, double order, double unit) {
  if (order == 2) return std::sqrt(sum);
  if (!takes_unit(order)) return sum;
  if (!is_finite(unit) || unit == 0) return unit;
  return unit * std::pow(sum, 1 / order);
}

}}}  // namespace amphora::detail

#undef AMPHORA_TERM
