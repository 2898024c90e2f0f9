// Scans along lines on CUDA: chunks side by side, then what came before each, then the numbers.
#pragma once
#include <amphora/cuda/access.cuh>    // load, store
#include <amphora/cuda/context.cuh>   // cuda_context, cuda_device
#include <amphora/cuda/launch.cuh>    // launch, grid_for, block_threads, AMPHORA_KERNEL
#include <amphora/cuda/operands.cuh>  // read_one, write_one
#include <amphora/ops/scan.hpp>       // scan_kernels, scan_way, scan_chunk
#include <amphora/tensor/tensor.hpp>  // tensor

#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// team  threads of a chunk: a warp, or one where neighbours in memory belong to different lines
struct scan_plan {
  lines_of lines;
  scan_way way;
  std::int64_t parts = 1;  ///< chunks of a line
  int team = 32;

  std::int64_t pieces() const { return lines.lines() * parts; }
};

/// A chunk of a line. A line's chunks follow each other in the direction of the scan; without team, neighbouring threads take neighbouring lines.
struct scan_place {
  std::int64_t line = 0, part = 0, first = 0, begin = 0, end = 0;  ///< end = begin: none, but the thread goes along
  __device__ scan_place(const scan_plan& plan, std::int64_t piece) {
    if (piece >= plan.lines.lines() * plan.parts) return;
    part = plan.team > 1 ? piece % plan.parts : piece / plan.lines.lines(), line = plan.team > 1 ? piece / plan.parts : piece - part * plan.lines.lines();
    first = plan.lines.first(line), begin = part * scan_chunk, end = begin + scan_chunk < plan.lines.length ? begin + scan_chunk : plan.lines.length;
  }
  /// Number k of the scan in memory.
  __device__ std::int64_t at(const scan_plan& plan, std::int64_t k) const { return first + (plan.way.backward ? plan.lines.length - 1 - k : k) * plan.lines.inner; }
};
__device__ inline fold_state shifted_up(const fold_state& s, unsigned by) { return {__shfl_up_sync(0xffffffffu, s.first, by), __shfl_up_sync(0xffffffffu, s.second, by)}; }
__device__ inline fold_state of_lane(const fold_state& s, int lane) { return {__shfl_sync(0xffffffffu, s.first, lane), __shfl_sync(0xffffffffu, s.second, lane)}; }

/// The state after each number of a tile of a warp, from those of the tile alone.
template <class Function>
__device__ inline fold_state scan_warp(const Function& f, fold_state own) {
  for (unsigned by = 1; by < 32; by *= 2) {
    const fold_state before = shifted_up(own, by);
    if (threadIdx.x % 32 >= by) own = f.join(before, own);
  }
  return own;
}

