// Sums over axes on CUDA, in the host's order and with its bits.
#pragma once
#include <amphora/cuda/access.cuh>          // eight, load, store, store_eight
#include <amphora/cuda/context.cuh>         // cuda_context, cuda_device
#include <amphora/cuda/launch.cuh>          // launch, grid_for, block_threads, AMPHORA_KERNEL
#include <amphora/cuda/operands.cuh>        // read_one, read_eight, write_one, is_wide_at
#include <amphora/ops/kernels.hpp>          // reduce_kernels
#include <amphora/ops/reduction.hpp>        // reduction_loops, sum_chunk, sum_lanes, sum_rows
#include <amphora/optimizer/sum_order.hpp>  // step_columns
#include <amphora/tensor/tensor.hpp>        // tensor

#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// Threads of a block that sums chunks: few, so that a sum of some hundred chunks still reaches many multiprocessors.
inline constexpr int chunk_threads = 64;
/// Eight threads hold the lanes of a chunk, eight each: 16 bytes of a 16-bit format at a time, a whole cache line together.
inline constexpr int chunk_team = static_cast<int>(sum_lanes) / 8;
/// Doubles that a block keeps while it adds the groups of results side by side: 32 KiB.
inline constexpr int group_tile = 4096;

struct sum_call {
  reduction_loops loops;
  double divisor, factor;
  std::int64_t length = 0, parts = 0, chunks = 0;  ///< terms of one run; chunks of one sum, and of one run

  template <class Real> __device__ Real finished(double total) const { return static_cast<Real>(total * factor / divisor); }
};

__device__ inline std::int64_t place_of(std::int64_t index, int rank, const std::int64_t* extent, const std::int64_t* stride) {
  std::int64_t result = 0;
  for (int i = rank - 1; i > 0; --i) {
    const std::int64_t outer = index / extent[i];
    result += (index - outer * extent[i]) * stride[i];
    index = outer;
  }
  return rank > 0 ? result + index * stride[0] : 0;
}

/// A chunk's lanes 8 · member … 8 · member + 7.
template <class Real, class Source>
__device__ inline eight<Real> chunk_lanes(const Source& x, std::int64_t at, int n, int member, bool wide) {
  eight<Real> lanes = {};
  int i = 8 * member;
  if (wide) {
#pragma unroll 4
    for (; i + 8 <= n; i += static_cast<int>(sum_lanes)) {
      const eight<Real> terms = read_eight<Real>(x, at + i);
#pragma unroll
      for (int j = 0; j < 8; ++j) lanes.x[j] += terms.x[j];
    }
  }
  for (; i < n; i += static_cast<int>(sum_lanes)) {
#pragma unroll
    for (int j = 0; j < 8; ++j)
      if (i + j < n) lanes.x[j] += read_one<Real>(x, at + i + j);
  }
  return lanes;
}
/// The lanes of eight threads folded by halves. All threads of the warp call it.
template <class Real>
__device__ inline Real fold_lanes(eight<Real> lanes) {
#pragma unroll
  for (int other = chunk_team / 2; other > 0; other /= 2) {
#pragma unroll
    for (int j = 0; j < 8; ++j) lanes.x[j] += __shfl_xor_sync(0xffffffffu, lanes.x[j], other);
  }
#pragma unroll
  for (int half = 4; half > 0; half /= 2) {
#pragma unroll
    for (int j = 0; j < half; ++j) lanes.x[j] += lanes.x[j + half];
  }
  return lanes.x[0];
}

