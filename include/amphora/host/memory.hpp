// Copies and fills on the host.
#pragma once
#include <amphora/host/context.hpp>  // host_context, host_device
#include <amphora/ops/kernels.hpp>   // memory_kernels

#include <algorithm>  // fill_n
#include <cstdint>    // int64_t
#include <cstring>    // memcpy

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

template <>
struct memory_kernels<host_device> {
  static void copy(host_context&, const void* from, void* to, std::int64_t bytes) {
    if (bytes > 0) std::memcpy(to, from, static_cast<std::size_t>(bytes));
  }
  template <class T> static void fill(host_context&, const T& value, T* to, std::int64_t n) { std::fill_n(to, n, value); }
};

}}}  // namespace amphora::detail
