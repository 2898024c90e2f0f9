#include "run.hpp"

namespace {

template <class T> __global__ void copy(const T* from, T* to, int n) {
  for (int i = static_cast<int>(threadIdx.x); i < n; i += static_cast<int>(blockDim.x)) __stcs(to + i, __ldcs(from + i));
}
template <class T> __global__ void store_at(T* to, long long i) { __stcs(to + i, T(1)); }
template <class T> __global__ void load_at(const T* from, long long i) { __ldcs(from + i); }
template <class T> __global__ void load_byte(const T* from, long long i) { __ldcs(reinterpret_cast<const T*>(reinterpret_cast<const char*>(from) + i)); }
template <class T> __global__ void plain_store(T* to, long long i, T x) { to[i] = x; }

struct state {
  int steps;
  float scale;
};
template <class T> __global__ void begin(T* s) { s->steps = 3, s->scale = 0.5f; }

}  // namespace

TEST_CASE("an access outside every allocation is found, before it, after it and past a freed one") {
  const numbers<float> x(std::vector<float>(10, 1));
  CHECK(thrown([&] { run(1, 1, load_at<float>, x.data(), 9); }).empty());
  CHECK(has(thrown([&] { run(1, 1, load_at<float>, x.data(), 10); }), "an access outside every allocation, of 4 bytes at byte 40 of allocation"));
  CHECK(has(thrown([&] { run(1, 1, store_at<float>, x.data(), -1); }), "at byte -4 of allocation"));
  CHECK(has(thrown([&] { run(1, 1, store_at<float>, x.data(), 1 << 20); }), "an access outside every allocation"));
  float* freed = nullptr;
  {
    const numbers<float> y(10);
    freed = y.data();
    CHECK(thrown([&] { run(1, 1, store_at<float>, freed, 0); }).empty());
  }
  const numbers<float> next(10);  // does not get the same address
  CHECK(has(thrown([&] { run(1, 1, store_at<float>, freed, 0); }), "memory that was freed or never allocated (block 0, thread 0)"));
}

TEST_CASE("an access that begins inside and ends outside is found") {
  const numbers<float> x(6);
  CHECK(has(thrown([&] { run(1, 1, store_at<double>, reinterpret_cast<double*>(x.data()), 3); }), "an access outside every allocation"));
  const numbers<unsigned char> y(13);
  CHECK(thrown([&] { run(1, 1, store_at<unsigned char>, y.data(), 12); }).empty());
  CHECK(has(thrown([&] { run(1, 1, store_at<unsigned char>, y.data(), 13); }), "at byte 13 of allocation"));
}

TEST_CASE("a kernel that is given the host's memory, or none, is found") {
  float on_host = 1;
  CHECK(has(thrown([&] { run(1, 1, load_at<float>, &on_host, 0); }), "memory of the host"));
  CHECK(has(thrown([&] { run(1, 1, load_at<float>, nullptr, 0); }), "a null pointer"));
}

TEST_CASE("a misaligned access is found") {
  const numbers<float> x(std::vector<float>(16, 1));
  CHECK(thrown([&] { run(1, 1, load_byte<float>, x.data(), 4); }).empty());
  CHECK(has(thrown([&] { run(1, 1, load_byte<float>, x.data(), 2); }), "a misaligned access of 4 bytes at byte 2"));
  CHECK(has(thrown([&] { run(1, 1, load_byte<float4>, reinterpret_cast<float4*>(x.data()), 8); }), "a misaligned access of 16 bytes"));
  CHECK(thrown([&] { run(1, 1, load_byte<float4>, reinterpret_cast<float4*>(x.data()), 16); }).empty());
}

TEST_CASE("a read of memory never written is found") {
  const numbers<float> x(8), y(8);
  CHECK(has(thrown([&] { run(1, 4, copy<float>, x.data(), y.data(), 8); }), "a read of memory never written, of 4 bytes at byte 0 of allocation"));
  REQUIRE(cudaMemset(x.data(), 0xff, 16) == cudaSuccess);  // written with what fresh memory holds
  CHECK(thrown([&] { run(1, 4, copy<float>, x.data(), y.data(), 4); }).empty());
  CHECK(has(thrown([&] { run(1, 4, copy<float>, x.data(), y.data(), 8); }), "at byte 16 of allocation"));
  CHECK(thrown([&] { run(1, 1, store_at<float>, x.data(), 4); }).empty());
  CHECK(thrown([&] { run(1, 4, copy<float>, x.data(), y.data(), 5); }).empty());
}

