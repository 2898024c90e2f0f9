// Numbers of a line by index, and sums to places of a line by index, forward and backward.
#pragma once
#include <amphora/detail/config.hpp>   // AMPHORA_HD
#include <amphora/op/promoting.hpp>    // op::scatter_add
#include <amphora/op/transparent.hpp>  // op::gather
#include <amphora/ops/call.hpp>        // read_t, result_t, require_into, made
#include <amphora/ops/cast.hpp>        // cast_to
#include <amphora/ops/index.hpp>       // join_rows, index_kernels
#include <amphora/ops/movement.hpp>    // axis_of, move

#include <cstdint>      // int64_t
#include <type_traits>  // is_same_v

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// Lines along an axis that an array of indices goes through: where each index stands in the array that it indexes, and in one beside it.
struct index_lines {
  int rank = 0;
  std::int64_t extent[shape::max_rank] = {}, lines[shape::max_rank] = {}, beside[shape::max_rank] = {};
  std::int64_t entries = 1, size = 1, along = 1, places = 1;

  AMPHORA_HD std::int64_t at(std::int64_t e, const std::int64_t* stride) const {
    std::int64_t result = 0;
    for (int axis = rank - 1; axis >= 0; --axis) {
      const std::int64_t outer = e / extent[axis];
      result += (e - outer * extent[axis]) * stride[axis], e = outer;
    }
    return result;
  }
  /// The place that index number e means; the nearest one in its line, as a negative number, where it is not there.
  AMPHORA_READS template <class Index> AMPHORA_HD std::int64_t place_of(std::int64_t e, const Index& index) const {
    const std::int64_t row = row_or_nearest(index(e), size), place = at(e, lines) + nearest_row(row) * along;
    return row < 0 ? -place - 1 : place;
  }

  /// indexed  the array that is indexed; in all axes but this one at least as long as the indices
  /// other    the same in all axes
  /// Errors   shape; index (host)
  template <class Context, class Index>
  static index_lines of(const char* call, Context& context, const view<const Index>& index, const shape& indexed, int axis, const shape& other) {
    const shape& s = index.shape();
    index_lines result;
    if (s.rank() != indexed.rank() || s.rank() != other.rank()) fail("shape", call, " has indices of shape ", s, " for ", indexed, " and ", other, "; all have the same number of axes");
    const int at = s.rank() == 0 && (axis == 0 || axis == -1) ? 0 : axis_of(call, indexed, axis);
    for (int i = 0; i < s.rank(); ++i) {
      if (s.elements() > 0 && ((i != at && s[i] > indexed[i]) || s[i] > other[i])) fail("shape", call, " along axis ", axis, " has indices of shape ", s, ", which reach past ", indexed, " or ", other);
      result.extent[i] = s[i], result.lines[i] = i == at ? 0 : indexed.product(i + 1, s.rank()), result.beside[i] = other.product(i + 1, s.rank());
    }
    result.rank = s.rank(), result.entries = s.elements(), result.places = indexed.elements();
    if (s.rank() > 0) result.size = indexed[at], result.along = indexed.product(at + 1, s.rank());
    if (result.entries > 0 && result.size == 0) fail("index", call, " has ", result.entries, " indices into an axis of nothing");
    index_kernels<typename Context::device>::require_within(context, call, index_of(index), result.entries, 0, result.size);
    return result;
  }
};

struct gathered {
  index_lines of;
  AMPHORA_READS template <class Index, class X> AMPHORA_HD auto operator()(std::int64_t e, const Index& index, const X& x) const {
    const std::int64_t place = of.place_of(e, index);
    return place < 0 ? no_such_number<read_by_t<X>> : x(place);
  }
};
/// The same to where the index stands in the array beside.
struct gathered_beside : gathered {
  AMPHORA_READS template <class Index, class X> AMPHORA_HD std::int64_t place(std::int64_t e, const Index&, const X&) const { return of.at(e, of.beside); }
};
/// An index that is not there makes the nearest place NaN.
struct scattered_entries {
  index_lines of;
  AMPHORA_READS template <class Index> AMPHORA_HD std::int64_t row(std::int64_t e, const Index& index) const { return nearest_row(of.place_of(e, index)); }
  AMPHORA_READS template <class Index, class X> AMPHORA_HD double value(std::int64_t e, std::int64_t, const Index& index, const X& x) const {
    return of.place_of(e, index) < 0 ? no_such_number<double> : static_cast<double>(x(of.at(e, of.beside)));
  }
  AMPHORA_HD std::int64_t place(std::int64_t row, std::int64_t) const { return row; }
};

