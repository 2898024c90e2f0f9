#include "run.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstring>

namespace {

template <class T> __global__ void through_all(const T* from, T* to) {
  __stcs(to + 0, __ldcs(from + 0)), __stwb(to + 1, __ldca(from + 1)), __stcg(to + 2, __ldcg(from + 2)), __stwt(to + 3, __ldg(from + 3));
  __stcs(to + 4, __ldlu(from + 4)), __stcs(to + 5, __ldcv(from + 5));
}

}  // namespace

TEST_CASE_TEMPLATE("loads and stores of every width bring what is there", T, unsigned char, short, int, long long, float, double, uint2, float2, uint4, float4, double2, __half, __nv_bfloat16) {
  std::vector<T> x(6);
  for (std::size_t i = 0; i < sizeof(T) * x.size(); ++i) reinterpret_cast<unsigned char*>(x.data())[i] = static_cast<unsigned char>(i + 1);
  const numbers<T> from(x), to(6);
  REQUIRE(run(1, 1, through_all<T>, from.data(), to.data()) == cudaSuccess);
  const auto have = to.get();
  CHECK(std::memcmp(have.data(), x.data(), sizeof(T) * x.size()) == 0);
}
