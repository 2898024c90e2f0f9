// Copies, fills and changes of format on the host.
#pragma once
#include <amphora/format/storage.hpp>  // storage_t
#include <amphora/host/context.hpp>    // host_context, host_device
#include <amphora/host/convert.hpp>    // convert_array
#include <amphora/host/parallel.hpp>   // for_pieces
#include <amphora/ops/kernels.hpp>     // memory_kernels
#include <amphora/ops/operand.hpp>     // source, target

#include <algorithm>  // fill_n, min
#include <cstdint>    // int64_t
#include <cstring>    // memcpy
#include <type_traits>  // conditional_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

template <>
struct memory_kernels<host_device> {
  static void copy(host_context&, const void* from, void* to, std::int64_t bytes) {
    if (bytes > 0) std::memcpy(to, from, static_cast<std::size_t>(bytes));
  }
  /// n numbers, each rounded once; 8-bit formats saturate.
  template <class Y, class X>
  static void convert(host_context& context, const target<Y>& y, const source<X>& x, std::int64_t n) {
    constexpr std::int64_t part = 1 << 20;
    using mode = std::conditional_t<bits_v<Y> == 8, saturating, default_mode>;
    const auto* from = static_cast<const storage_t<X>*>(x.data);
    auto* to = static_cast<storage_t<Y>*>(y.data);
    if (context.threads() == 1) return convert_array(from, to, n, mode{});
    for_pieces(context, (n + part - 1) / part, n > part,
               [&](std::int64_t i, int) { convert_array(from + i * part, to + i * part, (std::min)(part, n - i * part), mode{}); });
  }
  template <class T> static void fill(host_context&, const T& value, T* to, std::int64_t n) { std::fill_n(to, n, value); }
};

}}}  // namespace amphora::detail
