// Sorted indices on the host, and the error for one that is not there.
#pragma once
#include <amphora/error.hpp>         // fail
#include <amphora/host/context.hpp>  // host_context, host_device
#include <amphora/host/pick.hpp>     // host_indices
#include <amphora/ops/index.hpp>     // index_kernels

#include <algorithm>  // sort
#include <cstdint>    // int64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

template <>
struct index_kernels<host_device> {
  static void sort(host_context&, std::int64_t* keys, std::int64_t n) { std::sort(keys, keys + n); }
  /// Errors  index
  static void require_within(host_context& context, const char* call, const index_source& indices, std::int64_t n, std::int64_t low, std::int64_t high) {
    const host_indices at(context, n, indices);
    for (std::int64_t i = 0; i < n; ++i)
      if (at(i) < low || at(i) >= high) fail("index", call, " has the index ", at(i), " at place ", i, ", which is not within [", low, ", ", high, ")");
  }
  /// Whether a mask has so many places.
  ///
  /// Errors  index
  static void require_count(host_context& context, const char* call, const index_source& mask, std::int64_t n, std::int64_t want) {
    const host_indices at(context, n, mask);
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < n; ++i) count += at(i);
    if (count != want) fail("index", call, " has a mask of ", count, " places where values for ", want, " are given");
  }
};

}}}  // namespace amphora::detail
