#include <amphora/cuda/scale.cuh>

#include <device.hpp>  // test_context, device_array, read_device

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace amp = amphora;
using kernels = amp::scale_kernels<amp::cuda_device>;

namespace {
struct add_one {
  int* number;
  AMPHORA_HD void operator()() const { *number += 1; }
};
struct square {
  float* numbers;
  AMPHORA_HD void operator()(std::int64_t i) const { numbers[i] = static_cast<float>(i) * static_cast<float>(i); }
};
std::vector<unsigned char> counted(std::size_t size, unsigned first) {
  std::vector<unsigned char> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<unsigned char>((first + i * 7 + i / 251) % 256);
  return bytes;
}
}  // namespace

TEST_CASE("a functor runs once, or once for each index, in stream order") {
  test_context context;
  device_array<int> number(context, {5});
  for (int k = 0; k < 3; ++k) kernels::run(context, add_one{number.data()});
  CHECK(number[0] == 8);
  for (std::int64_t n : {std::int64_t(0), std::int64_t(1), std::int64_t(257), std::int64_t(100000)}) {
    device_array<float> numbers(context, static_cast<std::size_t>(n) + 1, -1.0f);
    kernels::run(context, n, square{numbers.data()});
    const auto got = numbers.get();
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < n; ++i) wrong += got[static_cast<std::size_t>(i)] != static_cast<float>(i) * static_cast<float>(i);
    CHECK(wrong == 0);
    CHECK(got.back() == -1);  // and nothing behind them
  }
}

TEST_CASE("bytes of any number arrive whole, at any address, and nothing beside them is touched") {
  test_context context;
  for (std::size_t size : {std::size_t(1), std::size_t(3071), std::size_t(3072), std::size_t(3073), std::size_t(65536), std::size_t(65537), (std::size_t(4) << 20) + 5}) {
    device_array<unsigned char> memory(context, size + 2, static_cast<unsigned char>(0xee));
    const auto bytes = counted(size, 3);
    kernels::write(context, bytes.data(), memory.data() + 1, size);
    const auto got = memory.get();
    CHECK(got.front() == 0xee);
    CHECK(got.back() == 0xee);
    CHECK(std::vector<unsigned char>(got.begin() + 1, got.end() - 1) == bytes);
    std::vector<unsigned char> back(size);
    kernels::wait_read(context, memory.data() + 1, back.data(), size);
    CHECK(back == bytes);
  }
}

TEST_CASE("what a capture writes, small or large, each of its replays writes again") {
  test_context context;
  for (std::size_t size : {std::size_t(100), std::size_t(70000)}) {
    device_array<unsigned char> memory(context, size);
    auto bytes = counted(size, 9);
    const auto expected = bytes;
    REQUIRE(cudaStreamBeginCapture(context.stream(), cudaStreamCaptureModeGlobal) == cudaSuccess);
    kernels::write(context, bytes.data(), memory.data(), size);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t replay = nullptr;
    REQUIRE(cudaStreamEndCapture(context.stream(), &graph) == cudaSuccess);
    REQUIRE(cudaGraphInstantiate(&replay, graph, 0) == cudaSuccess);
    bytes.assign(size, 0);  // the host's memory is free, then and in every replay
    for (int k = 0; k < 2; ++k) {
      memory.set(std::vector<unsigned char>(size));
      REQUIRE(cudaGraphLaunch(replay, context.stream()) == cudaSuccess);
      CHECK(memory.get() == expected);
    }
    CHECK(cudaGraphExecDestroy(replay) == cudaSuccess);
    CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  }
}

TEST_CASE("a capture refuses what would wait, and takes a copy for the log") {
  test_context context;
  device_array<float> number(context, {2});
  float* pinned = nullptr;
  REQUIRE(cudaMallocHost(reinterpret_cast<void**>(&pinned), sizeof(float)) == cudaSuccess);
  *pinned = 0;
  REQUIRE(cudaStreamBeginCapture(context.stream(), cudaStreamCaptureModeGlobal) == cudaSuccess);
  float result = 0;
  CHECK_THROWS_WITH_AS(kernels::wait_read(context, number.data(), &result, sizeof result), doctest::Contains("amphora [capture]: wait_read"), amp::error);
  kernels::copy_later(context, number.data(), pinned, sizeof(float));
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t replay = nullptr;
  REQUIRE(cudaStreamEndCapture(context.stream(), &graph) == cudaSuccess);
  REQUIRE(cudaGraphInstantiate(&replay, graph, 0) == cudaSuccess);
  CHECK(*pinned == 0);
  for (float x : {3.0f, 4.0f}) {
    number.set({x});
    REQUIRE(cudaGraphLaunch(replay, context.stream()) == cudaSuccess);
    context.wait();
    CHECK(*pinned == x);
  }
  CHECK(cudaGraphExecDestroy(replay) == cudaSuccess);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  CHECK(cudaFreeHost(pinned) == cudaSuccess);
}