/// Terms side by side. Writes the sums where each is one chunk, else the chunks.
template <class Real, class Y, class Source>
AMPHORA_KERNEL void sum_chunks(const sum_call call, const target<Y> y, const Source x, double* chunk, bool wide) {
  constexpr int teams = chunk_threads / chunk_team;
  const std::int64_t all = call.loops.results * call.parts;
  const int member = static_cast<int>(threadIdx.x) % chunk_team;
  for (std::int64_t first = std::int64_t(blockIdx.x) * teams; first < all; first += std::int64_t(gridDim.x) * teams) {
    const std::int64_t i = first + static_cast<int>(threadIdx.x) / chunk_team;
    eight<Real> lanes = {};
    if (i < all) {
      const std::int64_t result = i / call.parts, part = i - result * call.parts, run = part / call.chunks, begin = (part - run * call.chunks) * sum_chunk;
      const std::int64_t at = place_of(result, call.loops.kept_rank, call.loops.kept, call.loops.kept_stride) +
                              place_of(run, call.loops.summed_rank - 1, call.loops.summed, call.loops.summed_stride) + begin;
      const std::int64_t left = call.length - begin;
      lanes = chunk_lanes<Real>(x, at, static_cast<int>(left < sum_chunk ? left : sum_chunk), member, wide);
    }
    const auto sum = static_cast<double>(fold_lanes(lanes));
    if (i >= all || member != 0) continue;
    if (call.parts == 1) write_one(y, i, call.template finished<Real>(sum));
    else store(chunk + i, sum);
  }
}
/// A result's chunks: one column a thread, folded by halves.
template <class Real, class Y>
AMPHORA_KERNEL void add_chunks(const sum_call call, const target<Y> y, const double* chunk) {
  __shared__ double column[step_columns];
  const int own = static_cast<int>(threadIdx.x);
  for (std::int64_t result = blockIdx.x; result < call.loops.results; result += gridDim.x) {
    double sum = 0;
#pragma unroll 8
    for (std::int64_t k = own; k < call.parts; k += step_columns) sum += load(chunk + result * call.parts + k);
    column[own] = sum;
    __syncthreads();
    for (int half = step_columns / 2; half > 0; half /= 2) {
      if (own < half) column[own] += column[own + half];
      __syncthreads();
    }
    if (own == 0) write_one(y, result, call.template finished<Real>(column[0]));
  }
}

/// Adds Columns neighbours of a row.
template <int Columns, class Real, class Source>
__device__ inline void add_row(Real (&sum)[Columns], const Source& x, std::int64_t i) {
  if constexpr (Columns == 8) {
    const eight<Real> row = read_eight<Real>(x, i);
#pragma unroll
    for (int j = 0; j < 8; ++j) sum[j] += row.x[j];
  } else {
    sum[0] += read_one<Real>(x, i);
  }
}
template <int Columns>
__device__ inline void store_columns(double* to, std::int64_t i, const double (&total)[Columns]) {
  if constexpr (Columns == 8) {
    eight<double> numbers;
#pragma unroll
    for (int j = 0; j < 8; ++j) numbers.x[j] = total[j];
    store_eight<f64>(to, i, numbers);
  } else {
    store(to + i, total[0]);
  }
}

/// Results side by side, Columns of them a thread: all their groups of rows, or one group, which goes to memory as [groups, results].
template <int Columns, class Real, class Y, class Source>
AMPHORA_KERNEL void sum_groups(const sum_call call, const target<Y> y, const Source x, double* group) {
  const reduction_loops& loops = call.loops;
  const std::int64_t width = loops.kept[loops.kept_rank - 1], across = width / Columns, split = group ? call.parts : 1;
  const std::int64_t pieces = loops.results / Columns * split, threads = std::int64_t(gridDim.x) * blockDim.x;
  for (std::int64_t piece = blockIdx.x * std::int64_t(blockDim.x) + threadIdx.x; piece < pieces; piece += threads) {
    const std::int64_t rest = piece / across, column = (piece - rest * across) * Columns, outer = rest / split, own = rest - outer * split;
    const std::int64_t at = place_of(outer, loops.kept_rank - 1, loops.kept, loops.kept_stride) + column, result = outer * width + column;
    double total[Columns] = {};
    for (std::int64_t g = own; g < call.parts; g += split) {
      const std::int64_t begin = g * sum_rows, end = begin + sum_rows < loops.terms ? begin + sum_rows : loops.terms;
      Real sum[Columns] = {};
#pragma unroll 4
      for (std::int64_t t = begin; t < end; ++t) add_row(sum, x, at + place_of(t, loops.summed_rank, loops.summed, loops.summed_stride));
#pragma unroll
      for (int j = 0; j < Columns; ++j) total[j] += static_cast<double>(sum[j]);
    }
    if (group) {
      store_columns(group, own * loops.results + result, total);
      continue;
    }
#pragma unroll
    for (int j = 0; j < Columns; ++j) write_one(y, result + j, call.template finished<Real>(total[j]));
  }
}
/// The groups of each result, in their order. A block takes `side` results, a power of two: it reads many groups at once, then adds.
template <class Real, class Y>
AMPHORA_KERNEL void add_groups(const sum_call call, const target<Y> y, const double* group, int side) {
  __shared__ double tile[group_tile];
  const std::int64_t results = call.loops.results;
  const int own = static_cast<int>(threadIdx.x), rows = group_tile / side, step = block_threads / side, across = own % side;
  for (std::int64_t first = std::int64_t(blockIdx.x) * side; first < results; first += std::int64_t(gridDim.x) * side) {
    double total = 0;
    for (std::int64_t begin = 0; begin < call.parts; begin += rows) {
      const int count = static_cast<int>(call.parts - begin < rows ? call.parts - begin : rows);
      if (first + across < results) {
#pragma unroll 8
        for (int g = own / side; g < count; g += step) tile[g * side + across] = load(group + (begin + g) * results + first + across);
      }
      __syncthreads();
      if (own < side && first + own < results) {
#pragma unroll 8
        for (int g = 0; g < count; ++g) total += tile[g * side + own];
      }
      __syncthreads();
    }
    if (own < side && first + own < results) write_one(y, first + own, call.template finished<Real>(total));
  }
}

