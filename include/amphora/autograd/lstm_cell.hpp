// One step of a network with long short-term memory of variables.
#pragma once
#include <amphora/autograd/activation.hpp>      // sigmoid, tanh
#include <amphora/autograd/add.hpp>             // add
#include <amphora/autograd/arithmetic.hpp>      // mul
#include <amphora/autograd/composed.hpp>        // composed_record, write_together, variable_in
#include <amphora/autograd/gate_part.hpp>       // gate_taped, give_gate, gate_record
#include <amphora/autograd/record.hpp>          // record
#include <amphora/autograd/recurrent_cell.hpp>  // taped_cell, bias_variable, bias_value
#include <amphora/autograd/tape.hpp>            // tape
#include <amphora/autograd/variable.hpp>        // variable, is_variable_v
#include <amphora/detail/config.hpp>            // AMPHORA_HD
#include <amphora/op/contraction.hpp>           // op::lstm_cell
#include <amphora/ops/kernels.hpp>              // map_kernels, loops
#include <amphora/ops/linear.hpp>               // no_bias
#include <amphora/ops/lstm_cell.hpp>            // lstm_cell, lstm_gradients_to, lstm_sizes, lstm_state
#include <amphora/ops/operand.hpp>              // into, write, read
#include <amphora/ops/recurrent_cell.hpp>       // recurrent_sizes, recurrent_formats
#include <amphora/policy/compute.hpp>           // output_t
#include <amphora/policy/policy.hpp>            // policy
#include <amphora/tensor/shape.hpp>             // shape
#include <amphora/tensor/tensor.hpp>            // tensor, tensor_of_t
#include <amphora/tensor/view.hpp>              // view

#include <cstdint>      // int64_t
#include <memory>       // make_shared
#include <tuple>        // get, make_tuple
#include <type_traits>  // conditional_t, decay_t, enable_if_t
#include <utility>      // move

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// Two arrays of one shape, one after the other.
struct cell_state_value {
  std::int64_t half;
  template <class Real> AMPHORA_HD Real operator()(std::int64_t at, Real first, Real second) const { return at < half ? first : second; }
};
struct cell_state_record {
  std::int64_t half;
  template <class Pass, class G, class A, class B> void backward(Pass& pass, const G& gradient, const G&, const A& a, const B& b) const {
    give_gate(pass, a, {1, 2, half, 0}, gradient), give_gate(pass, b, {1, 2, half, 1}, gradient);
  }
};

template <class Policy, bool HasI, bool HasH>
struct lstm_written {
  template <class Pass, class G, class X, class H, class C, class Wi, class Wh, class Bi, class Bh>
  void operator()(Pass& pass, const G& gradient, const X& x, const H& h, const C& c, const Wi& w_ih, const Wh& w_hh, const Bi& b_ih, const Bh& b_hh) const {
    write_together(pass, [&](const auto& to, const auto& wanted) {
      const recurrent_sizes sizes("backward", 4, x.shape(), h.shape(), w_ih.shape(), w_hh.shape());
      const auto both = gradient.value();
      const view<const typename G::value_type> of_h(both.data(), sizes.state()), of_c(both.data() + of_h.size(), sizes.state());
      lstm_gradients_to<Policy>(pass.context(), sizes, of_h, of_c, x.value(), h.value(), c.value(), w_ih.value(), w_hh.value(), bias_value<HasI>(b_ih), bias_value<HasH>(b_hh),
                                std::make_tuple(std::get<1>(to), std::get<4>(to), std::get<0>(to), std::get<2>(to), std::get<5>(to), std::get<3>(to), std::get<6>(to)),
                                {wanted[1], wanted[4], wanted[0], wanted[2], wanted[5], wanted[3], wanted[6]});
    }, c, x, w_ih, b_ih, h, w_hh, b_hh);
  }
};
template <class Policy, bool HasI, bool HasH, class Output>
struct lstm_pieces {
  template <class Context, class X, class H, class C, class Wi, class Wh, class Bi, class Bh>
  auto operator()(const tape<Context>& t, const X& x, const H& h, const C& c, const Wi& w_ih, const Wh& w_hh, const Bi& b_ih, const Bh& b_hh) const {
    using cell = taped_cell<recurrent_formats<Policy, op::lstm_cell, X, H, C, Wi, Wh, std::conditional_t<HasI, Bi, no_bias>, std::conditional_t<HasH, Bh, no_bias>>, HasI, HasH>;
    using plain = policy<>;
    const shape s = h.shape();
    const auto gates = cell::sum(t, x, h, w_ih, w_hh, b_ih, b_hh);
    const auto part = [&](int which) { return gate_taped(t, gates, {s[0], 4, s[1], which}, s); };
    const auto memory = add<plain>(t, mul<plain>(t, sigmoid<plain>(t, part(1)), cell::widened(t, c)), mul<plain>(t, sigmoid<plain>(t, part(0)), tanh<plain>(t, part(2))));
    const auto hidden = mul<plain>(t, sigmoid<plain>(t, part(3)), tanh<plain>(t, memory));
    tensor_of_t<typename cell::gates_format, Context> both(t.context(), shape{2, s[0], s[1]});
    loops<2> over;
    over.rank = 2, over.extent[0] = 2, over.stride[0][1] = over.stride[1][1] = 1, over.extent[1] = s.elements(), over.elements = 2 * s.elements();
    map_kernels<typename Context::device>::run(t.context(), cell_state_value{s.elements()}, over, write(both.view()), read(hidden.value()), read(memory.value()));
    return variable_in<Output>(t, record(t, std::move(both), cell_state_record{s.elements()}, hidden, memory));
  }
};

}  // namespace detail

