// Losses of rows: sums along the last axis first, then a function of the sums of each row.
#pragma once
#include <amphora/ops/loss.hpp>        // averaged, slope_sum, batch
#include <amphora/ops/map_reduce.hpp>  // map_reduce
#include <amphora/ops/operand.hpp>     // operand, reshaped

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// The shapes of a call whose rows run along the last axis of `wide`.
struct row_shapes {
  shape wide, kept, rows;  ///< kept: with an extent of 1 in place of the last

  row_shapes(const char* call, const shape& broadcast) : wide(broadcast) {
    if (wide.rank() < 1) fail("shape", call, " needs rows: arrays of shape [length] or [..., length], not ", wide);
    kept = wide.with(-1, 1);
    std::int64_t extents[shape::max_rank] = {};
    for (int axis = 0; axis + 1 < wide.rank(); ++axis) extents[axis] = wide[axis];
    rows = shape(extents, wide.rank() - 1);
  }
};

/// The sums of f(a, b) along the last axis.
template <class Format, class Context, class Function, class A, class B>
tensor_of_t<Format, Context> row_sums(Context& context, const Function& f, const row_shapes& shapes, const view<const A>& a, const view<const B>& b) {
  tensor_of_t<Format, Context> result(context, shapes.kept);
  map_reduce<Format>(list<format_of_t<A>, format_of_t<B>>{}, context, element_value<Function>{f}, shapes.wide, write(result.view()), shapes.kept, 1, a, b);
  return result;
}
/// y = the losses f(sums…) of the rows, reduced.
template <class Accumulate, class Context, class Function, class Y, class... Sums>
void rows_into(const char* call, Context& context, const Function& f, const batch& all, const row_shapes& shapes, const into<Y>& y, const Sums&... sums) {
  require_shape(call, "a loss", y.target.shape(), all.of(shapes.rows));
  if (all.reduction == reduction::none) map_all(list<given_t<Sums>...>{}, context, element_value<Function>{f}, shapes.kept, write(y.target), operand(sums)...);
  else map_reduce<Accumulate>(list<given_t<Sums>...>{}, context, element_value<Function>{f}, shapes.kept, write(y.target), shape{}, all.divisor(shapes.rows), operand(sums)...);
}
/// The loss's gradient beside the sums.
template <class G> view<const G> beside_rows(const batch& all, const row_shapes& shapes, const view<const G>& grad) {
  return all.reduction == reduction::none ? grad.reshaped(shapes.kept) : grad;
}
/// The gradient of sum K.
template <int K, class Format, class Policy, class Op, class Context, class Function, class G, class... Sums>
tensor_of_t<Format, Context> row_slope(Context& context, const Function& f, const batch& all, const row_shapes& shapes, const view<const G>& grad, const Sums&... sums) {
  tensor_of_t<Format, Context> result(context, shapes.kept);
  slope_sum<K, Policy, Op>(context, averaged<Function>{f, all.divisor(shapes.rows)}, shapes.kept, into(result), beside_rows(all, shapes, grad), sums...);
  return result;
}

}}}  // namespace amphora::detail