template <class Read, class Context, class Y, class Index, class X>
void gather_numbers(Context& context, const index_lines& of, const target<Y>& y, const view<const Index>& index, const view<const X>& x) {
  pick_kernels<typename Context::device>::run(context, gathered{of}, of.entries, y, index_of(index), pool_of<Read>(x));
}
template <class Read, class Context, class Y, class Index, class X>
void scatter_numbers(Context& context, const index_lines& of, const target<Y>& y, const view<const Index>& index, const view<const X>& x) {
  join_rows(context, scattered_entries{of}, of.entries, of.places, 1, joined_by::sum, y, index_of(index), pool_of<Read>(x));
}
/// The gradient of what was added to a line: the line's at the index, 0 where no index stands beside.
template <class Context, class Target, class Index, class G>
void gather_beside_into(Context& context, const index_lines& of, const Target& gs, const view<const Index>& index, const view<const G>& grad) {
  if (memory_of(gs).size() == of.entries) return gather_numbers<format_of_t<G>>(context, of, gradient_target(gs), index, grad);
  clear_target(context, gs);
  pick_kernels<typename Context::device>::run_at(context, gathered_beside{{of}}, of.entries, gradient_target(gs), index_of(index), pool_of(grad));
}

}  // namespace detail

/// x's numbers by index along an axis, moved as they are: y[i][j] = x[index[i][j]][j] along axis 0, y[i][j] = x[i][index[i][j]] along axis 1.
///
/// index   int32 or int64, of x's rank; in the other axes not longer than x
/// Value   of index's shape
/// Errors  shape; index (host: one outside the axis). On CUDA, where nobody waits to see it, what it would have read is NaN, so that the finite check of
///         the step finds it
template <class Policy, class Context, class X, class Index, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto gather(Context& context, const X& x, int axis, const Index& index) {
  using result = detail::result_t<Policy, op::gather, Context, X>;
  if constexpr (detail::may_call<Policy, op::gather, X>())
    return detail::made<result>(context, detail::operand(index).shape(), [&](auto y) { gather<Policy>(context, into(y), x, axis, index); });
  else return result{};
}
template <class Policy, class Context, class Y, class X, class Index>
void gather(Context& context, into<Y> y, const X& x, int axis, const Index& index) {
  using namespace detail;
  if constexpr (require_into<Policy, op::gather, Y, X>()) {
    const shape s = operand(index).shape();
    require_shape("gather", "an output", y.target.shape(), s);
    gather_numbers<read_t<Policy, op::gather, given_t<X>, given_t<X>>>(context, index_lines::of("gather", context, operand(index), operand(x).shape(), axis, s), write(y.target), operand(index), operand(x));
  }
}
/// The gradient of gather: each number's sum over where it was asked for, in double in the order of the indices, so it has the same bits on every run and
/// any number of threads. Of x only shape and format are looked at.
template <class Policy, class Context, class G, class X, class Index, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto gather_backward(Context& context, const G& grad, const X& x, int axis, const Index& index) {
  return detail::made<detail::gradient_of_t<X, Context>>(context, detail::operand(x).shape(), [&](auto gx) { gather_backward<Policy>(context, into(gx), grad, axis, index); });
}
template <class Policy, class Context, class Target, class G, class Index, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void gather_backward(Context& context, const Target& gx, const G& grad, int axis, const Index& index) {
  using namespace detail;
  const shape s = operand(index).shape();
  require_shape("gather_backward", "a gradient of the value", operand(grad).shape(), s);
  const auto lines = index_lines::of("gather_backward", context, operand(index), memory_of(gx).shape(), axis, s);
  clear_target(context, gx);
  scatter_numbers<given_t<G>>(context, lines, gradient_target(gx), operand(index), operand(grad));
}

