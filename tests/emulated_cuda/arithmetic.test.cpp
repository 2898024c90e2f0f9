#include "run.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <cstdint>

namespace {

template <class T> __global__ void half_sum(const T* x, T* to, int n) {  // stays at 2048: half has 11 bits
  T s = T(0.0f);
  for (int i = 0; i < n; ++i) s = s + __ldcs(x + i);
  __stcs(to, s);
}

}  // namespace

TEST_CASE("bits of numbers come and go") {
  CHECK(__float_as_uint(1.0f) == 0x3f800000u);
  CHECK(__float_as_int(-0.0f) == INT32_MIN);
  CHECK(__uint_as_float(0x40490fdbu) == 3.14159274f);
  CHECK(__int_as_float(0x3f000000) == 0.5f);
  CHECK(__double_as_longlong(-2.0) == static_cast<long long>(0xc000000000000000ull));
  CHECK(__longlong_as_double(0x3ff0000000000000ll) == 1.0);
}

TEST_CASE("operations by CUDA's names round once") {
  const float a = 1 + 0x1p-12f;
  CHECK(__fmul_rn(a, a) == 1 + 0x1p-11f);
  CHECK(__fmaf_rn(a, a, -1 - 0x1p-11f) == 0x1p-24f);
  CHECK(__fadd_rn(__fmul_rn(a, a), -1 - 0x1p-11f) == 0);
  CHECK(__fsub_rn(1.0f, 0x1p-25f) == 1.0f);
  CHECK(__fdiv_rn(1.0f, 3.0f) == 1.0f / 3.0f);
  CHECK(__fsqrt_rn(2.0f) == std::sqrt(2.0f));
  CHECK(__dmul_rn(3.0, 0.5) == 1.5);
  CHECK(__dadd_rn(1.0, 0x1p-54) == 1.0);
  CHECK(__dsub_rn(1.0, 0.25) == 0.75);
  CHECK(__ddiv_rn(1.0, 4.0) == 0.25);
  CHECK(__dsqrt_rn(9.0) == 3.0);
  CHECK(__fma_rn(2.0, 3.0, 4.0) == 10.0);
}

TEST_CASE("bits are counted and found as CUDA does") {
  CHECK(__popc(0xf0f0u) == 8);
  CHECK(__popcll(0xf00000000000000full) == 8);
  CHECK(__ffs(0) == 0);
  CHECK(__ffs(8) == 4);
  CHECK(__ffsll(1ll << 40) == 41);
  CHECK(__clz(0) == 32);
  CHECK(__clz(1) == 31);
  CHECK(__clzll(0) == 64);
  CHECK(__clzll(1) == 63);
  CHECK(__umulhi(0x80000000u, 6) == 3);
  CHECK(__mulhi(-1, 1) == -1);
}

TEST_CASE("the smaller and the larger, of which a NaN is neither") {
  CHECK((min)(3, -4) == -4);
  CHECK((max)(3u, 4u) == 4u);
  CHECK((min)(3ll, 4ll) == 3);
  CHECK((max)(3ll, 4ll) == 4);
  CHECK((max)(std::nanf(""), 1.0f) == 1.0f);
  CHECK((min)(1.0, std::nan("")) == 1.0);
}

TEST_CASE("half and bfloat16 of the real headers round in kernels") {
  const numbers<__half> ones(std::vector<__half>(3000, __float2half_rn(1.0f))), sum(1);
  REQUIRE(run(1, 1, half_sum<__half>, ones.data(), sum.data(), 3000) == cudaSuccess);
  CHECK(__half2float(sum.get()[0]) == 2048);
  const numbers<__nv_bfloat16> few(std::vector<__nv_bfloat16>(3000, __float2bfloat16_rn(1.0f))), less(1);
  REQUIRE(run(1, 1, half_sum<__nv_bfloat16>, few.data(), less.data(), 3000) == cudaSuccess);
  CHECK(__bfloat162float(less.get()[0]) == 256);
}
