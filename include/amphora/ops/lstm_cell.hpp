// One step of a network with long short-term memory, forward and backward.
#pragma once
#include <amphora/detail/config.hpp>       // AMPHORA_HD
#include <amphora/format/real.hpp>         // add_once, multiply_once
#include <amphora/op/contraction.hpp>      // op::lstm_cell
#include <amphora/ops/activation.hpp>      // sigmoid_function, tanh_function
#include <amphora/ops/call.hpp>            // result_t, require_into_on, may_call_on
#include <amphora/ops/recurrent_cell.hpp>  // recurrent_sizes, gate, gate_gradients
#include <amphora/ops/rnn_cell.hpp>        // summed_gates, fresh_cell_gradients

#include <cstdint>  // int64_t
#include <tuple>    // get, make_tuple
#include <utility>  // move

namespace amphora { inline namespace AMPHORA_ABI {

/// What a step of lstm_cell leaves: `auto [hx, cx] = …`.
template <class H> struct lstm_state { H hx; H cx; };
/// The gradients of its operands, each in its own format; biases in that of their weights.
template <class X, class H, class C, class Wi, class Wh> struct lstm_cell_result { X x; H hx; C cx; Wi w_ih; Wh w_hh; Wi b_ih; Wh b_hh; };

namespace detail {

/// The gates in their order in the weights: input, forget, cell, output.
struct lstm_memory {
  template <class Real> AMPHORA_HD static Real of(Real i, Real f, Real g, Real c) {
    return add_once(multiply_once(sigmoid_function{}.value(f), c), multiply_once(sigmoid_function{}.value(i), tanh_function{}.value(g)));
  }
  template <class Real> AMPHORA_HD Real operator()(std::int64_t, Real i, Real f, Real g, Real c) const { return of(i, f, g, c); }
};
struct lstm_hidden {
  template <class Real> AMPHORA_HD Real operator()(std::int64_t, Real i, Real f, Real g, Real o, Real c) const {
    return sigmoid_function{}.value(o) * tanh_function{}.value(lstm_memory::of(i, f, g, c));
  }
};
/// The gradient of the new memory, which the new state reads too.
template <class Real> AMPHORA_HD Real lstm_of_memory(Real i, Real f, Real g, Real o, Real c, Real of_h, Real of_c) {
  return add_once(of_c, tanh_function{}.slope(by<0>{}, of_h * sigmoid_function{}.value(o), lstm_memory::of(i, f, g, c)));
}
struct lstm_gates {
  std::int64_t hidden;
  template <class Real> AMPHORA_HD Real operator()(std::int64_t at, Real i, Real f, Real g, Real o, Real c, Real of_h, Real of_c) const {
    const int which = static_cast<int>(at / hidden % 4);
    if (which == 3) return sigmoid_function{}.slope(by<0>{}, of_h * tanh_function{}.value(lstm_memory::of(i, f, g, c)), o);
    const Real d = lstm_of_memory(i, f, g, o, c, of_h, of_c);
    if (which == 0) return sigmoid_function{}.slope(by<0>{}, d * tanh_function{}.value(g), i);
    if (which == 1) return sigmoid_function{}.slope(by<0>{}, d * c, f);
    return tanh_function{}.slope(by<0>{}, d * sigmoid_function{}.value(i), g);
  }
};
struct lstm_old_memory {
  template <class Real> AMPHORA_HD Real operator()(std::int64_t, Real i, Real f, Real g, Real o, Real c, Real of_h, Real of_c) const {
    return lstm_of_memory(i, f, g, o, c, of_h, of_c) * sigmoid_function{}.value(f);
  }
};

inline recurrent_sizes lstm_sizes(const char* call, const shape& x, const shape& h, const shape& c, const shape& w_ih, const shape& w_hh) {
  const recurrent_sizes sizes(call, 4, x, h, w_ih, w_hh);
  require_shape(call, "a memory", c, sizes.state());
  return sizes;
}

/// to, wanted  of x, hx, cx, w_ih, w_hh, b_ih, b_hh
template <class Policy, class Context, class GH, class GC, class X, class H, class C, class Wi, class Wh, class Bi, class Bh, class... To>
void lstm_gradients_to(Context& context, const recurrent_sizes& sizes, const GH& grad_h, const GC& grad_c, const X& x, const H& h, const C& c, const Wi& w_ih, const Wh& w_hh, const Bi& b_ih,
                       const Bh& b_hh, const std::tuple<To...>& to, const bool (&wanted)[7]) {
  using formats = recurrent_formats<Policy, op::lstm_cell, X, H, C, Wi, Wh, Bi, Bh>;
  using kernels = map_kernels<typename Context::device>;
  const auto gates = summed_gates<formats>(context, sizes, x, h, w_ih, w_hh, b_ih, b_hh);
  const auto all = operand(gates);
  const auto run = [&](const auto& f, const loops<7>& over, const auto& y) {
    kernels::run(context, f, over, y, gate(all, sizes, 0), gate(all, sizes, 1), gate(all, sizes, 2), gate(all, sizes, 3), read_as<typename formats::reads>(operand(c)), read(operand(grad_h)),
                 read(operand(grad_c)));
  };
  if (wanted[2]) run(lstm_old_memory{}, sizes.over_state<7>({true, true, true, true, false, false, false}), std::get<2>(to));
  tensor_of_t<typename formats::gradients, Context> of_gates(context, shape{sizes.batch, sizes.gates});
  run(lstm_gates{sizes.hidden}, sizes.over_gates<7>({true, true, true, true, false, false, false}), write(of_gates.view()));
  gate_gradients<formats>(context, sizes.gates, operand(of_gates), x, w_ih, wanted[0], std::get<0>(to), wanted[3], std::get<3>(to), wanted[5], std::get<5>(to));
  gate_gradients<formats>(context, sizes.gates, operand(of_gates), h, w_hh, wanted[1], std::get<1>(to), wanted[4], std::get<4>(to), wanted[6], std::get<6>(to));
}

}  // namespace detail

/// One step of an LSTM, a contraction: with i, f, g, o = x · w_ihᵀ + b_ih + hx · w_hhᵀ + b_hh the memory becomes σ(f) cx + σ(i) tanh(g), and the state
/// σ(o) tanh(memory). Operands are read in the policy's compute format, all between is in float, and each result is rounded once.
///
/// x, hx, cx   [batch, in], [batch, hidden] twice
/// w_ih, w_hh  [4 hidden, in], [4 hidden, hidden]: input, forget, cell, output
/// b_ih, b_hh  [4 hidden], or no_bias{}
/// Value       hx and cx; lstm_cell<Policy>(context, into(h), into(c), x, hx, cx, …) writes them to h and c
/// Errors      shape
template <class Policy, class Context, class YH, class YC, class X, class H, class C, class Wi, class Wh, class Bi = no_bias, class Bh = no_bias>
void lstm_cell(Context& context, into<YH> y_h, into<YC> y_c, const X& x, const H& hx, const C& cx, const Wi& w_ih, const Wh& w_hh, const Bi& b_ih = {}, const Bh& b_hh = {}) {
  using namespace detail;
  if constexpr (require_into_on<Context, Policy, op::lstm_cell, YH, X, H, C, Wi, Wh, Bi, Bh>() && require_into_on<Context, Policy, op::lstm_cell, YC, X, H, C, Wi, Wh, Bi, Bh>()) {
    using formats = recurrent_formats<Policy, op::lstm_cell, X, H, C, Wi, Wh, Bi, Bh>;
    using kernels = map_kernels<typename Context::device>;
    const recurrent_sizes sizes = lstm_sizes("lstm_cell", operand(x).shape(), operand(hx).shape(), operand(cx).shape(), operand(w_ih).shape(), operand(w_hh).shape());
    require_shape("lstm_cell", "an output", y_h.target.shape(), sizes.state()), require_shape("lstm_cell", "an output", y_c.target.shape(), sizes.state());
    require_bias("lstm_cell", b_ih, sizes.gates), require_bias("lstm_cell", b_hh, sizes.gates);
    const auto gates = summed_gates<formats>(context, sizes, x, hx, w_ih, w_hh, b_ih, b_hh);
    const auto all = operand(gates);
    const auto memory = read_as<typename formats::reads>(operand(cx));
    const auto i = gate(all, sizes, 0), f = gate(all, sizes, 1), g = gate(all, sizes, 2), o = gate(all, sizes, 3);
    kernels::run(context, lstm_hidden{}, sizes.over_state<5>({true, true, true, true, false}), write(y_h.target), i, f, g, o, memory);
    kernels::run(context, lstm_memory{}, sizes.over_state<4>({true, true, true, false}), write(y_c.target), i, f, g, memory);
  }
}
template <class Policy, class Context, class X, class H, class C, class Wi, class Wh, class Bi = no_bias, class Bh = no_bias, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto lstm_cell(Context& context, const X& x, const H& hx, const C& cx, const Wi& w_ih, const Wh& w_hh, const Bi& b_ih = {}, const Bh& b_hh = {}) {
  using namespace detail;
  using result = result_t<Policy, op::lstm_cell, Context, X, H, C, Wi, Wh, Bi, Bh>;
  if constexpr (may_call_on<Context, Policy, op::lstm_cell, X, H, C, Wi, Wh, Bi, Bh>()) {
    const shape s = lstm_sizes("lstm_cell", operand(x).shape(), operand(hx).shape(), operand(cx).shape(), operand(w_ih).shape(), operand(w_hh).shape()).state();
    lstm_state<result> state{result(context, s), result(context, s)};
    lstm_cell<Policy>(context, into(state.hx), into(state.cx), x, hx, cx, w_ih, w_hh, b_ih, b_hh);
    return state;
  } else {
    return lstm_state<result>{};
  }
}

/// The gradients of lstm_cell, of biases too. The gates are made anew.
///
/// grad_h, grad_c  of the new state and the new memory
/// gx, ghx, …      into(view), add_to(view) or no_gradient{}
template <class Policy, class Context, class GH, class GC, class X, class H, class C, class Wi, class Wh, class Bi, class Bh, class TX, class TH, class TC, class TWi, class TWh, class TBi, class TBh>
void lstm_cell_backward(Context& context, const GH& grad_h, const GC& grad_c, const X& x, const H& hx, const C& cx, const Wi& w_ih, const Wh& w_hh, const Bi& b_ih, const Bh& b_hh, const TX& gx,
                        const TH& ghx, const TC& gcx, const TWi& gw_ih, const TWh& gw_hh, const TBi& gb_ih, const TBh& gb_hh) {
  using namespace detail;
  if constexpr (may_call_on<Context, Policy, op::lstm_cell, X, H, C, Wi, Wh, Bi, Bh>()) {
    constexpr const char* call = "lstm_cell_backward";
    const recurrent_sizes sizes = lstm_sizes(call, operand(x).shape(), operand(hx).shape(), operand(cx).shape(), operand(w_ih).shape(), operand(w_hh).shape());
    require_shape(call, "a gradient of the state", operand(grad_h).shape(), sizes.state()), require_shape(call, "a gradient of the memory", operand(grad_c).shape(), sizes.state());
    require_bias(call, b_ih, sizes.gates), require_bias(call, b_hh, sizes.gates);
    require_target(call, "a gradient of x", gx, operand(x).shape()), require_target(call, "a gradient of hx", ghx, sizes.state()), require_target(call, "a gradient of cx", gcx, sizes.state());
    require_target(call, "a gradient of w_ih", gw_ih, operand(w_ih).shape()), require_target(call, "a gradient of w_hh", gw_hh, operand(w_hh).shape());
    require_target(call, "a gradient of b_ih", gb_ih, shape{sizes.gates}), require_target(call, "a gradient of b_hh", gb_hh, shape{sizes.gates});
    lstm_gradients_to<Policy>(context, sizes, grad_h, grad_c, x, hx, cx, w_ih, w_hh, b_ih, b_hh,
                              std::make_tuple(target_or_none(gx), target_or_none(ghx), target_or_none(gcx), target_or_none(gw_ih), target_or_none(gw_hh), target_or_none(gb_ih), target_or_none(gb_hh)),
                              {is_gradient_target_v<TX>, is_gradient_target_v<TH>, is_gradient_target_v<TC>, is_gradient_target_v<TWi>, is_gradient_target_v<TWh>, is_gradient_target_v<TBi>,
                               is_gradient_target_v<TBh>});
  }
}
template <class Policy, class Context, class GH, class GC, class X, class H, class C, class Wi, class Wh, class Bi = no_bias, class Bh = no_bias>
auto lstm_cell_backward(Context& context, const GH& grad_h, const GC& grad_c, const X& x, const H& hx, const C& cx, const Wi& w_ih, const Wh& w_hh, const Bi& b_ih = {}, const Bh& b_hh = {}) {
  using namespace detail;
  auto g = fresh_cell_gradients(context, x, hx, w_ih, w_hh);
  gradient_of_t<C, Context> of_c(context, operand(cx).shape());
  lstm_cell_backward<Policy>(context, grad_h, grad_c, x, hx, cx, w_ih, w_hh, b_ih, b_hh, into(g.x), into(g.hx), into(of_c), into(g.w_ih), into(g.w_hh), into(g.b_ih), into(g.b_hh));
  return lstm_cell_result<decltype(g.x), decltype(g.hx), decltype(of_c), decltype(g.w_ih), decltype(g.w_hh)>{
      std::move(g.x), std::move(g.hx), std::move(of_c), std::move(g.w_ih), std::move(g.w_hh), std::move(g.b_ih), std::move(g.b_hh)};
}

}}  // namespace amphora
