// Large arrays written around the cache, several pages in turn.
#pragma once
#include <amphora/host/block.hpp>  // block_size, AMPHORA_AVX512
#include <amphora/host/level.hpp>  // level_base, level_avx512, AMPHORA_X86

#include <cstdint>  // int64_t, uintptr_t

#if AMPHORA_X86
#include <immintrin.h>  // _mm_stream_si128, _mm512_stream_si512
#endif

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// Bytes read and written together from which an array is taken not to fit the cache.
inline constexpr std::int64_t stream_threshold = 16 << 20;

/// What was measured to be fastest: so many pages in turn, so many blocks of each at a time, the next pages' prefetched.
inline constexpr int stream_pages = 8;
inline constexpr int stream_visit = 1;
inline constexpr int stream_page = 4096;  ///< bytes, of the wider array

#if AMPHORA_X86
/// Copies whole lines of 64 bytes to memory without reading what they hold. to is aligned to 64.
inline void stream_lines(level_base, const char* from, char* to, std::int64_t bytes) {
  for (; bytes > 0; bytes -= 64, from += 64, to += 64) {
    const auto* source = reinterpret_cast<const __m128i*>(from);
    auto* target = reinterpret_cast<__m128i*>(to);
    _mm_stream_si128(target, _mm_load_si128(source));
    _mm_stream_si128(target + 1, _mm_load_si128(source + 1));
    _mm_stream_si128(target + 2, _mm_load_si128(source + 2));
    _mm_stream_si128(target + 3, _mm_load_si128(source + 3));
  }
}
inline void stream_lines(level_avx2, const char* from, char* to, std::int64_t bytes) { stream_lines(level_base{}, from, to, bytes); }
AMPHORA_AVX512 inline void stream_lines(level_avx512, const char* from, char* to, std::int64_t bytes) {
  for (; bytes > 0; bytes -= 64, from += 64, to += 64) _mm512_stream_si512(reinterpret_cast<__m512i*>(to), _mm512_load_si512(from));
}
#endif

/// After lines were streamed: whoever is met next sees them.
inline void end_streaming() {
#if AMPHORA_X86
  _mm_sfence();
#endif
}

/// Runs loop(from, to, blocks) over the front of two large arrays, and returns how many of the n numbers that was: 0 where
/// the arrays are small. The rest is the caller's.
///
/// from_size, to_size  bytes of one number
/// Level               one that the CPU must have
/// A processor's prefetching ends at the page; with several pages in turn, memory stays busy.
template <class Level = level_base, class Loop>
std::int64_t stream_blocks(const Loop& loop, const char* from, int from_size, char* to, int to_size, std::int64_t n) {
#if AMPHORA_X86
  if (n < stream_threshold / (from_size + to_size)) return 0;
  const std::int64_t from_block = block_size * from_size, to_block = block_size * to_size;
  const std::int64_t page = stream_page / (from_block > to_block ? from_block : to_block);  // in blocks
  const std::int64_t group = page * stream_pages;
  // Up to the first whole line of the target: one block, part of which is then written twice.
  const auto beyond = static_cast<int>(reinterpret_cast<std::uintptr_t>(to) % 64);
  if (beyond % to_size != 0) return 0;
  const int head = beyond == 0 ? 0 : (64 - beyond) / to_size;
  if (head) loop(from, to, 1);
  from += head * from_size, to += head * to_size;

  alignas(64) char lines[stream_visit * block_size * 8] = {};  // so that g++ sees them written, whatever loop does
  const std::int64_t groups = (n - head) / (group * block_size);
  for (std::int64_t first = 0; first < groups * group; first += group)
    for (std::int64_t visit = 0; visit < page; visit += stream_visit)
      for (std::int64_t block = first + visit; block < first + group; block += page) {
        const char* source = from + block * from_block;
        if (first + group < groups * group)
          for (std::int64_t line = 0; line < stream_visit * from_block; line += 64) _mm_prefetch(source + group * from_block + line, _MM_HINT_T1);
        loop(source, lines, stream_visit);
        stream_lines(Level{}, lines, to + block * to_block, stream_visit * to_block);
      }
  end_streaming();
  return head + groups * group * block_size;
#else
  return 0;
#endif
}

}}}  // namespace amphora::detail
