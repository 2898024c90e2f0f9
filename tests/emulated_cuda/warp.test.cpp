#include "run.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

namespace {

enum kind { direct, up, down, exclusive };

template <class T> __global__ void shuffle(T* to, int which, int amount, int width) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const T mine = static_cast<T>(lane) * T(3);
  T have = mine;
  if (which == direct) have = __shfl_sync(0xffffffffu, mine, amount, width);
  if (which == up) have = __shfl_up_sync(0xffffffffu, mine, static_cast<unsigned>(amount), width);
  if (which == down) have = __shfl_down_sync(0xffffffffu, mine, static_cast<unsigned>(amount), width);
  if (which == exclusive) have = __shfl_xor_sync(0xffffffffu, mine, amount, width);
  __stcs(to + threadIdx.x, have);
}
/// The lane that CUDA's documentation says is read.
int source(int which, int lane, int amount, int width) {
  const int begin = lane / width * width, in = lane % width;
  if (which == direct) return begin + amount % width;
  if (which == up) return in >= amount ? lane - amount : lane;
  if (which == down) return in + amount < width ? lane + amount : lane;
  return (lane ^ amount) < begin + width ? lane ^ amount : lane;  // earlier groups may be read, later ones not
}
template <class T> __global__ void sum(const T* x, T* to) {
  T s = __ldcs(x + threadIdx.x);
  for (unsigned d = 16; d > 0; d /= 2) s += __shfl_down_sync(0xffffffffu, s, d);
  if (threadIdx.x % 32 == 0) __stcs(to + threadIdx.x / 32, s);
}
template <class T> __global__ void move_half(T* to) {
  const __half h = __float2half_rn(static_cast<float>(threadIdx.x));
  const __nv_bfloat16 b = __float2bfloat16_rn(static_cast<float>(threadIdx.x));
  const float next = __half2float(__shfl_sync(0xffffffffu, h, static_cast<int>(threadIdx.x) + 1));
  __stcs(to + threadIdx.x, next + 100 * __bfloat162float(__shfl_xor_sync(0xffffffffu, b, 1)));
}
template <class T> __global__ void vote(T* to, unsigned pattern) {
  const unsigned lane = threadIdx.x % 32;
  const int mine = pattern >> lane & 1;
  const unsigned votes = __ballot_sync(0xffffffffu, mine);
  const int any = __any_sync(0xffffffffu, mine), all = __all_sync(0xffffffffu, mine);
  __syncwarp();
  __stcs(to + 3 * threadIdx.x, votes), __stcs(to + 3 * threadIdx.x + 1, static_cast<T>(any)), __stcs(to + 3 * threadIdx.x + 2, static_cast<T>(all));
}
template <class T> __global__ void halves(T* to) {  // each half of a warp on its own, a different number of times
  const bool high = threadIdx.x % 32 >= 16;
  T s = static_cast<T>(threadIdx.x);
  const unsigned mask = high ? 0xffff0000u : 0xffffu;
  for (int i = 0; i < (high ? 3 : 1); ++i) s += __shfl_xor_sync(mask, s, 1 << i);
  __stcs(to + threadIdx.x, s);
}
template <class T> __global__ void left_early(T* to) {  // lanes that have left need not come
  if (threadIdx.x >= 20) return;
  const T s = __shfl_sync(0xffffffffu, static_cast<T>(threadIdx.x), 19);
  __stcs(to + threadIdx.x, s);
}
template <class T> __global__ void read_left(T* to, T from) {
  if (threadIdx.x >= 20) return;
  __stcs(to + threadIdx.x, __shfl_sync(0xffffffffu, static_cast<T>(threadIdx.x), from));
}
template <class T> __global__ void read_outside_mask(T from) {
  if (threadIdx.x < 8) __shfl_sync(0xffu, static_cast<T>(1), from);
}
template <class T> __global__ void leave_self_out(T lane) {
  if (static_cast<T>(threadIdx.x) <= lane) __syncwarp(0xfu);
}
template <class T> __global__ void two_places(T from) {
  if (static_cast<T>(threadIdx.x) < from) __shfl_sync(0xffffffffu, 1, 0);
  else
    __shfl_sync(0xffffffffu, 2, 0);
}
template <class T> __global__ void never_come(T) {
  if (threadIdx.x < 16) __syncwarp(0xffffffffu);
  else __syncwarp(0xffff0000u | (1u << 3));
}
template <class T> __global__ void odd_width(T width) { __shfl_sync(0xffffffffu, 1, 0, width); }

}  // namespace

