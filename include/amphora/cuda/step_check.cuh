// The first pass of a step on CUDA: finite check and norm in one launch, whose last block decides.
#pragma once
#include <amphora/cuda/access.cuh>           // load, load_eight, load_one, store
#include <amphora/cuda/launch.cuh>           // AMPHORA_KERNEL, launch, grid_for
#include <amphora/cuda/step_pieces.cuh>      // step_pieces, given_pieces, load_entry
#include <amphora/cuda/step_tables.cuh>      // step_control
#include <amphora/detail/config.hpp>         // this_build
#include <amphora/optimizer/norm_term.hpp>   // magnitude_of, with_term, norm_of_sum
#include <amphora/optimizer/step_table.hpp>  // step_decision
#include <amphora/optimizer/sum_order.hpp>   // step_columns, step_lanes, larger_magnitude

#include <cmath>        // sqrt
#include <cstdint>      // int64_t
#include <type_traits>  // is_same_v

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

// A chunk is one warp's work: thread t owns lanes 8 t … 8 t + 7, one 16-byte load of 16-bit gradients, two of floats.
inline constexpr unsigned whole_warp = 0xffffffffu;
inline constexpr int check_threads = 256;
static_assert(step_lanes == 8 * 32 && check_threads >= step_columns);

/// Eight numbers as floats, of which `left` are there; 0 for the others.
template <class Format>
__device__ inline eight<float> load_part(const void* from, int left) {
  if (left >= 8 && is_wide<Format>(from)) return load_eight<Format, float, streamed>(from, 0);
  eight<float> result;
#pragma unroll
  for (int j = 0; j < 8; ++j) result.x[j] = j < left ? load_one<Format, float, streamed>(from, j) : 0.0f;
  return result;
}
template <class Build = this_build>
__device__ inline eight<float> load_part(format_id format, const void* array, std::int64_t i, int left) {
  if (format == format_id::f32) return load_part<f32>(static_cast<const float*>(array) + i, left);
  const void* const from = static_cast<const std::uint16_t*>(array) + i;
  return format == format_id::f16 ? load_part<f16>(from, left) : load_part<bf16>(from, left);
}

/// The warp's 256 lanes by halves; the first thread has the result.
template <class Real>
__device__ inline Real fold_warp(Real (&lane)[8], bool largest) {
  const auto joined = [&](Real a, Real b) {
    if constexpr (std::is_same_v<Real, double>) return largest ? larger_magnitude(a, b) : a + b;
    else return a + b;
  };
#pragma unroll
  for (int apart = 16; apart; apart /= 2)
#pragma unroll
    for (int j = 0; j < 8; ++j) lane[j] = joined(lane[j], __shfl_down_sync(whole_warp, lane[j], apart));
#pragma unroll
  for (int half = 4; half; half /= 2)
#pragma unroll
    for (int j = 0; j < half; ++j) lane[j] = joined(lane[j], lane[j + half]);
  return lane[0];
}

/// The chunk's sum of squares in float.
template <class Format>
__device__ inline float squares_of_chunk(const void* chunk, int n, int thread) {
  const auto* const from = static_cast<const bits_t<Format>*>(chunk);
  constexpr int rows = Format::bits == 32 ? 2 : 4;  // in flight together
  float lane[8] = {};
  const auto add = [&lane](const eight<float>& x) {
#pragma unroll
    for (int j = 0; j < 8; ++j) lane[j] = (real(lane[j]) + real(x.x[j]) * real(x.x[j])).x;
  };
  int i = 8 * thread;
  if (is_wide<Format>(chunk))
    for (; i + (rows - 1) * step_lanes + 8 <= n; i += rows * step_lanes) {
      eight<float> row[rows];
#pragma unroll
      for (int r = 0; r < rows; ++r) row[r] = load_eight<Format, float, streamed>(from, i + r * step_lanes);
#pragma unroll
      for (int r = 0; r < rows; ++r) add(row[r]);
    }
  for (; i < n; i += step_lanes) add(load_part<Format>(from + i, n - i));
  return fold_warp(lane, false);
}

