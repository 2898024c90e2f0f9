// Numbers that change their places: transpose, permute and slice, forward and backward; what cat and pad are made of too.
#pragma once
#include <amphora/op/transparent.hpp>  // op::transpose, op::slice
#include <amphora/ops/call.hpp>        // read_t, result_t, require_into, made
#include <amphora/ops/cast.hpp>        // fill
#include <amphora/ops/operand.hpp>     // into, operand
#include <amphora/ops/reduction.hpp>   // axes
#include <amphora/tensor/shape.hpp>    // shape

#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// Strided copies: run(context, movement, target, source).
template <class Device> struct movement_kernels;

/// y[first + Σ to · c] = x[first + Σ from · c] for all c below the extents; where c[axis] is not within [low, high) of some axis, y gets the value.
struct movement {
  int rank = 0;
  std::int64_t extent[shape::max_rank] = {}, to[shape::max_rank] = {}, from[shape::max_rank] = {}, low[shape::max_rank] = {}, high[shape::max_rank] = {};
  std::int64_t y_first = 0, x_first = 0, elements = 1;
  double value = 0;

  /// The next axis inwards. It joins the one before where both arrays run through the two in one go.
  void add(std::int64_t extent_, std::int64_t to_, std::int64_t from_) { add(extent_, to_, from_, 0, extent_); }
  void add(std::int64_t extent_, std::int64_t to_, std::int64_t from_, std::int64_t low_, std::int64_t high_) {
    elements *= extent_;
    const bool all = low_ <= 0 && high_ >= extent_;
    if (all && extent_ == 1) return;
    if (all && rank > 0 && reads_all(rank - 1) && to[rank - 1] == to_ * extent_ && from[rank - 1] == from_ * extent_) {
      extent[rank - 1] *= extent_, high[rank - 1] = extent[rank - 1], to[rank - 1] = to_, from[rank - 1] = from_;
      return;
    }
    extent[rank] = extent_, to[rank] = to_, from[rank] = from_, low[rank] = low_, high[rank] = high_, ++rank;
  }
  bool reads_all(int axis) const { return low[axis] <= 0 && high[axis] >= extent[axis]; }
  bool reads_all() const {
    for (int axis = 0; axis < rank; ++axis)
      if (!reads_all(axis)) return false;
    return true;
  }
};

/// Axis number, from the front.
inline int axis_of(const char* call, const shape& s, int axis) {
  const int at = axis < 0 ? axis + s.rank() : axis;
  if (at < 0 || at >= s.rank()) fail("shape", call, " has no axis ", axis, " in ", s);
  return at;
}

/// Where each axis of a permuted array comes from.
struct axis_order {
  int of[shape::max_rank] = {};
  int rank = 0;

  /// Errors  shape  not each axis once
  static axis_order from(const char* call, const shape& s, const axes& order) {
    if (order.count() != s.rank()) fail("shape", call, " of ", s, " needs an order of ", s.rank(), " axes, not of ", order.count());
    axis_order result;
    bool seen[shape::max_rank] = {};
    for (result.rank = 0; result.rank < s.rank(); ++result.rank) {
      const int at = axis_of(call, s, order[result.rank]);
      if (seen[at]) fail("shape", call, " names axis ", order[result.rank], " twice");
      seen[at] = true, result.of[result.rank] = at;
    }
    return result;
  }
  static axis_order swapped(const char* call, const shape& s, int a, int b) {
    axis_order result;
    for (; result.rank < s.rank(); ++result.rank) result.of[result.rank] = result.rank;
    if (s.rank() == 0 && (a == 0 || a == -1) && (b == 0 || b == -1)) return result;  // as in PyTorch
    const int first = axis_of(call, s, a), second = axis_of(call, s, b);
    result.of[first] = second, result.of[second] = first;
    return result;
  }
  axis_order inverse() const {
    axis_order result;
    result.rank = rank;
    for (int i = 0; i < rank; ++i) result.of[of[i]] = i;
    return result;
  }
  shape shape_of(const shape& s) const {
    std::int64_t extents[shape::max_rank] = {};
    for (int i = 0; i < rank; ++i) extents[i] = s[of[i]];
    return shape(extents, rank);
  }
  movement of_dense(const shape& s) const {
    const shape y = shape_of(s);
    movement m;
    for (int i = 0; i < rank; ++i) m.add(y[i], y.product(i + 1, rank), s.product(of[i] + 1, rank));
    return m;
  }
};

