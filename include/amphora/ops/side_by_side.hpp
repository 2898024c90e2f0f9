// Where arrays lie in one that joins them along an axis, or along a new one.
#pragma once
#include <amphora/error.hpp>         // fail
#include <amphora/op/promoting.hpp>  // op::cat, op::stack
#include <amphora/ops/movement.hpp>  // movement, axis_of
#include <amphora/ops/operand.hpp>   // require_shape
#include <amphora/tensor/shape.hpp>  // shape

#include <cstdint>      // int64_t
#include <type_traits>  // is_same_v

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// Arrays side by side: [outer, extent, inner], each with its own extent.
struct side_by_side {
  shape value;
  std::int64_t outer = 1, inner = 1, all = 0;

  movement part(std::int64_t begin, std::int64_t extent, bool reads_all) const {
    movement m;
    (reads_all ? m.x_first : m.y_first) = begin * inner;
    if (reads_all) m.add(outer, extent * inner, all * inner), m.add(extent * inner, 1, 1);
    else m.add(outer, all * inner, extent * inner), m.add(extent * inner, 1, 1);
    return m;
  }
};
/// An empty array of one axis joins anything, as in PyTorch.
inline bool joins_anything(const shape& s) { return s.rank() == 1 && s[0] == 0; }

/// Errors  shape
inline side_by_side cat_of(const char* call, int axis, const shape* const* shapes, int count) {
  const shape* model = shapes[0];
  for (int k = 0; k < count && joins_anything(*model); ++k) model = shapes[k];
  if (model->rank() == 0) fail("shape", call, " needs arrays of at least one axis; stack joins scalars");
  const int at = axis_of(call, *model, axis);
  side_by_side result;
  for (int k = 0; k < count; ++k) {
    if (joins_anything(*shapes[k])) continue;
    if (shapes[k]->rank() != model->rank() || shapes[k]->with(at, 0) != model->with(at, 0)) fail("shape", call, " along axis ", axis, " cannot join ", *model, " and ", *shapes[k]);
    result.all += (*shapes[k])[at];
  }
  result.value = model->with(at, result.all), result.outer = model->product(0, at), result.inner = model->product(at + 1, model->rank());
  return result;
}
inline side_by_side stack_of(const char* call, int axis, const shape* const* shapes, int count) {
  const shape& s = *shapes[0];
  const int at = axis < 0 ? axis + s.rank() + 1 : axis;
  if (at < 0 || at > s.rank()) fail("shape", call, " has no place for a new axis ", axis, " in ", s);
  if (s.rank() == shape::max_rank) fail("shape", call, " of ", s, ": a shape has at most 8 axes");
  for (int k = 1; k < count; ++k) require_shape(call, "an operand", *shapes[k], s);
  std::int64_t extents[shape::max_rank] = {};
  for (int i = 0; i <= s.rank(); ++i) extents[i] = i < at ? s[i] : i == at ? count : s[i - 1];
  side_by_side result;
  result.value = shape(extents, s.rank() + 1), result.all = count, result.outer = s.product(0, at), result.inner = s.product(at, s.rank());
  return result;
}
template <class Op> inline constexpr bool is_stack_v = std::is_same_v<Op, op::stack>;
/// How much of the joined axis an array takes.
template <class Op> std::int64_t share_of(const side_by_side& all, const shape& own) {
  return is_stack_v<Op> ? 1 : all.outer * all.inner == 0 || joins_anything(own) ? 0 : own.elements() / (all.outer * all.inner);
}

}}}  // namespace amphora::detail
