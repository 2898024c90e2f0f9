// Blocks with AVX2 and F16C. Included by host/block.hpp.
#pragma once
#include <amphora/host/block.hpp>  // block, block_size
#include <amphora/host/level.hpp>  // level_avx2

#include <immintrin.h>

#define AMPHORA_AVX2 AMPHORA_TARGET("avx2,f16c")

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

template <>
struct block<level_avx2> {
  template <class Format>
  AMPHORA_AVX2 static AMPHORA_INLINE void load(const void* from, float* to) {
    if constexpr (std::is_same_v<Format, f32>) {
      std::memcpy(to, from, block_size * sizeof(float));
    } else if constexpr (std::is_same_v<Format, f64>) {
      block<level_base>::load<f64>(from, to);
    } else {
      const char* bytes = static_cast<const char*>(from);
      for (int i = 0; i < block_size; i += 8) _mm256_storeu_ps(to + i, load8<Format>(bytes + i * (Format::bits / 8)));
    }
  }
  template <class Format, class Mode = default_mode>
  AMPHORA_AVX2 static AMPHORA_INLINE void store(const float* from, void* to) {
    using mode = block_mode_t<Format, Mode>;
    if constexpr (std::is_same_v<Format, f32>) {
      std::memcpy(to, from, block_size * sizeof(float));
    } else if constexpr (std::is_same_v<Format, f64>) {
      block<level_base>::store<f64>(from, to);
    } else {
      char* bytes = static_cast<char*>(to);
      for (int i = 0; i < block_size; i += 32) {
        if constexpr (Format::bits == 16) {
          put(bytes + 2 * i, narrow16<Format, mode>(from + i)), put(bytes + 2 * i + 32, narrow16<Format, mode>(from + i + 16));
        } else {
          put(bytes + i, to_fp8<Format, mode>(to_odd_f16<Format>(from + i), to_odd_f16<Format>(from + i + 16)));
        }
      }
    }
  }

  /// 64 numbers of From to To, each rounded once.
  template <class To, class Mode, class From>
  AMPHORA_AVX2 static AMPHORA_INLINE void convert(const char* from, char* to) {
    if constexpr (std::is_same_v<From, f32>) {
      store<To, Mode>(reinterpret_cast<const float*>(from), to);
    } else if constexpr (std::is_same_v<To, f32> && !std::is_same_v<From, f64>) {
      load<From>(from, reinterpret_cast<float*>(to));
    } else if constexpr (std::is_same_v<From, f64>) {
      for (int i = 0; i < block_size; ++i) convert_one<To, Mode, From>(from, to, i);
    } else {
      float numbers[block_size];
      load<From>(from, numbers);
      store<To, Mode>(numbers, to);
    }
  }

  AMPHORA_AVX2 static inline void load(format_id format, const void* from, float* to) {
    switch (format) {
      case format_id::f16: return load<f16>(from, to);
      case format_id::bf16: return load<bf16>(from, to);
      case format_id::f32: return load<f32>(from, to);
      case format_id::f64: return load<f64>(from, to);
      case format_id::e4m3: return load<e4m3>(from, to);
      case format_id::e5m2: return load<e5m2>(from, to);
      case format_id::none: return;
    }
  }
  template <class Mode = default_mode>
  AMPHORA_AVX2 static inline void store(format_id format, const float* from, void* to) {
    switch (format) {
      case format_id::f16: return store<f16, Mode>(from, to);
      case format_id::bf16: return store<bf16, Mode>(from, to);
      case format_id::f32: return store<f32, Mode>(from, to);
      case format_id::f64: return store<f64, Mode>(from, to);
      case format_id::e4m3: return store<e4m3, Mode>(from, to);
      case format_id::e5m2: return store<e5m2, Mode>(from, to);
      case format_id::none: return;
    }
  }

