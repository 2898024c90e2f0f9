#include "run.hpp"

#include <cstring>

TEST_CASE("copies go to the device, on it and back") {
  const numbers<int> a(std::vector<int>{1, 2, 3, 4}), b(std::vector<int>{5, 6, 7, 8});
  REQUIRE(cudaMemcpyAsync(b.data() + 1, a.data(), 8, cudaMemcpyDeviceToDevice, nullptr) == cudaSuccess);
  CHECK(b.get() == std::vector<int>{5, 1, 2, 8});
  int from[2] = {9, 10}, to[2] = {};
  REQUIRE(cudaMemcpyAsync(b.data(), from, 8, cudaMemcpyDefault, nullptr) == cudaSuccess);
  REQUIRE(cudaMemcpy(to, b.data(), 8, cudaMemcpyDefault) == cudaSuccess);
  CHECK(to[1] == 10);
  REQUIRE(cudaMemcpyAsync(to, from, 4, cudaMemcpyHostToHost, nullptr) == cudaSuccess);
  CHECK(to[0] == 9);
}

TEST_CASE("rows are copied with a pitch on either side") {
  const numbers<int> a(std::vector<int>{1, 2, 3, 4, 5, 6}), b(std::vector<int>(8, 0));
  REQUIRE(cudaMemcpy2DAsync(b.data(), 16, a.data() + 1, 12, 8, 2, cudaMemcpyDeviceToDevice, nullptr) == cudaSuccess);
  CHECK(b.get() == std::vector<int>{2, 3, 0, 0, 5, 6, 0, 0});
  CHECK(cudaMemcpy2DAsync(b.data(), 4, a.data(), 12, 8, 2, cudaMemcpyDeviceToDevice, nullptr) == cudaErrorInvalidPitchValue);
  CHECK(cudaMemcpy2DAsync(b.data(), 16, a.data() + 2, 12, 8, 2, cudaMemcpyDeviceToDevice, nullptr) == cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST_CASE("memory is filled byte by byte") {
  const numbers<int> a(std::vector<int>{1, 2, 3});
  REQUIRE(cudaMemsetAsync(a.data(), 1, 8, nullptr) == cudaSuccess);
  CHECK(a.get() == std::vector<int>{0x01010101, 0x01010101, 3});
  CHECK(cudaMemsetAsync(a.data(), 0, 13, nullptr) == cudaErrorInvalidValue);
  CHECK(cudaMemsetAsync(a.data(), 0, 0, nullptr) == cudaSuccess);
  cudaGetLastError();
}

TEST_CASE("a copy past an allocation, or whose kind contradicts its addresses, is refused") {
  const numbers<int> a(std::vector<int>{1, 2, 3});
  int host[4] = {};
  CHECK(cudaMemcpyAsync(host, a.data(), 16, cudaMemcpyDeviceToHost, nullptr) == cudaErrorInvalidValue);
  CHECK(cudaMemcpyAsync(a.data() + 1, host, 12, cudaMemcpyHostToDevice, nullptr) == cudaErrorInvalidValue);
  CHECK(cudaMemcpyAsync(host, a.data(), 4, cudaMemcpyHostToDevice, nullptr) == cudaErrorInvalidValue);
  CHECK(cudaMemcpyAsync(a.data(), host, 4, cudaMemcpyDeviceToDevice, nullptr) == cudaErrorInvalidValue);
  CHECK(cudaMemcpyAsync(a.data(), host, 4, static_cast<cudaMemcpyKind>(7), nullptr) == cudaErrorInvalidMemcpyDirection);
  CHECK(cudaGetLastError() == cudaErrorInvalidMemcpyDirection);
}

TEST_CASE("a copy onto itself is found") {
  const numbers<int> a(std::vector<int>{1, 2, 3});
  CHECK(has(thrown([&] { cudaMemcpyAsync(a.data(), a.data() + 1, 8, cudaMemcpyDeviceToDevice, nullptr); }), "overlaps"));
}

TEST_CASE("a copy from or to pageable memory waits, one of pinned memory does not") {
  const numbers<int> a(std::vector<int>{1, 2, 3}), b(std::vector<int>{4, 5, 6});
  int pageable[3] = {};
  void* pinned = nullptr;
  REQUIRE(cudaMallocHost(&pinned, 12) == cudaSuccess);
  auto before = emulated::waits;
  {
    const emulated::no_waits here;
    REQUIRE(cudaMemcpyAsync(b.data(), a.data(), 12, cudaMemcpyDeviceToDevice, nullptr) == cudaSuccess);
    REQUIRE(cudaMemcpyAsync(pinned, b.data(), 12, cudaMemcpyDeviceToHost, nullptr) == cudaSuccess);
    REQUIRE(cudaMemcpyAsync(a.data(), pinned, 12, cudaMemcpyHostToDevice, nullptr) == cudaSuccess);
    REQUIRE(cudaMemsetAsync(a.data(), 0, 12, nullptr) == cudaSuccess);
    CHECK(has(thrown([&] { cudaMemcpyAsync(pageable, b.data(), 12, cudaMemcpyDeviceToHost, nullptr); }), "pageable memory waits where nothing may wait"));
    CHECK(has(thrown([&] { cudaMemcpyAsync(b.data(), pageable, 12, cudaMemcpyHostToDevice, nullptr); }), "pageable memory waits where nothing may wait"));
  }
  CHECK(static_cast<int*>(pinned)[2] == 3);
  before = emulated::waits;
  REQUIRE(cudaMemcpy(pageable, a.data(), 12, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(emulated::waits == before + 1);
  REQUIRE(cudaMemcpy(pinned, a.data(), 12, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(emulated::waits == before + 2);
  REQUIRE(cudaMemcpyAsync(b.data(), pageable, 12, cudaMemcpyHostToDevice, nullptr) == cudaSuccess);
  CHECK(emulated::waits == before + 3);
  REQUIRE(cudaFreeHost(pinned) == cudaSuccess);
}