/// As of ops/lstm_cell.hpp, recorded. The gates are not kept, but made anew on the way back. It has second derivatives; what is beyond is as its parts have it.
///
/// b_ih, b_hh  variables, or no_bias{}
/// Value       lstm_state of two variables: `auto [hx, cx] = …`, in one memory
template <class Policy, class Context, class X, class H, class C, class Wi, class Wh, class Bi = no_bias, class Bh = no_bias, std::enable_if_t<is_variable_v<X> && is_variable_v<H>, int> = 0>
auto lstm_cell(const tape<Context>& recording, const X& x, const H& hx, const C& cx, const Wi& w_ih, const Wh& w_hh, const Bi& b_ih = {}, const Bh& b_hh = {}) {
  using namespace detail;
  constexpr bool has_i = is_variable_v<Bi>, has_h = is_variable_v<Bh>;
  const auto bi = bias_variable<Context>(b_ih);
  const auto bh = bias_variable<Context>(b_hh);
  using stored = storage_t<output_t<Policy, op::lstm_cell, given_t<X>, given_t<H>, given_t<C>, given_t<Wi>, given_t<Wh>, given_t<std::decay_t<decltype(bias_value<has_i>(bi))>>, given_t<std::decay_t<decltype(bias_value<has_h>(bh))>>>>;
  const shape s = lstm_sizes("lstm_cell", x.shape(), hx.shape(), cx.shape(), w_ih.shape(), w_hh.shape()).state();
  tensor<stored, Context> both(recording.context(), shape{2, s[0], s[1]});
  lstm_cell<Policy>(recording.context(), into(view<stored>(both.data(), s)), into(view<stored>(both.data() + s.elements(), s)), x.value(), hx.value(), cx.value(), w_ih.value(), w_hh.value(), bias_value<has_i>(bi),
                    bias_value<has_h>(bh));
  const auto joint = record(recording, std::move(both), composed_record<lstm_written<Policy, has_i, has_h>, lstm_pieces<Policy, has_i, has_h, format_of_t<stored>>>{}, x, hx, cx, w_ih, w_hh, bi, bh);
  const auto part = [&](int which) {
    auto own = std::make_shared<cell<stored, Context, stored>>();
    own->owned = joint.shared()->owned, own->value = view<const stored>(joint.value().data() + which * s.elements(), s);
    return record(recording, variable<stored, Context>(std::move(own)), gate_record{{1, 2, s.elements(), which}}, joint);
  };
  return lstm_state<variable<stored, Context>>{part(0), part(1)};
}

}}  // namespace amphora
