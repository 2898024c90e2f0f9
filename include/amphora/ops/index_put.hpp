// Values set at, or added to, places that indices name, forward and backward.
#pragma once
#include <amphora/detail/config.hpp>   // AMPHORA_HD
#include <amphora/op/promoting.hpp>    // op::index_put
#include <amphora/ops/add.hpp>         // unbroadcast
#include <amphora/ops/call.hpp>        // read_t, result_t, require_into, may_call, made, fresh_pair
#include <amphora/ops/cast.hpp>        // as_it_is, cast_to, copy
#include <amphora/ops/index.hpp>       // join_rows, joined_by, nearest_row
#include <amphora/ops/index_list.hpp>  // index_list
#include <amphora/ops/kernels.hpp>     // map_kernels, loops, make_loops
#include <amphora/ops/named_rows.hpp>  // named_rows, name_rows
#include <amphora/ops/operand.hpp>     // into, operand, target, gradient_target
#include <amphora/ops/pick.hpp>        // pick_kernels, pool_of, no_such_number, AMPHORA_READS
#include <amphora/tensor/tensor.hpp>   // tensor, tensor_of_t

#include <cstdint>      // int64_t
#include <type_traits>  // enable_if_t

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

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
