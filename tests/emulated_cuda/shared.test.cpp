#include "run.hpp"

namespace {

template <class T> __global__ void turn_round(const T* from, T* to) {
  __shared__ T tile[64];
  tile[threadIdx.x] = __ldcs(from + threadIdx.x);
  __syncthreads();
  __stcs(to + threadIdx.x, tile[blockDim.x - 1 - threadIdx.x]);
}
template <class T> __global__ void turn_round_dynamic(const T* from, T* to) {
  T* const tile = static_cast<T*>(emulated::dynamic_shared());
  tile[threadIdx.x] = __ldcs(from + threadIdx.x);
  __syncthreads();
  __stcs(to + threadIdx.x, tile[blockDim.x - 1 - threadIdx.x]);
}
template <class T> __global__ void first_of_block(T* to) {
  T* const here = static_cast<T*>(emulated::dynamic_shared());
  __stcs(to + blockIdx.x, *here), *here = static_cast<T>(blockIdx.x);
}
template <class T> __global__ void write_behind(T) { static_cast<T*>(emulated::dynamic_shared())[4] = T(1); }
template <class T> __global__ void count_dynamic(T* to) {
  T* const here = static_cast<T*>(emulated::dynamic_shared());
  if (threadIdx.x == 0) *here = T(0);
  __syncthreads();
  atomicAdd(here, T(1));
  __syncthreads();
  if (threadIdx.x == 0) __stcs(to, *here);
}
template <class... Expected, class... Actual>
cudaError_t run_with(std::size_t shared, unsigned grid, unsigned block, void (*kernel)(Expected...), Actual&&... arguments) {
  cudaLaunchConfig_t c = {};
  c.gridDim = grid, c.blockDim = block, c.dynamicSmemBytes = shared;
  return cudaLaunchKernelEx(&c, kernel, static_cast<Actual&&>(arguments)...);
}

}  // namespace

TEST_CASE("threads of a block share static and dynamic memory") {
  std::vector<int> x;
  for (int i = 0; i < 64; ++i) x.push_back(i);
  const numbers<int> from(x), to(64), also(64);
  REQUIRE(run(1, 64, turn_round<int>, from.data(), to.data()) == cudaSuccess);
  REQUIRE(run_with(256, 1, 64, turn_round_dynamic<int>, from.data(), also.data()) == cudaSuccess);
  for (std::size_t i = 0; i < 64; ++i) CHECK(to.get()[i] == static_cast<int>(63 - i));
  CHECK(also.get() == to.get());
}

TEST_CASE("a block does not see what the block before left in dynamic shared memory") {
  const numbers<int> to(3);
  REQUIRE(run_with(4, 3, 1, first_of_block<int>, to.data()) == cudaSuccess);
  CHECK(to.get() == std::vector<int>(3, -1));
}

TEST_CASE("dynamic shared memory takes atomic updates") {
  const numbers<int> to(1);
  REQUIRE(run_with(4, 1, 77, count_dynamic<int>, to.data()) == cudaSuccess);
  CHECK(to.get()[0] == 77);
}

TEST_CASE("a write behind dynamic shared memory ends the program") {
  const ending within = in_child([] { run_with(32, 1, 1, write_behind<int>, 0); });
  CHECK_MESSAGE((within.status == 0 || !children_end_well), within.said);
  CHECK(in_child([] { run_with(16, 1, 1, write_behind<int>, 0); }).status != 0);
}

TEST_CASE("more dynamic shared memory than 48 KiB wants to be asked for") {
  CHECK(run_with(48 * 1024, 1, 1, write_behind<int>, 0) == cudaSuccess);
  CHECK(run_with(48 * 1024 + 1, 1, 1, write_behind<int>, 0) == cudaErrorInvalidValue);
  CHECK(cudaFuncSetAttribute(write_behind<int>, cudaFuncAttributeMaxDynamicSharedMemorySize, 228 * 1024) == cudaErrorInvalidValue);
  CHECK(cudaFuncSetAttribute(write_behind<int>, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 * 1024) == cudaSuccess);
  CHECK(run_with(100 * 1024, 1, 1, write_behind<int>, 0) == cudaSuccess);
  cudaGetLastError();
}