/// The chunk's sum value by value in double: host/norm.hpp's careful_sum. The first thread has it.
template <class Build = this_build>
__device__ inline double careful_chunk(const gradient_view& g, const step_piece& p, const gradient_facts& f, double order, double unit, int thread, std::int64_t& non_finite) {
  const float largest = largest_of(g.format);
  double lane[8] = {};
  for (int i = 8 * thread; i < p.n; i += step_lanes) {
    const eight<float> x = load_part(g.format, g.data, p.from + i, p.n - i);
#pragma unroll
    for (int j = 0; j < 8; ++j)
      if (i + j < p.n) lane[j] = with_term(lane[j], magnitude_of(x.x[j], largest, f, non_finite), order, unit);
  }
  return fold_warp(lane, !is_finite(order));
}

/// host/norm.hpp's checked_squares. The first thread has it.
template <class Build = this_build>
__device__ inline double checked_chunk(const gradient_view& g, const step_piece& p, const gradient_facts& f, int thread, std::int64_t& non_finite) {
  const bool narrow = g.format == format_id::f16;
  if (f.inverse <= (narrow ? 0x1p111f : 1.0f)) {
    float folded;
    if (g.format == format_id::f32) folded = squares_of_chunk<f32>(static_cast<const float*>(g.data) + p.from, p.n, thread);
    else if (narrow) folded = squares_of_chunk<f16>(static_cast<const std::uint16_t*>(g.data) + p.from, p.n, thread);
    else folded = squares_of_chunk<bf16>(static_cast<const std::uint16_t*>(g.data) + p.from, p.n, thread);
    const double sum = static_cast<double>(__shfl_sync(whole_warp, folded, 0));
    if (is_finite(sum) && (sum >= 0x1p-90 || (narrow && sum == 0))) return sum * static_cast<double>(f.inverse) * static_cast<double>(f.inverse);
  }
  return careful_chunk(g, p, f, 2, 1, thread, non_finite);
}

/// Calls sum(gradient, piece, thread of the warp) for this warp's pieces and stores what its first thread returns.
template <class List, class Sum>
__device__ inline void each_piece(const List& list, double* partial, const Sum& sum) {
  const int thread = static_cast<int>(threadIdx.x % 32), warps = static_cast<int>(blockDim.x / 32);
  for (std::int64_t k = std::int64_t(blockIdx.x) * warps + threadIdx.x / 32; k < list.chunks; k += std::int64_t(gridDim.x) * warps) {
    const step_piece piece = list.piece(k);
    const double folded = sum(list.gradient(piece.tensor), piece, thread);
    if (thread == 0) store(partial + k, folded);
  }
}
template <class List>
__device__ inline void check_pieces(const List& list, double* partial, float inverse, on_overflow choice, unsigned long long* non_finite) {
  gradient_facts f;
  f.inverse = inverse, f.choice = choice;
  std::int64_t found = 0;
  each_piece(list, partial, [&](const gradient_view& g, const step_piece& p, int thread) { return checked_chunk(g, p, f, thread, found); });
  if (found) atomicAdd(non_finite, static_cast<unsigned long long>(found));
}

/// Whether all other blocks have come here before; what they wrote can be read then.
__device__ inline bool is_last_block(unsigned* arrived) {
  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(arrived, 1u) == gridDim.x - 1;
  __syncthreads();
  if (last) __threadfence();
  return last;
}

