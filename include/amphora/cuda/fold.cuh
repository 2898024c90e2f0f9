// Folds over axes on CUDA, in the host's order.
#pragma once
#include <amphora/cuda/access.cuh>    // load, store
#include <amphora/cuda/context.cuh>   // cuda_context, cuda_device
#include <amphora/cuda/launch.cuh>    // launch, grid_for, block_threads, AMPHORA_KERNEL
#include <amphora/cuda/map.cuh>       // places_of
#include <amphora/cuda/operands.cuh>  // read_one, write_one
#include <amphora/ops/fold.hpp>       // fold_kernels, fold_loops, fold_state, gives_pairs_v
#include <amphora/tensor/tensor.hpp>  // tensor

#include <cstddef>  // size_t
#include <cstdint>  // int64_t
#include <utility>  // index_sequence

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// The states of a team's threads joined; the team's first thread has the result. All threads of the warp call it.
template <class Function>
__device__ inline fold_state fold_team(const Function& f, fold_state own, int team) {
  for (int other = team / 2; other > 0; other /= 2) {
    const fold_state theirs{__shfl_xor_sync(0xffffffffu, own.first, other), __shfl_xor_sync(0xffffffffu, own.second, other)};
    own = f.join(own, theirs);
  }
  return own;
}
template <class Function, class Y>
__device__ inline void write_fold(const Function& f, const target<Y>& y, std::int64_t results, std::int64_t result, const fold_state& state) {
  if constexpr (gives_pairs_v<Function>) {
    const fold_state pair = f.finish(state);
    write_one(y, result, pair.first), write_one(y, results + result, pair.second);
  } else {
    write_one(y, result, f.finish(state));
  }
}
template <class Function, class Y>
__device__ inline void end_fold(const Function& f, const target<Y>& y, double* states, std::int64_t results, std::int64_t result, std::int64_t i, const fold_state& state) {
  if (states) store(states + 2 * i, state.first), store(states + 2 * i + 1, state.second);
  else write_fold(f, y, results, result, state);
}

