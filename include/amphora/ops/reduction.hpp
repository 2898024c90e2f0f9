// Which axes a sum runs over, and the loops that this gives.
#pragma once
#include <amphora/ops/kernels.hpp>   // reduce_kernels
#include <amphora/ops/operand.hpp>   // source, target
#include <amphora/tensor/shape.hpp>  // shape

#include <cstdint>           // int64_t
#include <initializer_list>  // initializer_list

namespace amphora { inline namespace AMPHORA_ABI {

/// The axes of a sum: axes{0, -1}; none means all. axes{1}.keep() leaves them in the result with extent 1.
class axes {
 public:
  constexpr axes() = default;
  constexpr axes(std::initializer_list<int> list) {
    if (list.size() > shape::max_rank) detail::fail("shape", "a sum has at most 8 axes, not ", static_cast<int>(list.size()));
    for (int axis : list) axis_[count_++] = axis;
  }
  constexpr axes keep() const {
    axes result = *this;
    result.keep_ = true;
    return result;
  }
  constexpr int count() const { return count_; }
  constexpr int operator[](int i) const { return axis_[i]; }
  constexpr bool keeps() const { return keep_; }

 private:
  int axis_[shape::max_rank] = {};
  int count_ = 0;
  bool keep_ = false;
};

namespace detail {

/// Axes as bits, from 0 on.
struct axis_set {
  bool has[shape::max_rank] = {};

  /// A scalar has axis 0 and -1 too, as in PyTorch.
  ///
  /// Errors  shape  an axis that is not there, or is named twice
  static axis_set of(const axes& list, int rank) {
    axis_set result;
    for (int i = 0; i < list.count(); ++i) {
      const int axis = list[i] < 0 ? list[i] + rank : list[i];
      if (rank == 0 && (list[i] == 0 || list[i] == -1)) continue;
      if (axis < 0 || axis >= rank) fail("shape", "axis ", list[i], " of a shape with ", rank, " axes");
      if (result.has[axis]) fail("shape", "axis ", list[i], " is named twice");
      result.has[axis] = true;
    }
    for (int axis = 0; axis < rank && list.count() == 0; ++axis) result.has[axis] = true;
    return result;
  }
};

/// The order of a sum, the same on every device. Terms side by side: term i of a chunk goes to lane i % sum_lanes, in float (or wider, where
/// the op accumulates so); lanes fold by halves; a sum's chunks go on in double by optimizer/sum_order.hpp's columns. Results side by side:
/// sum_rows rows in float, then double, in their order. Never tuned.
inline constexpr std::int64_t sum_chunk = 4096, sum_lanes = 64, sum_rows = 64;

/// A sum as nested loops over a dense array: those over the result and those over the terms of one sum, outermost first.
struct reduction_loops {
  int kept_rank = 0, summed_rank = 0;
  std::int64_t kept[shape::max_rank] = {}, kept_stride[shape::max_rank] = {};
  std::int64_t summed[shape::max_rank] = {}, summed_stride[shape::max_rank] = {};
  std::int64_t results = 1, terms = 1;
};

inline reduction_loops reduction_of(const shape& x, const axis_set& over) {
  reduction_loops loops;
  bool last_summed = false;
  for (int axis = 0; axis < x.rank(); ++axis) {
    (over.has[axis] ? loops.terms : loops.results) *= x[axis];
    if (x[axis] == 1) continue;
    auto& rank = over.has[axis] ? loops.summed_rank : loops.kept_rank;
    auto* extent = over.has[axis] ? loops.summed : loops.kept;
    auto* stride = over.has[axis] ? loops.summed_stride : loops.kept_stride;
    if (rank > 0 && last_summed == over.has[axis]) extent[rank - 1] *= x[axis];
    else extent[rank++] = x[axis];
    stride[rank - 1] = x.product(axis + 1, x.rank());
    last_summed = over.has[axis];
  }
  return loops;
}

/// The shape of a sum.
inline shape reduced_shape(const shape& x, const axis_set& over, bool keep) {
  std::int64_t extents[shape::max_rank] = {};
  int rank = 0;
  for (int axis = 0; axis < x.rank(); ++axis)
    if (!over.has[axis] || keep) extents[rank++] = over.has[axis] ? 1 : x[axis];
  return shape(extents, rank);
}

/// The axes along which `small` was broadcast to become `wide`.
inline axis_set broadcast_axes(const shape& wide, const shape& narrow) {
  axis_set over;
  for (int axis = 0; axis < wide.rank(); ++axis) {
    const int own = axis - (wide.rank() - narrow.rank());
    over.has[axis] = own < 0 || (narrow[own] == 1 && wide[axis] != 1);
  }
  return over;
}

/// y = factor · Σ x, in float (or wider, where Accumulate is), rounded once.
template <class Accumulate, class Context, class Y, class X, class Read>
void sum_over(Context& context, const target<Y>& y, const source<X, Read>& x, const reduction_loops& loops, double divisor, double factor = 1) {
  reduce_kernels<typename Context::device>::template run<Accumulate>(context, y, x, loops, divisor, factor);
}

}  // namespace detail
}}  // namespace amphora
