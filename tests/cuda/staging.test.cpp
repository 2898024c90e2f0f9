#include <amphora/cuda/staging.cuh>

#include <device.hpp>  // test_context, device_array, read_device

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

namespace amp = amphora;

TEST_CASE("pinned buffers are used again once their copies have run") {
  test_context context;
  auto& buffers = context.cache<amp::detail::staging>();
  const std::size_t size = std::size_t(1) << 20;
  amp::tensor<unsigned char, test_context> memory(context, {static_cast<std::int64_t>(size)});
  CHECK(buffers.buffers() == 0);
  for (int k = 0; k < 5; ++k) {
    const auto bytes = std::vector<unsigned char>(size, static_cast<unsigned char>(k + 1));
    buffers.copy(context, bytes.data(), memory.data(), size);
    context.wait();
    CHECK(buffers.buffers() == 1);
    CHECK(read_device(context, memory.data() + size - 1) == bytes.back());
  }
}

TEST_CASE("an array of several pieces is cut at their ends, and the host's memory is free on return") {
  test_context context;
  auto& buffers = context.cache<amp::detail::staging>();
  const std::size_t size = 2 * amp::detail::staging::piece + 3;
  std::vector<unsigned char> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<unsigned char>(i % 251);
  const auto expected = bytes;
  device_array<unsigned char> memory(context, size + 1, static_cast<unsigned char>(0xee));
  buffers.copy(context, bytes.data(), memory.data(), size);
  bytes.assign(size, 0);
  const auto got = memory.get();
  CHECK(got.back() == 0xee);
  CHECK(std::vector<unsigned char>(got.begin(), got.end() - 1) == expected);
}

#if defined(AMPHORA_EMULATED_CUDA)
TEST_CASE("a copy waits for nothing, and a second one allocates nothing") {
  test_context context;
  auto& buffers = context.cache<amp::detail::staging>();
  device_array<unsigned char> memory(context, 100000);
  const std::vector<unsigned char> bytes(100000, 5);
  const emulated::no_waits nothing_waits;
  buffers.copy(context, bytes.data(), memory.data(), bytes.size());
  const emulated::no_allocations nothing_is_allocated;
  buffers.copy(context, bytes.data(), memory.data(), bytes.size());
}
#endif
