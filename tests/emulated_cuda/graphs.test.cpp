#include "run.hpp"

namespace {

template <class T> __global__ void add(T* to, T x) { __stcs(to, __ldcs(to) + x); }

/// A stream of its own, and the graph of what a call puts into it.
struct captured {
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  explicit captured(unsigned flags = cudaStreamNonBlocking) { REQUIRE(cudaStreamCreateWithFlags(&stream, flags) == cudaSuccess); }
  captured(const captured&) = delete;
  captured& operator=(const captured&) = delete;
  ~captured() {
    cudaGraphExecDestroy(ready), cudaGraphDestroy(graph), cudaStreamDestroy(stream);
    cudaGetLastError();
  }
  cudaError_t begin(cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) { return cudaStreamBeginCapture(stream, mode); }
  cudaError_t end() { return cudaStreamEndCapture(stream, &graph); }
  template <class T>
  cudaError_t add_in(cudaStream_t s, T* to, T x) {
    cudaLaunchConfig_t c = {};
    c.gridDim = 1, c.blockDim = 1, c.stream = s;
    return cudaLaunchKernelEx(&c, add<T>, to, x);
  }
  cudaStreamCaptureStatus status() const {
    cudaStreamCaptureStatus s = cudaStreamCaptureStatusNone;
    REQUIRE(cudaStreamIsCapturing(stream, &s) == cudaSuccess);
    return s;
  }
};

}  // namespace

TEST_CASE("a captured stream does nothing until its graph is launched, and then each time") {
  captured c;
  const numbers<int> x(std::vector<int>{1}), y(std::vector<int>{0});
  CHECK(c.status() == cudaStreamCaptureStatusNone);
  REQUIRE(c.begin() == cudaSuccess);
  CHECK(c.status() == cudaStreamCaptureStatusActive);
  int by_value = 10;
  REQUIRE(c.add_in(c.stream, x.data(), by_value) == cudaSuccess);
  by_value = 1000;  // arguments are copied
  REQUIRE(cudaMemcpyAsync(y.data(), x.data(), 4, cudaMemcpyDeviceToDevice, c.stream) == cudaSuccess);
  REQUIRE(cudaMemsetAsync(x.data(), 0, 1, c.stream) == cudaSuccess);
#if CUDART_VERSION >= 13000
  unsigned long long id = 0;
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cudaGraph_t growing = nullptr;
  REQUIRE(cudaStreamGetCaptureInfo(c.stream, &status, &id, &growing) == cudaSuccess);
  CHECK(status == cudaStreamCaptureStatusActive);
  CHECK(id > 0);
  REQUIRE(c.end() == cudaSuccess);
  CHECK(growing == c.graph);
#else
  REQUIRE(c.end() == cudaSuccess);
#endif
  CHECK(c.status() == cudaStreamCaptureStatusNone);
  CHECK(x.get()[0] == 1);
  std::size_t nodes = 0;
  REQUIRE(cudaGraphGetNodes(c.graph, nullptr, &nodes) == cudaSuccess);
  CHECK(nodes == 3);
  REQUIRE(cudaGraphInstantiate(&c.ready, c.graph, 0) == cudaSuccess);
  const auto before = emulated::launches;
  REQUIRE(cudaGraphLaunch(c.ready, c.stream) == cudaSuccess);
  CHECK(y.get()[0] == 11);
  CHECK(x.get()[0] == 0);
  REQUIRE(cudaGraphLaunch(c.ready, c.stream) == cudaSuccess);
  CHECK(y.get()[0] == 10);
  CHECK(emulated::launches == before + 2);
}

TEST_CASE("a graph is launched into a capture") {
  captured inner, outer;
  const numbers<int> x(std::vector<int>{1});
  REQUIRE(inner.begin() == cudaSuccess);
  REQUIRE(inner.add_in(inner.stream, x.data(), 1) == cudaSuccess);
  REQUIRE(inner.end() == cudaSuccess);
  REQUIRE(cudaGraphInstantiate(&inner.ready, inner.graph, 0) == cudaSuccess);
  REQUIRE(outer.begin() == cudaSuccess);
  REQUIRE(cudaGraphLaunch(inner.ready, outer.stream) == cudaSuccess);
  REQUIRE(cudaGraphLaunch(inner.ready, outer.stream) == cudaSuccess);
  REQUIRE(outer.end() == cudaSuccess);
  CHECK(x.get()[0] == 1);
  REQUIRE(cudaGraphInstantiate(&outer.ready, outer.graph, 0) == cudaSuccess);
  REQUIRE(cudaGraphLaunch(outer.ready, outer.stream) == cudaSuccess);
  CHECK(x.get()[0] == 3);
}

