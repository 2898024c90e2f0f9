#include "run.hpp"

namespace {

template <class T> __global__ void add_number(T* to, T x) { __stcs(to, __ldcs(to) + x); }

template <class T>
cudaError_t add_in(cudaStream_t s, T* to, T x) {
  cudaLaunchConfig_t c = {};
  c.gridDim = 1, c.blockDim = 1, c.stream = s;
  return cudaLaunchKernelEx(&c, add_number<T>, to, x);
}

}  // namespace

TEST_CASE("work goes into a stream that was made, or into those that always exist") {
  const numbers<int> x(std::vector<int>{0});
  cudaStream_t s = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking) == cudaSuccess);
  unsigned flags = 0;
  REQUIRE(cudaStreamGetFlags(s, &flags) == cudaSuccess);
  CHECK(flags == cudaStreamNonBlocking);
  for (const cudaStream_t one : {s, cudaStream_t(nullptr), cudaStreamLegacy, cudaStreamPerThread}) CHECK(add_in(one, x.data(), 1) == cudaSuccess);
  CHECK(x.get()[0] == 4);
  CHECK(cudaStreamQuery(s) == cudaSuccess);
  REQUIRE(cudaStreamDestroy(s) == cudaSuccess);
  CHECK(add_in(s, x.data(), 1) == cudaErrorInvalidResourceHandle);
  CHECK(cudaStreamSynchronize(s) == cudaErrorInvalidResourceHandle);
  CHECK(cudaStreamDestroy(s) == cudaErrorInvalidResourceHandle);
  CHECK(cudaStreamCreateWithFlags(&s, 77) == cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST_CASE("every call that waits is counted, and found where nothing may wait") {
  auto before = emulated::waits;
  REQUIRE(cudaStreamSynchronize(nullptr) == cudaSuccess);
  CHECK(emulated::waits == before + 1);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(emulated::waits == before + 2);
  {
    const emulated::no_waits here;
    CHECK(has(thrown([] { cudaStreamSynchronize(nullptr); }), "cudaStreamSynchronize waits where nothing may wait"));
    CHECK(has(thrown([] { cudaDeviceSynchronize(); }), "cudaDeviceSynchronize waits where nothing may wait"));
  }
  const numbers<int> x(std::vector<int>{0});
  before = emulated::waits;
  REQUIRE(add_in(nullptr, x.data(), 1) == cudaSuccess);
  REQUIRE(cudaStreamQuery(nullptr) == cudaSuccess);
  CHECK(emulated::waits == before);
}

TEST_CASE("a function of the host runs in a stream") {
  int called = 0;
  REQUIRE(cudaLaunchHostFunc(nullptr, [](void* p) { ++*static_cast<int*>(p); }, &called) == cudaSuccess);
  CHECK(called == 1);
}
