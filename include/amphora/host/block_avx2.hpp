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
        const __m256i first = narrow16<Format, mode>(from + i), second = narrow16<Format, mode>(from + i + 16);
        if constexpr (Format::bits == 16) {
          put(bytes + 2 * i, first), put(bytes + 2 * i + 32, second);
        } else {
          put(bytes + i, _mm256_permute4x64_epi64(_mm256_packus_epi16(first, second), 0xd8));
        }
      }
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

  /// Sixteen floats as 16-bit lanes in order: a 16-bit format's patterns, or an 8-bit format's with zeros above.
  template <class Format, class Mode>
  AMPHORA_AVX2 static AMPHORA_INLINE __m256i narrow16(const float* from) {
    const __m256i first = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)), second = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + 8));
    if constexpr (std::is_same_v<Format, bf16>) {
      const __m256i both = _mm256_permute4x64_epi64(_mm256_packus_epi32(to_bf16(first), to_bf16(second)), 0xd8);
      return saturated16<Format, Mode>(both);
    } else if constexpr (std::is_same_v<Format, f16>) {
      return saturated16<Format, Mode>(to_f16<_MM_FROUND_TO_NEAREST_INT>(first, second));
    } else {
      constexpr float scale = std::is_same_v<Format, e4m3> ? 0.00390625f : 1.0f;
      return f16_to_fp8<Format, Mode>(to_f16<_MM_FROUND_TO_ZERO>(to_odd<Format>(first, scale), to_odd<Format>(second, scale)));
    }
  }

  template <int Rounding>
  AMPHORA_AVX2 static AMPHORA_INLINE __m256i to_f16(__m256i first, __m256i second) {
    const __m128i low = _mm256_cvtps_ph(_mm256_castsi256_ps(first), Rounding | _MM_FROUND_NO_EXC);
    return _mm256_inserti128_si256(_mm256_castsi128_si256(low), _mm256_cvtps_ph(_mm256_castsi256_ps(second), Rounding | _MM_FROUND_NO_EXC), 1);
  }

  /// In the lower half of each 32-bit lane.
  AMPHORA_AVX2 static AMPHORA_INLINE __m256i to_bf16(__m256i x) {
    const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(x, 16), _mm256_set1_epi32(1));
    const __m256i rounded = _mm256_add_epi32(_mm256_add_epi32(x, _mm256_set1_epi32(0x7fff)), odd);
    const __m256i nan = _mm256_cmpgt_epi32(_mm256_and_si256(x, _mm256_set1_epi32(0x7fffffff)), _mm256_set1_epi32(0x7f800000));
    return _mm256_srli_epi32(_mm256_blendv_epi8(rounded, _mm256_or_si256(x, _mm256_set1_epi32(0x00400000)), nan), 16);
  }

  /// An infinity becomes the largest number, whose pattern is one less.
  template <class Format, class Mode>
  AMPHORA_AVX2 static AMPHORA_INLINE __m256i saturated16(__m256i x) {
    if constexpr (std::is_same_v<Mode, saturating>) {
      const __m256i magnitude = _mm256_and_si256(x, _mm256_set1_epi16(0x7fff));
      return _mm256_add_epi16(x, _mm256_cmpeq_epi16(magnitude, _mm256_set1_epi16(fields<Format>::exponent)));
    } else {
      return x;
    }
  }

  /// x cut to two bits more than Format has, the last one set if anything was lost: rounding that is as good as rounding x.
  template <class Format>
  AMPHORA_AVX2 static AMPHORA_INLINE __m256i to_odd(__m256i x, float scale) {
    const __m256i lost = _mm256_set1_epi32((1 << (24 - Format::significand_bits - 2)) - 1);
    x = _mm256_andnot_si256(lost, _mm256_or_si256(x, _mm256_add_epi32(_mm256_and_si256(x, lost), lost)));
    return scale == 1.0f ? x : _mm256_castps_si256(_mm256_mul_ps(_mm256_castsi256_ps(x), _mm256_set1_ps(scale)));
  }

  template <class Format, class Mode>
  AMPHORA_AVX2 static AMPHORA_INLINE __m256i f16_to_fp8(__m256i x) {
    constexpr int dropped = 11 - Format::significand_bits;
    const __m256i magnitude = _mm256_and_si256(x, _mm256_set1_epi16(0x7fff));
    const __m256i sign = _mm256_srli_epi16(_mm256_xor_si256(x, magnitude), 8);
    const __m256i nan = _mm256_cmpgt_epi16(magnitude, _mm256_set1_epi16(0x7c00));
    const __m256i odd = _mm256_and_si256(_mm256_srli_epi16(magnitude, dropped), _mm256_set1_epi16(1));
    __m256i bias = _mm256_add_epi16(odd, _mm256_set1_epi16((1 << (dropped - 1)) - 1));
    if constexpr (std::is_same_v<Format, e5m2>) bias = _mm256_andnot_si256(nan, bias);
    __m256i result = _mm256_srli_epi16(_mm256_add_epi16(magnitude, bias), dropped);
    if constexpr (std::is_same_v<Format, e5m2>) {
      if constexpr (std::is_same_v<Mode, saturating>) result = _mm256_add_epi16(result, _mm256_cmpeq_epi16(result, _mm256_set1_epi16(0x7c)));
    } else if constexpr (std::is_same_v<Mode, saturating>) {
      result = _mm256_sub_epi16(_mm256_min_epu16(result, _mm256_set1_epi16(0x7e)), nan);
    } else {
      result = _mm256_min_epu16(result, _mm256_set1_epi16(0x7f));  // infinity, NaN and what is too large
    }
    return _mm256_or_si256(result, sign);
  }
};

}}}  // namespace amphora::detail