TEST_CASE("a call that a capture cannot contain breaks it off") {
  const numbers<int> x(std::vector<int>{1});
  int host = 0;
  const auto is_refused = [&](auto call) {
    captured c;
    REQUIRE(c.begin() == cudaSuccess);
    CHECK(call(c) == cudaErrorStreamCaptureUnsupported);
    CHECK(c.status() == cudaStreamCaptureStatusInvalidated);
    CHECK(c.add_in(c.stream, x.data(), 1) == cudaErrorStreamCaptureInvalidated);
    CHECK(c.end() == cudaErrorStreamCaptureInvalidated);
    CHECK(c.graph == nullptr);
    CHECK(c.status() == cudaStreamCaptureStatusNone);
  };
  const auto waits = emulated::waits;
  is_refused([](captured& c) { return cudaStreamSynchronize(c.stream); });
  is_refused([](captured&) { return cudaDeviceSynchronize(); });
  is_refused([](captured& c) { return cudaStreamQuery(c.stream); });
  is_refused([&](captured& c) { return cudaMemcpyAsync(&host, x.data(), 4, cudaMemcpyDeviceToHost, c.stream); });
  is_refused([&](captured& c) { return cudaMemcpyAsync(x.data(), &host, 4, cudaMemcpyHostToDevice, c.stream); });
  is_refused([&](captured&) { return cudaMemcpy(&host, x.data(), 4, cudaMemcpyDeviceToHost); });
  is_refused([](captured&) {
    void* p = nullptr;
    return cudaMalloc(&p, 4);
  });
  is_refused([&](captured&) { return cudaFree(x.data()); });
  is_refused([](captured&) {
    void* p = nullptr;
    return cudaMallocHost(&p, 4);
  });
  CHECK(emulated::waits == waits);
}

TEST_CASE("memory is allocated in a capture that is relaxed, or by a thread that is") {
  captured c;
  void* p = nullptr;
  REQUIRE(c.begin(cudaStreamCaptureModeRelaxed) == cudaSuccess);
  CHECK(cudaMalloc(&p, 4) == cudaSuccess);
  CHECK(cudaFree(p) == cudaSuccess);
  REQUIRE(c.end() == cudaSuccess);
  captured d;
  REQUIRE(d.begin() == cudaSuccess);
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  REQUIRE(cudaThreadExchangeStreamCaptureMode(&mode) == cudaSuccess);
  CHECK(mode == cudaStreamCaptureModeGlobal);
  CHECK(cudaMalloc(&p, 4) == cudaSuccess);
  CHECK(cudaFree(p) == cudaSuccess);
  REQUIRE(cudaThreadExchangeStreamCaptureMode(&mode) == cudaSuccess);
  CHECK(mode == cudaStreamCaptureModeRelaxed);
  CHECK(cudaMalloc(&p, 4) == cudaErrorStreamCaptureUnsupported);
  CHECK(d.end() == cudaErrorStreamCaptureInvalidated);
}

TEST_CASE("pinned memory is copied by a graph, as it is then") {
  captured c;
  const numbers<int> x(std::vector<int>{1});
  void* pinned = nullptr;
  REQUIRE(cudaMallocHost(&pinned, 4) == cudaSuccess);
  REQUIRE(c.begin() == cudaSuccess);
  REQUIRE(cudaMemcpyAsync(x.data(), pinned, 4, cudaMemcpyHostToDevice, c.stream) == cudaSuccess);
  REQUIRE(c.end() == cudaSuccess);
  REQUIRE(cudaGraphInstantiate(&c.ready, c.graph, 0) == cudaSuccess);
  *static_cast<int*>(pinned) = 42;
  REQUIRE(cudaGraphLaunch(c.ready, c.stream) == cudaSuccess);
  CHECK(x.get()[0] == 42);
  REQUIRE(cudaFreeHost(pinned) == cudaSuccess);
}

