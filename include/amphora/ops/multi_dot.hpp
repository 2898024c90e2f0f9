// The product of a chain of matrices in its cheapest order, forward and backward.
#pragma once
#include <amphora/op/contraction.hpp>         // op::multi_dot, op::chain_matmul
#include <amphora/ops/call.hpp>               // result_t, require_into_on, may_call_on, made
#include <amphora/ops/cast.hpp>               // cast
#include <amphora/ops/gradient_target.hpp>    // target_or_none, require_target
#include <amphora/ops/operand.hpp>            // into, operand
#include <amphora/ops/symmetric_product.hpp>  // symmetric_product, run_matmul
#include <amphora/policy/compute.hpp>         // in_memory_t

#include <cstddef>      // size_t
#include <cstdint>      // int64_t
#include <tuple>        // tuple, get, tie
#include <type_traits>  // is_same_v
#include <utility>      // index_sequence_for

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// Count matrices one after the other, [size[i], size[i + 1]], and where each part of the chain is divided so that the fewest products are added.
///
/// Source  Cormen and others, Introduction to Algorithms, 3rd ed., 15.2
template <int Count>
struct matrix_chain {
  std::int64_t size[Count + 1] = {};
  int split[Count][Count] = {};
  shape value;

  matrix_chain(const char* call, bool takes_vectors, const shape (&s)[Count]) {
    for (int i = 0; i < Count; ++i) {
      const bool is_vector = s[i].rank() == 1 && takes_vectors && (i == 0 || i == Count - 1);
      if (s[i].rank() != 2 && !is_vector) fail("shape", call, " multiplies matrices", takes_vectors ? ", of which the first and the last may be vectors" : "", "; operand ", i, " has shape ", s[i]);
      const std::int64_t rows = is_vector && i == 0 ? 1 : s[i][0];
      if (i > 0 && rows != size[i]) fail("shape", call, " cannot multiply operand ", i - 1, " of shape ", s[i - 1], " with the next, of shape ", s[i]);
      size[i] = rows, size[i + 1] = is_vector ? (i == 0 ? s[i][0] : 1) : s[i][1];
    }
    std::int64_t extents[2] = {};
    int rank = 0;
    if (s[0].rank() == 2) extents[rank++] = size[0];
    if (s[Count - 1].rank() == 2) extents[rank++] = size[Count];
    value = shape(extents, rank);
    double cost[Count][Count] = {};
    for (int length = 1; length < Count; ++length)
      for (int i = 0; i + length < Count; ++i)
        for (int at = i; at < i + length; ++at) {
          const double here = cost[i][at] + cost[at + 1][i + length] + static_cast<double>(size[i]) * static_cast<double>(size[at + 1]) * static_cast<double>(size[i + length + 1]);
          if (at == i || here < cost[i][i + length]) cost[i][i + length] = here, split[i][i + length] = at;
        }
  }
  /// The product of the two parts of i … j.
  symmetric_product of(int i, int j) const { return symmetric_product::of_rows(size[i], size[j + 1], size[split[i][j] + 1], false); }
};

/// An operand in memory of Format: itself, or a copy that is rounded.
template <class Format, class Context, class X> auto in_format(Context& context, const X& x) {
  if constexpr (std::is_same_v<given_t<X>, Format>) return operand(x);
  else return cast<Format>(context, x);
}

/// The parts of a chain, each computed when it is first asked for, in the compute format.
template <class Read, class Accumulate, class Context, int Count>
class chain_values {
 public:
  using memory = storage_t<in_memory_t<Read>>;
  chain_values(Context& context, const matrix_chain<Count>& chain, const view<const memory> (&operands)[Count]) : context_(context), chain_(chain) {
    for (int i = 0; i < Count; ++i) operand_[i] = operands[i];
  }
  view<const memory> at(int i, int j) {
    if (i == j) return operand_[i];
    tensor<memory, Context>& own = part_[i][j];
    if (!own.data()) {
      own = tensor<memory, Context>(context_, shape{chain_.size[i], chain_.size[j + 1]});
      multiply(write(own.view()), i, j);
    }
    return own.view();
  }
  template <class C> void multiply(const target<C>& c, int i, int j) {
    const int split = chain_.split[i][j];
    const view<const memory> left = at(i, split), right = at(split + 1, j);
    run_matmul<Read, Accumulate>(context_, chain_.of(i, j).loops(), c, left, right);
  }
  /// The gradients of operands i … j, of which `wanted` says which; give(i, function) calls function(target) with the memory for one.
  template <class G, class Give> void gradients(const view<const G>& grad, int i, int j, const bool (&wanted)[Count], const Give& give) {
    const symmetric_product p = chain_.of(i, j);
    const int split = chain_.split[i][j];
    one(i, split, wanted, give, [&](auto to) { run_matmul<Read, Accumulate>(context_, p.for_a().loops(), to, grad, at(split + 1, j)); });
    one(split + 1, j, wanted, give, [&](auto to) { run_matmul<Read, Accumulate>(context_, p.for_b().loops(), to, at(i, split), grad); });
  }

