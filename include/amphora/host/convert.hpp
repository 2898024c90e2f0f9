// Arrays from one format to another on the host.
#pragma once
#include <amphora/format/convert.hpp>  // is_conversion_mode_v
#include <amphora/host/block.hpp>      // block, convert_one
#include <amphora/host/stream.hpp>     // stream_blocks

#include <cstdint>  // int64_t
#include <cstring>  // memcpy

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// A loop over blocks of 64 with a level's instructions.
template <class To, class Mode, class From>
struct block_loop {
  static void run(level_base, const char* from, char* to, std::int64_t blocks) {
    for (; blocks > 0; --blocks, from += block_size * (From::bits / 8), to += block_size * (To::bits / 8)) block<level_base>::convert<To, Mode, From>(from, to);
  }
#if AMPHORA_X86
  AMPHORA_AVX2 static void run(level_avx2, const char* from, char* to, std::int64_t blocks) {
    for (; blocks > 0; --blocks, from += block_size * (From::bits / 8), to += block_size * (To::bits / 8)) block<level_avx2>::convert<To, Mode, From>(from, to);
  }
  AMPHORA_AVX512 static void run(level_avx512, const char* from, char* to, std::int64_t blocks) {
    for (; blocks > 0; --blocks, from += block_size * (From::bits / 8), to += block_size * (To::bits / 8)) block<level_avx512>::convert<To, Mode, From>(from, to);
  }
#endif
};

/// n numbers at a level that the CPU must have.
template <class To, class Mode, class From, class Level>
void convert_array_at(const void* from, void* to, std::int64_t n) {
  const auto* source = static_cast<const char*>(from);
  auto* target = static_cast<char*>(to);
  const auto loop = [](const char* source_block, char* target_block, std::int64_t blocks) {
    block_loop<To, Mode, From>::run(Level{}, source_block, target_block, blocks);
  };
  const std::int64_t streamed = stream_blocks<Level>(loop, source, From::bits / 8, target, To::bits / 8, n);
  const std::int64_t blocks = (n - streamed) / block_size;
  loop(source + streamed * (From::bits / 8), target + streamed * (To::bits / 8), blocks);
  for (std::int64_t i = streamed + blocks * block_size; i < n; ++i) convert_one<To, Mode, From>(from, to, i);
}

/// n numbers from one array to another, each rounded once as amphora::convert does it: the same bits on every CPU.
///
/// from, to   [n], host, of any storage type; they do not overlap
/// Mode       to be named for an 8-bit To: saturating{} or non_saturating{}
/// Cost       reads and writes each number once. Past stream_threshold bytes in all it writes around the cache
template <class From, class To, class Mode = default_mode>
void convert_array(const From* from, To* to, std::int64_t n, Mode = {}) {
  using from_format = format_of_t<From>;
  using to_format = format_of_t<To>;
  static_assert(is_storage_v<From> && is_storage_v<To>,
      "amphora [unknown-storage-type]: an array to convert has a type whose format is not known; specialise amphora::format_of for it");
  static_assert(!is_storage_v<To> || is_conversion_mode_v<to_format, Mode>,
      "amphora [overflow-mode]: an 8-bit format is left by large numbers easily, and there are two ways to treat them; "
      "give amphora::saturating{} or amphora::non_saturating{}");
  if constexpr (is_storage_v<From> && is_storage_v<To> && is_conversion_mode_v<to_format, Mode>) {
    if constexpr (std::is_same_v<from_format, to_format>) {
      if (n > 0 && static_cast<const void*>(from) != to) std::memcpy(to, from, static_cast<std::size_t>(n) * sizeof(To));
    } else {
#if AMPHORA_X86
      if (has_avx512()) return convert_array_at<to_format, Mode, from_format, level_avx512>(from, to, n);
      if (has_avx2()) return convert_array_at<to_format, Mode, from_format, level_avx2>(from, to, n);
#endif
      convert_array_at<to_format, Mode, from_format, level_base>(from, to, n);
    }
  }
}

}}}  // namespace amphora::detail
