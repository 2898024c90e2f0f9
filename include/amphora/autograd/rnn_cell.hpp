// One step of a plain recurrent network of variables.
#pragma once
#include <amphora/autograd/activation.hpp>      // tanh
#include <amphora/autograd/composed.hpp>        // composed_record, write_together, variable_in
#include <amphora/autograd/record.hpp>          // record
#include <amphora/autograd/recurrent_cell.hpp>  // taped_cell, bias_variable, bias_value
#include <amphora/autograd/relu.hpp>            // relu
#include <amphora/autograd/tape.hpp>            // tape
#include <amphora/autograd/variable.hpp>        // is_variable_v
#include <amphora/op/contraction.hpp>           // op::rnn_tanh_cell, op::rnn_relu_cell
#include <amphora/ops/linear.hpp>               // no_bias
#include <amphora/ops/recurrent_cell.hpp>       // recurrent_sizes, recurrent_formats
#include <amphora/ops/rnn_cell.hpp>             // rnn_cell_made, rnn_cell_gradients_to, is_relu_cell_v
#include <amphora/policy/policy.hpp>            // policy

#include <tuple>        // get, make_tuple
#include <type_traits>  // conditional_t, enable_if_t
#include <utility>      // move

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

template <class Policy, class Op, bool HasI, bool HasH>
struct rnn_written {
  template <class Pass, class G, class X, class H, class Wi, class Wh, class Bi, class Bh>
  void operator()(Pass& pass, const G& gradient, const X& x, const H& h, const Wi& w_ih, const Wh& w_hh, const Bi& b_ih, const Bh& b_hh) const {
    write_together(pass, [&](const auto& to, const auto& wanted) {
      const recurrent_sizes sizes("backward", 1, x.shape(), h.shape(), w_ih.shape(), w_hh.shape());
      rnn_cell_gradients_to<Policy, Op>(pass.context(), sizes, gradient.value(), x.value(), h.value(), w_ih.value(), w_hh.value(), bias_value<HasI>(b_ih), bias_value<HasH>(b_hh),
                                        std::make_tuple(std::get<0>(to), std::get<3>(to), std::get<1>(to), std::get<4>(to), std::get<2>(to), std::get<5>(to)),
                                        {wanted[0], wanted[3], wanted[1], wanted[4], wanted[2], wanted[5]});
    }, x, w_ih, b_ih, h, w_hh, b_hh);  // in the order in which they are written
  }
};
template <class Policy, class Op, bool HasI, bool HasH, class Output>
struct rnn_pieces {
  template <class Context, class X, class H, class Wi, class Wh, class Bi, class Bh>
  auto operator()(const tape<Context>& recording, const X& x, const H& h, const Wi& w_ih, const Wh& w_hh, const Bi& b_ih, const Bh& b_hh) const {
    using cell = taped_cell<recurrent_formats<Policy, Op, X, H, Wi, Wh, std::conditional_t<HasI, Bi, no_bias>, std::conditional_t<HasH, Bh, no_bias>>, HasI, HasH>;
    const auto gates = cell::sum(recording, x, h, w_ih, w_hh, b_ih, b_hh);
    if constexpr (is_relu_cell_v<Op>) return variable_in<Output>(recording, relu<policy<>>(recording, gates));
    else return variable_in<Output>(recording, tanh<policy<>>(recording, gates));
  }
};

template <class Policy, class Op, class Context, class X, class H, class Wi, class Wh, class Bi, class Bh>
auto rnn_cell_taped(const char* call, const tape<Context>& recording, const X& x, const H& h, const Wi& w_ih, const Wh& w_hh, const Bi& b_ih, const Bh& b_hh) {
  constexpr bool has_i = is_variable_v<Bi>, has_h = is_variable_v<Bh>;
  const auto bi = bias_variable<Context>(b_ih);
  const auto bh = bias_variable<Context>(b_hh);
  auto value = rnn_cell_made<Policy, Op>(call, recording.context(), x.value(), h.value(), w_ih.value(), w_hh.value(), bias_value<has_i>(bi), bias_value<has_h>(bh));
  using output = typename decltype(value)::format;
  return record(recording, std::move(value), composed_record<rnn_written<Policy, Op, has_i, has_h>, rnn_pieces<Policy, Op, has_i, has_h, output>>{}, x, h, w_ih, w_hh, bi, bh);
}

}  // namespace detail

/// As of ops/rnn_cell.hpp, recorded. The gates are not kept, but made anew on the way back. They have second derivatives; what is beyond is as their parts have it.
///
/// b_ih, b_hh  variables, or no_bias{}
template <class Policy, class Context, class X, class H, class Wi, class Wh, class Bi = no_bias, class Bh = no_bias, std::enable_if_t<is_variable_v<X> && is_variable_v<H>, int> = 0>
auto rnn_tanh_cell(const tape<Context>& recording, const X& x, const H& hx, const Wi& w_ih, const Wh& w_hh, const Bi& b_ih = {}, const Bh& b_hh = {}) {
  return detail::rnn_cell_taped<Policy, op::rnn_tanh_cell>("rnn_tanh_cell", recording, x, hx, w_ih, w_hh, b_ih, b_hh);
}
template <class Policy, class Context, class X, class H, class Wi, class Wh, class Bi = no_bias, class Bh = no_bias, std::enable_if_t<is_variable_v<X> && is_variable_v<H>, int> = 0>
auto rnn_relu_cell(const tape<Context>& recording, const X& x, const H& hx, const Wi& w_ih, const Wh& w_hh, const Bi& b_ih = {}, const Bh& b_hh = {}) {
  return detail::rnn_cell_taped<Policy, op::rnn_relu_cell>("rnn_relu_cell", recording, x, hx, w_ih, w_hh, b_ih, b_hh);
}

}}  // namespace amphora