 private:
  template <class Give, class Fill> void one(int i, int j, const bool (&wanted)[Count], const Give& give, const Fill& fill) {
    bool any = false;
    for (int at = i; at <= j; ++at) any = any || wanted[at];
    if (!any) return;
    if (i == j) return give(i, fill);
    tensor<memory, Context> part(context_, shape{chain_.size[i], chain_.size[j + 1]});
    fill(write(part.view()));
    gradients(operand(part), i, j, wanted, give);
  }

  Context& context_;
  const matrix_chain<Count>& chain_;
  view<const memory> operand_[Count];
  tensor<memory, Context> part_[Count][Count];
};

template <class Op> inline constexpr bool takes_vectors_v = !std::is_same_v<Op, op::chain_matmul>;
template <class Op, class... X> matrix_chain<static_cast<int>(sizeof...(X))> chain_of(const char* call, const X&... x) {
  const shape shapes[] = {operand(x).shape()...};
  return {call, takes_vectors_v<Op>, shapes};
}
/// Calls f(values of the chain) with operands in the compute format.
template <class Policy, class Op, class Context, int Count, class Function, class... X>
void with_chain(Context& context, const matrix_chain<Count>& chain, const Function& f, const X&... x) {
  using reads = compute_t<Policy, Op, given_t<X>...>;
  using values = chain_values<reads, accumulate_t<Policy, Op, given_t<X>...>, Context, Count>;
  const auto held = std::make_tuple(in_format<in_memory_t<reads>>(context, x)...);
  std::apply([&](const auto&... own) {
    const view<const typename values::memory> operands[] = {operand(own)...};
    values parts(context, chain, operands);
    f(parts);
  }, held);
}

template <class Policy, class Op, class Context, class Y, class... X>
void chain_into(const char* call, Context& context, const into<Y>& y, const X&... x) {
  if constexpr (require_into_on<Context, Policy, Op, Y, X...>()) {
    const auto chain = chain_of<Op>(call, x...);
    require_shape(call, "an output", y.target.shape(), chain.value);
    with_chain<Policy, Op>(context, chain, [&](auto& parts) { parts.multiply(write(y.target), 0, static_cast<int>(sizeof...(X)) - 1); }, x...);
  }
}
template <class Policy, class Op, class Context, class... X>
auto chain_made(const char* call, Context& context, const X&... x) {
  using result = result_t<Policy, Op, Context, X...>;
  if constexpr (may_call_on<Context, Policy, Op, X...>())
    return made<result>(context, chain_of<Op>(call, x...).value, [&](auto y) { chain_into<Policy, Op>(call, context, into(y), x...); });
  else return result{};
}
/// The gradients of those operands that are wanted, each where its target says, in the order of the operands.
template <class Policy, class Op, class Context, class G, class... X, class... Targets, std::size_t... Each>
void chain_gradients_to(Context& context, const matrix_chain<static_cast<int>(sizeof...(X))>& chain, const G& grad, const std::tuple<X...>& x, const std::tuple<Targets...>& to,
                        const bool (&wanted)[sizeof...(X)], std::index_sequence<Each...>) {
  with_chain<Policy, Op>(context, chain, [&](auto& parts) {
    parts.gradients(operand(grad), 0, static_cast<int>(sizeof...(X)) - 1, wanted, [&](int which, const auto& fill) { ((which == static_cast<int>(Each) ? fill(std::get<Each>(to)) : void()), ...); });
  }, std::get<Each>(x)...);
}
template <class Policy, class Op, class Context, class G, class... X, class... Targets, std::size_t... Each>
void chain_gradients_into(const char* call, Context& context, const G& grad, const std::tuple<X...>& x, const std::tuple<Targets...>& targets, std::index_sequence<Each...> all) {
  if constexpr (may_call_on<Context, Policy, Op, std::decay_t<X>...>()) {
    const auto chain = chain_of<Op>(call, std::get<Each>(x)...);
    require_shape(call, "a gradient of the value", operand(grad).shape(), chain.value);
    (require_target(call, "a gradient", std::get<Each>(targets), operand(std::get<Each>(x)).shape()), ...);
    chain_gradients_to<Policy, Op>(context, chain, grad, std::tie(std::get<Each>(x)...), std::make_tuple(target_or_none(std::get<Each>(targets))...), {is_gradient_target_v<Targets>...}, all);
  }
}
template <class Policy, class Op, class Context, class G, class... X>
auto chain_gradients(const char* call, Context& context, const G& grad, const X&... x) {
  std::tuple<gradient_of_t<X, Context>...> result{gradient_of_t<X, Context>(context, operand(x).shape())...};
  std::apply([&](auto&... gx) { chain_gradients_into<Policy, Op>(call, context, grad, std::tie(x...), std::make_tuple(into(gx.view())...), std::index_sequence_for<X...>()); }, result);
  return result;
}

}  // namespace detail