TEST_CASE("a replay that touches memory which was freed since is found") {
  captured c;
  {
    const numbers<int> x(std::vector<int>{1});
    REQUIRE(c.begin() == cudaSuccess);
    REQUIRE(c.add_in(c.stream, x.data(), 1) == cudaSuccess);
    REQUIRE(c.end() == cudaSuccess);
  }
  REQUIRE(cudaGraphInstantiate(&c.ready, c.graph, 0) == cudaSuccess);
  CHECK(has(thrown([&] { cudaGraphLaunch(c.ready, c.stream); }), "memory that was freed or never allocated"));
}

TEST_CASE("the legacy stream is not captured, nor used beside a blocking stream that is") {
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal) == cudaErrorStreamCaptureUnsupported);
  CHECK(cudaStreamEndCapture(nullptr, &graph) == cudaErrorIllegalState);
  const numbers<int> x(std::vector<int>{1});
  captured blocking(cudaStreamDefault), apart;
  REQUIRE(apart.begin() == cudaSuccess);
  CHECK(apart.add_in(cudaStreamLegacy, x.data(), 1) == cudaSuccess);
  REQUIRE(apart.end() == cudaSuccess);
  REQUIRE(blocking.begin() == cudaSuccess);
  CHECK(blocking.begin() == cudaErrorIllegalState);
  CHECK(blocking.add_in(cudaStreamLegacy, x.data(), 1) == cudaErrorStreamCaptureImplicit);
  CHECK(blocking.end() == cudaErrorStreamCaptureInvalidated);
}

TEST_CASE("a capture forks into another stream by an event, and is joined by one") {
  for (const bool joined : {true, false}) {
    captured c, other;
    const numbers<int> x(std::vector<int>{1});
    cudaEvent_t fork = nullptr, join = nullptr;
    REQUIRE(cudaEventCreate(&fork) == cudaSuccess);
    REQUIRE(cudaEventCreate(&join) == cudaSuccess);
    REQUIRE(c.begin() == cudaSuccess);
    REQUIRE(cudaEventRecord(fork, c.stream) == cudaSuccess);
    REQUIRE(cudaStreamWaitEvent(other.stream, fork, 0) == cudaSuccess);
    CHECK(other.status() == cudaStreamCaptureStatusActive);
    REQUIRE(c.add_in(other.stream, x.data(), 5) == cudaSuccess);
    REQUIRE(cudaEventRecord(join, other.stream) == cudaSuccess);
    cudaGraph_t graph = nullptr;
    CHECK(cudaStreamEndCapture(other.stream, &graph) == cudaErrorStreamCaptureUnmatched);
    if (!joined) REQUIRE(c.add_in(other.stream, x.data(), 5) == cudaSuccess);  // after what is joined
    REQUIRE(cudaStreamWaitEvent(c.stream, join, 0) == cudaSuccess);
    CHECK(c.end() == (joined ? cudaSuccess : cudaErrorStreamCaptureUnjoined));
    CHECK(other.status() == cudaStreamCaptureStatusNone);
    if (joined) {
      REQUIRE(cudaGraphInstantiate(&c.ready, c.graph, 0) == cudaSuccess);
      REQUIRE(cudaGraphLaunch(c.ready, c.stream) == cudaSuccess);
      CHECK(x.get()[0] == 6);
    }
    cudaEventDestroy(fork), cudaEventDestroy(join);
  }
}

TEST_CASE("events of a capture cannot be asked, and a capture cannot wait for work outside it") {
  captured c, d;
  cudaEvent_t event = nullptr;
  REQUIRE(cudaEventCreate(&event) == cudaSuccess);
  REQUIRE(c.begin() == cudaSuccess);
  REQUIRE(cudaEventRecord(event, c.stream) == cudaSuccess);
  CHECK(cudaEventQuery(event) == cudaErrorCapturedEvent);
  CHECK(c.end() == cudaErrorStreamCaptureInvalidated);
  REQUIRE(cudaEventRecord(event, nullptr) == cudaSuccess);
  REQUIRE(d.begin() == cudaSuccess);
  CHECK(cudaStreamWaitEvent(d.stream, event, 0) == cudaErrorStreamCaptureIsolation);
  CHECK(d.end() == cudaErrorStreamCaptureInvalidated);
  REQUIRE(cudaEventDestroy(event) == cudaSuccess);
}
