// Stochastic rounding of float weights to bf16: right on average, so that weights without a master do not lose small updates.
#pragma once
#include <amphora/detail/config.hpp>   // AMPHORA_HD
#include <amphora/detail/philox.hpp>   // philox
#include <amphora/format/storage.hpp>  // bfloat16

#include <cstdint>  // int64_t, uint16_t, uint32_t, uint64_t

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// The bf16 below or above the float with these bits, away from zero where random is at least 65536 minus its lower half:
/// with a uniform random in [0, 65536) exactly as often as the distance says. Exact numbers and infinities stay; what is
/// finite stays finite; NaN stays NaN.
AMPHORA_HD constexpr std::uint16_t round_stochastically(std::uint32_t bits, std::uint32_t random) {
  const std::uint32_t magnitude = bits & 0x7FFFFFFFu, sign = (bits >> 16) & 0x8000u;
  std::uint32_t rounded = (magnitude + (random & 0xFFFFu)) >> 16;
  rounded = rounded > 0x7F7Fu && magnitude < 0x7F800000u ? 0x7F7Fu : rounded;
  rounded = magnitude > 0x7F800000u ? 0x7FC0u : rounded;
  return static_cast<std::uint16_t>(sign | rounded);
}

}  // namespace detail

/// Rounds the weights of one tensor at one step. The random bits are a function of seed, tensor, step and element alone:
/// the same on every device, for every number of threads and on every run.
///
/// Eight consecutive elements share one Philox block, whose counter is (block, step, tensor) and whose key is the seed;
/// element i takes the (i mod 8)-th 16 bits of it.
struct stochastic_rounding {
  std::uint64_t seed = 0;
  std::uint32_t tensor = 0;  ///< its place in the optimizer's list
  std::uint32_t step = 0;    ///< the tensor's taken steps, this one included

  static constexpr int elements = 8;  ///< of one block

  /// Four words, which hold the random bits of elements 8 · block … 8 · block + 7.
  AMPHORA_HD constexpr detail::philox_words words(std::int64_t block) const {
    const std::uint64_t count = static_cast<std::uint64_t>(block);
    return detail::philox({{static_cast<std::uint32_t>(count), static_cast<std::uint32_t>(count >> 32), step, tensor}}, seed);
  }
  /// The 16 random bits of element i.
  AMPHORA_HD constexpr std::uint32_t random(std::int64_t i) const {
    return words(i / elements).word[i % elements / 2] >> (i % 2 ? 16 : 0) & 0xFFFFu;
  }
  /// Element i, whose float has these bits.
  AMPHORA_HD constexpr bfloat16 operator()(std::uint32_t bits, std::int64_t i) const {
    return bfloat16::from_bits(detail::round_stochastically(bits, random(i)));
  }
  /// The random bits of 64 elements from `first` on, a multiple of 64: what a vectorised loop rounds with.
  AMPHORA_HD constexpr void random_64(std::int64_t first, std::uint16_t* out) const {
    for (int block = 0; block < 64 / elements; ++block) {
      const detail::philox_words all = words(first / elements + block);
      for (int word = 0; word < 4; ++word) {
        out[block * elements + 2 * word] = static_cast<std::uint16_t>(all.word[word]);
        out[block * elements + 2 * word + 1] = static_cast<std::uint16_t>(all.word[word] >> 16);
      }
    }
  }
};

}}  // namespace amphora
