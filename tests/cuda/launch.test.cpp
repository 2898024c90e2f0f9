#include <amphora/cuda/launch.cuh>

#include <amphora/cuda/access.cuh>  // load, store

#include <device.hpp>  // test_context, device_array

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

namespace amp = amphora;

namespace {
struct settings {
  int factor;
  std::int64_t shift;
};
__global__ void number_pieces(std::int64_t pieces, const settings with, int* to) {
  for (std::int64_t piece = blockIdx.x; piece < pieces; piece += gridDim.x)
    if (threadIdx.x == 0) amp::detail::store(to + piece, static_cast<int>(piece * with.factor + with.shift));
}
__global__ void count_threads(int* to) {
  if (threadIdx.x == blockDim.x - 1) amp::detail::store(to + blockIdx.x, static_cast<int>(blockDim.x * gridDim.x));
}
}  // namespace

TEST_CASE("a kernel gets its arguments by value, and any grid does all the pieces") {
  test_context context;
  for (int grid : {1, 3, 1000}) {
    device_array<int> to(context, 1000, -1);
    amp::detail::launch(context, "number_pieces", grid, amp::detail::block_threads, number_pieces, 1000, settings{3, 7}, to.data());
    const std::vector<int> got = to.get();
    for (int piece = 0; piece < 1000; ++piece) CHECK(got[static_cast<std::size_t>(piece)] == 3 * piece + 7);
  }
  device_array<int> to(context, 5);
  amp::detail::launch(context, "count_threads", 5, 96, count_threads, to.data());
  CHECK(to.get() == std::vector<int>(5, 5 * 96));
}

TEST_CASE("a grid has a block for each piece, as many as keep the device busy, and never none") {
  const test_context context;
  const int full = context.multiprocessors() * 8;
  CHECK(amp::detail::grid_for(context, 0) == 1);
  CHECK(amp::detail::grid_for(context, 1) == 1);
  CHECK(amp::detail::grid_for(context, full) == full);
  CHECK(amp::detail::grid_for(context, full + 1) == full);
  CHECK(amp::detail::grid_for(context, std::int64_t(1) << 40, 2) == context.multiprocessors() * 2);
}

TEST_CASE("a launch that cannot be made says which, and of how many blocks and threads") {
  test_context context;
  device_array<int> to(context, 1);
  CHECK_THROWS_WITH_AS(amp::detail::launch(context, "count_threads", 1, 2048, count_threads, to.data()),
                       doctest::Contains("amphora [cuda-call]: count_threads on 1 blocks of 2048 threads failed: cudaErrorInvalid"), amp::error);
  amp::detail::launch(context, "count_threads", 1, 32, count_threads, to.data());
  CHECK(to[0] == 32);
}

#if defined(AMPHORA_EMULATED_CUDA)
TEST_CASE("a program without code for the device says so") {
  test_context context;
  device_array<int> to(context, 1);
  emulated::fail_next_launch = cudaErrorNoKernelImageForDevice;
  CHECK_THROWS_WITH_AS(amp::detail::launch(context, "count_threads", 1, 32, count_threads, to.data()), doctest::Contains("amphora [device]: this program was not built for this device (count_threads"), amp::error);
}
#endif