/// optimizer/sum_order.hpp's fold_columns, by one block of at least that many threads.
__device__ inline double fold_in_block(const double* partial, std::int64_t count, bool largest) {
  __shared__ double column[step_columns];
  constexpr int ahead = 16;
  const int t = static_cast<int>(threadIdx.x);
  const auto joined = [largest](double a, double b) { return largest ? larger_magnitude(a, b) : a + b; };
  __syncthreads();
  if (t < step_columns) {
    double sum = 0;
    std::int64_t k = t;
    for (; k + (ahead - 1) * step_columns < count; k += ahead * step_columns) {
      double next[ahead];
#pragma unroll
      for (int j = 0; j < ahead; ++j) next[j] = load<fresh>(partial + k + j * step_columns);
#pragma unroll
      for (int j = 0; j < ahead; ++j) sum = joined(sum, next[j]);
    }
    for (; k < count; k += step_columns) sum = joined(sum, load<fresh>(partial + k));
    column[t] = sum;
  }
  for (int half = step_columns / 2; half; half /= 2) {
    __syncthreads();
    if (t < half) column[t] = joined(column[t], column[t + half]);
  }
  __syncthreads();
  return column[0];
}

/// Which parts of a step the first launch does, and with what.
struct step_check {
  step_pieces pieces;
  double* partial;              ///< [chunks]
  step_control* control;
  const float* inverse;         ///< null: 1
  const gradient_facts* known;  ///< instead of a check; null: none
  const double* clip_norm;      ///< null: the Euclidean norm
  on_overflow choice;
  std::uint32_t present;
  bool check, decide;
};

template <class Rule, class Schedule>
AMPHORA_KERNEL void __launch_bounds__(check_threads, 4) check_and_decide(const step_check work, const step_decision<Rule, Schedule> decision) {
  gradient_facts& facts = *decision.memory.facts;
  const bool first = threadIdx.x == 0;
  if (work.check) {
    const float inverse = work.inverse ? load(work.inverse) : 1.0f;
    check_pieces(work.pieces, work.partial, inverse, work.choice, &work.control->non_finite);
    if (!is_last_block(&work.control->arrived)) return;
    const double sum = fold_in_block(work.partial, work.pieces.chunks, false);
    if (first) {
      gradient_facts found;
      found.norm = std::sqrt(sum), found.non_finite = static_cast<std::int64_t>(load<fresh>(&work.control->non_finite));
      found.found_non_finite = found.non_finite != 0, found.present = work.present, found.inverse = inverse, found.choice = work.choice;
      facts = found;
      work.control->non_finite = 0, work.control->arrived = 0;  // so that a replay finds them as they were
    }
  } else if (work.known && first) {
    facts = *work.known, facts.present |= work.present;
  }
  if (!work.decide) return;
  __shared__ std::int64_t taken;
  if (first) {
    const double norm = !decision.clip.by_norm ? facts.norm : work.clip_norm ? *work.clip_norm : facts.norm * static_cast<double>(facts.coefficient);
    if (decision.clip.by_norm) facts.clip_norm = norm;
    taken = decision.begin(norm);
  }
  __syncthreads();
  if (taken == decision.not_taken) return;
  for (std::int64_t k = threadIdx.x; k < decision.count; k += blockDim.x) decision.tensor(k, taken);
}

/// The check of gradients outside a step; facts are as start_facts left them.
template <class Build = this_build>
AMPHORA_KERNEL void __launch_bounds__(check_threads, 4) check_gradients_alone(const given_pieces list, double* partial, gradient_facts* facts) {
  check_pieces(list, partial, facts->inverse, facts->choice, reinterpret_cast<unsigned long long*>(&facts->non_finite));
}
template <class Build = this_build>
AMPHORA_KERNEL void finish_check(const double* partial, std::int64_t chunks, gradient_facts* facts) {
  const double sum = fold_in_block(partial, chunks, false);
  if (threadIdx.x == 0) facts->norm = std::sqrt(sum), facts->found_non_finite = facts->non_finite != 0;
}

inline int check_grid(const cuda_context& context, std::int64_t chunks) {
  constexpr int warps = check_threads / 32;
  return grid_for(context, chunks / warps + (chunks % warps != 0), 8);
}

}}}  // namespace amphora::detail
