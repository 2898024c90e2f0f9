// Sums of squares in lanes, as optimizer/sum_order.hpp lays them down.
#pragma once
#include <amphora/format/real.hpp>          // real
#include <amphora/host/block.hpp>           // block
#include <amphora/host/level.hpp>           // AMPHORA_AVX512, AMPHORA_INLINE, AMPHORA_INDEPENDENT
#include <amphora/optimizer/gradients.hpp>  // gradient_view
#include <amphora/optimizer/sum_order.hpp>  // step_block, step_lanes

#include <cstdint>  // int64_t

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"  // g++ 12 says so of its own intrinsics (its bug 105593)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpass-failed"  // below -O2 nothing is vectorised
#endif

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// One block, in float: sum is the lane of its first element.
AMPHORA_INLINE void add_squares(const float* x, float* sum) {
  AMPHORA_INDEPENDENT
  for (int i = 0; i < step_block; ++i) sum[i] = (real(sum[i]) + real(x[i]) * real(x[i])).x;
}
/// The sum of all lanes, by halves. Overwrites them.
template <int Half = step_lanes / 2, class Real> AMPHORA_INLINE double fold_lanes(Real* sum) {
  if constexpr (Half == 0) {
    return static_cast<double>(sum[0]);
  } else {
    AMPHORA_INDEPENDENT
    for (int i = 0; i < Half; ++i) sum[i] += sum[i + Half];
    return fold_lanes<Half / 2>(sum);
  }
}
/// The first count of a block, in double.
AMPHORA_INLINE void add_double_squares(const float* x, int count, double* sum) {
  for (int i = 0; i < count; ++i) sum[i] += static_cast<double>(x[i]) * static_cast<double>(x[i]);
}

/// Whole rows of lanes with the sums in registers, where there are enough of them. Where the loop is to go on.
template <class Level> inline std::int64_t square_rows(Level, const gradient_view&, std::int64_t from, std::int64_t, float*) { return from; }
#if AMPHORA_X86
template <class Format>
AMPHORA_AVX512 inline std::int64_t square_rows_of(const void* data, std::int64_t from, std::int64_t to, float* sum) {
  __m512 lane[step_lanes / 16];
  for (__m512& x : lane) x = _mm512_setzero_ps();
  std::int64_t i = from;
  for (; i + step_lanes <= to; i += step_lanes)
#if !defined(__CUDACC__)
#pragma GCC unroll 16
#endif
    for (int k = 0; k < step_lanes / 16; ++k) {
      const __m512 x = block<level_avx512>::load16<Format>(static_cast<const char*>(data) + (i + 16 * k) * (Format::bits / 8));
      lane[k] = _mm512_add_ps(lane[k], _mm512_mul_ps(x, x));
    }
  for (int k = 0; k < step_lanes / 16; ++k) _mm512_storeu_ps(sum + 16 * k, lane[k]);
  return i;
}
template <> AMPHORA_AVX512 inline std::int64_t square_rows(level_avx512, const gradient_view& g, std::int64_t from, std::int64_t to, float* sum) {
  if (g.format == format_id::f16) return square_rows_of<f16>(g.data, from, to, sum);
  if (g.format == format_id::bf16) return square_rows_of<bf16>(g.data, from, to, sum);
  return from;
}
#endif

}}}  // namespace amphora::detail

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#if defined(__clang__)
#pragma clang diagnostic pop
#endif
