// Arrays put side by side along an axis, or along a new one, forward and backward: each named in the call, or all of a list.
#pragma once
#include <amphora/ops/call.hpp>          // read_t, result_t, require_into, made
#include <amphora/ops/movement.hpp>      // move
#include <amphora/ops/operand_list.hpp>  // view_list, views_of, at_target
#include <amphora/ops/side_by_side.hpp>  // side_by_side, cat_of, stack_of

#include <cstddef>      // size_t
#include <cstdint>      // int64_t
#include <tuple>        // tuple, apply
#include <type_traits>  // decay_t
#include <vector>       // vector

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

template <class Op, class... X> side_by_side joined_of(const char* call, int axis, const X&... x) {
  const shape own[] = {operand(x).shape()...};
  const shape* shapes[sizeof...(X)];
  for (std::size_t k = 0; k < sizeof...(X); ++k) shapes[k] = &own[k];
  return is_stack_v<Op> ? stack_of(call, axis, shapes, sizeof...(X)) : cat_of(call, axis, shapes, sizeof...(X));
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

template <class Op, class T> side_by_side joined_of_list(const char* call, int axis, const view_list<T>& x) {
  if (x.empty()) fail("shape", call, " is given an empty list; it joins at least one array");
  std::vector<const shape*> shapes;
  for (const auto& part : x) shapes.push_back(&part.shape());
  const int count = static_cast<int>(x.size());
  return is_stack_v<Op> ? stack_of(call, axis, shapes.data(), count) : cat_of(call, axis, shapes.data(), count);
}
template <class Policy, class Op, class Context, class Y, class T>
void joined_list_into(const char* call, Context& context, const into<Y>& y, int axis, const view_list<T>& x) {
  using given = view<const T>;
  if constexpr (require_into<Policy, Op, Y, given>()) {
    const side_by_side all = joined_of_list<Op>(call, axis, x);
    require_shape(call, "an output", y.target.shape(), all.value);
    std::int64_t begin = 0;
    for (const given& part : x) {
      const std::int64_t extent = share_of<Op>(all, part.shape());
      move<read_t<Policy, Op, given_t<given>, given_t<given>>>(context, all.part(begin, extent, false), write(y.target), part);
      begin += extent;
    }
  }
}
template <class Policy, class Op, class Context, class T>
auto joined_list_made(const char* call, Context& context, int axis, const view_list<T>& x) {
  using result = result_t<Policy, Op, Context, view<const T>>;
  if constexpr (may_call<Policy, Op, view<const T>>())
    return made<result>(context, joined_of_list<Op>(call, axis, x).value, [&](auto y) { joined_list_into<Policy, Op>(call, context, into(y), axis, x); });
  else return result{};
}
template <class Policy, class Op, class Context, class G, class T, class Targets>
void parted_list_into(const char* call, Context& context, const G& grad, int axis, const view_list<T>& x, const Targets& targets) {
  if constexpr (may_call<Policy, Op, view<const T>>()) {
    const side_by_side all = joined_of_list<Op>(call, axis, x);
    require_shape(call, "a gradient of the value", operand(grad).shape(), all.value);
    std::size_t k = 0;
    for (const auto& choice : targets) {
      if (k < x.size())
        at_target(choice, [&](const auto& target) {
          if constexpr (is_gradient_target_v<std::decay_t<decltype(target)>>) require_shape(call, "a gradient", memory_of(target).shape(), x[k].shape());
        });
      ++k;
    }
    if (k != x.size()) fail("shape", call, " has places for ", static_cast<std::int64_t>(k), " gradients where ", static_cast<std::int64_t>(x.size()), " arrays were joined");
    std::int64_t begin = 0;
    k = 0;
    for (const auto& choice : targets) {
      const std::int64_t extent = share_of<Op>(all, x[k++].shape());
      at_target(choice, [&](const auto& target) {
        if constexpr (is_gradient_target_v<std::decay_t<decltype(target)>>) move<given_t<G>>(context, all.part(begin, extent, true), gradient_target(target), operand(grad));
      });
      begin += extent;
    }
  }
}
template <class Policy, class Op, class Context, class G, class T>
auto parted_list(const char* call, Context& context, const G& grad, int axis, const view_list<T>& x) {
  std::vector<tensor<T, Context>> result;
  std::vector<into<T>> targets;
  for (const auto& part : x) targets.push_back(into(result.emplace_back(context, part.shape())));
  parted_list_into<Policy, Op>(call, context, grad, axis, x, targets);
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
/// The same of a list whose length is known when the program runs.
///
///     std::vector<amp::tensor<float, amp::host_context>> steps = …;
///     auto y = amp::cat<mixed>(context, 0, steps);
///     std::vector<amp::tensor<float, amp::host_context>> gradients = amp::cat_backward<mixed>(context, grad, 0, steps);
///
/// list     a std::vector, an array or any other range of views or of tensors, all of one type
/// targets  a range of as many into() or add_to(), or of std::variants of these and no_gradient
/// Errors   shape; an empty list is one
template <class Policy, class Context, class List, detail::if_operands_t<List> = 0>
auto cat(Context& context, int axis, const List& list) { return detail::joined_list_made<Policy, op::cat>("cat", context, axis, detail::views_of(list)); }
template <class Policy, class Context, class Y, class List, detail::if_operands_t<List> = 0>
void cat(Context& context, into<Y> y, int axis, const List& list) { detail::joined_list_into<Policy, op::cat>("cat", context, y, axis, detail::views_of(list)); }
template <class Policy, class Context, class G, class List, detail::if_operands_t<List> = 0>
auto cat_backward(Context& context, const G& grad, int axis, const List& list) { return detail::parted_list<Policy, op::cat>("cat_backward", context, grad, axis, detail::views_of(list)); }
template <class Policy, class Context, class G, class List, class Targets, detail::if_operands_t<List> = 0>
void cat_backward(Context& context, const G& grad, int axis, const List& list, const Targets& targets) {
  detail::parted_list_into<Policy, op::cat>("cat_backward", context, grad, axis, detail::views_of(list), targets);
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
/// The same of a list, as cat's.
template <class Policy, class Context, class List, detail::if_operands_t<List> = 0>
auto stack(Context& context, int axis, const List& list) { return detail::joined_list_made<Policy, op::stack>("stack", context, axis, detail::views_of(list)); }
template <class Policy, class Context, class Y, class List, detail::if_operands_t<List> = 0>
void stack(Context& context, into<Y> y, int axis, const List& list) { detail::joined_list_into<Policy, op::stack>("stack", context, y, axis, detail::views_of(list)); }
template <class Policy, class Context, class G, class List, detail::if_operands_t<List> = 0>
auto stack_backward(Context& context, const G& grad, int axis, const List& list) { return detail::parted_list<Policy, op::stack>("stack_backward", context, grad, axis, detail::views_of(list)); }
template <class Policy, class Context, class G, class List, class Targets, detail::if_operands_t<List> = 0>
void stack_backward(Context& context, const G& grad, int axis, const List& list, const Targets& targets) {
  detail::parted_list_into<Policy, op::stack>("stack_backward", context, grad, axis, detail::views_of(list), targets);
}

}}  // namespace amphora
