// multi_dot and chain_matmul of variables.
#pragma once
#include <amphora/autograd/composed.hpp>  // composed_record, variable_in, write_together
#include <amphora/autograd/product.hpp>   // product_taped
#include <amphora/ops/multi_dot.hpp>      // chain_made, matrix_chain

#include <tuple>    // make_tuple
#include <utility>  // index_sequence_for

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

template <class Policy, class Op>
struct chain_written {
  template <class Pass, class G, class... X> void operator()(Pass& pass, const G& gradient, const X&... x) const {
    write_together(pass, [&](const auto& to, const auto& wanted) {
      const auto values = std::make_tuple(x.value()...);
      chain_gradients_to<Policy, Op>(pass.context(), chain_of<Op>("backward", x.value()...), gradient.value(), values, to, wanted, std::index_sequence_for<X...>());
    }, x...);
  }
};
template <class Policy, class Op>
struct chain_pieces {
  template <class Context, class... X> auto operator()(const tape<Context>& recording, const X&... x) const {
    using reads = compute_t<Policy, Op, given_t<X>...>;
    using sums = accumulate_t<Policy, Op, given_t<X>...>;
    constexpr int count = static_cast<int>(sizeof...(X));
    const matrix_chain<count> chain = chain_of<Op>("backward", x.value()...);
    const variable<storage_t<in_memory_t<reads>>, Context> operands[] = {variable_in<in_memory_t<reads>>(recording, x)...};
    const int split = chain.split[0][count - 1];
    return product_taped<output_t<Policy, Op, given_t<X>...>, reads, sums>(recording, chain.of(0, count - 1), chain.value, part<reads, sums>(recording, chain, operands, 0, split),
                                                                          part<reads, sums>(recording, chain, operands, split + 1, count - 1));
  }

 private:
  template <class Read, class Accumulate, class Context, int Count, class T>
  static variable<T, Context> part(const tape<Context>& recording, const matrix_chain<Count>& chain, const variable<T, Context> (&operands)[Count], int i, int j) {
    if (i == j) return operands[i];
    const int split = chain.split[i][j];
    return product_taped<in_memory_t<Read>, Read, Accumulate>(recording, chain.of(i, j), shape{chain.size[i], chain.size[j + 1]}, part<Read, Accumulate>(recording, chain, operands, i, split),
                                                              part<Read, Accumulate>(recording, chain, operands, split + 1, j));
  }
};

template <class Policy, class Op, class Context, class... X>
auto chain_taped(const char* call, const tape<Context>& recording, const X&... x) {
  return record(recording, chain_made<Policy, Op>(call, recording.context(), x.value()...), composed_record<chain_written<Policy, Op>, chain_pieces<Policy, Op>>{}, x...);
}

}  // namespace detail

/// As of ops/multi_dot.hpp, recorded: they have derivatives of any order.
template <class Policy, class Context, class A, class B, class... X, std::enable_if_t<is_variable_v<A> && is_variable_v<B>, int> = 0>
auto multi_dot(const tape<Context>& recording, const A& a, const B& b, const X&... x) { return detail::chain_taped<Policy, op::multi_dot>("multi_dot", recording, a, b, x...); }
template <class Policy, class Context, class A, class B, class... X, std::enable_if_t<is_variable_v<A> && is_variable_v<B>, int> = 0>
auto chain_matmul(const tape<Context>& recording, const A& a, const B& b, const X&... x) { return detail::chain_taped<Policy, op::chain_matmul>("chain_matmul", recording, a, b, x...); }

}}  // namespace amphora
