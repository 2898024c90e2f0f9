// What a device does for a scaler. The front declares it; each device specialises it.
#pragma once
#include <amphora/version.hpp>  // AMPHORA_ABI

namespace amphora { inline namespace AMPHORA_ABI {

/// Specialised for Context::device, e.g. in host/scale.hpp:
///
///     static void wait_read(Context&, const void* device, void* host, std::size_t bytes);   // copies to the host, and waits
///     static void write(Context&, const void* host, void* device, std::size_t bytes);       // host memory is free on return; no wait
///     static void copy_later(Context&, const void* device, void* pinned, std::size_t bytes);  // in stream order, no wait
///     template <class Functor> static void run(Context&, Functor functor);                  // functor(), one thread, in order
///     template <class Functor> static void run(Context&, std::int64_t n, Functor functor);  // functor(i) for 0 <= i < n
template <class Device> struct scale_kernels;

}}  // namespace amphora
