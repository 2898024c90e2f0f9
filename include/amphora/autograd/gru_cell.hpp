// One step of a network of gated recurrent units of variables.
#pragma once
#include <amphora/autograd/activation.hpp>      // sigmoid, tanh
#include <amphora/autograd/add.hpp>             // add
#include <amphora/autograd/arithmetic.hpp>      // mul, sub
#include <amphora/autograd/composed.hpp>        // composed_record, write_together, variable_in
#include <amphora/autograd/gate_part.hpp>       // gate_taped
#include <amphora/autograd/record.hpp>          // record
#include <amphora/autograd/recurrent_cell.hpp>  // taped_cell, bias_variable, bias_value
#include <amphora/autograd/tape.hpp>            // tape
#include <amphora/autograd/variable.hpp>        // is_variable_v
#include <amphora/op/contraction.hpp>           // op::gru_cell
#include <amphora/ops/gru_cell.hpp>             // gru_cell, gru_gradients_to
#include <amphora/ops/linear.hpp>               // no_bias
#include <amphora/ops/recurrent_cell.hpp>       // recurrent_sizes, recurrent_formats
#include <amphora/policy/policy.hpp>            // policy

#include <tuple>        // get, make_tuple
#include <type_traits>  // conditional_t, enable_if_t
#include <utility>      // move

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

template <class Policy, bool HasI, bool HasH>
struct gru_written {
  template <class Pass, class G, class X, class H, class Wi, class Wh, class Bi, class Bh>
  void operator()(Pass& pass, const G& gradient, const X& x, const H& h, const Wi& w_ih, const Wh& w_hh, const Bi& b_ih, const Bh& b_hh) const {
    write_together(pass, [&](const auto& to, const auto& wanted) {
      const recurrent_sizes sizes("backward", 3, x.shape(), h.shape(), w_ih.shape(), w_hh.shape());
      gru_gradients_to<Policy>(pass.context(), sizes, gradient.value(), x.value(), h.value(), w_ih.value(), w_hh.value(), bias_value<HasI>(b_ih), bias_value<HasH>(b_hh),
                               std::make_tuple(std::get<0>(to), std::get<5>(to), std::get<1>(to), std::get<3>(to), std::get<2>(to), std::get<4>(to)),
                               {wanted[0], wanted[5], wanted[1], wanted[3], wanted[2], wanted[4]});
    }, x, w_ih, b_ih, w_hh, b_hh, h);
  }
};
template <class Policy, bool HasI, bool HasH, class Output>
struct gru_pieces {
  template <class Context, class X, class H, class Wi, class Wh, class Bi, class Bh>
  auto operator()(const tape<Context>& t, const X& x, const H& h, const Wi& w_ih, const Wh& w_hh, const Bi& b_ih, const Bh& b_hh) const {
    using cell = taped_cell<recurrent_formats<Policy, op::gru_cell, X, H, Wi, Wh, std::conditional_t<HasI, Bi, no_bias>, std::conditional_t<HasH, Bh, no_bias>>, HasI, HasH>;
    using plain = policy<>;
    const auto of_input = cell::template gates<HasI>(t, x, w_ih, b_ih), of_state = cell::template gates<HasH>(t, h, w_hh, b_hh);
    const auto part = [&](const auto& gates, int which) { return gate_taped(t, gates, {h.shape()[0], 3, h.shape()[1], which}, h.shape()); };
    const auto reset = sigmoid<plain>(t, add<plain>(t, part(of_input, 0), part(of_state, 0))), update = sigmoid<plain>(t, add<plain>(t, part(of_input, 1), part(of_state, 1)));
    const auto fresh = tanh<plain>(t, add<plain>(t, part(of_input, 2), mul<plain>(t, reset, part(of_state, 2))));
    return variable_in<Output>(t, add<plain>(t, fresh, mul<plain>(t, update, sub<plain>(t, cell::widened(t, h), fresh))));
  }
};

}  // namespace detail

/// As of ops/gru_cell.hpp, recorded. The gates are not kept, but made anew on the way back. It has second derivatives; what is beyond is as its parts have it.
///
/// b_ih, b_hh  variables, or no_bias{}
template <class Policy, class Context, class X, class H, class Wi, class Wh, class Bi = no_bias, class Bh = no_bias, std::enable_if_t<is_variable_v<X> && is_variable_v<H>, int> = 0>
auto gru_cell(const tape<Context>& recording, const X& x, const H& hx, const Wi& w_ih, const Wh& w_hh, const Bi& b_ih = {}, const Bh& b_hh = {}) {
  using namespace detail;
  constexpr bool has_i = is_variable_v<Bi>, has_h = is_variable_v<Bh>;
  const auto bi = bias_variable<Context>(b_ih);
  const auto bh = bias_variable<Context>(b_hh);
  auto value = gru_cell<Policy>(recording.context(), x.value(), hx.value(), w_ih.value(), w_hh.value(), bias_value<has_i>(bi), bias_value<has_h>(bh));
  using output = typename decltype(value)::format;
  return record(recording, std::move(value), composed_record<gru_written<Policy, has_i, has_h>, gru_pieces<Policy, has_i, has_h, output>>{}, x, hx, w_ih, w_hh, bi, bh);
}

}}  // namespace amphora