 private:
  AMPHORA_AVX2 static AMPHORA_INLINE void put(char* to, __m256i x) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), x); }

  template <class Format>
  AMPHORA_AVX2 static AMPHORA_INLINE __m256 load8(const char* from) {
    if constexpr (std::is_same_v<Format, f16>) {
      return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
    } else if constexpr (std::is_same_v<Format, bf16>) {
      return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))), 16));
    } else {
      const __m128i wide = _mm_cvtepi8_epi16(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)));
      if constexpr (std::is_same_v<Format, e5m2>) {
        return _mm256_cvtph_ps(_mm_slli_epi16(wide, 8));  // e5m2 is the upper half of f16
      } else {
        // The fields of e4m3 are those of an f16 256 times smaller, but for its NaN. Nothing here is subnormal as a float.
        const __m128i magnitude = _mm_and_si128(wide, _mm_set1_epi16(0x7f));
        const __m128i nan = _mm_and_si128(_mm_cmpeq_epi16(magnitude, _mm_set1_epi16(0x7f)), _mm_set1_epi16(0x7c00));
        const __m128i sign = _mm_and_si128(wide, _mm_set1_epi16(-0x8000));
        const __m128i f16_bits = _mm_or_si128(_mm_or_si128(_mm_slli_epi16(magnitude, 7), nan), sign);
        return _mm256_mul_ps(_mm256_cvtph_ps(f16_bits), _mm256_set1_ps(256));
      }
    }
  }

  /// Read once: g++ would read anew for each use, and the reads are what limits a block.
  AMPHORA_AVX2 static AMPHORA_INLINE __m256i get(const float* from) {
    __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    asm("" : "+x"(x));
    return x;
  }

  /// Sixteen floats to a 16-bit format.
  template <class Format, class Mode>
  AMPHORA_AVX2 static AMPHORA_INLINE __m256i narrow16(const float* from) {
    const __m256i first = get(from), second = get(from + 8);
    const __m256i result = std::is_same_v<Format, f16> ? to_f16<_MM_FROUND_TO_NEAREST_INT>(first, second) : to_bf16(first, second);
    if constexpr (std::is_same_v<Mode, saturating>) {  // an infinity becomes the largest number, whose pattern is one less
      const __m256i magnitude = _mm256_and_si256(result, _mm256_set1_epi16(0x7fff));
      return _mm256_add_epi16(result, _mm256_cmpeq_epi16(magnitude, _mm256_set1_epi16(fields<Format>::exponent)));
    } else {
      return result;
    }
  }

  template <int Rounding>
  AMPHORA_AVX2 static AMPHORA_INLINE __m256i to_f16(__m256i first, __m256i second) {
    const __m128i low = _mm256_cvtps_ph(_mm256_castsi256_ps(first), Rounding | _MM_FROUND_NO_EXC);
    return _mm256_inserti128_si256(_mm256_castsi128_si256(low), _mm256_cvtps_ph(_mm256_castsi256_ps(second), Rounding | _MM_FROUND_NO_EXC), 1);
  }

  /// The floats' upper and lower halves go to 16-bit lanes, those of first and second in turn: half the work of 32-bit lanes.
  AMPHORA_AVX2 static AMPHORA_INLINE __m256i to_bf16(__m256i first, __m256i second) {
    const __m256i one = _mm256_set1_epi16(1);
    const __m256i upper = _mm256_blend_epi16(_mm256_srli_epi32(first, 16), second, 0xaa);
    const __m256i lower = _mm256_blend_epi16(first, _mm256_slli_epi32(second, 16), 0xaa);
    const __m256i ordered = _mm256_or_si256(_mm256_min_epu16(lower, one), _mm256_and_si256(upper, _mm256_set1_epi16(0x7fff)));
    const __m256i nan = _mm256_cmpgt_epi16(ordered, _mm256_set1_epi16(0x7f80));
    // Up if the lower half is more than a half, or a half and the upper half is odd; a NaN becomes quiet instead.
    const __m256i remainder = _mm256_or_si256(lower, _mm256_and_si256(upper, one));
    const __m256i up = _mm256_min_epu16(_mm256_subs_epu16(remainder, _mm256_set1_epi16(-0x8000)), one);
    const __m256i sum = _mm256_add_epi16(upper, _mm256_andnot_si256(nan, up));
    const __m256i result = _mm256_or_si256(sum, _mm256_and_si256(nan, _mm256_set1_epi16(0x40)));
    const __m256i halves = _mm256_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15, 0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15);
    return _mm256_permute4x64_epi64(_mm256_shuffle_epi8(result, halves), 0xd8);
  }

  /// 16 floats as f16, e4m3's 256 times smaller so that its subnormals fall on f16's, and cut to two bits more than Format
  /// has, or more, the second of them set if anything was lost: rounding that is as good as rounding the float.
  template <class Format>
  AMPHORA_AVX2 static AMPHORA_INLINE __m256i to_odd_f16(const float* from) {
    return to_f16<_MM_FROUND_TO_ZERO>(to_odd<Format>(get(from)), to_odd<Format>(get(from + 8)));
  }
  template <class Format>
  AMPHORA_AVX2 static AMPHORA_INLINE __m256i to_odd(__m256i x) {
    constexpr int sticky = 1 << (24 - Format::significand_bits - 2);
    x = _mm256_or_si256(x, _mm256_and_si256(_mm256_add_epi32(x, _mm256_set1_epi32(sticky - 1)), _mm256_set1_epi32(sticky)));
    if constexpr (std::is_same_v<Format, e5m2>) return x;
    // Below 2^-119 the product could be subnormal, which is slow and may be flushed: only the sign of those is kept.
    const __m256i tiny = _mm256_cmpeq_epi32(_mm256_and_si256(x, _mm256_set1_epi32(0x7c000000)), _mm256_setzero_si256());
    return _mm256_castps_si256(_mm256_mul_ps(_mm256_castsi256_ps(_mm256_andnot_si256(_mm256_srli_epi32(tiny, 1), x)), _mm256_set1_ps(0.00390625f)));
  }

  template <class Format, class Mode>
  AMPHORA_AVX2 static AMPHORA_INLINE __m256i to_fp8(__m256i first, __m256i second) {
    const __m256i bytes = _mm256_packus_epi16(rounded<Format, Mode>(first), rounded<Format, Mode>(second));
    const __m256i signs = _mm256_and_si256(_mm256_packs_epi16(first, second), _mm256_set1_epi8(-0x80));
    return _mm256_permute4x64_epi64(_mm256_or_si256(bytes, signs), 0xd8);
  }
  /// Without the sign.
  template <class Format, class Mode>
  AMPHORA_AVX2 static AMPHORA_INLINE __m256i rounded(__m256i x) {
    constexpr int dropped = 11 - Format::significand_bits;
    const __m256i magnitude = _mm256_and_si256(x, _mm256_set1_epi16(0x7fff));
    const __m256i nan = _mm256_cmpgt_epi16(magnitude, _mm256_set1_epi16(0x7c00));
    // mulhrs shifts and rounds halves up; one less is rounded down where the result would be even without, half less is cut.
    __m256i added = _mm256_cmpeq_epi16(_mm256_and_si256(x, _mm256_set1_epi16(1 << dropped)), _mm256_setzero_si256());
    if constexpr (Format::has_infinity) added = _mm256_min_epi16(added, _mm256_and_si256(nan, _mm256_set1_epi16(-(1 << (dropped - 1)))));
    const __m256i sum = _mm256_add_epi16(magnitude, added);
    __m256i result = _mm256_mulhrs_epi16(sum, _mm256_set1_epi16(1 << (15 - dropped)));
    if constexpr (Format::has_infinity) {
      if constexpr (std::is_same_v<Mode, saturating>) result = _mm256_add_epi16(result, _mm256_cmpeq_epi16(result, _mm256_set1_epi16(fields<Format>::exponent)));
      return result;
    } else if constexpr (std::is_same_v<Mode, saturating>) {
      return _mm256_sub_epi16(_mm256_min_epu16(result, _mm256_set1_epi16(0x7e)), nan);
    } else {
      return _mm256_min_epu16(result, _mm256_set1_epi16(0x7f));  // infinity, NaN and what is too large
    }
  }
};

}}}  // namespace amphora::detail
