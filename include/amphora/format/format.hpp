// Number formats: tag types with constexpr facts. No CUDA header, no storage.
#pragma once
#include <amphora/version.hpp>  // AMPHORA_ABI

#include <type_traits>  // conditional_t

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

constexpr double power_of_two(int exponent) {
  double x = 1;
  for (; exponent > 0; --exponent) x *= 2;
  for (; exponent < 0; ++exponent) x /= 2;
  return x;
}

/// An IEEE-like format: a sign, exponent bits with the usual bias, and a significand whose first bit is implied.
///
/// HasInfinity  false for e4m3, which spends the top exponent on numbers and keeps one pattern for NaN
template <int Bits, int ExponentBits, int SignificandBits, bool HasInfinity = true>
struct binary_format {
  static constexpr int bits = Bits;                          ///< of one number in memory
  static constexpr int exponent_bits = ExponentBits;
  static constexpr int significand_bits = SignificandBits;   ///< the implied one included
  static constexpr bool has_infinity = HasInfinity;
  static constexpr int bias = (1 << (ExponentBits - 1)) - 1;
  static constexpr int largest_exponent = HasInfinity ? bias : bias + 1;
  static constexpr double unit_roundoff = power_of_two(-SignificandBits);  ///< half the distance from 1 to the next number
  static constexpr double smallest_normal = power_of_two(1 - bias);
  static constexpr double smallest_subnormal = power_of_two(2 - bias - SignificandBits);
  static constexpr double largest =
      power_of_two(largest_exponent) * (2 - (HasInfinity ? 1 : 2) * power_of_two(1 - SignificandBits));
};

}  // namespace detail

struct f16 : detail::binary_format<16, 5, 11> { static constexpr const char* name = "f16"; };    ///< IEEE 754 binary16
struct bf16 : detail::binary_format<16, 8, 8> { static constexpr const char* name = "bf16"; };   ///< the upper half of f32
struct f32 : detail::binary_format<32, 8, 24> { static constexpr const char* name = "f32"; };    ///< IEEE 754 binary32
struct f64 : detail::binary_format<64, 11, 53> { static constexpr const char* name = "f64"; };   ///< IEEE 754 binary64
struct e4m3 : detail::binary_format<8, 4, 4, false> { static constexpr const char* name = "e4m3"; };  ///< OCP FP8, largest 448
struct e5m2 : detail::binary_format<8, 5, 3> { static constexpr const char* name = "e5m2"; };    ///< OCP FP8, largest 57344
/// How tensor cores read a float: f32's range and storage, 11 significand bits. A compute format; nothing is stored as tf32.
struct tf32 : detail::binary_format<32, 8, 11> { static constexpr const char* name = "tf32"; };

struct not_a_format {};  ///< what is asked about something that holds no format's numbers; all its facts are 0

struct widest {};       ///< no format but an answer: the widest input format
struct as_given {};     ///< the format that came in
struct as_computed {};  ///< for an output: whatever the op computed in

/// Whether T is a number format; false for everything else, C++ types included.
template <class T, class = int> inline constexpr bool is_format_v = false;
template <class T> inline constexpr bool is_format_v<T, decltype((T::bits, T::exponent_bits, T::significand_bits, 0))> = true;

/// Facts of a format, and 0 for what is none, so that a question is never an error.
template <class T, class = int> inline constexpr int bits_v = 0;
template <class T> inline constexpr int bits_v<T, decltype((T::bits, 0))> = T::bits;
template <class T, class = int> inline constexpr int exponent_bits_v = 0;
template <class T> inline constexpr int exponent_bits_v<T, decltype((T::exponent_bits, 0))> = T::exponent_bits;
template <class T, class = int> inline constexpr int significand_bits_v = 0;
template <class T> inline constexpr int significand_bits_v<T, decltype((T::significand_bits, 0))> = T::significand_bits;
template <class T, class = int> inline constexpr double unit_roundoff_v = 0;
template <class T> inline constexpr double unit_roundoff_v<T, decltype((T::unit_roundoff, 0))> = T::unit_roundoff;
template <class T, class = int> inline constexpr double largest_v = 0;
template <class T> inline constexpr double largest_v<T, decltype((T::largest, 0))> = T::largest;
template <class T, class = int> inline constexpr double smallest_normal_v = 0;
template <class T> inline constexpr double smallest_normal_v<T, decltype((T::smallest_normal, 0))> = T::smallest_normal;
template <class T, class = int> inline constexpr double smallest_subnormal_v = 0;
template <class T> inline constexpr double smallest_subnormal_v<T, decltype((T::smallest_subnormal, 0))> = T::smallest_subnormal;

/// What a policy may never cast down or up on its own: integers, bools and f64 keep their type.
template <class Format> inline constexpr bool is_low_precision_v = bits_v<Format> != 0 && bits_v<Format> < 32;

}}  // namespace amphora
