// Arrays put side by side along an axis, or along a new one, forward and backward.
#pragma once
#include <amphora/op/promoting.hpp>  // op::cat, op::stack
#include <amphora/ops/movement.hpp>  // move, axis_of

#include <cstddef>  // size_t
#include <cstdint>  // int64_t
#include <tuple>    // tuple, apply
#include <utility>  // index_sequence

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

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
template <class Op, class... X> side_by_side joined_of(const char* call, int axis, const X&... x) {
  const shape own[] = {operand(x).shape()...};
  const shape* shapes[sizeof...(X)];
  for (std::size_t k = 0; k < sizeof...(X); ++k) shapes[k] = &own[k];
  return is_stack_v<Op> ? stack_of(call, axis, shapes, sizeof...(X)) : cat_of(call, axis, shapes, sizeof...(X));
}
/// How much of the joined axis an array takes.
template <class Op> std::int64_t share_of(const side_by_side& all, const shape& own) {
  return is_stack_v<Op> ? 1 : all.outer * all.inner == 0 || joins_anything(own) ? 0 : own.elements() / (all.outer * all.inner);
}

template <class Policy, class Op, class Context, class Y, class... X>
void joined_into(const char* call, Context& context, const into<Y>& y, int axis, const X&... x) {
  if constexpr (require_into<Policy, Op, Y, X...>()) {
    const side_by_side all = joined_of<Op>(call, axis, x...);
    require_shape(call, "an output", y.target.shape(), all.value);
    std::int64_t begin = 0;
    const auto one = [&](const auto& part) {
      using part_type = std::decay_t<decltype(part)>;
      const std::int64_t extent = share_of<Op>(all, operand(part).shape());
      move<read_t<Policy, Op, given_t<part_type>, given_t<X>...>>(context, all.part(begin, extent, false), write(y.target), operand(part));
      begin += extent;
    };
    (one(x), ...);
  }
}
template <class Policy, class Op, class Context, class... X>
auto joined_made(const char* call, Context& context, int axis, const X&... x) {
  using result = result_t<Policy, Op, Context, X...>;
  if constexpr (may_call<Policy, Op, X...>())
    return made<result>(context, joined_of<Op>(call, axis, x...).value, [&](auto y) { joined_into<Policy, Op>(call, context, into(y), axis, x...); });
  else return result{};
}
/// Each operand's part of the gradient, where it is wanted.
template <class Policy, class Op, class Context, class G, class... X, class... Target>
void parted_into(const char* call, Context& context, const G& grad, int axis, const std::tuple<const X&...>& x, const Target&... targets) {
  static_assert(sizeof...(X) == sizeof...(Target), "amphora [shape]: as many gradients are due as there are operands; say no_gradient{} for those that are not wanted");
  if constexpr (may_call<Policy, Op, X...>()) {
    const side_by_side all = std::apply([&](const auto&... part) { return joined_of<Op>(call, axis, part...); }, x);
    require_shape(call, "a gradient of the value", operand(grad).shape(), all.value);
    const auto check = [&](const auto& part, const auto& target) {
      if constexpr (is_gradient_target_v<std::decay_t<decltype(target)>>) require_shape(call, "a gradient", memory_of(target).shape(), operand(part).shape());
    };
    std::int64_t begin = 0;
    const auto one = [&](const auto& part, const auto& target) {
      const std::int64_t extent = share_of<Op>(all, operand(part).shape());
      if constexpr (is_gradient_target_v<std::decay_t<decltype(target)>>) move<given_t<G>>(context, all.part(begin, extent, true), gradient_target(target), operand(grad));
      begin += extent;
    };
    std::apply([&](const auto&... part) { (check(part, targets), ...), (one(part, targets), ...); }, x);
  }
}
template <class Policy, class Op, class Context, class G, class... X>
auto parted(const char* call, Context& context, const G& grad, int axis, const X&... x) {
  std::tuple<gradient_of_t<X, Context>...> result{gradient_of_t<X, Context>(context, operand(x).shape())...};
  std::apply([&](auto&... g) { parted_into<Policy, Op>(call, context, grad, axis, std::tuple<const X&...>(x...), into(g)...); }, result);
  return result;
}

}  // namespace detail

/// Arrays put side by side along an axis, in the widest input format.
///
/// axis    negative ones count from the end
/// x       equal in all other axes; an empty array of one axis joins anything
/// Errors  shape
template <class Policy, class Context, class First, class... X, std::enable_if_t<detail::is_operand_v<First>, int> = 0>
auto cat(Context& context, int axis, const First& first, const X&... x) { return detail::joined_made<Policy, op::cat>("cat", context, axis, first, x...); }
template <class Policy, class Context, class Y, class... X>
void cat(Context& context, into<Y> y, int axis, const X&... x) { detail::joined_into<Policy, op::cat>("cat", context, y, axis, x...); }
/// The gradients of cat, as a tuple of fresh tensors or each where it is wanted; of x only shape and format are looked at.
///
///     auto [ga, gb] = amp::cat_backward<mixed>(context, grad, 0, a, b);
///     amp::cat_backward<mixed>(context, grad, 0, std::tie(a, b), amp::into(ga), amp::no_gradient{});
template <class Policy, class Context, class G, class First, class... X, std::enable_if_t<detail::is_operand_v<First>, int> = 0>
auto cat_backward(Context& context, const G& grad, int axis, const First& first, const X&... x) {
  return detail::parted<Policy, op::cat>("cat_backward", context, grad, axis, first, x...);
}
template <class Policy, class Context, class G, class... X, class... Target>
void cat_backward(Context& context, const G& grad, int axis, const std::tuple<X...>& x, const Target&... targets) {
  detail::parted_into<Policy, op::cat>("cat_backward", context, grad, axis, std::tuple<const std::remove_reference_t<X>&...>(x), targets...);
}

/// Arrays of one shape side by side along a new axis, in the widest input format.
///
/// axis    of the value; -1 is the last
/// Errors  shape
template <class Policy, class Context, class First, class... X, std::enable_if_t<detail::is_operand_v<First>, int> = 0>
auto stack(Context& context, int axis, const First& first, const X&... x) { return detail::joined_made<Policy, op::stack>("stack", context, axis, first, x...); }
template <class Policy, class Context, class Y, class... X>
void stack(Context& context, into<Y> y, int axis, const X&... x) { detail::joined_into<Policy, op::stack>("stack", context, y, axis, x...); }
/// The gradients of stack, as those of cat.
template <class Policy, class Context, class G, class First, class... X, std::enable_if_t<detail::is_operand_v<First>, int> = 0>
auto stack_backward(Context& context, const G& grad, int axis, const First& first, const X&... x) {
  return detail::parted<Policy, op::stack>("stack_backward", context, grad, axis, first, x...);
}
template <class Policy, class Context, class G, class... X, class... Target>
void stack_backward(Context& context, const G& grad, int axis, const std::tuple<X...>& x, const Target&... targets) {
  detail::parted_into<Policy, op::stack>("stack_backward", context, grad, axis, std::tuple<const std::remove_reference_t<X>&...>(x), targets...);
}

}}  // namespace amphora