/// x with the source's numbers added by index along an axis, in the widest input format: y[index[i][j]][j] += source[i][j] along axis 0.
///
/// index   int32 or int64, of x's rank; not longer than the source, nor than x in the other axes
/// Value   of x's shape. A place's numbers are added in double in the order of the indices, then to x's, and rounded once: the same bits on every run and
///         any number of threads
/// Errors  shape; index (host: one outside the axis). On CUDA, where nobody waits to see it, the nearest place is NaN
template <class Policy, class Context, class X, class Index, class S, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto scatter_add(Context& context, const X& x, int axis, const Index& index, const S& source) {
  using result = detail::result_t<Policy, op::scatter_add, Context, X, S>;
  if constexpr (detail::may_call<Policy, op::scatter_add, X, S>())
    return detail::made<result>(context, detail::operand(x).shape(), [&](auto y) { scatter_add<Policy>(context, into(y), x, axis, index, source); });
  else return result{};
}
template <class Policy, class Context, class Y, class X, class Index, class S>
void scatter_add(Context& context, into<Y> y, const X& x, int axis, const Index& index, const S& source) {
  using namespace detail;
  if constexpr (require_into<Policy, op::scatter_add, Y, X, S>()) {
    const shape s = operand(x).shape();
    require_shape("scatter_add", "an output", y.target.shape(), s);
    const auto lines = index_lines::of("scatter_add", context, operand(index), s, axis, operand(source).shape());
    map_kernels<typename Context::device>::run(context, as_it_is{}, make_loops<1>(s, {&s}), write(y.target), read_as<read_t<Policy, op::scatter_add, given_t<X>, given_t<X>, given_t<S>>>(operand(x)));
    scatter_numbers<read_t<Policy, op::scatter_add, given_t<S>, given_t<X>, given_t<S>>>(context, lines, target<format_of_t<Y>>{y.target.data(), true}, operand(index), operand(source));
  }
}
/// The gradients of scatter_add; of x and source only shape and format are looked at. What no index stands beside gets 0.
///
/// gx, gs  into(view), add_to(view) or no_gradient{}
template <class Policy, class Context, class G, class X, class Index, class S, class GX, class GS, std::enable_if_t<detail::is_gradient_choice_v<GX>, int> = 0>
void scatter_add_backward(Context& context, const G& grad, const X& x, int axis, const Index& index, const S& source, const GX& gx, const GS& gs) {
  using namespace detail;
  if constexpr (may_call<Policy, op::scatter_add, X, S>()) {
    const shape s = operand(x).shape();
    require_shape("scatter_add_backward", "a gradient of the value", operand(grad).shape(), s);
    if constexpr (is_gradient_target_v<GX>) require_shape("scatter_add_backward", "a gradient of x", memory_of(gx).shape(), s);
    if constexpr (is_gradient_target_v<GS>) {
      require_shape("scatter_add_backward", "a gradient of the source", memory_of(gs).shape(), operand(source).shape());
      gather_beside_into(context, index_lines::of("scatter_add_backward", context, operand(index), s, axis, operand(source).shape()), gs, operand(index), operand(grad));
    }
    if constexpr (is_gradient_target_v<GX>) cast_to("scatter_add_backward", context, gradient_target(gx), s, operand(grad));
  }
}
template <class Policy, class Context, class G, class X, class Index, class S>
auto scatter_add_backward(Context& context, const G& grad, const X& x, int axis, const Index& index, const S& source) {
  auto result = detail::fresh_pair(context, x, source);
  scatter_add_backward<Policy>(context, grad, x, axis, index, source, into(result.first), into(result.second));
  return result;
}

}}  // namespace amphora
