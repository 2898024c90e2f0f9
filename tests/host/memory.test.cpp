#include <amphora/host/memory.hpp>

#include <doctest/doctest.h>

namespace amp = amphora;

TEST_CASE("bytes are copied and numbers filled, none where there are none") {
  amp::host_context c;
  int from[3] = {1, 2, 3}, to[3] = {};
  using kernels = amp::detail::memory_kernels<amp::host_device>;
  kernels::copy(c, from, to, 2 * sizeof(int));
  CHECK(to[1] == 2);
  CHECK(to[2] == 0);
  kernels::copy(c, nullptr, nullptr, 0);
  kernels::fill(c, 9, to, 2);
  CHECK(to[1] == 9);
  CHECK(to[2] == 0);
}