/// a · b · …, a contraction, in the order that takes the fewest multiplications. Parts of the chain are rounded to the compute format as operands are.
///
/// a, b, …  matrices [m, k], [k, n], …; the first may be a vector for one row, the last for one column
/// Value    without the axes that vectors do not have; multi_dot<Policy>(context, into(y), a, b, …) writes it to y
/// Errors   shape
template <class Policy, class Context, class A, class B, class... X, std::enable_if_t<detail::is_operand_v<A>, int> = 0>
auto multi_dot(Context& context, const A& a, const B& b, const X&... x) { return detail::chain_made<Policy, op::multi_dot>("multi_dot", context, a, b, x...); }
template <class Policy, class Context, class Y, class A, class B, class... X>
void multi_dot(Context& context, into<Y> y, const A& a, const B& b, const X&... x) { detail::chain_into<Policy, op::multi_dot>("multi_dot", context, y, a, b, x...); }

/// The gradients of multi_dot, as a tuple; or where a tuple of into(view), add_to(view) and no_gradient{} says:
/// multi_dot_backward<Policy>(context, grad, std::tie(a, b, c), std::tuple(into(ga), no_gradient{}, add_to(gc))).
template <class Policy, class Context, class G, class A, class B, class... X, std::enable_if_t<detail::is_operand_v<A>, int> = 0>
auto multi_dot_backward(Context& context, const G& grad, const A& a, const B& b, const X&... x) {
  return detail::chain_gradients<Policy, op::multi_dot>("multi_dot_backward", context, grad, a, b, x...);
}
template <class Policy, class Context, class G, class... X, class... Targets>
void multi_dot_backward(Context& context, const G& grad, const std::tuple<X...>& x, const std::tuple<Targets...>& targets) {
  detail::chain_gradients_into<Policy, op::multi_dot>("multi_dot_backward", context, grad, x, targets, std::index_sequence_for<X...>());
}

/// The same of matrices alone.
template <class Policy, class Context, class A, class B, class... X, std::enable_if_t<detail::is_operand_v<A>, int> = 0>
auto chain_matmul(Context& context, const A& a, const B& b, const X&... x) { return detail::chain_made<Policy, op::chain_matmul>("chain_matmul", context, a, b, x...); }
template <class Policy, class Context, class Y, class A, class B, class... X>
void chain_matmul(Context& context, into<Y> y, const A& a, const B& b, const X&... x) { detail::chain_into<Policy, op::chain_matmul>("chain_matmul", context, y, a, b, x...); }
template <class Policy, class Context, class G, class A, class B, class... X, std::enable_if_t<detail::is_operand_v<A>, int> = 0>
auto chain_matmul_backward(Context& context, const G& grad, const A& a, const B& b, const X&... x) {
  return detail::chain_gradients<Policy, op::chain_matmul>("chain_matmul_backward", context, grad, a, b, x...);
}
template <class Policy, class Context, class G, class... X, class... Targets>
void chain_matmul_backward(Context& context, const G& grad, const std::tuple<X...>& x, const std::tuple<Targets...>& targets) {
  detail::chain_gradients_into<Policy, op::chain_matmul>("chain_matmul_backward", context, grad, x, targets, std::index_sequence_for<X...>());
}

}}  // namespace amphora
