// A sort that costs the compiler little: <algorithm> is a tenth of a second with nvcc.
#pragma once
#include <amphora/version.hpp>  // AMPHORA_ABI

#include <cstddef>  // size_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// Puts at [n] in order; equals may change places.
///
/// before  whether its first argument comes before its second
/// Cost    n · log n comparisons, no memory
/// Source  Williams 1964, algorithm 232 (heapsort)
template <class T, class Before>
void sort(T* at, std::size_t n, Before before) {
  const auto sink = [&](std::size_t root, std::size_t end) {
    const T moved = at[root];
    for (std::size_t child; (child = 2 * root + 1) < end; root = child) {
      if (child + 1 < end && before(at[child], at[child + 1])) ++child;
      if (!before(moved, at[child])) break;
      at[root] = at[child];
    }
    at[root] = moved;
  };
  for (std::size_t root = n / 2; root > 0;) sink(--root, n);
  for (std::size_t end = n; end > 1;) {
    const T last = at[--end];
    at[end] = at[0], at[0] = last;
    sink(0, end);
  }
}

}}}  // namespace amphora::detail
