// Values set at, or added to, places that indices name, forward and backward.
#pragma once
#include <amphora/detail/config.hpp>  // AMPHORA_HD
#include <amphora/op/promoting.hpp>   // op::index_put
#include <amphora/ops/add.hpp>        // unbroadcast
#include <amphora/ops/call.hpp>       // read_t, result_t, require_into, made
#include <amphora/ops/index.hpp>      // join_rows, index_kernels
#include <amphora/ops/kernels.hpp>    // broadcast

#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI {

/// The indices of the first axes of an array, one after the other: index_list{rows}, index_list{rows, columns}, index_list{mask}.
///
/// Integers (int32 or int64; negative ones count from the end) have shapes that broadcast; a mask (bool) stands for as many axes as it has. Refers to the
/// memory that it is given
class index_list {
 public:
  template <class... X> explicit index_list(const X&... x) {
    static_assert(sizeof...(X) <= shape::max_rank, "amphora [shape]: a shape has at most 8 axes");
    (add(detail::operand(x)), ...);
  }
  struct one {
    detail::index_source from;
    shape own;
    bool is_mask() const { return from.bytes == 1; }
  };
  int count() const { return count_; }
  const one& operator[](int i) const { return of_[i]; }

 private:
  template <class T> void add(const view<const T>& x) { of_[count_++] = one{detail::index_of(x), x.shape()}; }
  one of_[shape::max_rank];
  int count_ = 0;
};

namespace detail {

/// Row numbers put together axis by axis: rows · extent + index. One that is not there makes the row the nearest one, as a negative number.
struct joined_row {
  loops<1> index;
  std::int64_t extent;
  bool is_first;

  AMPHORA_READS template <class Rows, class Index> AMPHORA_HD std::int64_t operator()(std::int64_t e, const Rows& rows, const Index& its) const {
    std::int64_t at = 0, rest = e;
    for (int axis = index.rank - 1; axis >= 0; --axis) {
      const std::int64_t outer = rest / index.extent[axis];
      at += (rest - outer * index.extent[axis]) * index.stride[0][axis], rest = outer;
    }
    const std::int64_t i = its(at), row = row_or_nearest(i < 0 && i >= -extent ? i + extent : i, extent), before = is_first ? 0 : rows(e);
    const std::int64_t joined = nearest_row(before) * extent + nearest_row(row);
    return row < 0 || before < 0 ? -joined - 1 : joined;
  }
};
/// The places of a mask, from its sorted keys; −1, which is nowhere, for all where there are more or fewer than there should be.
struct mask_key {
  std::int64_t n;
  AMPHORA_READS template <class Mask> AMPHORA_HD std::int64_t operator()(std::int64_t i, const Mask& mask) const { return mask(i) ? i : n + i; }
};
struct mask_place {
  std::int64_t count, n;
  AMPHORA_READS template <class Keys> AMPHORA_HD std::int64_t operator()(std::int64_t k, const Keys& keys) const {
    return keys(count - 1) < n && (count == n || keys(count) >= n) ? keys(k) : n;
  }
};

/// Rows of an array [rows, width] that a call names, in the order of its entries.
template <class Context>
struct named_rows {
  tensor<std::int64_t, Context> of;  ///< [entries]; −1 − the nearest for one that is not there
  std::int64_t entries = 0, rows = 1, width = 1;
  shape wide;  ///< of the values: the indices' shape, then the axes that have none

