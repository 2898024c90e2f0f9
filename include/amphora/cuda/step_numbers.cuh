// How the threads of an update load and store numbers of any format: eight neighbours at a time, or one.
#pragma once
#include <amphora/cuda/access.cuh>           // load_eight, load_one, store_eight, store_one, is_wide
#include <amphora/detail/bit_cast.hpp>       // bit_cast
#include <amphora/detail/philox.hpp>         // philox_words
#include <amphora/format/format_id.hpp>      // format_id
#include <amphora/optimizer/stochastic.hpp>  // stochastic_rounding, round_stochastically

#include <cstdint>  // int64_t, uint16_t, uint32_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// Numbers of one thread: eight neighbours where there are so many, else one.
template <int Count> struct step_numbers { float x[Count]; };

/// In accesses of 16 bytes where the address allows it.
template <class Format, int Count>
__device__ inline step_numbers<Count> load_numbers(const void* from) {
  step_numbers<Count> result;
  if (Count == 8 && is_wide<Format>(from)) {
    const eight<float> wide = load_eight<Format, float, streamed>(from, 0);
#pragma unroll
    for (int j = 0; j < Count; ++j) result.x[j] = wide.x[j];
  } else {
#pragma unroll
    for (int j = 0; j < Count; ++j) result.x[j] = load_one<Format, float, streamed>(from, j);
  }
  return result;
}
template <class Format, int Count>
__device__ inline void store_numbers(void* to, const step_numbers<Count>& values) {
  if (Count == 8 && is_wide<Format>(to)) {
    eight<float> wide;
#pragma unroll
    for (int j = 0; j < Count; ++j) wide.x[j] = values.x[j];
    store_eight<Format, streamed>(to, 0, wide);
  } else {
#pragma unroll
    for (int j = 0; j < Count; ++j) store_one<Format, streamed>(to, j, values.x[j]);
  }
}
template <int Count>
__device__ inline step_numbers<Count> load_numbers(format_id format, const void* array, std::int64_t i) {
  if (format == format_id::f32) return load_numbers<f32, Count>(static_cast<const float*>(array) + i);
  const void* const from = static_cast<const std::uint16_t*>(array) + i;
  return format == format_id::f16 ? load_numbers<f16, Count>(from) : load_numbers<bf16, Count>(from);
}
template <int Count>
__device__ inline void store_numbers(format_id format, void* array, std::int64_t i, const step_numbers<Count>& values) {
  if (format == format_id::f32) return store_numbers<f32>(static_cast<float*>(array) + i, values);
  void* const to = static_cast<std::uint16_t*>(array) + i;
  if (format == format_id::f16) store_numbers<f16>(to, values);
  else store_numbers<bf16>(to, values);
}
/// In bf16, rounded up or down by chance: one block of random words for eight neighbours.
template <int Count>
__device__ inline void store_stochastic(void* array, std::int64_t i, const step_numbers<Count>& values, const stochastic_rounding& random) {
  const philox_words words = random.words(i / stochastic_rounding::elements);
  const int first = Count == 8 ? 0 : static_cast<int>(i % 8);
  step_numbers<Count> rounded;
#pragma unroll
  for (int j = 0; j < Count; ++j) {
    const int k = first + j;
    const std::uint32_t word = k < 4 ? (k < 2 ? words.word[0] : words.word[1]) : k < 6 ? words.word[2] : words.word[3];
    rounded.x[j] = bit_cast<float>(std::uint32_t(round_stochastically(bit_cast<std::uint32_t>(values.x[j]), word >> (k % 2 ? 16 : 0) & 0xffffu)) << 16);
  }
  store_numbers<bf16>(static_cast<std::uint16_t*>(array) + i, rounded);
}
template <int Count>
__device__ inline void flush_subnormals(step_numbers<Count>& values) {
#pragma unroll
  for (int j = 0; j < Count; ++j) {
    const std::uint32_t bits = bit_cast<std::uint32_t>(values.x[j]);
    if ((bits & 0x7f800000u) == 0) values.x[j] = bit_cast<float>(bits & 0x80000000u);
  }
}

}}}  // namespace amphora::detail
