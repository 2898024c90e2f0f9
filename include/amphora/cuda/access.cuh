// How kernels touch global memory: loads and stores of a named width, and the numbers in them.
#pragma once
#include <amphora/detail/bit_cast.hpp>   // bit_cast
#include <amphora/detail/config.hpp>     // AMPHORA_HD
#include <amphora/format/convert.hpp>    // convert_bits, saturating
#include <amphora/format/rounding.hpp>   // bits_t

#include <cuda_bf16.h>     // __float2bfloat16_rn
#include <cuda_fp16.h>     // __half2float, __float2half_rn
#include <cuda_runtime.h>  // __ldca, __ldcg, __ldcs, __stcs, __stwb

#include <cstdint>      // int64_t, uintptr_t
#include <type_traits>  // is_same_v

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// What becomes of a cache line: read again soon (operands of an op), or not before the next step (weights, moments, gradients).
struct cached {};
struct streamed {};
/// Written by other blocks of the same launch: read past the multiprocessor's own cache.
struct fresh {};

/// Every access of a kernel to arrays in global memory is one of these two. They say ld.global and st.global even where the
/// pointer came out of a table, keep 16 bytes together, and tell the emulator what is touched.
///
/// T  unsigned char, short, int or long long, uint2, uint4, float, double, float4, double2; aligned to its size
template <class Use = cached, class T>
__device__ inline T load(const T* p) {
#if defined(__clang__) && defined(__CUDA__)  // has these functions for CUDA's halves alone
  if constexpr (std::is_same_v<Use, fresh>) return *static_cast<const volatile T*>(p);
  else return *p;
#else
  if constexpr (std::is_same_v<Use, streamed>) return __ldcs(p);
  else if constexpr (std::is_same_v<Use, fresh>) return __ldcg(p);
  else return __ldca(p);
#endif
}
template <class Use = cached, class T>
__device__ inline void store(T* p, T x) {
#if defined(__clang__) && defined(__CUDA__)
  *p = x;
#else
  if constexpr (std::is_same_v<Use, streamed>) __stcs(p, x);
  else __stwb(p, x);
#endif
}

/// Numbers of Format in registers: up from their bits, and down to them, rounded once to nearest even (NaN comes out as the
/// processor's own; 8-bit formats saturate). No subnormal float is an operand or a result, so --use_fast_math changes nothing.
template <class Format>
struct registers {
  using bits = bits_t<Format>;

  template <class Real = float> __device__ static Real up(bits pattern) {
    if constexpr (std::is_same_v<Format, f16> && std::is_same_v<Real, float>) return __half2float(__ushort_as_half(pattern));
    else if constexpr (std::is_same_v<Format, bf16> && std::is_same_v<Real, float>) return bit_cast<float>(std::uint32_t(pattern) << 16);
    else if constexpr (std::is_same_v<Format, ieee_format_t<Real>>) return bit_cast<Real>(pattern);
    else return bit_cast<Real>(convert_bits<ieee_format_t<Real>, default_mode, Format>(pattern));
  }
  template <class Real> __device__ static bits down(Real x) {
    if constexpr (std::is_same_v<Format, f16> && std::is_same_v<Real, float>) return __half_as_ushort(__float2half_rn(x));
    else if constexpr (std::is_same_v<Format, bf16> && std::is_same_v<Real, float>) return __bfloat16_as_ushort(__float2bfloat16_rn(x));
    else if constexpr (std::is_same_v<Format, ieee_format_t<Real>>) return bit_cast<bits>(x);
    else return convert_bits<Format, std::conditional_t<is_fp8_v<Format>, saturating, non_saturating>, ieee_format_t<Real>>(bit_cast<bits_t<ieee_format_t<Real>>>(x));
  }
};

/// Number i of an array of Format.
template <class Format, class Real = float, class Use = cached>
__device__ inline Real load_one(const void* array, std::int64_t i) {
  return registers<Format>::template up<Real>(load<Use>(static_cast<const bits_t<Format>*>(array) + i));
}
template <class Format, class Use = cached, class Real>
__device__ inline void store_one(void* array, std::int64_t i, Real x) {
  store<Use>(static_cast<bits_t<Format>*>(array) + i, registers<Format>::down(x));
}

/// Eight neighbours.
template <class Real> struct eight { Real x[8]; };

/// Whether an array can be read in eights from here on: 16 bytes at a time, of an 8-bit format 8.
template <class Format>
AMPHORA_HD inline bool is_wide(const void* p) { return reinterpret_cast<std::uintptr_t>(p) % (Format::bits == 8 ? 8 : 16) == 0; }

/// Numbers i … i + 7, in accesses of 16 bytes (8 for an 8-bit format). i is a multiple of eight of an array that is_wide.
template <class Format, class Real = float, class Use = cached>
__device__ inline eight<Real> load_eight(const void* array, std::int64_t i) {
  using bits = bits_t<Format>;
  using part = std::conditional_t<Format::bits == 8, uint2, uint4>;
  constexpr int parts = 8 * static_cast<int>(sizeof(bits)) / static_cast<int>(sizeof(part)), in_part = 8 / parts;
  const auto* from = reinterpret_cast<const part*>(static_cast<const bits*>(array) + i);
  eight<Real> result;
#pragma unroll
  for (int k = 0; k < parts; ++k) {
    union { part raw; bits pattern[in_part]; } piece;
    piece.raw = load<Use>(from + k);
#pragma unroll
    for (int j = 0; j < in_part; ++j) result.x[k * in_part + j] = registers<Format>::template up<Real>(piece.pattern[j]);
  }
  return result;
}
template <class Format, class Use = cached, class Real>
__device__ inline void store_eight(void* array, std::int64_t i, const eight<Real>& values) {
  using bits = bits_t<Format>;
  using part = std::conditional_t<Format::bits == 8, uint2, uint4>;
  constexpr int parts = 8 * static_cast<int>(sizeof(bits)) / static_cast<int>(sizeof(part)), in_part = 8 / parts;
  auto* to = reinterpret_cast<part*>(static_cast<bits*>(array) + i);
#pragma unroll
  for (int k = 0; k < parts; ++k) {
    union { part raw; bits pattern[in_part]; } piece;
#pragma unroll
    for (int j = 0; j < in_part; ++j) piece.pattern[j] = registers<Format>::down(values.x[k * in_part + j]);
    store<Use>(to + k, piece.raw);
  }
}

}}}  // namespace amphora::detail
