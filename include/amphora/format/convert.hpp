// One number from one format to another.
#pragma once
#include <amphora/detail/bit_cast.hpp>   // bit_cast
#include <amphora/format/format_of.hpp>  // format_of_t, is_storage_v
#include <amphora/format/rounding.hpp>   // narrow_bits, widen_bits, saturating, non_saturating
#include <amphora/format/storage.hpp>    // storage_t

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// The mode that is meant where none is named: a number out of range becomes infinity. The 8-bit formats have no such default.
struct default_mode {};

template <class Format> inline constexpr bool is_fp8_v = std::is_same_v<Format, e4m3> || std::is_same_v<Format, e5m2>;

/// Whether every number of From is one of To.
template <class To, class From>
inline constexpr bool holds_v = To::exponent_bits >= From::exponent_bits && To::significand_bits >= From::significand_bits;

/// From's pattern rounded to To at most once.
template <class To, class Mode, class From>
AMPHORA_HD constexpr bits_t<To> convert_bits(bits_t<From> pattern) {
  if constexpr (std::is_same_v<To, From>) {
    return pattern;
  } else if constexpr (holds_v<To, From>) {
    return widen_bits<std::conditional_t<std::is_same_v<To, tf32>, f32, To>, From>(pattern);  // tf32 is stored as a float
  } else if constexpr (From::bits >= 32) {
    return narrow_bits<To, Mode, From>(pattern);
  } else {
    return narrow_bits<To, Mode, f32>(widen_bits<f32, From>(pattern));
  }
}

}  // namespace detail

/// Whether convert<Format, Mode> has an answer: an 8-bit format needs its mode named.
template <class Format, class Mode>
inline constexpr bool is_conversion_mode_v = detail::is_mode_v<Mode> ||
    (std::is_same_v<Mode, detail::default_mode> && !detail::is_fp8_v<Format>);

/// x rounded once to a format: to nearest, ties to even, through subnormals, the same on every machine and under every flag.
///
/// ToFormat  f16 bf16 f32 f64 e4m3 e5m2, or tf32 (a float whose lower 13 bits are 0)
/// Mode      for the 8-bit formats to be named: saturating or non_saturating
/// x         a number of any storage type: ours, float, double, CUDA's, a user's own
/// Value     of storage_t<ToFormat>; past the largest number an infinity of x's sign (NaN in e4m3), or the largest number
///           where Mode is saturating. NaN stays NaN with its sign, its payload's upper bits kept, made quiet
template <class ToFormat, class Mode = detail::default_mode, class From>
AMPHORA_HD constexpr storage_t<ToFormat> convert(const From& x) {
  using from_format = format_of_t<From>;
  static_assert(is_format_v<ToFormat>, "amphora [unknown-format]: the target of convert is no number format; write amphora::f16, bf16, f32, f64, e4m3 or e5m2");
  static_assert(is_storage_v<From>, "amphora [unknown-storage-type]: convert was given a type whose format is not known; specialise amphora::format_of for it");
  static_assert(!is_format_v<ToFormat> || !is_storage_v<From> || is_conversion_mode_v<ToFormat, Mode>,
      "amphora [overflow-mode]: an 8-bit format is left by large numbers easily, and there are two ways to treat them; "
      "write convert<Format, amphora::saturating> or convert<Format, amphora::non_saturating>");
  if constexpr (is_format_v<ToFormat> && is_storage_v<From> && is_conversion_mode_v<ToFormat, Mode>) {
    return detail::bit_cast<storage_t<ToFormat>>(
        detail::convert_bits<ToFormat, Mode, from_format>(detail::bit_cast<detail::bits_t<from_format>>(x)));
  } else {
    return storage_t<ToFormat>{};
  }
}

}}  // namespace amphora
