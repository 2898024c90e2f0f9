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

TEST_CASE("arrays change their format with one rounding each, on any number of threads") {
  constexpr std::int64_t n = (1 << 20) + 77;
  amp::host_context one, two(2);
  amp::tensor<float, amp::host_context> x(one, {n});
  amp::tensor<amp::bfloat16, amp::host_context> y(one, {n}), z(one, {n});
  for (std::int64_t i = 0; i < n; ++i) x.data()[i] = static_cast<float>(i) * 1.00001f;
  using kernels = amp::detail::memory_kernels<amp::host_device>;
  kernels::convert(one, amp::detail::write(y.view()), amp::detail::read(amp::detail::operand(x)), n);
  kernels::convert(two, amp::detail::write(z.view()), amp::detail::read(amp::detail::operand(x)), n);
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < n; ++i) wrong += y.data()[i].bits() != amp::bfloat16(x.data()[i]).bits() || z.data()[i].bits() != y.data()[i].bits();
  CHECK(wrong == 0);
}