template <class Real, class Y, class Source>
struct cuda_reduction {
  cuda_context& context;
  sum_call call;
  target<Y> y;
  Source x;

  /// Whether all rows, or runs of terms, begin where eights can be read.
  bool is_wide(const std::int64_t* strides, int rank) const {
    for (int i = 0; i < rank; ++i)
      if (strides[i] % 8 != 0) return false;
    return is_wide_at(x, 0);
  }
  void along_terms() {
    const reduction_loops& l = call.loops;
    call.length = l.summed_rank ? l.summed[l.summed_rank - 1] : l.terms;
    call.chunks = call.length > 0 ? (call.length + sum_chunk - 1) / sum_chunk : 1;  // a sum of nothing is one empty chunk
    call.parts = l.terms > 0 ? l.terms / call.length * call.chunks : 1;
    if (l.terms == 0) call.length = 0, call.chunks = 1;
    const std::int64_t all = l.results * call.parts;
    tensor<double, cuda_context> chunk(context, shape{call.parts > 1 ? all : 0});
    constexpr int teams = chunk_threads / chunk_team;
    launch(context, "sum", grid_for(context, (all + teams - 1) / teams, 2048 / chunk_threads), chunk_threads, sum_chunks<Real, Y, Source>, call, y, x, chunk.data(),
           is_wide(l.kept_stride, l.kept_rank) && is_wide(l.summed_stride, l.summed_rank - 1));
    if (call.parts > 1) launch(context, "sum", grid_for(context, l.results, 16), step_columns, add_chunks<Real, Y>, call, y, static_cast<const double*>(chunk.data()));
  }
  void along_results() {
    const reduction_loops& l = call.loops;
    const bool wide = l.kept[l.kept_rank - 1] % 8 == 0 && is_wide(l.kept_stride, l.kept_rank - 1) && is_wide(l.summed_stride, l.summed_rank);
    call.parts = (l.terms + sum_rows - 1) / sum_rows;
    const std::int64_t side_by_side = l.results / (wide ? 8 : 1), busy = std::int64_t(context.multiprocessors()) * 512;
    const bool split = call.parts > 1 && side_by_side < busy;  // too few results for the device: the groups share it
    tensor<double, cuda_context> group(context, shape{split ? call.parts * l.results : 0});
    const std::int64_t pieces = side_by_side * (split ? call.parts : 1);
    launch(context, "sum", grid_for(context, (pieces + block_threads - 1) / block_threads), block_threads, wide ? sum_groups<8, Real, Y, Source> : sum_groups<1, Real, Y, Source>, call, y, x,
           split ? group.data() : nullptr);
    if (!split) return;
    int side = 8;
    while (side < block_threads && l.results / side > 4 * std::int64_t(context.multiprocessors())) side *= 2;
    launch(context, "sum", grid_for(context, (l.results + side - 1) / side, 4), block_threads, add_groups<Real, Y>, call, y, static_cast<const double*>(group.data()), side);
  }
};

template <>
struct reduce_kernels<cuda_device> {
  /// The host's bits, for any grid.
  ///
  /// Cost  reads each term once. One launch where a sum is one chunk or its groups need no sharing, else two and 8 bytes a chunk or group
  template <class Accumulate, class Y, class X, class Read>
  static void run(cuda_context& context, const target<Y>& y, const source<X, Read>& x, const reduction_loops& loops, double divisor, double factor) {
    if (loops.results == 0) return;
    cuda_reduction<arithmetic_t<Accumulate, Read>, Y, source<X, Read>> sum{context, {loops, divisor, factor}, y, x};
    const bool side_by_side = loops.kept_rank > 0 && loops.kept_stride[loops.kept_rank - 1] == 1 && loops.kept[loops.kept_rank - 1] > 0;
    side_by_side ? sum.along_results() : sum.along_terms();
  }
};

}}}  // namespace amphora::detail