/// Chunks of terms side by side, each by `team` threads: as many as there are terms, up to the lanes of a chunk.
template <class Real, class Function, class Loops, class Y, class... Source, std::size_t... O>
__device__ inline void fold_terms_in_kernel(const Function& f, const Loops& over, const target<Y>& y, double* states, std::int64_t parts, int team,
                                            std::index_sequence<O...>, const Source&... x) {
  const std::int64_t all = over.kept.elements * parts, together = blockDim.x / team;
  const int member = static_cast<int>(threadIdx.x) % team;
  for (std::int64_t first = blockIdx.x * together; first < all; first += gridDim.x * together) {
    const std::int64_t i = first + static_cast<int>(threadIdx.x) / team, result = i / parts;
    fold_state state = f.start();
    if (i < all) {
      const auto at = places_of(over.kept, result);
      const std::int64_t begin = (i - result * parts) * fold_chunk, end = begin + fold_chunk < over.terms.elements ? begin + fold_chunk : over.terms.elements;
#pragma unroll 4
      for (std::int64_t t = begin + member; t < end; t += team) {
        const auto term = places_of(over.terms, t);
        f.add(state, read_one<Real>(x, at.of[O] + term.of[O])...);
      }
    }
    state = fold_team(f, state, team);
    if (i < all && member == 0) end_fold(f, y, states, over.kept.elements, result, i, state);
  }
}
template <class Real, class Function, class Loops, class Y, class... Source>
AMPHORA_KERNEL void fold_terms(const Function f, const Loops over, const target<Y> y, double* states, std::int64_t parts, int team, Source... x) {
  fold_terms_in_kernel<Real>(f, over, y, states, parts, team, std::index_sequence_for<Source...>(), x...);
}
/// Chunks of results side by side, a thread each.
template <class Real, class Function, class Loops, class Y, class... Source, std::size_t... O>
__device__ inline void fold_results_in_kernel(const Function& f, const Loops& over, const target<Y>& y, double* states, std::int64_t parts, std::index_sequence<O...>,
                                              const Source&... x) {
  const std::int64_t results = over.kept.elements, threads = std::int64_t(gridDim.x) * blockDim.x;
  for (std::int64_t piece = blockIdx.x * std::int64_t(blockDim.x) + threadIdx.x; piece < results * parts; piece += threads) {
    const std::int64_t part = piece / results, result = piece - part * results;
    const auto at = places_of(over.kept, result);
    const std::int64_t begin = part * over.chunk(), end = begin + over.chunk() < over.terms.elements ? begin + over.chunk() : over.terms.elements;
    fold_state state = f.start();
#pragma unroll 4
    for (std::int64_t t = begin; t < end; ++t) {
      const auto term = places_of(over.terms, t);
      f.add(state, read_one<Real>(x, at.of[O] + term.of[O])...);
    }
    end_fold(f, y, states, over.kept.elements, result, result * parts + part, state);
  }
}
template <class Real, class Function, class Loops, class Y, class... Source>
AMPHORA_KERNEL void fold_results(const Function f, const Loops over, const target<Y> y, double* states, std::int64_t parts, Source... x) {
  fold_results_in_kernel<Real>(f, over, y, states, parts, std::index_sequence_for<Source...>(), x...);
}
/// The chunks of each result, by a warp.
template <class Function, class Y>
AMPHORA_KERNEL void fold_parts(const Function f, const target<Y> y, const double* states, std::int64_t results, std::int64_t parts) {
  constexpr int team = static_cast<int>(fold_width);
  const std::int64_t together = blockDim.x / team;
  const int member = static_cast<int>(threadIdx.x) % team;
  for (std::int64_t first = blockIdx.x * together; first < results; first += gridDim.x * together) {
    const std::int64_t result = first + static_cast<int>(threadIdx.x) / team;
    fold_state state = f.start();
    if (result < results)
      for (std::int64_t k = member; k < parts; k += team) {
        const double* from = states + 2 * (result * parts + k);
        state = f.join(state, fold_state{load(from), load(from + 1)});
      }
    state = fold_team(f, state, team);
    if (result < results && member == 0) write_fold(f, y, results, result, state);
  }
}

template <>
struct fold_kernels<cuda_device> {
  /// The same order for any grid.
  ///
  /// f     a functor at namespace scope, called on the device
  /// Cost  reads each term once. One launch where a fold is one chunk, else two and 16 bytes a chunk
  template <class Function, class Y, class... X, class... Read>
  static void run(cuda_context& context, const Function& f, const fold_loops<static_cast<int>(sizeof...(X))>& over, const target<Y>& y, const source<X, Read>&... x) {
    using real = arithmetic_t<Read...>;
    using loops_type = fold_loops<static_cast<int>(sizeof...(X))>;
    const std::int64_t results = over.kept.elements, parts = over.parts();
    if (results == 0) return;
    tensor<double, cuda_context> states(context, shape{parts > 1 ? 2 * results * parts : 0});
    double* const memory = parts > 1 ? states.data() : nullptr;
    if (over.side_by_side) {
      launch(context, "fold", grid_for(context, (results * parts + block_threads - 1) / block_threads), block_threads,
             fold_results<real, Function, loops_type, Y, source<X, Read>...>, f, over, y, memory, parts, x...);
    } else {
      int team = 1;
      while (team < static_cast<int>(fold_width) && team < over.terms.elements) team *= 2;
      launch(context, "fold", grid_for(context, (results * parts * team + block_threads - 1) / block_threads), block_threads,
             fold_terms<real, Function, loops_type, Y, source<X, Read>...>, f, over, y, memory, parts, team, x...);
    }
    if (parts > 1)
      launch(context, "fold", grid_for(context, (results * fold_width + block_threads - 1) / block_threads), block_threads, fold_parts<Function, Y>, f, y,
             static_cast<const double*>(memory), results, parts);
  }
};

}}}  // namespace amphora::detail
