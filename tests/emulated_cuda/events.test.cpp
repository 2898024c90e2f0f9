#include "run.hpp"

TEST_CASE("events are recorded, asked and waited for") {
  cudaEvent_t a = nullptr, b = nullptr, untimed = nullptr;
  REQUIRE(cudaEventCreate(&a) == cudaSuccess);
  REQUIRE(cudaEventCreate(&b) == cudaSuccess);
  REQUIRE(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming) == cudaSuccess);
  float milliseconds = -1;
  CHECK(cudaEventQuery(a) == cudaSuccess);  // as where nothing was recorded
  CHECK(cudaEventElapsedTime(&milliseconds, a, b) == cudaErrorInvalidResourceHandle);
  REQUIRE(cudaEventRecord(a, nullptr) == cudaSuccess);
  REQUIRE(cudaEventRecord(b, nullptr) == cudaSuccess);
  REQUIRE(cudaEventRecord(untimed, nullptr) == cudaSuccess);
  CHECK(cudaEventQuery(b) == cudaSuccess);
  REQUIRE(cudaEventElapsedTime(&milliseconds, a, b) == cudaSuccess);
  CHECK(milliseconds >= 0);
  CHECK(cudaEventElapsedTime(&milliseconds, a, untimed) == cudaErrorInvalidResourceHandle);
  CHECK(cudaStreamWaitEvent(nullptr, a, 0) == cudaSuccess);
  const auto before = emulated::waits;
  REQUIRE(cudaEventSynchronize(b) == cudaSuccess);
  CHECK(emulated::waits == before + 1);
  {
    const emulated::no_waits here;
    CHECK(has(thrown([&] { cudaEventSynchronize(b); }), "cudaEventSynchronize waits where nothing may wait"));
    CHECK(cudaEventQuery(b) == cudaSuccess);
  }
  for (const cudaEvent_t e : {a, b, untimed}) CHECK(cudaEventDestroy(e) == cudaSuccess);
  CHECK(cudaEventRecord(nullptr, nullptr) == cudaErrorInvalidResourceHandle);
  cudaGetLastError();
}