TEST_CASE("a wide read of which one number was never written is found") {
  const numbers<unsigned short> x(8);
  for (long long i = 0; i < 7; ++i) REQUIRE(run(1, 1, store_at<unsigned short>, x.data(), i) == cudaSuccess);
  CHECK(has(thrown([&] { run(1, 1, load_at<uint4>, reinterpret_cast<uint4*>(x.data()), 0); }), "a read of memory never written"));
  REQUIRE(run(1, 1, store_at<unsigned short>, x.data(), 7) == cudaSuccess);
  CHECK(thrown([&] { run(1, 1, load_at<uint4>, reinterpret_cast<uint4*>(x.data()), 0); }).empty());
}

TEST_CASE("what a functor stores without an accessor counts as written") {
  const numbers<state> s(1);
  REQUIRE(run(1, 1, begin<state>, s.data()) == cudaSuccess);
  CHECK(thrown([&] { run(1, 1, load_at<uint2>, reinterpret_cast<uint2*>(s.data()), 0); }).empty());
  CHECK(s.get()[0].steps == 3);
}

TEST_CASE("a copy of memory never written is no more written") {
  const numbers<float> x(4), y(std::vector<float>(4, 1));
  REQUIRE(cudaMemcpyAsync(y.data(), x.data(), 8, cudaMemcpyDeviceToDevice, nullptr) == cudaSuccess);
  CHECK(has(thrown([&] { run(1, 1, load_at<float>, y.data(), 1); }), "a read of memory never written"));
  CHECK(thrown([&] { run(1, 1, load_at<float>, y.data(), 2); }).empty());
}

TEST_CASE("memory that a pool hands out anew was never written") {
  const numbers<float> x(std::vector<float>(4, 1));
  emulated::hand_out_anew(x.data(), 8, nullptr);
  CHECK(has(thrown([&] { run(1, 1, load_at<float>, x.data(), 1); }), "a read of memory never written"));
  CHECK(thrown([&] { run(1, 1, load_at<float>, x.data(), 2); }).empty());
}

TEST_CASE("the host that touches device memory is told so") {
  const numbers<float> x(std::vector<float>(4, 1));
  const ending read = in_child([&] {
    volatile float y = *x.data();
    static_cast<void>(y);
  });
  CHECK(read.status != 0);
  CHECK(has(read.said, "emulated CUDA: the host touched device memory"));
  CHECK(has(read.said, "copy it to the host first"));
  const ending written = in_child([&] { *x.data() = 2; });
  CHECK(written.status != 0);
  CHECK(has(written.said, "the host touched device memory"));
}

TEST_CASE("the host may not touch device memory that a kernel has just used") {
  const numbers<float> x(std::vector<float>(4, 1)), y(4);
  REQUIRE(run(1, 4, copy<float>, x.data(), y.data(), 4) == cudaSuccess);
  REQUIRE(run(1, 1, plain_store<float>, y.data(), 3, 7.0f) == cudaSuccess);
  CHECK(y.get() == std::vector<float>{1, 1, 1, 7});
  for (float* const p : {x.data(), y.data()}) CHECK(has(in_child([p] { *p = 2; }).said, "the host touched device memory"));
}

TEST_CASE("a kernel's plain access past the end, or to a freed allocation, is told with its thread") {
  const numbers<float> x(std::vector<float>(1024, 1));
  const ending past = in_child([&] { run(1, 1, plain_store<float>, x.data(), 1024, 2.0f); });
  CHECK(past.status != 0);
  CHECK(has(past.said, "a kernel touched memory outside every allocation"));
  CHECK(has(past.said, "byte 4096 of allocation"));
  CHECK(has(past.said, "(block 0, thread 0)"));
  float* freed = nullptr;
  { freed = numbers<float>(4).data(); }
  CHECK(has(in_child([&] { run(1, 1, plain_store<float>, freed, 0, 2.0f); }).said, "memory that was freed or never allocated"));
}

