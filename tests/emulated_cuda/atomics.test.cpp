#include "run.hpp"

namespace {

template <class T> __global__ void add_all(T* to) { atomicAdd(to, T(2)); }
template <class T> __global__ void count_in_block(T* to) {
  __shared__ T count;
  if (threadIdx.x == 0) count = T(0);
  __syncthreads();
  atomicAdd(&count, T(1));
  __syncthreads();
  if (threadIdx.x == 0) __stcs(to + blockIdx.x, count);
}
template <class T> __global__ void each(T* to) {
  const auto i = static_cast<T>(threadIdx.x + 1);
  atomicMax(to, i), atomicMin(to + 1, i), atomicOr(to + 2, T(1) << threadIdx.x), atomicAnd(to + 3, T(~(T(1) << threadIdx.x))), atomicXor(to + 4, i);
  if (threadIdx.x == 3) {
    __stcs(to + 5, atomicExch(to + 6, T(7)));
    __stcs(to + 7, atomicCAS(to + 8, T(5), T(9)));
    __stcs(to + 9, atomicCAS(to + 8, T(5), T(10)));
  }
}
template <class T> __global__ void up_and_down(T* to) { atomicInc(to, T(3)), atomicDec(to + 1, T(3)), atomicSub(to + 2, T(2)); }
template <class T> __global__ void add_at(T* to, long long byte) { atomicAdd(reinterpret_cast<T*>(reinterpret_cast<char*>(to) + byte), T(1)); }

}  // namespace

TEST_CASE_TEMPLATE("atomic additions are all there", T, int, unsigned, unsigned long long, float, double) {
  const numbers<T> to(std::vector<T>{1});
  REQUIRE(run(5, 50, add_all<T>, to.data()) == cudaSuccess);
  CHECK(to.get()[0] == T(501));
}

TEST_CASE_TEMPLATE("atomic additions reach shared memory", T, int, unsigned long long, float) {
  const numbers<T> to(3);
  REQUIRE(run(3, 100, count_in_block<T>, to.data()) == cudaSuccess);
  CHECK(to.get() == std::vector<T>(3, T(100)));
}

TEST_CASE_TEMPLATE("atomic updates of each kind", T, int, unsigned, unsigned long long) {
  const numbers<T> to(std::vector<T>{0, 100, 0, T(-1), 0, 0, 3, 0, 5, 0});
  REQUIRE(run(1, 8, each<T>, to.data()) == cudaSuccess);
  CHECK(to.get() == std::vector<T>{8, 1, 255, T(~T(255)), 8, 3, 7, 5, 9, 9});
}

TEST_CASE("counters go round") {
  const numbers<unsigned> to(std::vector<unsigned>{0, 0, 10});
  REQUIRE(run(1, 6, up_and_down<unsigned>, to.data()) == cudaSuccess);
  CHECK(to.get() == std::vector<unsigned>{2, 2, 4294967294u});
}

TEST_CASE("atomic updates are checked as other accesses are") {
  const numbers<int> to(std::vector<int>(4, 1)), fresh(1);
  CHECK(has(thrown([&] { run(1, 1, add_at<int>, to.data(), 16); }), "an access outside every allocation"));
  CHECK(has(thrown([&] { run(1, 1, add_at<int>, to.data(), 2); }), "a misaligned access"));
  CHECK(has(thrown([&] { run(1, 1, add_at<int>, fresh.data(), 0); }), "a read of memory never written"));
  int on_stack = 0;
  CHECK(has(thrown([&] { run(1, 1, add_at<int>, &on_stack, 0); }), "memory of the host"));
}
