// The rows of an array that a list of indices names, as numbers in the order of its entries.
#pragma once
#include <amphora/detail/config.hpp>   // AMPHORA_HD
#include <amphora/error.hpp>           // fail
#include <amphora/ops/index.hpp>       // index_kernels, row_or_nearest, nearest_row
#include <amphora/ops/index_list.hpp>  // index_list
#include <amphora/ops/kernels.hpp>     // broadcast, loops, make_loops
#include <amphora/ops/pick.hpp>        // pick_kernels, index_source, AMPHORA_READS
#include <amphora/tensor/shape.hpp>    // shape
#include <amphora/tensor/tensor.hpp>   // tensor

#include <cstdint>  // int64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

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

}}}  // namespace amphora::detail