  index_source indices() const { return {of.data(), 8}; }
};

/// Errors  shape; index (host)
template <class Context>
named_rows<Context> name_rows(const char* call, Context& context, const shape& x, const index_list& list, const shape& values) {
  using device = typename Context::device;
  named_rows<Context> result;
  int used = 0;
  for (int k = 0; k < list.count(); ++k) {
    const shape& s = list[k].own;
    const int takes = list[k].is_mask() ? s.rank() : 1;
    if (list[k].is_mask() && list.count() > 1) fail("shape", call, ": a mask stands alone; give the positions of its axes as integers where there are other indices");
    if (used + takes > x.rank()) fail("shape", call, " has indices for more axes than x of shape ", x, " has");
    for (int i = 0; i < s.rank() && list[k].is_mask(); ++i)
      if (s[i] != x[used + i]) fail("shape", call, " has a mask of shape ", s, " for x of shape ", x);
    used += takes;
  }
  if (used == 0) fail("shape", call, " needs an index of at least one axis");
  const int rest = x.rank() - used;
  result.rows = x.product(0, used), result.width = x.product(used, x.rank());
  const bool is_mask = list[0].is_mask();
  shape of_indices;
  if (is_mask) {  // how many places it has is what the values say: nobody waits to count them
    const std::int64_t many = values.rank() == rest + 1 ? values[0] : values.rank() <= rest ? -1 : -2;
    if (many == -2) fail("shape", call, " has values of shape ", values, " for a mask; give one axis for its places, then those that the mask leaves");
    if (many < 0) fail("shape", call, " has values of shape ", values, " without an axis for the places of a mask; give that axis, or use where");
    of_indices = shape{many};
  } else {
    for (int k = 0; k < list.count(); ++k) of_indices = broadcast(call, of_indices, list[k].own);
  }
  if (of_indices.rank() + rest > shape::max_rank) fail("shape", call, ": the values would have more than 8 axes");
  std::int64_t extents[shape::max_rank] = {};
  for (int i = 0; i < of_indices.rank() + rest; ++i) extents[i] = i < of_indices.rank() ? of_indices[i] : x[used + i - of_indices.rank()];
  result.wide = shape(extents, of_indices.rank() + rest), result.entries = of_indices.elements();
  if (broadcast(call, result.wide, values) != result.wide) fail("shape", call, " has values of shape ", values, ", which do not broadcast to ", result.wide);
  if (result.entries > 0 && result.rows == 0) fail("index", call, " names ", result.entries, " places of none");
  if (is_mask) index_kernels<device>::require_count(context, call, list[0].from, result.rows, result.entries);
  else
    for (int k = 0; k < list.count(); ++k) index_kernels<device>::require_within(context, call, list[k].from, list[k].own.elements(), -x[k], x[k]);

  result.of = tensor<std::int64_t, Context>(context, shape{result.entries});
  if (result.entries == 0) return result;
  if (is_mask) {
    if (result.entries > result.rows) fail("index", call, " has values for ", result.entries, " places of a mask of ", result.rows);
    tensor<std::int64_t, Context> keys(context, shape{result.rows}), places(context, shape{result.entries});
    pick_kernels<device>::indices(context, mask_key{result.rows}, result.rows, keys.data(), list[0].from);
    index_kernels<device>::sort(context, keys.data(), result.rows);
    pick_kernels<device>::indices(context, mask_place{result.entries, result.rows}, result.entries, places.data(), index_source{keys.data(), 8});
    const shape dense{result.entries};
    pick_kernels<device>::indices(context, joined_row{make_loops<1>(dense, {&dense}), result.rows, true}, result.entries, result.of.data(), index_source{}, index_source{places.data(), 8});
    return result;
  }
  for (int k = 0; k < list.count(); ++k)
    pick_kernels<device>::indices(context, joined_row{make_loops<1>(of_indices, {&list[k].own}), x[k], k == 0}, result.entries, result.of.data(), result.indices(), list[k].from);
  return result;
}

/// Values that broadcast to the shape that the rows ask for.
struct put_entries {
  loops<1> values;
  std::int64_t width;

  AMPHORA_READS template <class Rows> AMPHORA_HD std::int64_t row(std::int64_t e, const Rows& rows) const { return nearest_row(rows(e)); }
  AMPHORA_READS template <class Rows, class X> AMPHORA_HD double value(std::int64_t e, std::int64_t column, const Rows& rows, const X& x) const {
    std::int64_t at = 0, rest = e * width + column;
    for (int axis = values.rank - 1; axis >= 0; --axis) {
      const std::int64_t outer = rest / values.extent[axis];
      at += (rest - outer * values.extent[axis]) * values.stride[0][axis], rest = outer;
    }
    return rows(e) < 0 ? no_such_number<double> : static_cast<double>(x(at));
  }
  AMPHORA_HD std::int64_t place(std::int64_t row, std::int64_t column) const { return row * width + column; }
};
struct taken_row {
  AMPHORA_READS template <class Rows> AMPHORA_HD std::int64_t operator()(std::int64_t e, const Rows& rows) const { return rows(e); }
};
struct emptied_rows {
  std::int64_t width;
  AMPHORA_READS template <class Rows> AMPHORA_HD std::int64_t place(std::int64_t i, const Rows& rows) const {
    const std::int64_t e = i / width;
    return nearest_row(rows(e)) * width + i - e * width;
  }
  AMPHORA_READS template <class Rows> AMPHORA_HD float operator()(std::int64_t, const Rows&) const { return 0; }
};

/// Adds values to the rows of y, or puts the last of each there.
template <class Read, class Context, class Y, class X>
void put_rows(Context& context, const named_rows<Context>& named, bool accumulate, const target<Y>& y, const view<const X>& values) {
  join_rows(context, put_entries{make_loops<1>(named.wide, {&values.shape()}), named.width}, named.entries, named.rows, named.width, accumulate ? joined_by::sum : joined_by::last,
            target<Y>{y.data, accumulate}, named.indices(), pool_of<Read>(values));
}
/// The rows of x that are named, summed to the shape of the values.
template <class Context, class Target, class X>
void take_rows(Context& context, const named_rows<Context>& named, const Target& target, const view<const X>& x) {
  using device = typename Context::device;
  if (memory_of(target).shape().elements() == named.wide.elements())
    return pick_kernels<device>::rows(context, taken_row{}, named.entries, named.width, gradient_target(target), pool_of(x), named.indices());
  using format = arithmetic_format_t<format_of_t<X>>;
  tensor_of_t<format, Context> each(context, named.wide);
  pick_kernels<device>::rows(context, taken_row{}, named.entries, named.width, write(each.view()), pool_of(x), named.indices());
  unbroadcast<format>(context, target, operand(each), memory_of(target).shape(), 1);
}
/// x without the rows that are named.
template <class Context, class Target, class X>
void empty_rows(Context& context, const named_rows<Context>& named, const Target& target, const view<const X>& x) {
  using device = typename Context::device;
  const auto run = [&](const auto& y) {
    pick_kernels<device>::run_at(context, emptied_rows{named.width}, named.entries * named.width, y, named.indices());
  };
  if (!gradient_target(target).add) {
    cast_to("index_put_backward", context, gradient_target(target), x.shape(), x);
    return run(gradient_target(target));
  }
  tensor<typename view<const X>::value_type, Context> left(context, x.shape());
  copy(context, x, left.view());
  run(write(left.view()));
  cast_to("index_put_backward", context, gradient_target(target), x.shape(), operand(left));
}

}  // namespace detail