/// What each chunk comes to.
template <class Real, class Function, class... Source>
AMPHORA_KERNEL void scan_chunks(const Function f, const scan_plan plan, double* states, Source... x) {
  const std::int64_t pieces = plan.lines.lines() * plan.parts, together = blockDim.x / plan.team;
  const int member = static_cast<int>(threadIdx.x) % plan.team;
  for (std::int64_t p = blockIdx.x * together; p < pieces; p += gridDim.x * together) {
    const std::int64_t piece = p + static_cast<int>(threadIdx.x) / plan.team;
    const scan_place place(plan, piece);
    fold_state state = f.start();
    if (plan.team == 1) {
      for (std::int64_t k = place.begin; k < place.end; ++k) state = f.join(state, f.element(read_one<Real>(x, place.at(plan, k))...));
    } else {
      for (std::int64_t tile = 0; tile < scan_chunk; tile += 32) {  // all of a warp's threads, however long the line
        const std::int64_t k = place.begin + tile + member;
        const fold_state own = scan_warp(f, k < place.end ? f.element(read_one<Real>(x, place.at(plan, k))...) : f.start());
        state = f.join(state, of_lane(own, 31));
      }
    }
    if (piece < pieces && member == 0) {
      double* to = states + 2 * (place.line * plan.parts + place.part);
      store(to, state.first), store(to + 1, state.second);
    }
  }
}
/// What came before each chunk of a line, in place.
template <class Function>
AMPHORA_KERNEL void scan_before(const Function f, double* states, std::int64_t lines, std::int64_t parts) {
  const std::int64_t threads = std::int64_t(gridDim.x) * blockDim.x;
  for (std::int64_t line = blockIdx.x * std::int64_t(blockDim.x) + threadIdx.x; line < lines; line += threads) {
    fold_state before = f.start();
#pragma unroll 8
    for (std::int64_t part = 0; part < parts; ++part) {
      double* at = states + 2 * (line * parts + part);
      const fold_state own{load(at), load(at + 1)};
      store(at, before.first), store(at + 1, before.second);
      before = f.join(before, own);
    }
  }
}
template <class Real, class Function, class Y, class... Source>
AMPHORA_KERNEL void scan_lines(const Function f, const scan_plan plan, const target<Y> y, const double* states, Source... x) {
  const std::int64_t pieces = plan.lines.lines() * plan.parts, together = blockDim.x / plan.team;
  const int member = static_cast<int>(threadIdx.x) % plan.team;
  for (std::int64_t p = blockIdx.x * together; p < pieces; p += gridDim.x * together) {
    const std::int64_t piece = p + static_cast<int>(threadIdx.x) / plan.team;
    const scan_place place(plan, piece);
    fold_state state = f.start();
    if (states && piece < pieces) {
      const double* from = states + 2 * (place.line * plan.parts + place.part);
      state = {load(from), load(from + 1)};
    }
    if (plan.team == 1) {
      for (std::int64_t k = place.begin; k < place.end; ++k) {
        const std::int64_t i = place.at(plan, k);
        const fold_state next = f.join(state, f.element(read_one<Real>(x, i)...));
        write_one(y, i, f.value(plan.way.before ? state : next));
        state = next;
      }
    } else {
      const std::int64_t longest = plan.lines.length < scan_chunk ? plan.lines.length : scan_chunk;
      for (std::int64_t tile = 0; tile < longest; tile += 32) {
        const std::int64_t k = place.begin + tile + member, i = place.at(plan, k);
        const fold_state own = f.join(state, scan_warp(f, k < place.end ? f.element(read_one<Real>(x, i)...) : f.start()));
        const fold_state left = shifted_up(own, 1);
        if (k < place.end) write_one(y, i, f.value(!plan.way.before ? own : member == 0 ? state : left));
        state = of_lane(own, 31);
      }
    }
  }
}

template <>
struct scan_kernels<cuda_device> {
  /// The same numbers for any grid. A sum of many numbers is not added one by one, as on the host, but both are added in double.
  ///
  /// f     a functor at namespace scope, called on the device
  /// Cost  reads each number once, in lines of more than 4,096 twice
  template <class Function, class Y, class... X, class... Read>
  static void run(cuda_context& context, const Function& f, const lines_of& lines, const scan_way& way, const target<Y>& y, const source<X, Read>&... x) {
    if (lines.lines() * lines.length == 0) return;
    using real = arithmetic_t<Y, Read...>;
    scan_plan plan{lines, way, (lines.length + scan_chunk - 1) / scan_chunk, lines.inner > 1 ? 1 : 32};
    tensor<double, cuda_context> states(context, shape{plan.parts > 1 ? 2 * plan.pieces() : 0});
    double* const memory = plan.parts > 1 ? states.data() : nullptr;
    const int grid = grid_for(context, (plan.pieces() * plan.team + block_threads - 1) / block_threads);
    if (memory) {
      launch(context, "scan", grid, block_threads, scan_chunks<real, Function, source<X, Read>...>, f, plan, memory, x...);
      launch(context, "scan", grid_for(context, (lines.lines() + block_threads - 1) / block_threads), block_threads, scan_before<Function>, f, memory, lines.lines(), plan.parts);
    }
    launch(context, "scan", grid, block_threads, scan_lines<real, Function, Y, source<X, Read>...>, f, plan, y, static_cast<const double*>(memory), x...);
  }
};

}}}  // namespace amphora::detail
