// Blocks with AVX-512. Included by host/block.hpp.
#pragma once
#include <amphora/host/block.hpp>  // block, block_size
#include <amphora/host/level.hpp>  // level_avx512

#include <immintrin.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"  // g++ 12 says so of its own intrinsics (its bug 105593)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#define AMPHORA_AVX512 AMPHORA_TARGET("avx2,f16c,avx512f,avx512bw,avx512vl,avx512dq")

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

template <>
struct block<level_avx512> {
  template <class Format>
  AMPHORA_AVX512 static AMPHORA_INLINE void load(const void* from, float* to) {
    if constexpr (std::is_same_v<Format, f32>) {
      std::memcpy(to, from, block_size * sizeof(float));
    } else if constexpr (std::is_same_v<Format, f64>) {
      block<level_base>::load<f64>(from, to);
    } else {
      const char* bytes = static_cast<const char*>(from);
      for (int i = 0; i < block_size; i += 16) _mm512_storeu_ps(to + i, load16<Format>(bytes + i * (Format::bits / 8)));
    }
  }
  template <class Format, class Mode = default_mode>
  AMPHORA_AVX512 static AMPHORA_INLINE void store(const float* from, void* to) {
    using mode = block_mode_t<Format, Mode>;
    if constexpr (std::is_same_v<Format, f32>) {
      std::memcpy(to, from, block_size * sizeof(float));
    } else if constexpr (std::is_same_v<Format, f64>) {
      block<level_base>::store<f64>(from, to);
    } else {
      char* bytes = static_cast<char*>(to);
      if constexpr (Format::bits == 16) {
        _mm512_storeu_si512(bytes, narrow32<Format, mode>(from));
        _mm512_storeu_si512(bytes + 64, narrow32<Format, mode>(from + 32));
      } else {
        _mm512_storeu_si512(bytes, to_fp8<Format, mode>(to_odd_f16<Format>(from), to_odd_f16<Format>(from + 32)));
      }
    }
  }

