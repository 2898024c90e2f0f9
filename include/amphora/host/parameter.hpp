// Loading and clearing parameters on the host.
#pragma once
#include <amphora/host/block.hpp>               // block, load_number, store_number
#include <amphora/host/context.hpp>             // host_context, host_device
#include <amphora/tensor/parameter_memory.hpp>  // parameter_kernels

#include <cstdint>  // int64_t
#include <cstring>  // memset

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

template <>
struct parameter_kernels<host_device> {
  /// One pass: each number is read once and rounded once into every target.
  static void load(host_context&, gradient_pointer from, const model_pointer* to, int count, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) {
      const float x = load_number(from.format, from.data, i);
      for (int k = 0; k < count; ++k) store_number(to[k].format, x, to[k].data, i);
    }
  }
  static void clear(host_context&, void* memory, std::int64_t bytes) {
    if (bytes > 0) std::memset(memory, 0, static_cast<std::size_t>(bytes));
  }
};

}}}  // namespace amphora::detail
