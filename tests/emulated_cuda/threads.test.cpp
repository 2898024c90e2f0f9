#include "run.hpp"

namespace {

template <class T> __global__ void write_place(T* to) {
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  __stcs(to + block * blockDim.x * blockDim.y * blockDim.z + thread, static_cast<T>(1000 * block + thread));
}
template <class T> __global__ void write_turn(T* to, T* counter) { __stcs(to + blockIdx.x * blockDim.x + threadIdx.x, atomicAdd(counter, T(1))); }
template <class T> __global__ void pass_on(T* to, int steps) {  // each step needs what another thread wrote in the last
  __shared__ T a[2][256];
  a[0][threadIdx.x] = static_cast<T>(threadIdx.x);
  for (int step = 0; step < steps; ++step) {
    __syncthreads();
    a[(step + 1) & 1][threadIdx.x] = a[step & 1][(threadIdx.x + 1) % blockDim.x];
  }
  __stcs(to + threadIdx.x, a[steps & 1][threadIdx.x]);
}
template <class T> __global__ void count_odd(T* to) {
  const int odd = __syncthreads_count(threadIdx.x & 1);
  const int any = __syncthreads_or(threadIdx.x == 5), none = __syncthreads_or(0);
  const int all = __syncthreads_and(threadIdx.x < 1000), not_all = __syncthreads_and(threadIdx.x != 5);
  __stcs(to + threadIdx.x, static_cast<T>(odd * 10000 + any * 1000 + none * 100 + all * 10 + not_all));
}
template <class T> __global__ void leave_early(T from) {
  if (static_cast<T>(threadIdx.x) >= from) return;
  __syncthreads();
}
template <class T> __global__ void diverge(T from) {
  if (static_cast<T>(threadIdx.x) >= from) __syncthreads();
  else
    __syncthreads();
}
template <class T> __global__ void refuse_one(T which) {
  if (static_cast<T>(blockIdx.x * blockDim.x + threadIdx.x) == which) throw std::runtime_error("this one");
}

}  // namespace

TEST_CASE("every thread of every block runs once and knows its place") {
  for (const bool reverse : {false, true}) {
    const order now(reverse);
    numbers<int> to(2 * 3 * 2 * 4 * 5 * 3);
    REQUIRE(run(dim3(2, 3, 2), dim3(4, 5, 3), write_place<int>, to.data()) == cudaSuccess);
    const auto have = to.get();
    for (int i = 0; i < static_cast<int>(have.size()); ++i) CHECK(have[static_cast<std::size_t>(i)] == 1000 * (i / 60) + i % 60);
  }
}

TEST_CASE("blocks and threads run in order, or in the opposite one") {
  numbers<int> to(6), counter(std::vector<int>{0});
  REQUIRE(run(2, 3, write_turn<int>, to.data(), counter.data()) == cudaSuccess);
  CHECK(to.get() == std::vector<int>{0, 1, 2, 3, 4, 5});
  const order now(true);
  REQUIRE(run(2, 3, write_turn<int>, to.data(), counter.data()) == cudaSuccess);
  CHECK(to.get() == std::vector<int>{11, 10, 9, 8, 7, 6});
}

TEST_CASE("a barrier lets nobody on before all have come") {
  for (const bool reverse : {false, true})
    for (const int threads : {1, 32, 100, 256}) {
      const order now(reverse);
      numbers<int> to(static_cast<std::size_t>(threads));
      REQUIRE(run(3, static_cast<unsigned>(threads), pass_on<int>, to.data(), 7) == cudaSuccess);
      const auto have = to.get();
      for (int i = 0; i < threads; ++i) CHECK(have[static_cast<std::size_t>(i)] == (i + 7) % threads);
    }
}

TEST_CASE("a barrier counts, and answers or and and") {
  numbers<int> to(100);
  REQUIRE(run(1, 100, count_odd<int>, to.data()) == cudaSuccess);
  for (const int x : to.get()) CHECK(x == 50 * 10000 + 1000 + 10);
}

TEST_CASE("a barrier that not all threads reach is found, and the next launch is well") {
  for (const bool reverse : {false, true}) {
    const order now(reverse);
    const std::string what = thrown([] { run(1, 64, leave_early<int>, 40); });
    CHECK(has(what, "40 threads wait at the barrier in line"));
    CHECK(has(what, "that 24 do not reach"));
    CHECK(has(what, "(block 0, thread "));
    numbers<int> to(64);
    REQUIRE(run(1, 64, pass_on<int>, to.data(), 1) == cudaSuccess);
    CHECK(to.get()[63] == 0);
  }
}

TEST_CASE("threads at two different barriers are found") {
  const std::string what = thrown([] { run(1, 64, diverge<int>, 10); });
  CHECK(has(what, "threads of one block wait at two different barriers"));
  CHECK(thrown([] { run(1, 64, diverge<int>, 0); }).empty());
}

TEST_CASE("what a kernel throws names the block and the thread") {
  CHECK(thrown([] { run(4, 32, refuse_one<int>, 70); }) == "this one (block 2, thread 6)");
  CHECK(thrown([] { run(4, 32, refuse_one<int>, 700); }).empty());
}