/// x with values at the places that the indices name, in the widest input format.
///
///     amp::index_put<mixed>(context, x, amp::index_list{rows}, values);                     // x[rows] = values
///     amp::index_put<mixed>(context, x, amp::index_list{rows, columns}, values, true);      // x[rows, columns] += values
///     amp::index_put<mixed>(context, x, amp::index_list{mask}, values);                     // x[mask] = values
///
/// values      broadcast to the indices' shape, then x's other axes; for a mask they have an axis of its places
/// accumulate  values are added, those of one place in double in the order of the indices, then to x's, and rounded once; else the last one stays. Both are
///             the same bits on every run and any number of threads
/// Errors      shape; index (host: one outside its axis, a mask of another number of places). On CUDA, where nobody waits to see it, the nearest place is NaN
template <class Policy, class Context, class X, class V, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto index_put(Context& context, const X& x, const index_list& indices, const V& values, bool accumulate = false) {
  using result = detail::result_t<Policy, op::index_put, Context, X, V>;
  if constexpr (detail::may_call<Policy, op::index_put, X, V>())
    return detail::made<result>(context, detail::operand(x).shape(), [&](auto y) { index_put<Policy>(context, into(y), x, indices, values, accumulate); });
  else return result{};
}
namespace detail {
template <class Policy, class Context, class Y, class X, class V>
void index_put_into(Context& context, const named_rows<Context>& named, const into<Y>& y, const view<const X>& x, const view<const V>& values, bool accumulate) {
  using read_x = read_t<Policy, op::index_put, format_of_t<X>, format_of_t<X>, format_of_t<V>>;
  map_kernels<typename Context::device>::run(context, as_it_is{}, make_loops<1>(x.shape(), {&x.shape()}), write(y.target), read_as<read_x>(x));
  put_rows<read_t<Policy, op::index_put, format_of_t<V>, format_of_t<X>, format_of_t<V>>>(context, named, accumulate, write(y.target), values);
}
}  // namespace detail
template <class Policy, class Context, class Y, class X, class V>
void index_put(Context& context, into<Y> y, const X& x, const index_list& indices, const V& values, bool accumulate = false) {
  using namespace detail;
  if constexpr (require_into<Policy, op::index_put, Y, X, V>()) {
    require_shape("index_put", "an output", y.target.shape(), operand(x).shape());
    index_put_into<Policy>(context, name_rows("index_put", context, operand(x).shape(), indices, operand(values).shape()), y, operand(x), operand(values), accumulate);
  }
}
/// The gradients of index_put; of x and values only shape and format are looked at. Without accumulate x gets 0 at the places that were set, and values that
/// were set at one place all get its gradient, as in PyTorch.
///
/// gx, gv  into(view), add_to(view) or no_gradient{}
template <class Policy, class Context, class G, class X, class V, class GX, class GV, std::enable_if_t<detail::is_gradient_choice_v<GX>, int> = 0>
void index_put_backward(Context& context, const G& grad, const X& x, const index_list& indices, const V& values, const GX& gx, const GV& gv, bool accumulate = false) {
  using namespace detail;
  if constexpr (may_call<Policy, op::index_put, X, V>()) {
    const shape s = operand(x).shape();
    require_shape("index_put_backward", "a gradient of the value", operand(grad).shape(), s);
    if constexpr (is_gradient_target_v<GX>) require_shape("index_put_backward", "a gradient of x", memory_of(gx).shape(), s);
    if constexpr (is_gradient_target_v<GV>) require_shape("index_put_backward", "a gradient of the values", memory_of(gv).shape(), operand(values).shape());
    const auto named = name_rows("index_put_backward", context, s, indices, operand(values).shape());
    if constexpr (is_gradient_target_v<GV>) take_rows(context, named, gv, operand(grad));
    if constexpr (is_gradient_target_v<GX>) accumulate ? cast_to("index_put_backward", context, gradient_target(gx), s, operand(grad)) : empty_rows(context, named, gx, operand(grad));
  }
}
template <class Policy, class Context, class G, class X, class V, std::enable_if_t<detail::is_operand_v<V>, int> = 0>
auto index_put_backward(Context& context, const G& grad, const X& x, const index_list& indices, const V& values, bool accumulate = false) {
  auto result = detail::fresh_pair(context, x, values);
  index_put_backward<Policy>(context, grad, x, indices, values, into(result.first), into(result.second), accumulate);
  return result;
}

}}  // namespace amphora
