// What stands above the diagonal of a square matrix, as a row of numbers and back.
#pragma once
#include <amphora/detail/config.hpp>  // AMPHORA_HD

#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// pick(context, n, target, x): the numbers above the diagonal of x [n, n], row by row. spread(context, n, target, pairs): the other way, 0 elsewhere.
template <class Device> struct triangle_kernels;

/// How many numbers stand there.
AMPHORA_HD constexpr std::int64_t triangle_size(std::int64_t n) { return n % 2 == 0 ? n / 2 * (n - 1) : (n - 1) / 2 * n; }
/// Where those of row i begin.
AMPHORA_HD constexpr std::int64_t triangle_row(std::int64_t n, std::int64_t i) { return triangle_size(n) - triangle_size(n - i); }

}}}  // namespace amphora::detail
