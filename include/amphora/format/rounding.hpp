// Between number formats on bit patterns: integers alone, so that no flag or mode of the processor can change a result.
#pragma once
#include <amphora/detail/config.hpp>  // AMPHORA_HD
#include <amphora/format/format.hpp>  // f32, f64, significand_bits

#include <cstdint>      // uint8_t, uint16_t, uint32_t, uint64_t
#include <type_traits>  // conditional_t, is_same_v

namespace amphora { inline namespace AMPHORA_ABI {

/// What happens to a number beyond a format's largest when it is rounded to that format.
struct saturating {};      ///< it becomes the largest number, and so does an infinity
struct non_saturating {};  ///< it becomes infinity, or NaN where the format has none (e4m3)

namespace detail {

/// The unsigned integer that holds one number of Format.
template <class Format>
using bits_t = std::conditional_t<Format::bits == 8, std::uint8_t,
    std::conditional_t<Format::bits == 16, std::uint16_t, std::conditional_t<Format::bits == 32, std::uint32_t, std::uint64_t>>>;

/// Whether T is float or double, and which format that is.
template <class T> inline constexpr bool is_ieee_v = std::is_same_v<T, float> || std::is_same_v<T, double>;
template <class T> using ieee_format_t = std::conditional_t<std::is_same_v<T, double>, f64, f32>;

template <class T> inline constexpr bool is_mode_v = std::is_same_v<T, saturating> || std::is_same_v<T, non_saturating>;

/// Masks of a format's fields, in its own integer.
template <class Format>
struct fields {
  using bits = bits_t<Format>;
  static constexpr int explicit_bits = Format::significand_bits - 1;
  static constexpr int unused_bits = Format::bits - 1 - Format::exponent_bits - explicit_bits;  // 13 in tf32, else 0
  static constexpr bits sign = static_cast<bits>(bits(1) << (Format::bits - 1));
  static constexpr bits magnitude = static_cast<bits>(sign - 1);
  static constexpr bits exponent = static_cast<bits>(((std::uint64_t(1) << Format::exponent_bits) - 1) << (explicit_bits + unused_bits));
  /// Above all that is not NaN: infinity, or the largest number where there is no infinity.
  static constexpr bits last_not_nan = Format::has_infinity ? exponent : static_cast<bits>(magnitude - 1);
  static constexpr bits largest = static_cast<bits>(last_not_nan - (Format::has_infinity ? bits(1) << unused_bits : 0));
  static constexpr bits quiet = static_cast<bits>(bits(1) << (explicit_bits + unused_bits - 1));
};

/// x / 2^shift, rounded to nearest, ties to even.
template <class Bits>
AMPHORA_HD constexpr Bits shifted(Bits x, int shift) {
  return static_cast<Bits>((x + ((Bits(1) << (shift - 1)) - 1) + ((x >> shift) & 1)) >> shift);
}

/// Rounds From's pattern to To's, once: to nearest, ties to even, through To's subnormals.
///
/// A NaN keeps its sign and the upper bits of its payload and comes out quiet, as processors have it; e4m3 has one NaN a sign.
/// To must have at most From's exponents and fewer significand bits.
template <class To, class Mode = non_saturating, class From = f32>
AMPHORA_HD constexpr bits_t<To> narrow_bits(bits_t<From> pattern) {
  using from = fields<From>;
  using to = fields<To>;
  using bits = typename from::bits;
  constexpr int stored = from::explicit_bits;
  constexpr int dropped = stored - to::explicit_bits;
  static_assert(dropped > 0 && From::exponent_bits >= To::exponent_bits);

  const bits magnitude = pattern & from::magnitude;
  bits result = 0;
  if (magnitude > from::last_not_nan) {
    result = To::has_infinity ? static_cast<bits>(((magnitude & (from::quiet * 2 - 1)) >> dropped) << to::unused_bits) | to::exponent | to::quiet
                              : static_cast<bits>(to::magnitude);
  } else {
    const bits field = magnitude >> stored;
    const bits significand = (magnitude & ((bits(1) << stored) - 1)) | (field ? bits(1) << stored : 0);
    const int exponent = static_cast<int>(field ? field : 1) - From::bias + To::bias;  // 1 is To's smallest normal
    if (exponent >= 1) {
      result = shifted<bits>((static_cast<bits>(exponent - 1) << stored) + significand, dropped);
    } else {
      const int shift = dropped + 1 - exponent;
      result = shifted<bits>(significand, shift < stored + 2 ? shift : stored + 2);  // past that everything rounds to 0
    }
    result = static_cast<bits>(result << to::unused_bits);
    if (result > to::largest) result = std::is_same_v<Mode, saturating> ? to::largest : static_cast<bits>(to::last_not_nan + (To::has_infinity ? 0 : 1));
  }
  const bits sign = (pattern & from::sign) ? bits(to::sign) : bits(0);
  return static_cast<bits_t<To>>(result | sign);
}

/// The position of the highest bit of x, which is not 0.
AMPHORA_HD constexpr int highest_bit(std::uint32_t x) {
#if defined(__GNUC__) && !defined(__CUDA_ARCH__)
  return 31 - __builtin_clz(x);
#else
  int position = 0;
  for (; x > 1; x >>= 1) ++position;
  return position;
#endif
}

/// From's pattern in To, exactly; To is not tf32. A NaN comes out quiet, but from bf16 to f32, which only appends zeros.
template <class To = f32, class From = f16>
AMPHORA_HD constexpr bits_t<To> widen_bits(bits_t<From> pattern) {
  using from = fields<From>;
  using to = fields<To>;
  using bits = typename to::bits;
  constexpr int appended = to::explicit_bits - from::explicit_bits;
  constexpr bool same_exponents = To::exponent_bits == From::exponent_bits;
  static_assert(appended >= 0 && To::exponent_bits >= From::exponent_bits);

  if constexpr (same_exponents) {
    const bits wide = static_cast<bits>(static_cast<bits>(pattern) << (To::bits - From::bits));
    const bool nan = (pattern & from::magnitude) > from::last_not_nan;
    return nan && To::bits != 32 ? static_cast<bits>(wide | to::quiet) : wide;
  } else {
    const bits sign = static_cast<bits>(static_cast<bits>(pattern & from::sign) << (To::bits - From::bits));
    const auto magnitude = static_cast<bits_t<From>>(pattern & from::magnitude);
    const bits wide = static_cast<bits>(magnitude) << appended;
    constexpr bits rebias = static_cast<bits>(To::bias - From::bias) << to::explicit_bits;
    if (magnitude > from::last_not_nan) return static_cast<bits>(sign | wide | to::exponent | to::quiet);
    if (From::has_infinity && magnitude == from::last_not_nan) return static_cast<bits>(sign | to::exponent);
    if (magnitude >> from::explicit_bits) return static_cast<bits>(sign | (wide + rebias));
    if (magnitude == 0) return sign;
    const int highest = highest_bit(magnitude);  // a subnormal: its highest bit becomes the implied one
    const bits fraction = static_cast<bits>(static_cast<bits>(magnitude) << (to::explicit_bits - highest)) & static_cast<bits>((bits(1) << to::explicit_bits) - 1);
    const auto exponent = static_cast<bits>(To::bias - From::bias + 1 - from::explicit_bits + highest);
    return static_cast<bits>(sign | (exponent << to::explicit_bits) | fraction);
  }
}

}  // namespace detail
}}  // namespace amphora
