#include <amphora/host/scale.hpp>  // scale_kernels

#include <doctest/doctest.h>

namespace amp = amphora;

namespace {
struct add_one {
  int* to;
  void operator()() const { ++*to; }
  void operator()(std::int64_t i) const { to[i] += static_cast<int>(i); }
};
}  // namespace

TEST_CASE("the host runs a scaler's functors on the calling thread, in order, and copies at once") {
  amp::host_context context;
  using kernels = amp::scale_kernels<amp::host_device>;
  int on_device[4] = {}, on_host[4] = {5, 6, 7, 8};
  kernels::write(context, on_host, on_device, sizeof on_host);
  kernels::run(context, add_one{on_device});
  kernels::run(context, 4, add_one{on_device});
  kernels::run(context, 0, add_one{on_device});
  kernels::wait_read(context, on_device, on_host, sizeof on_host);
  CHECK(on_host[0] == 6);
  CHECK(on_host[1] == 7);
  CHECK(on_host[2] == 9);
  CHECK(on_host[3] == 11);
}
