#include <amphora/scale/kernels.hpp>  // scale_kernels

#include <amphora/scale/state.hpp>  // scale_state

#include <doctest/doctest.h>

#include <cstring>

namespace amp = amphora;

// A device of one's own joins by this one specialisation: here one whose memory is the host's, and which counts.
struct counting_device {};
struct counting_context {
  using device = counting_device;
  int runs = 0, waits = 0;
};
template <>
struct amp::scale_kernels<counting_device> {
  static void wait_read(counting_context& context, const void* device, void* host, std::size_t bytes) { ++context.waits, std::memcpy(host, device, bytes); }
  static void write(counting_context&, const void* host, void* device, std::size_t bytes) { std::memcpy(device, host, bytes); }
  template <class Functor> static void run(counting_context& context, const Functor& functor) { ++context.runs, functor(); }
};

TEST_CASE("a device's kernels are found through its context's type") {
  counting_context context;
  using kernels = amp::scale_kernels<counting_context::device>;
  amp::scale_state on_device;
  kernels::run(context, [&] { on_device.scale = 8; });
  amp::scale_state on_host;
  kernels::wait_read(context, &on_device, &on_host, sizeof on_host);
  CHECK(on_host.scale == 8);
  CHECK(context.runs == 1);
  CHECK(context.waits == 1);
}
