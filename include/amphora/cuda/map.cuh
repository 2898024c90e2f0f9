// Elementwise ops on CUDA: eight neighbours a thread wherever the layout has them, number by number elsewhere.
#pragma once
#include <amphora/cuda/access.cuh>    // eight
#include <amphora/cuda/context.cuh>   // cuda_context, cuda_device
#include <amphora/cuda/launch.cuh>    // launch, grid_for, block_threads, AMPHORA_KERNEL
#include <amphora/cuda/operands.cuh>  // read_one, read_eight, write_one, write_eight, is_wide_at
#include <amphora/ops/kernels.hpp>    // map_kernels, loops
#include <amphora/ops/operand.hpp>    // source, target, arithmetic_t

#include <cstddef>  // size_t
#include <cstdint>  // int64_t
#include <utility>  // index_sequence

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// How the elements are shared: `head` one by one, then eights, then what is left.
struct map_plan {
  std::int64_t head = 0, eights = 0;
};

/// Where the operands of element i lie.
template <int Operands> struct places { std::int64_t of[Operands]; };
template <int Operands>
__device__ inline places<Operands> places_of(const loops<Operands>& over, std::int64_t i) {
  places<Operands> at = {};
  for (int axis = over.rank - 1; axis > 0; --axis) {
    const std::int64_t outer = i / over.extent[axis], here = i - outer * over.extent[axis];
#pragma unroll
    for (int o = 0; o < Operands; ++o) at.of[o] += here * over.stride[o][axis];
    i = outer;
  }
#pragma unroll
  for (int o = 0; o < Operands; ++o) at.of[o] += i * over.stride[o][0];
  return at;
}

/// Eight numbers of an operand, or one that stands for all of them.
template <class Real, class Source>
__device__ inline eight<Real> read_along(const Source& x, std::int64_t i, std::int64_t stride) {
  if (stride != 0) return read_eight<Real>(x, i);
  eight<Real> result;
  const Real one = read_one<Real>(x, i);
#pragma unroll
  for (int j = 0; j < 8; ++j) result.x[j] = one;
  return result;
}
template <class Real, class Function, class... Eights>
__device__ inline eight<Real> apply_eight(const Function& f, std::int64_t i, const Eights&... x) {
  eight<Real> y;
#pragma unroll
  for (int j = 0; j < 8; ++j) y.x[j] = f(i + j, x.x[j]...);
  return y;
}

template <class Real, class Function, class Y, class... Source, std::size_t... O>
__device__ inline void map_in_kernel(const Function& f, const loops<static_cast<int>(sizeof...(Source))>& over, const map_plan& plan, const target<Y>& y,
                                     std::index_sequence<O...>, const Source&... x) {
  const std::int64_t first = blockIdx.x * std::int64_t(blockDim.x) + threadIdx.x, threads = std::int64_t(gridDim.x) * blockDim.x;
  const int last = over.rank > 0 ? over.rank - 1 : 0;
  for (std::int64_t k = first; k < plan.eights; k += threads) {
    const std::int64_t i = plan.head + 8 * k;
    const auto at = places_of(over, i);
    write_eight(y, i, apply_eight<Real>(f, i, read_along<Real>(x, at.of[O], over.stride[O][last])...));
  }
  for (std::int64_t k = first; k < over.elements - 8 * plan.eights; k += threads) {
    const std::int64_t i = k < plan.head ? k : k + 8 * plan.eights;
    const auto at = places_of(over, i);
    write_one(y, i, f(i, read_one<Real>(x, at.of[O])...));
  }
}
template <class Real, class Function, class Loops, class Y, class... Source>
AMPHORA_KERNEL void map_elements(const Function f, const Loops over, const map_plan plan, const target<Y> y, Source... x) {  // g++ finds no kernel of const ones
  map_in_kernel<Real>(f, over, plan, y, std::index_sequence_for<Source...>(), x...);
}

/// Eights where every operand runs along the innermost loop, or stands still there, and all of them come to 16-byte places together:
/// after a head in one long run, at once in rows whose length is a multiple of eight (a bias, a column of factors).
template <class Y, class... Source, std::size_t... O>
map_plan plan_map(const loops<static_cast<int>(sizeof...(Source))>& over, const target<Y>& y, std::index_sequence<O...>, const Source&... x) {
  const int last = over.rank > 0 ? over.rank - 1 : 0;
  if (!((over.stride[O][last] == 0 || over.stride[O][last] == 1) && ...)) return {};
  if (over.rank > 1) {
    bool rows = over.extent[last] % 8 == 0 && is_wide_at(y, 0) && ((over.stride[O][last] == 0 || is_wide_at(x, 0)) && ...);
    for (int axis = 0; axis < last; ++axis) rows = rows && ((over.stride[O][last] == 0 || over.stride[O][axis] % 8 == 0) && ...);
    return {0, rows ? over.elements / 8 : 0};
  }
  for (std::int64_t head = 0; head < 8 && head + 8 <= over.elements; ++head)
    if (is_wide_at(y, head) && ((over.stride[O][last] == 0 || is_wide_at(x, head)) && ...)) return {head, (over.elements - head) / 8};
  return {};
}

template <>
struct map_kernels<cuda_device> {
  /// y[i] = f(i, x[i]…), where each x moves as the loops say; y is dense. A y in the place of an x that it matches is fine.
  ///
  /// f     a functor at namespace scope, called on the device. With + − · / that round once each (add_once, multiply_once, where a product is
  ///       added) it gives the host's bits; NaN is the processor's own
  /// Cost  one launch; reads each number once, but those that are broadcast
  template <class Function, class Y, class... X, class... Read>
  static void run(cuda_context& context, const Function& f, const loops<static_cast<int>(sizeof...(X))>& over, const target<Y>& y, const source<X, Read>&... x) {
    if (over.elements == 0) return;
    using real = arithmetic_t<Y, X..., Read...>;
    const map_plan plan = plan_map(over, y, std::index_sequence_for<X...>(), x...);
    const std::int64_t pieces = plan.eights > 0 ? plan.eights : over.elements;
    launch(context, "map", grid_for(context, (pieces + block_threads - 1) / block_threads), block_threads,
           map_elements<real, Function, loops<static_cast<int>(sizeof...(X))>, Y, source<X, Read>...>, f, over, plan, y, x...);
  }
};

}}}  // namespace amphora::detail
