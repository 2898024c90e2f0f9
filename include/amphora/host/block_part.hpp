// A block of 64 elements that is not whole: the end of an array, one element at a time.
#pragma once
#include <amphora/detail/bit_cast.hpp>       // bit_cast
#include <amphora/format/format_id.hpp>      // format_id
#include <amphora/host/block.hpp>            // load_number, store_number
#include <amphora/host/level.hpp>            // AMPHORA_APART
#include <amphora/optimizer/stochastic.hpp>  // stochastic_rounding, round_stochastically
#include <amphora/optimizer/sum_order.hpp>   // step_block

#include <cstddef>  // size_t
#include <cstdint>  // int64_t, uint16_t, uint32_t
#include <cstring>  // memcpy

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

// AMPHORA_APART: what a whole block does not need stays out of the loops, so that they stay short.

/// Elements i to i + count in x; the rest of the block is 0.
AMPHORA_APART inline void load_part(format_id format, const void* data, std::int64_t i, int count, float* x) {
  for (int j = 0; j < step_block; ++j) x[j] = j < count ? load_number(format, data, i + j) : 0.0f;
}
/// The first count of a block; the rest goes nowhere.
AMPHORA_APART inline void store_part(format_id format, const float* x, void* data, std::int64_t i, int count) {
  for (int j = 0; j < count; ++j) store_number(format, x[j], data, i + j);
}
/// The same in bf16, whole blocks too, rounded up or down by chance.
AMPHORA_APART inline void store_stochastic(const float* x, void* data, std::int64_t i, int count, const stochastic_rounding& random) {
  std::uint16_t bits[step_block];
  random.random_64(i, bits);
  for (int j = 0; j < step_block; ++j) bits[j] = round_stochastically(bit_cast<std::uint32_t>(x[j]), bits[j]);
  std::memcpy(static_cast<char*>(data) + 2 * i, bits, static_cast<std::size_t>(count) * 2);
}
/// load_part of floats.
AMPHORA_APART inline void copy_part(const float* from, int count, float* to) {
  for (int j = 0; j < step_block; ++j) to[j] = j < count ? from[j] : 0.0f;
}

}}}  // namespace amphora::detail
