// What many terms come to, whatever they are joined by: norms, products, sums of products, a sum of exponentials.
#pragma once
#include <amphora/detail/config.hpp>  // AMPHORA_HD
#include <amphora/detail/rows.hpp>    // list
#include <amphora/format/real.hpp>    // add_once, multiply_once
#include <amphora/ops/kernels.hpp>    // loops, map_kernels, make_loops
#include <amphora/ops/operand.hpp>    // source, target, read_as
#include <amphora/ops/reduction.hpp>  // axis_set
#include <amphora/tensor/shape.hpp>   // shape

#include <cstdint>      // int64_t
#include <type_traits>  // is_same_v
#include <utility>      // declval

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// Folds over axes: run(context, f, fold_loops, target, sources…). f has start() -> state, add(state&, x…), join(state, state) -> state and
/// finish(state) -> double, or -> state: then the target holds the first numbers of all results, then the second ones.
template <class Device> struct fold_kernels;

/// What has been joined so far.
struct fold_state {
  double first = 0, second = 0;
};

template <class Function> inline constexpr bool gives_pairs_v = std::is_same_v<decltype(std::declval<const Function&>().finish(fold_state{})), fold_state>;

/// The order of a fold, the same on every device. Terms side by side: term i of a chunk goes to lane i % fold_width, lanes fold by halves.
/// Results side by side: fold_rows terms one after the other, or all where there are fold_many results. Of a fold of several chunks, chunk k goes to lane k % fold_width, in order, and the
/// lanes fold by halves. Never tuned.
inline constexpr std::int64_t fold_chunk = 4096, fold_width = 32, fold_rows = 256, fold_many = 65536;

/// A fold as nested loops over dense arrays: those over the results and those over the terms of one of them.
template <int Operands>
struct fold_loops {
  loops<Operands> kept, terms;
  bool side_by_side = false;  ///< neighbours in memory belong to different results

  AMPHORA_HD std::int64_t chunk() const { return !side_by_side ? fold_chunk : kept.elements < fold_many ? fold_rows : terms.elements > 0 ? terms.elements : 1; }
  /// Chunks of one result; a fold of nothing is one empty chunk.
  std::int64_t parts() const { return terms.elements > 0 ? (terms.elements + chunk() - 1) / chunk() : 1; }
};

template <int Operands>
void add_loop(loops<Operands>& to, std::int64_t extent, const std::int64_t (&stride)[Operands]) {
  to.elements *= extent;
  if (extent == 1) return;
  bool join = to.rank > 0;
  for (int o = 0; o < Operands && join; ++o) join = to.stride[o][to.rank - 1] == stride[o] * extent;
  if (join) to.extent[to.rank - 1] *= extent;
  else to.extent[to.rank++] = extent;
  for (int o = 0; o < Operands; ++o) to.stride[o][to.rank - 1] = stride[o];
}
/// The loops of a fold over some axes of `wide`, to which the operands are broadcast.
template <int Operands>
fold_loops<Operands> make_fold(const shape& wide, const axis_set& over, const shape* const (&operands)[Operands]) {
  fold_loops<Operands> result;
  for (int axis = 0; axis < wide.rank(); ++axis) {
    std::int64_t stride[Operands] = {};
    for (int o = 0; o < Operands; ++o) {
      const shape& s = *operands[o];
      const int own = axis - (wide.rank() - s.rank());
      stride[o] = own < 0 || s[own] == 1 ? 0 : s.product(own + 1, s.rank());
    }
    add_loop(over.has[axis] ? result.terms : result.kept, wide[axis], stride);
  }
  double along_kept = 0, along_terms = 0;  // numbers that lie side by side there
  for (int o = 0; o < Operands; ++o) {
    const auto runs = [o](const loops<Operands>& l) { return l.rank > 0 && l.stride[o][l.rank - 1] == 1; };
    const auto size = static_cast<double>(operands[o]->elements());
    (runs(result.terms) ? along_terms : along_kept) += runs(result.terms) || runs(result.kept) ? size : 0;
  }
  result.side_by_side = along_kept > along_terms;
  return result;
}

/// y = f over the axes `over` of `wide`, in the order of the axes that are kept.
template <class Context, class Function, class Y, class... Read, class... X>
void fold_all(list<Read...>, Context& context, const Function& f, const shape& wide, const axis_set& over, const target<Y>& y, const view<const X>&... x) {
  fold_kernels<typename Context::device>::run(context, f, make_fold<static_cast<int>(sizeof...(X))>(wide, over, {&x.shape()...}), y, read_as<Read>(x)...);
}

/// A sum of what a function of the elements gives.
template <class Function>
struct sum_of_terms {
  Function f;
  AMPHORA_HD fold_state start() const { return {}; }
  template <class... Real> AMPHORA_HD void add(fold_state& s, Real... x) const { s.first = add_once(s.first, static_cast<double>(f(0, x...))); }
  AMPHORA_HD fold_state join(const fold_state& a, const fold_state& b) const { return {add_once(a.first, b.first), 0}; }
  AMPHORA_HD double finish(const fold_state& s) const { return s.first; }
};
/// In double, where no product of floats is out of range.
struct times_each {
  template <class Real> AMPHORA_HD constexpr double operator()(std::int64_t, Real a, Real b) const { return multiply_once(static_cast<double>(a), static_cast<double>(b)); }
};

/// The gradient of an operand that may have been broadcast to `wide`: f of each element, summed over the axes that the operand does not have.
template <class Context, class Function, class Target, class... Read, class... X>
void map_or_fold(list<Read...> reads, Context& context, const Function& f, const shape& wide, const Target& y, const view<const X>&... x) {
  const shape& own = memory_of(y).shape();
  if (own.elements() == wide.elements())
    map_kernels<typename Context::device>::run(context, f, make_loops<static_cast<int>(sizeof...(X))>(wide, {&x.shape()...}), gradient_target(y), read_as<Read>(x)...);
  else fold_all(reads, context, sum_of_terms<Function>{f}, wide, broadcast_axes(wide, own), gradient_target(y), x...);
}

/// One number for each result of a reduction over axes of s, where it broadcasts against s.
inline shape kept_shape(const shape& s, const axis_set& over) { return reduced_shape(s, over, true); }

}}}  // namespace amphora::detail
