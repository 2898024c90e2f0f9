#include "run.hpp"

#include <utility>

namespace {

struct pair_of_numbers {
  int a;
  double b;
};
template <class T> __global__ void write_all(T* to, pair_of_numbers p, char c, float f) {
  __stcs(to, static_cast<T>(p.a)), __stcs(to + 1, static_cast<T>(p.b)), __stcs(to + 2, static_cast<T>(c)), __stcs(to + 3, static_cast<T>(f));
}
template <class T> __global__ void __launch_bounds__(128) nothing(T) {}
template <class T> __global__ void launch_again(T) { run(1, 1, nothing<T>, 0); }

}  // namespace

TEST_CASE("a kernel's arguments are converted and copied") {
  const numbers<double> to(4);
  pair_of_numbers p = {3, 0.25};
  REQUIRE(run(1, 1, write_all<double>, to.data(), p, 'x', 1) == cudaSuccess);
  CHECK(to.get() == std::vector<double>{3, 0.25, 'x', 1});
}

TEST_CASE("a launch of a size that no device has is refused") {
  CHECK(run(1, 1024, nothing<int>, 0) == cudaSuccess);
  CHECK(run(1, dim3(16, 1, 64), nothing<int>, 0) == cudaSuccess);
  for (const auto& size : {std::pair<dim3, dim3>(0, 1), {1, 0}, {1, 1025}, {1, dim3(32, 33)}, {1, dim3(1, 1, 65)}, {dim3(1, 65536), 1}, {dim3(1, 1, 65536), 1}, {0x80000000u, 1}}) {
    CHECK(run(size.first, size.second, nothing<int>, 0) == cudaErrorInvalidConfiguration);
    CHECK(cudaPeekAtLastError() == cudaErrorInvalidConfiguration);
    CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
    CHECK(cudaGetLastError() == cudaSuccess);
  }
}

TEST_CASE("a launch fails as asked, once") {
  emulated::fail_next_launch = cudaErrorLaunchOutOfResources;
  CHECK(run(1, 1, nothing<int>, 0) == cudaErrorLaunchOutOfResources);
  CHECK(run(1, 1, nothing<int>, 0) == cudaSuccess);
  cudaGetLastError();
}

TEST_CASE("launches are counted") {
  const auto before = emulated::launches;
  REQUIRE(run(7, 32, nothing<int>, 0) == cudaSuccess);
  CHECK(emulated::launches == before + 1);
}

TEST_CASE("a kernel cannot launch a kernel") { CHECK(has(thrown([] { run(1, 1, launch_again<int>, 0); }), "a kernel launches a kernel")); }

TEST_CASE("as many blocks fit a multiprocessor as its threads allow") {
  int blocks = 0;
  REQUIRE(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing<int>, 256, 0) == cudaSuccess);
  CHECK(blocks == 8);
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing<int>, 2000, 0) == cudaErrorInvalidValue);
  cudaGetLastError();
}
