// A function of each element and its sum on CUDA, in one pass, with the host's order.
#pragma once
#include <amphora/cuda/context.cuh>    // cuda_context, cuda_device
#include <amphora/cuda/map.cuh>        // places_of, read_along, apply_eight, plan_map
#include <amphora/cuda/operands.cuh>   // read_one
#include <amphora/cuda/reduce.cuh>     // cuda_reduction
#include <amphora/ops/map_reduce.hpp>  // map_reduce_kernels
#include <amphora/ops/operand.hpp>     // source, target, arithmetic_t

#include <cstddef>  // size_t
#include <cstdint>  // int64_t
#include <utility>  // index_sequence

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// One of several sources, by its place among them.
template <std::size_t Place, class Source> struct placed_source { Source x; };

/// Numbers that are made where they are read: f of operands that move as the loops say. It stands where a sum expects a source.
template <class Mapped, class Function, class Index, class... Source> struct mapped_source;
template <class Mapped, class Function, std::size_t... O, class... Source>
struct mapped_source<Mapped, Function, std::index_sequence<O...>, Source...> : placed_source<O, Source>... {
  Function f;
  loops<static_cast<int>(sizeof...(Source))> over;
  bool wide;  ///< whether eights can be read at each multiple of eight

  mapped_source(const Function& its_f, const loops<static_cast<int>(sizeof...(Source))>& its_loops, bool is_wide, const Source&... x)
      : placed_source<O, Source>{x}..., f(its_f), over(its_loops), wide(is_wide) {}

  __device__ Mapped one(std::int64_t i) const {
    const auto at = places_of(over, i);
    return f(i, read_one<Mapped>(static_cast<const placed_source<O, Source>&>(*this).x, at.of[O])...);
  }
  __device__ eight<Mapped> neighbours(std::int64_t i) const {
    const auto at = places_of(over, i);
    const int last = over.rank > 0 ? over.rank - 1 : 0;
    return apply_eight<Mapped>(f, i, read_along<Mapped>(static_cast<const placed_source<O, Source>&>(*this).x, at.of[O], over.stride[O][last])...);
  }
};
template <class Real, class Mapped, class Function, class Index, class... Source>
__device__ inline Real read_one(const mapped_source<Mapped, Function, Index, Source...>& x, std::int64_t i) { return static_cast<Real>(x.one(i)); }
template <class Real, class Mapped, class Function, class Index, class... Source>
__device__ inline eight<Real> read_eight(const mapped_source<Mapped, Function, Index, Source...>& x, std::int64_t i) {
  const eight<Mapped> made = x.neighbours(i);
  eight<Real> result;
#pragma unroll
  for (int j = 0; j < 8; ++j) result.x[j] = static_cast<Real>(made.x[j]);
  return result;
}
template <class Mapped, class Function, class Index, class... Source>
bool is_wide_at(const mapped_source<Mapped, Function, Index, Source...>& x, std::int64_t i) { return x.wide && i % 8 == 0; }

template <>
struct map_reduce_kernels<cuda_device> {
  /// The bits of a map and then a sum, on the host and here, where f has the same bits on both.
  ///
  /// Cost  that of the sum: each operand is read once (but those that are broadcast), nothing of the operands' size is written
  template <class Accumulate, bool AnyAxes, class Function, class Y, class... X, class... Read>
  static void run(cuda_context& context, const Function& f, const loops<static_cast<int>(sizeof...(X))>& over, const reduction_loops& reduction, double divisor,
                  const target<Y>& y, const source<X, Read>&... x) {
    if (reduction.results == 0) return;
    using mapped = mapped_source<typename arithmetic_of<Accumulate, Read...>::t, Function, std::index_sequence_for<X...>, source<X, Read>...>;
    const map_plan plan = plan_map(over, target<f32>{}, std::index_sequence_for<X...>(), x...);
    cuda_reduction<typename arithmetic_of<Accumulate, Read...>::t, Y, mapped> sum{context, {reduction, divisor, 1}, y, mapped(f, over, plan.head == 0 && plan.eights > 0, x...)};
    if constexpr (AnyAxes) {
      if (reduction.kept_rank > 0 && reduction.kept_stride[reduction.kept_rank - 1] == 1 && reduction.kept[reduction.kept_rank - 1] > 0) return sum.along_results();
    }
    sum.along_terms();
  }
};

}}}  // namespace amphora::detail
