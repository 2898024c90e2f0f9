// The order in which a norm's terms are added: part of the numbers, so that every device, level and thread count agrees.
#pragma once
#include <amphora/detail/bit_cast.hpp>  // bit_cast
#include <amphora/detail/config.hpp>    // AMPHORA_HD

#include <cstdint>  // int64_t, uint64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

// Element i of a chunk goes to lane i % lanes; lanes fold by halves; chunk k goes, as a double, to column k % columns; columns
// fold by halves. Never tuned.
constexpr int step_chunk = 4096;
constexpr int step_lanes = 256;
constexpr int step_columns = 128;
constexpr int step_block = 64;  // what the host's loops work on at a time; belongs to no sum

/// How many chunks n elements have. In 64 bits throughout: 2^32 + 1 elements are 1048577 chunks, not one.
AMPHORA_HD constexpr std::int64_t chunks_of(std::int64_t n) { return n / step_chunk + (n % step_chunk != 0); }
AMPHORA_HD constexpr std::int64_t blocks_of(std::int64_t n) { return n / step_block + (n % step_block != 0); }

/// The larger of two magnitudes, NaN above all others; by their bits, so that no flag of the compiler loses it.
AMPHORA_HD constexpr double larger_magnitude(double a, double b) { return bit_cast<std::uint64_t>(a) < bit_cast<std::uint64_t>(b) ? b : a; }

/// The chunks' sums in their columns. Largest: the maximum instead of the sum.
AMPHORA_HD inline double fold_columns(const double* partial, std::int64_t count, bool largest) {
  double column[step_columns] = {};
  for (std::int64_t k = 0; k < count; ++k) {
    double& place = column[k % step_columns];
    place = largest ? larger_magnitude(place, partial[k]) : place + partial[k];
  }
  for (int half = step_columns / 2; half; half /= 2)
    for (int k = 0; k < half; ++k) column[k] = largest ? larger_magnitude(column[k], column[k + half]) : column[k] + column[k + half];
  return column[0];
}

}}}  // namespace amphora::detail
