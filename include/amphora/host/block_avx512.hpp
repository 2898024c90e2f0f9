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
      for (int i = 0; i < block_size; i += 32) {
        const __m512i wide = narrow32<Format, mode>(from + i);
        if constexpr (Format::bits == 16) {
          _mm512_storeu_si512(bytes + 2 * i, wide);
        } else {
          _mm256_storeu_si256(reinterpret_cast<__m256i*>(bytes + i), _mm512_cvtepi16_epi8(wide));
        }
      }
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

 private:
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

  /// 32 floats as 16-bit lanes in order: a 16-bit format's patterns, or an 8-bit format's with zeros above.
  template <class Format, class Mode>
  AMPHORA_AVX512 static AMPHORA_INLINE __m512i narrow32(const float* from) {
    const __m512i first = _mm512_loadu_si512(from), second = _mm512_loadu_si512(from + 16);
    if constexpr (std::is_same_v<Format, bf16>) {
      const __m512i order = _mm512_set_epi64(7, 5, 3, 1, 6, 4, 2, 0);
      return saturated16<Format, Mode>(_mm512_permutexvar_epi64(order, _mm512_packus_epi32(to_bf16(first), to_bf16(second))));
    } else if constexpr (std::is_same_v<Format, f16>) {
      return saturated16<Format, Mode>(to_f16<_MM_FROUND_TO_NEAREST_INT>(first, second));
    } else {
      constexpr float scale = std::is_same_v<Format, e4m3> ? 0.00390625f : 1.0f;
      return f16_to_fp8<Format, Mode>(to_f16<_MM_FROUND_TO_ZERO>(to_odd<Format>(first, scale), to_odd<Format>(second, scale)));
    }
  }

  template <int Rounding>
  AMPHORA_AVX512 static AMPHORA_INLINE __m512i to_f16(__m512i first, __m512i second) {
    const __m256i low = _mm512_cvtps_ph(_mm512_castsi512_ps(first), Rounding | _MM_FROUND_NO_EXC);
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), _mm512_cvtps_ph(_mm512_castsi512_ps(second), Rounding | _MM_FROUND_NO_EXC), 1);
  }

  /// In the lower half of each 32-bit lane.
  AMPHORA_AVX512 static AMPHORA_INLINE __m512i to_bf16(__m512i x) {
    const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(x, 16), _mm512_set1_epi32(1));
    const __m512i rounded = _mm512_add_epi32(_mm512_add_epi32(x, _mm512_set1_epi32(0x7fff)), odd);
    const __mmask16 nan = _mm512_cmpgt_epi32_mask(_mm512_and_si512(x, _mm512_set1_epi32(0x7fffffff)), _mm512_set1_epi32(0x7f800000));
    return _mm512_srli_epi32(_mm512_mask_or_epi32(rounded, nan, x, _mm512_set1_epi32(0x00400000)), 16);
  }

  /// An infinity becomes the largest number, whose pattern is one less.
  template <class Format, class Mode>
  AMPHORA_AVX512 static AMPHORA_INLINE __m512i saturated16(__m512i x) {
    if constexpr (std::is_same_v<Mode, saturating>) {
      const __m512i magnitude = _mm512_and_si512(x, _mm512_set1_epi16(0x7fff));
      return _mm512_mask_sub_epi16(x, _mm512_cmpeq_epi16_mask(magnitude, _mm512_set1_epi16(fields<Format>::exponent)), x, _mm512_set1_epi16(1));
    } else {
      return x;
    }
  }

  /// x cut to two bits more than Format has, the last one set if anything was lost: rounding that is as good as rounding x.
  template <class Format>
  AMPHORA_AVX512 static AMPHORA_INLINE __m512i to_odd(__m512i x, float scale) {
    const __m512i lost = _mm512_set1_epi32((1 << (24 - Format::significand_bits - 2)) - 1);
    x = _mm512_andnot_si512(lost, _mm512_or_si512(x, _mm512_add_epi32(_mm512_and_si512(x, lost), lost)));
    return scale == 1.0f ? x : _mm512_castps_si512(_mm512_mul_ps(_mm512_castsi512_ps(x), _mm512_set1_ps(scale)));
  }

  template <class Format, class Mode>
  AMPHORA_AVX512 static AMPHORA_INLINE __m512i f16_to_fp8(__m512i x) {
    constexpr int dropped = 11 - Format::significand_bits;
    const __m512i one = _mm512_set1_epi16(1);
    const __m512i magnitude = _mm512_and_si512(x, _mm512_set1_epi16(0x7fff));
    const __m512i odd = _mm512_and_si512(_mm512_srli_epi16(x, dropped), one);
    const __m512i bias = _mm512_add_epi16(odd, _mm512_set1_epi16((1 << (dropped - 1)) - 1));
    __m512i result;
    if constexpr (std::is_same_v<Format, e5m2>) {
      const __mmask32 number = _mm512_cmple_epi16_mask(magnitude, _mm512_set1_epi16(0x7c00));
      result = _mm512_srli_epi16(_mm512_mask_add_epi16(magnitude, number, magnitude, bias), dropped);
      if constexpr (std::is_same_v<Mode, saturating>) result = _mm512_mask_sub_epi16(result, _mm512_cmpeq_epi16_mask(result, _mm512_set1_epi16(0x7c)), result, one);
    } else {
      result = _mm512_srli_epi16(_mm512_add_epi16(magnitude, bias), dropped);
      if constexpr (std::is_same_v<Mode, saturating>) {
        const __mmask32 nan = _mm512_cmpgt_epi16_mask(magnitude, _mm512_set1_epi16(0x7c00));
        result = _mm512_min_epu16(result, _mm512_set1_epi16(0x7e));
        result = _mm512_mask_add_epi16(result, nan, result, one);
      } else {
        result = _mm512_min_epu16(result, _mm512_set1_epi16(0x7f));  // infinity, NaN and what is too large
      }
    }
    return _mm512_or_si512(result, _mm512_and_si512(_mm512_srli_epi16(x, 8), _mm512_set1_epi16(0x80)));
  }
};

}}}  // namespace amphora::detail

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