  /// 64 numbers of From to To, each rounded once.
  template <class To, class Mode, class From>
  AMPHORA_AVX512 static AMPHORA_INLINE void convert(const char* from, char* to) {
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

  AMPHORA_AVX512 static inline void load(format_id format, const void* from, float* to) {
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
  AMPHORA_AVX512 static inline void store(format_id format, const float* from, void* to) {
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

  template <class Format>
  AMPHORA_AVX512 static AMPHORA_INLINE __m512 load16(const char* from) {
    if constexpr (Format::bits == 16) {
      const __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
      if constexpr (std::is_same_v<Format, f16>) {
        return _mm512_cvtph_ps(bits);
      } else {
        return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(bits), 16));
      }
    } else {
      const __m256i wide = _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
      if constexpr (std::is_same_v<Format, e5m2>) {
        return _mm512_cvtph_ps(_mm256_slli_epi16(wide, 8));  // e5m2 is the upper half of f16
      } else {
        // The fields of e4m3 are those of an f16 256 times smaller, but for its NaN. Nothing here is subnormal as a float.
        const __m256i magnitude = _mm256_and_si256(wide, _mm256_set1_epi16(0x7f));
        const __m256i nan = _mm256_and_si256(_mm256_cmpeq_epi16(magnitude, _mm256_set1_epi16(0x7f)), _mm256_set1_epi16(0x7c00));
        const __m256i sign = _mm256_and_si256(wide, _mm256_set1_epi16(-0x8000));
        const __m256i f16_bits = _mm256_or_si256(_mm256_or_si256(_mm256_slli_epi16(magnitude, 7), nan), sign);
        return _mm512_mul_ps(_mm512_cvtph_ps(f16_bits), _mm512_set1_ps(256));
      }
    }
  }

 private:
  /// Read once: g++ would read anew for each use, and the reads are what limits a block.
  AMPHORA_AVX512 static AMPHORA_INLINE __m512i get(const float* from) {
    __m512i x = _mm512_loadu_si512(from);
    asm("" : "+v"(x));
    return x;
  }

  /// 32 floats to a 16-bit format.
  template <class Format, class Mode>
  AMPHORA_AVX512 static AMPHORA_INLINE __m512i narrow32(const float* from) {
    const __m512i first = get(from), second = get(from + 16);
    const __m512i result = std::is_same_v<Format, f16> ? to_f16<_MM_FROUND_TO_NEAREST_INT>(first, second) : to_bf16(first, second);
    if constexpr (std::is_same_v<Mode, saturating>) {  // an infinity becomes the largest number, whose pattern is one less
      const __m512i magnitude = _mm512_and_si512(result, _mm512_set1_epi16(0x7fff));
      return _mm512_mask_sub_epi16(result, _mm512_cmpeq_epi16_mask(magnitude, _mm512_set1_epi16(fields<Format>::exponent)), result, _mm512_set1_epi16(1));
    } else {
      return result;
    }
  }

  template <int Rounding>
  AMPHORA_AVX512 static AMPHORA_INLINE __m512i to_f16(__m512i first, __m512i second) {
    const __m256i low = _mm512_cvtps_ph(_mm512_castsi512_ps(first), Rounding | _MM_FROUND_NO_EXC);
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), _mm512_cvtps_ph(_mm512_castsi512_ps(second), Rounding | _MM_FROUND_NO_EXC), 1);
  }

  /// a | (b & c)
  AMPHORA_AVX512 static AMPHORA_INLINE __m512i or_and(__m512i a, __m512i b, __m512i c) { return _mm512_ternarylogic_epi32(a, b, c, 0xf8); }

  /// The floats' upper and lower halves go to 16-bit lanes, those of first and second in turn: half the work of 32-bit lanes.
  AMPHORA_AVX512 static AMPHORA_INLINE __m512i to_bf16(__m512i first, __m512i second) {
    constexpr __mmask32 of_second = 0xaaaaaaaa;
    const __m512i upper = _mm512_mask_blend_epi16(of_second, _mm512_srli_epi32(first, 16), second);
    const __m512i lower = _mm512_mask_blend_epi16(of_second, first, _mm512_slli_epi32(second, 16));
    const __m512i one = _mm512_set1_epi16(1);
    const __m512i ordered = or_and(_mm512_min_epu16(lower, one), upper, _mm512_set1_epi16(0x7fff));
    const __mmask32 number = _mm512_cmple_epi16_mask(ordered, _mm512_set1_epi16(0x7f80));
    // Up if the lower half is more than a half, or a half and the upper half is odd.
    const __mmask32 up = _mm512_mask_cmpgt_epu16_mask(number, or_and(lower, upper, one), _mm512_set1_epi16(-0x8000));
    const __m512i quiet = _mm512_mask_blend_epi16(number, _mm512_or_si512(upper, _mm512_set1_epi16(0x40)), upper);
    const __m512i order = _mm512_set_epi16(31, 29, 27, 25, 23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1, 30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    return _mm512_permutexvar_epi16(order, _mm512_mask_add_epi16(quiet, up, quiet, one));
  }

  /// 32 floats as f16, e4m3's 256 times smaller so that its subnormals fall on f16's, and cut to two bits more than Format
  /// has, or more, the second of them set if anything was lost: rounding that is as good as rounding the float.
  template <class Format>
  AMPHORA_AVX512 static AMPHORA_INLINE __m512i to_odd_f16(const float* from) {
    return to_f16<_MM_FROUND_TO_ZERO>(to_odd<Format>(get(from)), to_odd<Format>(get(from + 16)));
  }
  template <class Format>
  AMPHORA_AVX512 static AMPHORA_INLINE __m512i to_odd(__m512i x) {
    constexpr int sticky = 1 << (24 - Format::significand_bits - 2);
    x = or_and(x, _mm512_add_epi32(x, _mm512_set1_epi32(sticky - 1)), _mm512_set1_epi32(sticky));
    if constexpr (std::is_same_v<Format, e5m2>) return x;
    // Below 2^-119 the product could be subnormal, which is slow and may be flushed: those round to 0 as they are.
    const __mmask16 scaled = _mm512_test_epi32_mask(x, _mm512_set1_epi32(0x7c000000));
    return _mm512_castps_si512(_mm512_mask_mul_ps(_mm512_castsi512_ps(x), scaled, _mm512_castsi512_ps(x), _mm512_set1_ps(0.00390625f)));
  }

  template <class Format, class Mode>
  AMPHORA_AVX512 static AMPHORA_INLINE __m512i to_fp8(__m512i first, __m512i second) {
    __m512i bytes = _mm512_packus_epi16(rounded<Format>(first), rounded<Format>(second));
    if constexpr (std::is_same_v<Mode, saturating>) {  // f16's infinity is 0x7c here, of e4m3 0xf8, and a NaN is more
      const __mmask64 number = _mm512_cmple_epu8_mask(bytes, _mm512_set1_epi8(static_cast<char>(Format::has_infinity ? 0x7c : 0xf8)));
      const __m512i of_nan = Format::has_infinity ? bytes : _mm512_set1_epi8(0x7f);
      bytes = _mm512_mask_min_epu8(of_nan, number, bytes, _mm512_set1_epi8(fields<Format>::largest));
    } else if constexpr (!Format::has_infinity) {
      bytes = _mm512_min_epu8(bytes, _mm512_set1_epi8(0x7f));  // infinity, NaN and what is too large
    }
    // bytes | (signs & ~0x7f)
    const __m512i result = _mm512_ternarylogic_epi32(bytes, _mm512_packs_epi16(first, second), _mm512_set1_epi8(0x7f), 0xf4);
    return _mm512_permutexvar_epi64(_mm512_set_epi64(7, 5, 3, 1, 6, 4, 2, 0), result);
  }
  /// Without the sign, and what is too large still to be limited.
  template <class Format>
  AMPHORA_AVX512 static AMPHORA_INLINE __m512i rounded(__m512i x) {
    constexpr int dropped = 11 - Format::significand_bits;
    const __m512i magnitude = _mm512_and_si512(x, _mm512_set1_epi16(0x7fff));
    const __mmask32 even = _mm512_testn_epi16_mask(x, _mm512_set1_epi16(1 << dropped));
    // mulhrs shifts and rounds halves up; one less is rounded down where the result would be even without, half less is cut.
    __m512i sum = _mm512_mask_sub_epi16(magnitude, even, magnitude, _mm512_set1_epi16(1));
    if constexpr (Format::has_infinity) {
      const __mmask32 nan = _mm512_cmpgt_epi16_mask(magnitude, _mm512_set1_epi16(0x7c00));
      sum = _mm512_mask_sub_epi16(sum, nan, magnitude, _mm512_set1_epi16(1 << (dropped - 1)));
    }
    return _mm512_mulhrs_epi16(sum, _mm512_set1_epi16(1 << (15 - dropped)));
  }
};

}}}  // namespace amphora::detail

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