TEST_CASE_TEMPLATE("a shuffle brings the number of the lane that CUDA says", T, int, unsigned, long long, std::uint64_t, float, double) {
  for (const bool reverse : {false, true})
    for (int which = direct; which <= exclusive; ++which)
      for (int width = 1; width <= 32; width *= 2)
        for (const int amount : {0, 1, 3, 8, 16, 31}) {
          const order now(reverse);
          numbers<T> to(64);
          REQUIRE(run(1, 64, shuffle<T>, to.data(), which, amount, width) == cudaSuccess);
          const auto have = to.get();
          int wrong = 0;
          for (int i = 0; i < 64; ++i) wrong += have[static_cast<std::size_t>(i)] != static_cast<T>(source(which, i % 32, amount, width)) * T(3);
          CAPTURE(which);
          CAPTURE(width);
          CAPTURE(amount);
          CHECK(wrong == 0);
        }
}

TEST_CASE("lanes fold a sum, warp by warp") {
  std::vector<double> x;
  for (int i = 0; i < 96; ++i) x.push_back(i);
  const numbers<double> from(x), to(3);
  REQUIRE(run(1, 96, sum<double>, from.data(), to.data()) == cudaSuccess);
  CHECK(to.get() == std::vector<double>{496, 1520, 2544});
}

TEST_CASE("a shuffle moves numbers of 16 bits") {
  const numbers<float> to(32);
  REQUIRE(run(1, 32, move_half<float>, to.data()) == cudaSuccess);
  const auto have = to.get();
  for (int i = 0; i < 32; ++i) CHECK(have[static_cast<std::size_t>(i)] == static_cast<float>((i + 1) % 32 + 100 * (i ^ 1)));
}

TEST_CASE("lanes vote") {
  for (const unsigned pattern : {0u, 1u, 0x80000000u, 0xdeadbeefu, 0xffffffffu}) {
    const numbers<unsigned> to(96);
    REQUIRE(run(1, 32, vote<unsigned>, to.data(), pattern) == cudaSuccess);
    const auto have = to.get();
    for (std::size_t i = 0; i < 32; ++i) {
      CHECK(have[3 * i] == pattern);
      CHECK(have[3 * i + 1] == (pattern != 0));
      CHECK(have[3 * i + 2] == (pattern == 0xffffffffu));
    }
  }
}

TEST_CASE("parts of a warp work apart") {
  for (const bool reverse : {false, true}) {
    const order now(reverse);
    const numbers<int> to(32);
    REQUIRE(run(1, 32, halves<int>, to.data()) == cudaSuccess);
    const auto have = to.get();
    CHECK(have[4] == 9);
    CHECK(have[16] == 16 + 17 + 18 + 19 + 20 + 21 + 22 + 23);
  }
}

TEST_CASE("lanes that left, or that a short block lacks, need not come") {
  for (const bool reverse : {false, true})
    for (const unsigned threads : {20u, 32u}) {
      const order now(reverse);
      const numbers<int> to(20);
      REQUIRE(run(1, threads, left_early<int>, to.data()) == cudaSuccess);
      CHECK(to.get() == std::vector<int>(20, 19));
    }
}

TEST_CASE("a shuffle from an inactive lane is found") {
  for (const bool reverse : {false, true})
    for (const unsigned threads : {20u, 32u}) {
      const order now(reverse);
      const numbers<int> to(20);
      CHECK(has(thrown([&] { run(1, threads, read_left<int>, to.data(), 20); }), "reads from lane 20, which is inactive"));
    }
  CHECK(has(thrown([] { run(1, 32, read_outside_mask<int>, 8); }), "reads from lane 8, which is inactive"));
  CHECK(thrown([] { run(1, 32, read_outside_mask<int>, 7); }).empty());
}

TEST_CASE("a mask that leaves the calling lane out is found") {
  CHECK(has(thrown([] { run(1, 32, leave_self_out<int>, 4); }), "whose mask leaves it out (block 0, thread 4)"));
  CHECK(thrown([] { run(1, 32, leave_self_out<int>, 3); }).empty());
}

TEST_CASE("lanes of one warp in two places are found") {
  CHECK(has(thrown([] { run(1, 32, two_places<int>, 5); }), "lanes of one warp wait for each other in two places"));
  CHECK(thrown([] { run(1, 32, two_places<int>, 32); }).empty());
}

TEST_CASE("lanes that wait for others that wait elsewhere are found") {
  CHECK(has(thrown([] { run(1, 32, never_come<int>, 0); }), "for others that never come"));
}

TEST_CASE("a width that is no power of two is found") {
  CHECK(has(thrown([] { run(1, 32, odd_width<int>, 12); }), "a shuffle's width"));
}