TEST_CASE("an allocation that is never freed is found when asked, and when the program ends") {
  CHECK(thrown(emulated::require_no_leaks).empty());
  void* p = nullptr;
  REQUIRE(cudaMalloc(&p, 24) == cudaSuccess);
  CHECK(has(thrown(emulated::require_no_leaks), "memory was never freed: allocation"));
  CHECK(has(thrown(emulated::require_no_leaks), "(24 bytes)"));
  CHECK(emulated::regions.size() == 1);
  const ending leaks = in_child([] {});
  CHECK(WIFEXITED(leaks.status));
  CHECK(WEXITSTATUS(leaks.status) == 70);
  CHECK(has(leaks.said, "memory was never freed"));
  REQUIRE(cudaFree(p) == cudaSuccess);
  CHECK(thrown(emulated::require_no_leaks).empty());
  const ending well = in_child([] {});
  CHECK_MESSAGE((well.status == 0 || !children_end_well), well.said);
}

TEST_CASE("allocations fail as asked, at the end of memory, and when freed twice") {
  void* p = nullptr;
  emulated::fail_next_malloc = cudaErrorMemoryAllocation;
  CHECK(cudaMalloc(&p, 8) == cudaErrorMemoryAllocation);
  CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
  CHECK(cudaGetLastError() == cudaSuccess);
  const std::size_t all = emulated::device_memory;
  emulated::device_memory = 1 << 20;
  CHECK(cudaMalloc(&p, (1 << 20) + 1) == cudaErrorMemoryAllocation);
  REQUIRE(cudaMalloc(&p, 1 << 19) == cudaSuccess);
  std::size_t free = 0, total = 0;
  REQUIRE(cudaMemGetInfo(&free, &total) == cudaSuccess);
  CHECK(free == 1 << 19);
  CHECK(total == 1 << 20);
  emulated::device_memory = all;
  CHECK(reinterpret_cast<std::uintptr_t>(p) % 256 == 0);
  CHECK(cudaFree(p) == cudaSuccess);
  CHECK(cudaFree(p) == cudaErrorInvalidValue);
  CHECK(cudaFree(nullptr) == cudaSuccess);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
}

TEST_CASE("nothing is allocated where nothing may be") {
  void* p = nullptr;
  const auto before = emulated::allocations;
  REQUIRE(cudaMalloc(&p, 8) == cudaSuccess);
  CHECK(emulated::allocations == before + 1);
  {
    const emulated::no_allocations here;
    void* q = nullptr;
    CHECK(has(thrown([&] { cudaMalloc(&q, 8); }), "cudaMalloc where nothing may be allocated or freed"));
    CHECK(has(thrown([&] { cudaFree(p); }), "cudaFree where nothing may be"));
  }
  CHECK(cudaFree(p) == cudaSuccess);
}

TEST_CASE("pinned memory of the host is known") {
  void* p = nullptr;
  REQUIRE(cudaMallocHost(&p, 16) == cudaSuccess);
  cudaPointerAttributes facts;
  REQUIRE(cudaPointerGetAttributes(&facts, p) == cudaSuccess);
  CHECK(facts.type == cudaMemoryTypeHost);
  const numbers<float> x(4);
  REQUIRE(cudaPointerGetAttributes(&facts, x.data() + 1) == cudaSuccess);
  CHECK(facts.type == cudaMemoryTypeDevice);
  CHECK(facts.devicePointer == x.data() + 1);
  REQUIRE(cudaPointerGetAttributes(&facts, &facts) == cudaSuccess);
  CHECK(facts.type == cudaMemoryTypeUnregistered);
  CHECK(cudaFreeHost(p) == cudaSuccess);
  CHECK(cudaFreeHost(p) == cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST_CASE("large memory is fresh too, and freed memory comes back to the system") {
  for (int i = 0; i < 20; ++i) {
    const numbers<unsigned char> x(std::size_t(100) << 20);
    REQUIRE(cudaMemset(x.data(), 1, 1000) == cudaSuccess);
    unsigned char last = 0;
    REQUIRE(cudaMemcpy(&last, x.data() + (std::size_t(100) << 20) - 1, 1, cudaMemcpyDeviceToHost) == cudaSuccess);
    CHECK(last == 0xff);
  }
}