/// Every step-th place of an axis from begin on.
struct axis_slice {
  int axis = 0;
  std::int64_t begin = 0, length = 0, step = 1;

  /// As Python's: from the end where negative, then held within the axis.
  static axis_slice of(const char* call, const shape& s, int axis, std::int64_t begin, std::int64_t end, std::int64_t step) {
    axis_slice result;
    result.axis = axis_of(call, s, axis), result.step = step;
    if (step < 1) fail("setting", call, " has a step of ", step, "; it must be at least 1");
    const std::int64_t n = s[result.axis];
    const auto within = [n](std::int64_t at) { return at < -n ? 0 : at < 0 ? at + n : at < n ? at : n; };
    result.begin = within(begin);
    const std::int64_t last = within(end);
    result.length = last > result.begin ? (last - result.begin - 1) / step + 1 : 0;
    return result;
  }
  shape shape_of(const shape& s) const { return s.with(axis, length); }
  /// From an array of shape s, or to it, where the other one is dense.
  movement of_dense(const shape& s, bool reads_from_it) const {
    const std::int64_t inner = s.product(axis + 1, s.rank()), outer = s.product(0, axis), n = s[axis];
    movement m;
    (reads_from_it ? m.x_first : m.y_first) = begin * inner;
    const auto add = [&](std::int64_t extent, std::int64_t dense, std::int64_t sliced) { reads_from_it ? m.add(extent, dense, sliced) : m.add(extent, sliced, dense); };
    add(outer, length * inner, n * inner), add(length, inner, step * inner), add(inner, 1, 1);
    return m;
  }
};

template <class Read, class Context, class Y, class X>
void move(Context& context, const movement& m, const target<Y>& y, const view<const X>& x) {
  if (m.elements > 0) movement_kernels<typename Context::device>::run(context, m, y, read_as<Read>(x));
}
template <class Context, class T> void clear_target(Context& context, const into<T>& g) { fill(context, g.target, T()); }
template <class Context, class T> void clear_target(Context&, const add_to<T>&) {}

template <class Policy, class Op, class Context, class Y, class X>
void moved_into(const char* call, Context& context, const into<Y>& y, const X& x, const axis_order& order) {
  if constexpr (require_into<Policy, Op, Y, X>()) {
    require_shape(call, "an output", y.target.shape(), order.shape_of(operand(x).shape()));
    move<read_t<Policy, Op, given_t<X>, given_t<X>>>(context, order.of_dense(operand(x).shape()), write(y.target), operand(x));
  }
}
template <class Policy, class Op, class Context, class X>
auto moved(const char* call, Context& context, const X& x, const axis_order& order) {
  using result = result_t<Policy, Op, Context, X>;
  if constexpr (may_call<Policy, Op, X>())
    return made<result>(context, order.shape_of(operand(x).shape()), [&](auto y) { moved_into<Policy, Op>(call, context, into(y), x, order); });
  else return result{};
}
/// The gradient of a permuted array goes back by the inverse.
template <class Context, class Target, class G>
void moved_back_into(const char* call, Context& context, const Target& gx, const G& grad, const axis_order& order) {
  const shape s = memory_of(gx).shape();
  require_shape(call, "a gradient of the value", operand(grad).shape(), order.shape_of(s));
  move<given_t<G>>(context, order.inverse().of_dense(operand(grad).shape()), gradient_target(gx), operand(grad));
}

}  // namespace detail

/// x with its axes in another order, each number moved as it is.
///
/// order   axes{2, 0, 1}: where each axis of the value comes from
/// Errors  shape
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto permute(Context& context, const X& x, const axes& order) {
  return detail::moved<Policy, op::transpose>("permute", context, x, detail::axis_order::from("permute", detail::operand(x).shape(), order));
}
template <class Policy, class Context, class Y, class X>
void permute(Context& context, into<Y> y, const X& x, const axes& order) {
  detail::moved_into<Policy, op::transpose>("permute", context, y, x, detail::axis_order::from("permute", detail::operand(x).shape(), order));
}
/// The gradient of permute; of x only shape and format are looked at.
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto permute_backward(Context& context, const G& grad, const X& x, const axes& order) {
  return detail::made<detail::gradient_of_t<X, Context>>(context, detail::operand(x).shape(), [&](auto gx) { permute_backward<Policy>(context, into(gx), grad, order); });
}
template <class Policy, class Context, class Target, class G, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void permute_backward(Context& context, const Target& gx, const G& grad, const axes& order) {
  detail::moved_back_into("permute_backward", context, gx, grad, detail::axis_order::from("permute_backward", detail::memory_of(gx).shape(), order));
}

