// Rounding by exact arithmetic in long steps, independent of the library's; and the reference checksums.
#pragma once
#include <amphora/format/convert.hpp>

#include <boost/crc.hpp>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

namespace reference {

namespace amp = amphora;

inline const nlohmann::json& conversions() {
  static const nlohmann::json data = nlohmann::json::parse(std::ifstream(AMPHORA_TEST_DATA "/format/conversions.json"));
  return data;
}

template <class To> To from_bits(amp::detail::bits_t<amp::format_of_t<To>> bits) { return amp::detail::bit_cast<To>(bits); }
template <class From> auto bits_of(const From& x) { return amp::detail::bit_cast<amp::detail::bits_t<amp::format_of_t<From>>>(x); }

/// Whether a pattern of Format is NaN, told by its fields alone.
template <class Format>
bool is_nan(std::uint64_t pattern) {
  const int mantissa = Format::significand_bits - 1;
  const std::uint64_t exponents = (1u << Format::exponent_bits) - 1;
  const std::uint64_t exponent = (pattern >> mantissa) & exponents, fraction = pattern & ((std::uint64_t(1) << mantissa) - 1);
  return exponent == exponents && (Format::has_infinity ? fraction != 0 : fraction == (1u << mantissa) - 1);
}

/// The value of a pattern that is not NaN, by the definition of a binary format.
template <class Format>
double value(std::uint64_t pattern) {
  const int mantissa = Format::significand_bits - 1;
  const auto exponent = static_cast<int>((pattern >> mantissa) & ((1u << Format::exponent_bits) - 1));
  const double fraction = static_cast<double>(pattern & ((std::uint64_t(1) << mantissa) - 1));
  const double sign = (pattern >> (Format::bits - 1)) & 1 ? -1 : 1;
  if (Format::has_infinity && exponent == (1 << Format::exponent_bits) - 1) return sign * HUGE_VAL;
  const double significand = exponent ? fraction + std::ldexp(1.0, mantissa) : fraction;
  return sign * std::ldexp(significand, (exponent ? exponent : 1) - Format::bias - mantissa);
}

template <class Format> struct named;
template <> struct named<amp::f16> { static constexpr const char* name = "f16"; };
template <> struct named<amp::bf16> { static constexpr const char* name = "bf16"; };
template <> struct named<amp::e4m3> { static constexpr const char* name = "e4m3"; };
template <> struct named<amp::e5m2> { static constexpr const char* name = "e5m2"; };

/// Replaces every NaN by the reference's and gives the CRC-32 of the patterns.
template <class Format>
class checksum {
 public:
  void add(std::vector<amp::detail::bits_t<Format>>& patterns) {
    using bits = amp::detail::bits_t<Format>;
    using fields = amp::detail::fields<Format>;
    for (bits& pattern : patterns) pattern = (pattern & fields::magnitude) > fields::last_not_nan ? nan_ : pattern;
    crc_.process_bytes(patterns.data(), patterns.size() * sizeof(bits));
  }
  std::uint32_t value() const { return crc_.checksum(); }

 private:
  boost::crc_optimal<32, 0x04C11DB7, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc_;
  amp::detail::bits_t<Format> nan_ = conversions()["nan"][named<Format>::name].template get<amp::detail::bits_t<Format>>();
};

template <class Format, class Mode>
std::uint32_t expected(int block) {
  const bool saturating = std::is_same_v<Mode, amp::saturating>;
  return conversions()["blocks"][std::string(named<Format>::name) + (saturating ? "_saturating" : "")][static_cast<std::size_t>(block)].get<std::uint32_t>();
}

/// The checksum of block b: the floats of patterns 2^24 b … 2^24 (b + 1) - 1, given to convert(from, to, n) by the piece.
template <class Format, class Convert>
std::uint32_t of_block(int block, const Convert& convert) {
  constexpr std::uint32_t piece = 1 << 14;
  std::vector<float> from(piece);
  std::vector<amp::detail::bits_t<Format>> to(piece);
  checksum<Format> sum;
  for (std::uint32_t first = 0; first < 1u << 24; first += piece) {
    for (std::uint32_t i = 0; i < piece; ++i) {
      const std::uint32_t pattern = (static_cast<std::uint32_t>(block) << 24) + first + i;
      std::memcpy(&from[i], &pattern, sizeof pattern);
    }
    convert(from.data(), to.data(), static_cast<std::int64_t>(piece));
    sum.add(to);
  }
  return sum.value();
}

}  // namespace reference
