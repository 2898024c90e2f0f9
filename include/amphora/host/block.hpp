// 64 numbers of any format to float and back: how the host's loops read and write memory.
#pragma once
#include <amphora/detail/bit_cast.hpp>   // bit_cast
#include <amphora/format/convert.hpp>    // convert_bits, default_mode
#include <amphora/format/format_id.hpp>  // format_id, size_of
#include <amphora/host/level.hpp>        // level_base, AMPHORA_INLINE

#include <cstdint>  // int64_t, uint32_t
#include <cstring>  // memcpy

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// Numbers in one block. Loops over a local array of so many are what compilers vectorise best.
inline constexpr int block_size = 64;

/// Where a block's store names no mode, 8-bit formats saturate and the others overflow to infinity.
template <class Format, class Mode>
using block_mode_t = std::conditional_t<!std::is_same_v<Mode, default_mode>, Mode, std::conditional_t<is_fp8_v<Format>, saturating, non_saturating>>;

/// Where number i of an array lies.
inline const void* nth(const void* data, format_id format, std::int64_t i) { return static_cast<const char*>(data) + i * size_of(format); }
inline void* nth(void* data, format_id format, std::int64_t i) { return static_cast<char*>(data) + i * size_of(format); }

/// Number i of one array, rounded once to number i of another. No alignment is asked for.
template <class To, class Mode, class From>
AMPHORA_INLINE void convert_one(const void* from, void* to, std::int64_t i) {
  bits_t<From> pattern;
  std::memcpy(&pattern, static_cast<const char*>(from) + i * static_cast<int>(sizeof pattern), sizeof pattern);
  const bits_t<To> result = convert_bits<To, Mode, From>(pattern);
  std::memcpy(static_cast<char*>(to) + i * static_cast<int>(sizeof result), &result, sizeof result);
}
/// Number i of an array of Format as a float (rounded once where it is f64), and back.
template <class Format>
AMPHORA_INLINE float load_number(const void* from, std::int64_t i) {
  float x;
  convert_one<f32, non_saturating, Format>(static_cast<const char*>(from) + i * (Format::bits / 8), &x, 0);
  return x;
}
template <class Format, class Mode = default_mode>
AMPHORA_INLINE void store_number(float x, void* to, std::int64_t i) {
  convert_one<Format, block_mode_t<Format, Mode>, f32>(&x, static_cast<char*>(to) + i * (Format::bits / 8), 0);
}

inline float load_number(format_id format, const void* from, std::int64_t i) {
  switch (format) {
    case format_id::f16: return load_number<f16>(from, i);
    case format_id::bf16: return load_number<bf16>(from, i);
    case format_id::f32: return load_number<f32>(from, i);
    case format_id::f64: return load_number<f64>(from, i);
    case format_id::e4m3: return load_number<e4m3>(from, i);
    case format_id::e5m2: return load_number<e5m2>(from, i);
    case format_id::none: break;
  }
  return 0;
}
template <class Mode = default_mode>
inline void store_number(format_id format, float x, void* to, std::int64_t i) {
  switch (format) {
    case format_id::f16: return store_number<f16, Mode>(x, to, i);
    case format_id::bf16: return store_number<bf16, Mode>(x, to, i);
    case format_id::f32: return store_number<f32, Mode>(x, to, i);
    case format_id::f64: return store_number<f64, Mode>(x, to, i);
    case format_id::e4m3: return store_number<e4m3, Mode>(x, to, i);
    case format_id::e5m2: return store_number<e5m2, Mode>(x, to, i);
    case format_id::none: break;
  }
}

/// load and store of 64 numbers with a level's instructions; the same bits at every level.
///
/// Each function carries the level's target attribute, so only a function of that level (or above) may call it.
/// from, to  the block's first number, in any alignment
template <class Level> struct block;

template <>
struct block<level_base> {
  template <class Format>
  static AMPHORA_INLINE void load(const void* from, float* to) {
    for (int i = 0; i < block_size; ++i) to[i] = load_number<Format>(from, i);
  }
  template <class Format, class Mode = default_mode>
  static AMPHORA_INLINE void store(const float* from, void* to) {
    for (int i = 0; i < block_size; ++i) store_number<Format, Mode>(from[i], to, i);
  }
  /// 64 numbers of From to To, each rounded once.
  template <class To, class Mode, class From>
  static AMPHORA_INLINE void convert(const char* from, char* to) {
    for (int i = 0; i < block_size; ++i) convert_one<To, Mode, From>(from, to, i);
  }

  static inline void load(format_id format, const void* from, float* to) {
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
  static inline void store(format_id format, const float* from, void* to) {
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
};

}}}  // namespace amphora::detail

#if AMPHORA_X86
#include <amphora/host/block_avx2.hpp>    // block<level_avx2>
#include <amphora/host/block_avx512.hpp>  // block<level_avx512>
#endif
