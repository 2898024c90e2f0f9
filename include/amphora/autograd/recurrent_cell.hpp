// Cells of recurrent networks of variables.
#pragma once
#include <amphora/autograd/activation.hpp>  // sigmoid, tanh
#include <amphora/autograd/add.hpp>         // add
#include <amphora/autograd/arithmetic.hpp>  // mul, sub
#include <amphora/autograd/composed.hpp>    // composed_record, write_together, variable_in
#include <amphora/autograd/product.hpp>     // product_taped
#include <amphora/autograd/relu.hpp>        // relu
#include <amphora/ops/gru_cell.hpp>         // gru_cell, gru_gradients_to
#include <amphora/ops/lstm_cell.hpp>        // lstm_cell, lstm_gradients_to
#include <amphora/ops/rnn_cell.hpp>         // rnn_cell_made, rnn_cell_gradients_to
#include <amphora/policy/policy.hpp>        // policy

#include <cstdint>      // int64_t
#include <memory>       // make_shared
#include <tuple>        // get, make_tuple
#include <type_traits>  // conditional_t
#include <utility>      // move

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// One of `count` equal parts along the middle of [outer, count, inner].
struct gate_part {
  std::int64_t outer, count, inner;
  int which;

  loops<1> over_part() const {
    loops<1> over;
    over.rank = 2, over.extent[0] = outer, over.extent[1] = inner, over.stride[0][0] = count * inner, over.stride[0][1] = 1, over.elements = outer * inner;
    return over;
  }
  loops<1> over_whole() const {
    loops<1> over;
    over.rank = 3, over.extent[0] = outer, over.extent[1] = count, over.extent[2] = inner, over.stride[0][0] = inner, over.stride[0][2] = 1, over.elements = outer * count * inner;
    return over;
  }
};
/// The part in its place, and 0 in the others.
struct placed_gate {
  gate_part part;
  template <class Real> AMPHORA_HD Real operator()(std::int64_t at, Real x) const { return at / part.inner % part.count == part.which ? x : Real(0); }
};
template <class Context, class Target, class T> void take_gate(Context& context, const gate_part& part, const Target& to, const view<const T>& whole) {
  map_kernels<typename Context::device>::run(context, times_factor{1}, part.over_part(), to, source<format_of_t<T>>{whole.data() + part.which * part.inner});
}
template <class Pass, class To, class G> void give_gate(Pass& pass, const To& to, const gate_part& part, const G& whole);
/// The gradient of a whole by that of its part; and of a part that was put in its place. They are each other's, so that there are derivatives of any order.
struct gate_record {
  gate_part part;
  template <class Pass, class H, class W> void backward(Pass& pass, const H& gradient, const H&, const W& whole) const;
};
struct placed_gate_record {
  gate_part part;
  template <class Pass, class H, class P> void backward(Pass& pass, const H& gradient, const H&, const P& own) const { give_gate(pass, own, part, gradient); }
};
template <class Pass, class To, class G> void give_gate(Pass& pass, const To& to, const gate_part& part, const G& whole) {
  pass.write(to, [&](auto target) { take_gate(pass.context(), part, gradient_target(target), whole.value()); }, gate_record{part}, whole);
}
template <class Pass, class H, class W> void gate_record::backward(Pass& pass, const H& gradient, const H&, const W& whole) const {
  pass.write(whole, [&](auto target) {
    map_kernels<typename Pass::context_type::device>::run(pass.context(), placed_gate{part}, part.over_whole(), gradient_target(target), read(gradient.value()));
  }, placed_gate_record{part}, gradient);
}
template <class Context, class X> auto gate_taped(const tape<Context>& recording, const X& whole, const gate_part& part, const shape& own) {
  tensor<typename X::value_type, Context> value(recording.context(), own);
  take_gate(recording.context(), part, write(value.view()), whole.value());
  return record(recording, std::move(value), gate_record{part}, whole);
}
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

/// What stands for a bias that is not there, among the inputs of a record.
template <class Context, class B> auto bias_variable(const B& b) {
  if constexpr (is_variable_v<B>) return b;
  else return variable<float, Context>();
}
template <bool Has, class B> auto bias_value(const B& b) {
  if constexpr (Has) return b.value();
  else return no_bias{};
}

/// The parts of a cell on a tape: gates as floats, operands as they are multiplied.
template <class Formats, bool HasI, bool HasH>
struct taped_cell {
  using gates_format = typename Formats::gates;
  using reads = typename Formats::reads;

  /// As it is read, in the format of the gates.
  template <class Context, class X> static auto widened(const tape<Context>& recording, const X& x) {
    if constexpr (reads::significand_bits < given_t<X>::significand_bits || reads::exponent_bits < given_t<X>::exponent_bits) return variable_in<gates_format>(recording, cast<in_memory_t<reads>>(recording, x));
    else return variable_in<gates_format>(recording, x);
  }
  /// x · wᵀ + b
  template <bool Has, class Context, class X, class W, class B> static auto gates(const tape<Context>& recording, const X& x, const W& w, const B& b) {
    const shape s{x.shape()[0], w.shape()[0]};
    const auto product = product_taped<gates_format, reads, typename Formats::sums>(recording, symmetric_product::of_rows(s[0], s[1], x.shape()[1], true), s, x, w);
    if constexpr (Has) return add<policy<>>(recording, product, widened(recording, b));
    else return product;
  }
  template <class Context, class X, class H, class Wi, class Wh, class Bi, class Bh>
  static auto sum(const tape<Context>& recording, const X& x, const H& h, const Wi& w_ih, const Wh& w_hh, const Bi& b_ih, const Bh& b_hh) {
    return add<policy<>>(recording, gates<HasI>(recording, x, w_ih, b_ih), gates<HasH>(recording, h, w_hh, b_hh));
  }
};

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

/// As of ops/rnn_cell.hpp, ops/gru_cell.hpp and ops/lstm_cell.hpp, recorded. The gates are not kept, but made anew on the way back. They have second
/// derivatives; what is beyond is as their parts have it.
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
/// Value  lstm_state of two variables: `auto [hx, cx] = …`, in one memory
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
