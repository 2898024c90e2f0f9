// The host's part of a scaler: its functors run on the calling thread.
#pragma once
#include <amphora/host/context.hpp>   // host_context, host_device
#include <amphora/scale/kernels.hpp>  // scale_kernels

#include <cstddef>  // size_t
#include <cstdint>  // int64_t
#include <cstring>  // memcpy

namespace amphora { inline namespace AMPHORA_ABI {

template <>
struct scale_kernels<host_device> {
  static void wait_read(host_context& context, const void* device, void* host, std::size_t bytes) {
    context.wait();
    std::memcpy(host, device, bytes);
  }
  static void write(host_context&, const void* host, void* device, std::size_t bytes) { std::memcpy(device, host, bytes); }
  static void copy_later(host_context&, const void* device, void* pinned, std::size_t bytes) { std::memcpy(pinned, device, bytes); }
  template <class Functor> static void run(host_context&, const Functor& functor) { functor(); }
  template <class Functor> static void run(host_context&, std::int64_t n, const Functor& functor) {
    for (std::int64_t i = 0; i < n; ++i) functor(i);
  }
};

}}  // namespace amphora
