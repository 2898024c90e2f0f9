// What the cells of recurrent networks share: the gates before their bends, and the gradients that go through them.
#pragma once
#include <amphora/ops/gradient_target.hpp>  // target_or_none, require_target
#include <amphora/ops/kernels.hpp>          // matmul_kernels, map_kernels, loops
#include <amphora/ops/linear.hpp>           // no_bias
#include <amphora/ops/operand.hpp>          // operand, target, read_as
#include <amphora/ops/product.hpp>          // product
#include <amphora/ops/reduction.hpp>        // sum_over
#include <amphora/policy/compute.hpp>       // compute_t, accumulate_t, in_memory_t
#include <amphora/tensor/tensor.hpp>        // tensor_of_t

#include <cstdint>      // int64_t
#include <type_traits>  // is_same_v

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// The sizes of a cell with so many gates: x [batch, in], a state [batch, hidden], weights [gates · hidden, in] and [gates · hidden, hidden].
struct recurrent_sizes {
  std::int64_t batch = 0, in = 0, hidden = 0, gates = 0;

  recurrent_sizes(const char* call, std::int64_t count, const shape& x, const shape& h, const shape& w_ih, const shape& w_hh) {
    if (x.rank() != 2 || h.rank() != 2 || w_ih.rank() != 2 || w_hh.rank() != 2 || x[0] != h[0] || w_ih[1] != x[1] || w_hh[1] != h[1] || w_ih[0] != count * h[1] || w_hh[0] != count * h[1])
      fail("shape", call, " cannot join x of shape ", x, " and a state of shape ", h, " with weights of shapes ", w_ih, " and ", w_hh, "; they are [batch, in], [batch, hidden], [", count,
           " hidden, in] and [", count, " hidden, hidden]");
    batch = x[0], in = x[1], hidden = h[1], gates = count * hidden;
  }
  shape state() const { return {batch, hidden}; }
  /// Over the states: one gate of [batch, gates], from where it begins.
  template <int Operands> loops<Operands> over_state(const bool (&is_gate)[Operands]) const { return over(is_gate, 1); }
  /// Over all gates: each operand stands for its place in every one of them.
  template <int Operands> loops<Operands> over_gates(const bool (&is_gate)[Operands]) const { return over(is_gate, hidden > 0 ? gates / hidden : 1); }

 private:
  template <int Operands> loops<Operands> over(const bool (&is_gate)[Operands], std::int64_t count) const {
    loops<Operands> result;
    result.rank = 3, result.extent[0] = batch, result.extent[1] = count, result.extent[2] = hidden, result.elements = batch * count * hidden;
    for (int o = 0; o < Operands; ++o) result.stride[o][0] = is_gate[o] ? gates : hidden, result.stride[o][2] = 1;
    return result;
  }
};

template <class Policy, class Op, class... X> struct recurrent_formats {
  using reads = compute_t<Policy, Op, given_t<X>...>;
  using sums = accumulate_t<Policy, Op, given_t<X>...>;
  using gates = arithmetic_format_t<reads, sums>;  ///< gates are floats until the state is stored
  using gradients = in_memory_t<reads>;            ///< and their gradients are read by products
};

template <class B> void require_bias(const char* call, const B& b, std::int64_t gates) {
  if constexpr (!std::is_same_v<B, no_bias>) require_shape(call, "a bias", operand(b).shape(), shape{gates});
}
/// y (+)= x · wᵀ + b
template <class Formats, class Context, class X, class W, class B>
void gates_into(Context& context, const target<typename Formats::gates>& y, std::int64_t gates, const X& x, const W& w, const B& b) {
  product p;
  p.m = operand(x).shape()[0], p.n = gates, p.k = operand(x).shape()[1], p.b_transposed = true, p.has_bias = !std::is_same_v<B, no_bias>;
  using reads = typename Formats::reads;
  matmul_kernels<typename Context::device>::template run<typename Formats::sums>(context, p, y, read_as<reads>(operand(x)), read_as<reads>(operand(w)), read_as<reads>(operand(b)), source<f32>{});
}
/// Gate number `which` of gates [batch, gates].
template <class T> source<format_of_t<T>> gate(const view<const T>& gates, const recurrent_sizes& sizes, int which) { return {gates.data() + which * sizes.hidden}; }

/// The gradients of x, w and b by those of the gates, where they are wanted; of x it may be part of a sum.
template <class Formats, class Context, class D, class X, class W, class GX, class GW, class GB>
void gate_gradients(Context& context, std::int64_t gates, const view<const D>& grad, const X& x, const W& w, bool wants_x, const target<GX>& gx, bool wants_w, const target<GW>& gw, bool wants_b, const target<GB>& gb) {
  using kernels = matmul_kernels<typename Context::device>;
  using reads = typename Formats::reads;
  using sums = typename Formats::sums;
  const std::int64_t batch = operand(x).shape()[0], in = operand(x).shape()[1];
  product p;
  if (wants_x) {
    p.m = batch, p.n = in, p.k = gates;
    kernels::template run<sums>(context, p, gx, read_as<reads>(grad), read_as<reads>(operand(w)), source<f32>{}, source<f32>{});
  }
  if (wants_w) {
    p.m = gates, p.n = in, p.k = batch, p.a_transposed = true;
    kernels::template run<sums>(context, p, gw, read_as<reads>(grad), read_as<reads>(operand(x)), source<f32>{}, source<f32>{});
  }
  if (wants_b) sum_over<sums>(context, gb, read(grad), reduction_of(shape{batch, gates}, axis_set::of({0}, 2)), 1);
}

}}}  // namespace amphora::detail
