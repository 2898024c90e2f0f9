// The C++ types that hold one number of a format on the host: storage, without arithmetic.
#pragma once
#include <amphora/detail/bit_cast.hpp>  // bit_cast
#include <amphora/format/rounding.hpp>  // narrow_bits, widen_bits, bits_t, saturating

#include <type_traits>  // enable_if_t

namespace amphora { inline namespace AMPHORA_ABI {

/// One number in the bits of Format, an 8- or 16-bit one. Known as float16, bfloat16, float8_e4m3 and float8_e5m2.
///
/// Trivially copyable, of the format's size, and without arithmetic: what a sum is kept in is a policy's business.
template <class Format>
class stored {
 public:
  using format = Format;
  using bits_type = detail::bits_t<Format>;

  stored() = default;
  /// x rounded once, to nearest, ties to even; past the largest number to infinity. 16-bit formats, from float and double.
  template <class Number, std::enable_if_t<detail::is_ieee_v<Number> && Format::bits == 16, int> = 0>
  AMPHORA_HD constexpr explicit stored(Number x) : stored(x, non_saturating{}) {}
  /// As above with the treatment of large numbers named; 8-bit formats have this one alone.
  template <class Number, class Mode, std::enable_if_t<detail::is_ieee_v<Number> && detail::is_mode_v<Mode>, int> = 0>
  AMPHORA_HD constexpr stored(Number x, Mode)
      : bits_(detail::narrow_bits<Format, Mode, detail::ieee_format_t<Number>>(detail::bit_cast<detail::bits_t<detail::ieee_format_t<Number>>>(x))) {}

  AMPHORA_HD static constexpr stored from_bits(bits_type bits) {
    stored result{};
    result.bits_ = bits;
    return result;
  }
  AMPHORA_HD constexpr bits_type bits() const { return bits_; }

  /// Exact.
  AMPHORA_HD explicit constexpr operator float() const { return detail::bit_cast<float>(detail::widen_bits<f32, Format>(bits_)); }
  AMPHORA_HD explicit constexpr operator double() const { return detail::bit_cast<double>(detail::widen_bits<f64, Format>(bits_)); }

 private:
  bits_type bits_;
};

using float16 = stored<f16>;       ///< IEEE 754 binary16
using bfloat16 = stored<bf16>;     ///< the upper half of a float
using float8_e4m3 = stored<e4m3>;  ///< OCP FP8 E4M3: largest 448, no infinity
using float8_e5m2 = stored<e5m2>;  ///< OCP FP8 E5M2: largest 57344

namespace detail {

template <class Format> struct storage { using type = not_a_format; };
template <> struct storage<f16> { using type = float16; };
template <> struct storage<bf16> { using type = bfloat16; };
template <> struct storage<e4m3> { using type = float8_e4m3; };
template <> struct storage<e5m2> { using type = float8_e5m2; };
template <> struct storage<f32> { using type = float; };
template <> struct storage<tf32> { using type = float; };
template <> struct storage<f64> { using type = double; };

}  // namespace detail

/// The type in which the host stores Format; not_a_format for what is none.
template <class Format> using storage_t = typename detail::storage<Format>::type;

}}  // namespace amphora