/// x with two axes exchanged, each number moved as it is: a matrix transposed.
///
/// a, b    axes; negative ones count from the end
/// Errors  shape
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto transpose(Context& context, const X& x, int a = -2, int b = -1) {
  return detail::moved<Policy, op::transpose>("transpose", context, x, detail::axis_order::swapped("transpose", detail::operand(x).shape(), a, b));
}
template <class Policy, class Context, class Y, class X>
void transpose(Context& context, into<Y> y, const X& x, int a = -2, int b = -1) {
  detail::moved_into<Policy, op::transpose>("transpose", context, y, x, detail::axis_order::swapped("transpose", detail::operand(x).shape(), a, b));
}
/// The gradient of transpose; of x only shape and format are looked at.
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G> && detail::is_operand_v<X>, int> = 0>
auto transpose_backward(Context& context, const G& grad, const X& x, int a = -2, int b = -1) {
  return detail::made<detail::gradient_of_t<X, Context>>(context, detail::operand(x).shape(), [&](auto gx) { transpose_backward<Policy>(context, into(gx), grad, a, b); });
}
template <class Policy, class Context, class Target, class G, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void transpose_backward(Context& context, const Target& gx, const G& grad, int a = -2, int b = -1) {
  detail::moved_back_into("transpose_backward", context, gx, grad, detail::axis_order::swapped("transpose_backward", detail::memory_of(gx).shape(), a, b));
}

/// x[…, begin : end : step, …] along an axis, each number moved as it is.
///
/// begin, end  as in Python: negative ones count from the end, then both are held within the axis
/// step        ≥ 1
/// Errors      shape, setting
template <class Policy, class Context, class X, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto slice(Context& context, const X& x, int axis, std::int64_t begin, std::int64_t end, std::int64_t step = 1) {
  using namespace detail;
  using result = result_t<Policy, op::slice, Context, X>;
  if constexpr (may_call<Policy, op::slice, X>())
    return made<result>(context, axis_slice::of("slice", operand(x).shape(), axis, begin, end, step).shape_of(operand(x).shape()),
                        [&](auto y) { slice<Policy>(context, into(y), x, axis, begin, end, step); });
  else return result{};
}
template <class Policy, class Context, class Y, class X>
void slice(Context& context, into<Y> y, const X& x, int axis, std::int64_t begin, std::int64_t end, std::int64_t step = 1) {
  using namespace detail;
  if constexpr (require_into<Policy, op::slice, Y, X>()) {
    const shape s = operand(x).shape();
    const axis_slice at = axis_slice::of("slice", s, axis, begin, end, step);
    require_shape("slice", "an output", y.target.shape(), at.shape_of(s));
    move<read_t<Policy, op::slice, given_t<X>, given_t<X>>>(context, at.of_dense(s, true), write(y.target), operand(x));
  }
}
/// The gradient of slice: 0 at what was left out. Of x only shape and format are looked at.
template <class Policy, class Context, class G, class X, std::enable_if_t<detail::is_operand_v<G> && detail::is_operand_v<X>, int> = 0>
auto slice_backward(Context& context, const G& grad, const X& x, int axis, std::int64_t begin, std::int64_t end, std::int64_t step = 1) {
  return detail::made<detail::gradient_of_t<X, Context>>(context, detail::operand(x).shape(),
                                                         [&](auto gx) { slice_backward<Policy>(context, into(gx), grad, axis, begin, end, step); });
}
template <class Policy, class Context, class Target, class G, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void slice_backward(Context& context, const Target& gx, const G& grad, int axis, std::int64_t begin, std::int64_t end, std::int64_t step = 1) {
  using namespace detail;
  const shape s = memory_of(gx).shape();
  const axis_slice at = axis_slice::of("slice_backward", s, axis, begin, end, step);
  require_shape("slice_backward", "a gradient of the value", operand(grad).shape(), at.shape_of(s));
  if (at.length < s[at.axis]) clear_target(context, gx);
  move<given_t<G>>(context, at.of_dense(s, false), gradient_target(gx), operand(grad));
}

}}  // namespace amphora
