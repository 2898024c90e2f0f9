// Lines of a dense array along one axis, each read by a team of threads: for softmax and what is built on it.
#pragma once
#include <amphora/cuda/access.cuh>    // eight
#include <amphora/cuda/context.cuh>   // cuda_context
#include <amphora/cuda/launch.cuh>    // grid_for, block_threads
#include <amphora/cuda/operands.cuh>  // read_one, read_eight, write_one, write_eight
#include <amphora/ops/kernels.hpp>    // lines_of

#include <cmath>        // exp
#include <cstdint>      // int64_t
#include <limits>       // infinity
#include <type_traits>  // is_same_v

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// Threads of a block that has one long line to itself.
inline constexpr int line_threads = 512;
/// Up to this length a line belongs to a part of a warp, then to a block.
inline constexpr std::int64_t short_line = 1024;

/// How lines are shared.
///
/// team  threads of one line: a power of two up to 32, or line_threads
/// wide  whether lines are read and written 16 bytes at a time
struct line_plan {
  lines_of lines;
  int team = 1;
  bool wide = false;

  int threads() const { return team > 32 ? line_threads : block_threads; }
  int grid(const cuda_context& context) const { return grid_for(context, (lines.lines() * team + threads() - 1) / threads()); }
};

/// aligned  whether all arrays begin at 16 bytes
inline line_plan plan_lines(const cuda_context& context, const lines_of& lines, bool aligned) {
  line_plan plan{lines, 1, aligned && lines.inner == 1 && lines.length % 8 == 0};
  // Neighbouring lines side by side: a thread each, where there are enough of them, reads whole cache lines.
  if (lines.inner > 1 && lines.lines() >= std::int64_t(context.multiprocessors()) * 64) return plan;
  while (plan.team < 32 && plan.team * 8 < lines.length) plan.team *= 2;
  if (lines.length > short_line) plan.team = line_threads;
  return plan;
}

/// The line of a thread, and its place in the line's team.
struct line_place {
  std::int64_t line = 0, first = 0, length = 0, inner = 1;  ///< length 0: none, but the thread goes along
  int team = 1, member = 0;
  bool wide = false;

  __device__ line_place(const line_plan& plan, std::int64_t its_line)
      : line(its_line), inner(plan.lines.inner), team(plan.team), member(static_cast<int>(threadIdx.x) & (plan.team - 1)), wide(plan.wide) {
    if (line < plan.lines.lines()) first = plan.lines.first(line), length = plan.lines.length;
  }
  /// The first of the thread's eights, and the way to the next.
  __device__ std::int64_t begin() const { return 8 * member; }
  __device__ std::int64_t step() const { return 8 * std::int64_t(team); }
};

template <class Real> inline constexpr Real minus_infinity = -std::numeric_limits<Real>::infinity();

/// Numbers k … k + 7 of a line; past its end the filler.
template <class Real, class Source>
__device__ inline eight<Real> read_line(const Source& x, const line_place& at, std::int64_t k, Real filler) {
  if (at.wide) return read_eight<Real>(x, at.first + k);
  eight<Real> result;
#pragma unroll
  for (int j = 0; j < 8; ++j) result.x[j] = k + j < at.length ? read_one<Real>(x, at.first + (k + j) * at.inner) : filler;
  return result;
}
template <class Format, class Real>
__device__ inline void write_line(const target<Format>& y, const line_place& at, std::int64_t k, const eight<Real>& values) {
  if (at.wide) return write_eight(y, at.first + k, values);
#pragma unroll
  for (int j = 0; j < 8; ++j)
    if (k + j < at.length) write_one(y, at.first + (k + j) * at.inner, values.x[j]);
}

struct larger { template <class T> __device__ T operator()(T a, T b) const { return b > a ? b : a; } };
struct added { template <class T> __device__ T operator()(T a, T b) const { return a + b; } };

/// One number of each thread joined over its team; all of them get the same. All threads of the block call it.
template <class T, class Join>
__device__ inline T joined(T x, int team, const Join& join) {
  for (int other = (team < 32 ? team : 32) / 2; other > 0; other /= 2) x = join(x, __shfl_xor_sync(0xffffffffu, x, other));
  if (team > 32) {
    __shared__ T part[line_threads / 32];
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = x;
    __syncthreads();
    x = part[0];
    for (int warp = 1; warp < line_threads / 32; ++warp) x = join(x, part[warp]);
    __syncthreads();
  }
  return x;
}

/// What a softmax needs to know of a line.
template <class Real> struct line_softmax {
  Real largest;
  double sum;      ///< Σ exp(x − largest)
  double against;  ///< Σ exp(x − largest) · grad, where there is one
};

struct no_source {};

/// A line of −inf, or with +inf or NaN, has sum NaN.
///
/// grad  a source of the line's shape, or no_source{}
/// sign  1, or −1 for the line's negative
template <class Real, class Source, class Grad>
__device__ inline line_softmax<Real> softmax_of_line(const Source& x, const line_place& at, [[maybe_unused]] const Grad& grad, Real sign = 1) {
  line_softmax<Real> result = {minus_infinity<Real>, 0, 0};
  for (std::int64_t k = at.begin(); k < at.length; k += at.step()) {
    const eight<Real> v = read_line<Real>(x, at, k, sign * minus_infinity<Real>);
#pragma unroll
    for (int j = 0; j < 8; ++j) result.largest = larger()(result.largest, sign * v.x[j]);
  }
  result.largest = joined(result.largest, at.team, larger());
  for (std::int64_t k = at.begin(); k < at.length; k += at.step()) {
    eight<Real> v = read_line<Real>(x, at, k, sign * minus_infinity<Real>);
    Real sum = 0;  // eight numbers, then double: one conversion an eight
#pragma unroll
    for (int j = 0; j < 8; ++j) sum += (v.x[j] = std::exp(sign * v.x[j] - result.largest));  // 0 past the end
    result.sum += static_cast<double>(sum);
    if constexpr (!std::is_same_v<Grad, no_source>) {
      const eight<Real> g = read_line<Real>(grad, at, k, Real(0));
      Real against = 0;
#pragma unroll
      for (int j = 0; j < 8; ++j) against += v.x[j] * g.x[j];
      result.against += static_cast<double>(against);
    }
  }
  result.sum = joined(result.sum, at.team, added());
  if constexpr (!std::is_same_v<Grad, no_source>) result.against = joined(result.against, at.team, added());
  return result;
}

}}}  // namespace amphora::detail
