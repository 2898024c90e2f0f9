// Random numbers without a state: a counter and a key in, four words out.
#pragma once
#include <amphora/detail/config.hpp>  // AMPHORA_HD

#include <cstdint>  // uint32_t, uint64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

struct philox_words { std::uint32_t word[4]; };

/// Philox-4x32-10: integers only, so the same words on every device.
///
/// Source  Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011, section 3.3 and table 2
AMPHORA_HD constexpr philox_words philox(philox_words counter, std::uint64_t key) {
  std::uint32_t low_key = static_cast<std::uint32_t>(key), high_key = static_cast<std::uint32_t>(key >> 32);
  std::uint32_t a = counter.word[0], b = counter.word[1], c = counter.word[2], d = counter.word[3];
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t first = std::uint64_t(0xD2511F53u) * a, second = std::uint64_t(0xCD9E8D57u) * c;
    a = static_cast<std::uint32_t>(second >> 32) ^ b ^ low_key;
    c = static_cast<std::uint32_t>(first >> 32) ^ d ^ high_key;
    b = static_cast<std::uint32_t>(second);
    d = static_cast<std::uint32_t>(first);
    low_key += 0x9E3779B9u;
    high_key += 0xBB67AE85u;
  }
  return {{a, b, c, d}};
}

}}}  // namespace amphora::detail
