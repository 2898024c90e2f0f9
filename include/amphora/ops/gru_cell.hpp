// One step of a network of gated recurrent units, forward and backward.
#pragma once
#include <amphora/detail/config.hpp>       // AMPHORA_HD
#include <amphora/format/real.hpp>         // add_once, multiply_once
#include <amphora/op/contraction.hpp>      // op::gru_cell
#include <amphora/ops/activation.hpp>      // sigmoid_function, tanh_function
#include <amphora/ops/add.hpp>             // times_factor
#include <amphora/ops/call.hpp>            // result_t, require_into_on, may_call_on, made
#include <amphora/ops/recurrent_cell.hpp>  // recurrent_sizes, gate, gates_into, gate_gradients
#include <amphora/ops/rnn_cell.hpp>        // fresh_cell_gradients

#include <cstdint>  // int64_t
#include <tuple>    // get, make_tuple

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// A unit of its parts of both products: reset, update and new, of the input and of the state.
template <class Real> struct gru_unit {
  Real reset, update, fresh, h;
  AMPHORA_HD gru_unit(Real ri, Real rh, Real zi, Real zh, Real ni, Real nh, Real state)
      : reset(sigmoid_function{}.value(add_once(ri, rh))), update(sigmoid_function{}.value(add_once(zi, zh))), fresh(tanh_function{}.value(add_once(ni, multiply_once(reset, nh)))), h(state) {}
};
struct gru_value {
  template <class Real> AMPHORA_HD Real operator()(std::int64_t, Real ri, Real rh, Real zi, Real zh, Real ni, Real nh, Real h) const {
    const gru_unit<Real> u(ri, rh, zi, zh, ni, nh, h);
    return add_once(u.fresh, multiply_once(u.update, h - u.fresh));
  }
};
/// The gradients of the gates, of the input's product or of the state's: they differ in `new`, which the reset scales.
struct gru_gates {
  std::int64_t hidden;
  bool of_state;
  template <class Real> AMPHORA_HD Real operator()(std::int64_t at, Real grad, Real ri, Real rh, Real zi, Real zh, Real ni, Real nh, Real h) const {
    const gru_unit<Real> u(ri, rh, zi, zh, ni, nh, h);
    const int which = static_cast<int>(at / hidden % 3);
    if (which == 1) return sigmoid_function{}.slope(by<0>{}, grad * (h - u.fresh), add_once(zi, zh));
    const Real of_new = tanh_function{}.slope(by<0>{}, grad * sigmoid_function{}.value(-add_once(zi, zh)), add_once(ni, multiply_once(u.reset, nh)));
    if (which == 0) return sigmoid_function{}.slope(by<0>{}, of_new * nh, add_once(ri, rh));
    return of_state ? of_new * u.reset : of_new;
  }
};
/// What of the state passes by the gates.
struct gru_kept {
  template <class Real> AMPHORA_HD Real operator()(std::int64_t, Real grad, Real zi, Real zh) const { return grad * sigmoid_function{}.value(add_once(zi, zh)); }
};

template <class Formats, class Context, class X, class W, class B>
auto gru_gates_of(Context& context, const recurrent_sizes& sizes, const X& x, const W& w, const B& b) {
  tensor_of_t<typename Formats::gates, Context> gates(context, shape{sizes.batch, sizes.gates});
  gates_into<Formats>(context, write(gates.view()), sizes.gates, x, w, b);
  return gates;
}

/// to, wanted  of x, hx, w_ih, w_hh, b_ih, b_hh
template <class Policy, class Context, class G, class X, class H, class Wi, class Wh, class Bi, class Bh, class... To>
void gru_gradients_to(Context& context, const recurrent_sizes& sizes, const G& grad, const X& x, const H& h, const Wi& w_ih, const Wh& w_hh, const Bi& b_ih, const Bh& b_hh, const std::tuple<To...>& to,
                      const bool (&wanted)[6]) {
  using formats = recurrent_formats<Policy, op::gru_cell, X, H, Wi, Wh, Bi, Bh>;
  using kernels = map_kernels<typename Context::device>;
  const auto of_input = gru_gates_of<formats>(context, sizes, x, w_ih, b_ih), of_state = gru_gates_of<formats>(context, sizes, h, w_hh, b_hh);
  const auto i = operand(of_input), s = operand(of_state);
  const auto g = read(operand(grad));
  const auto state = read_as<typename formats::reads>(operand(h));
  tensor_of_t<typename formats::gradients, Context> of_gates(context, shape{sizes.batch, sizes.gates});
  const auto make = [&](bool is_state) {
    kernels::run(context, gru_gates{sizes.hidden, is_state}, sizes.over_gates<8>({false, true, true, true, true, true, true, false}), write(of_gates.view()), g, gate(i, sizes, 0), gate(s, sizes, 0),
                 gate(i, sizes, 1), gate(s, sizes, 1), gate(i, sizes, 2), gate(s, sizes, 2), state);
  };
  if (wanted[0] || wanted[2] || wanted[4]) {
    make(false);
    gate_gradients<formats>(context, sizes.gates, operand(of_gates), x, w_ih, wanted[0], std::get<0>(to), wanted[2], std::get<2>(to), wanted[4], std::get<4>(to));
  }
  if (!wanted[1] && !wanted[3] && !wanted[5]) return;
  make(true);
  tensor_of_t<typename formats::gates, Context> of_h(context, sizes.state());  // in two parts, and rounded once
  if (wanted[1]) kernels::run(context, gru_kept{}, sizes.over_state<3>({false, true, true}), write(of_h.view()), g, gate(i, sizes, 1), gate(s, sizes, 1));
  gate_gradients<formats>(context, sizes.gates, operand(of_gates), h, w_hh, wanted[1], target<typename formats::gates>{of_h.data(), true}, wanted[3], std::get<3>(to), wanted[5], std::get<5>(to));
  const shape whole = sizes.state();
  if (wanted[1]) kernels::run(context, times_factor{1}, make_loops<1>(whole, {&whole}), std::get<1>(to), read(operand(of_h)));
}

}  // namespace detail

/// One step of a GRU, a contraction: with r, z = σ(x · w_ihᵀ + b_ih + hx · w_hhᵀ + b_hh) and n = tanh(x · w_inᵀ + b_in + r (hx · w_hnᵀ + b_hn)) the state
/// becomes n + z (hx − n). Operands are read in the policy's compute format, all between is in float, and the result is rounded once.
///
/// x, hx       [batch, in], [batch, hidden]
/// w_ih, w_hh  [3 hidden, in], [3 hidden, hidden]: reset, update, new
/// b_ih, b_hh  [3 hidden], or no_bias{}
/// Value       [batch, hidden]; gru_cell<Policy>(context, into(y), x, hx, …) writes it to y
/// Errors      shape
template <class Policy, class Context, class Y, class X, class H, class Wi, class Wh, class Bi = no_bias, class Bh = no_bias>
void gru_cell(Context& context, into<Y> y, const X& x, const H& hx, const Wi& w_ih, const Wh& w_hh, const Bi& b_ih = {}, const Bh& b_hh = {}) {
  using namespace detail;
  if constexpr (require_into_on<Context, Policy, op::gru_cell, Y, X, H, Wi, Wh, Bi, Bh>()) {
    using formats = recurrent_formats<Policy, op::gru_cell, X, H, Wi, Wh, Bi, Bh>;
    const recurrent_sizes sizes("gru_cell", 3, operand(x).shape(), operand(hx).shape(), operand(w_ih).shape(), operand(w_hh).shape());
    require_shape("gru_cell", "an output", y.target.shape(), sizes.state()), require_bias("gru_cell", b_ih, sizes.gates), require_bias("gru_cell", b_hh, sizes.gates);
    const auto of_input = gru_gates_of<formats>(context, sizes, x, w_ih, b_ih), of_state = gru_gates_of<formats>(context, sizes, hx, w_hh, b_hh);
    const auto i = operand(of_input), s = operand(of_state);
    map_kernels<typename Context::device>::run(context, gru_value{}, sizes.over_state<7>({true, true, true, true, true, true, false}), write(y.target), gate(i, sizes, 0), gate(s, sizes, 0), gate(i, sizes, 1),
                                               gate(s, sizes, 1), gate(i, sizes, 2), gate(s, sizes, 2), read_as<typename formats::reads>(operand(hx)));
  }
}
template <class Policy, class Context, class X, class H, class Wi, class Wh, class Bi = no_bias, class Bh = no_bias, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto gru_cell(Context& context, const X& x, const H& hx, const Wi& w_ih, const Wh& w_hh, const Bi& b_ih = {}, const Bh& b_hh = {}) {
  using namespace detail;
  using result = result_t<Policy, op::gru_cell, Context, X, H, Wi, Wh, Bi, Bh>;
  if constexpr (may_call_on<Context, Policy, op::gru_cell, X, H, Wi, Wh, Bi, Bh>())
    return made<result>(context, recurrent_sizes("gru_cell", 3, operand(x).shape(), operand(hx).shape(), operand(w_ih).shape(), operand(w_hh).shape()).state(),
                        [&](auto y) { gru_cell<Policy>(context, into(y), x, hx, w_ih, w_hh, b_ih, b_hh); });
  else return result{};
}

/// The gradients of gru_cell, of biases too. The gates are made anew.
///
/// gx, ghx, …  into(view), add_to(view) or no_gradient{}
template <class Policy, class Context, class G, class X, class H, class Wi, class Wh, class Bi, class Bh, class TX, class TH, class TWi, class TWh, class TBi, class TBh>
void gru_cell_backward(Context& context, const G& grad, const X& x, const H& hx, const Wi& w_ih, const Wh& w_hh, const Bi& b_ih, const Bh& b_hh, const TX& gx, const TH& ghx, const TWi& gw_ih,
                       const TWh& gw_hh, const TBi& gb_ih, const TBh& gb_hh) {
  using namespace detail;
  if constexpr (may_call_on<Context, Policy, op::gru_cell, X, H, Wi, Wh, Bi, Bh>()) {
    constexpr const char* call = "gru_cell_backward";
    const recurrent_sizes sizes(call, 3, operand(x).shape(), operand(hx).shape(), operand(w_ih).shape(), operand(w_hh).shape());
    require_shape(call, "a gradient of the value", operand(grad).shape(), sizes.state()), require_bias(call, b_ih, sizes.gates), require_bias(call, b_hh, sizes.gates);
    require_target(call, "a gradient of x", gx, operand(x).shape()), require_target(call, "a gradient of hx", ghx, sizes.state());
    require_target(call, "a gradient of w_ih", gw_ih, operand(w_ih).shape()), require_target(call, "a gradient of w_hh", gw_hh, operand(w_hh).shape());
    require_target(call, "a gradient of b_ih", gb_ih, shape{sizes.gates}), require_target(call, "a gradient of b_hh", gb_hh, shape{sizes.gates});
    gru_gradients_to<Policy>(context, sizes, grad, x, hx, w_ih, w_hh, b_ih, b_hh,
                             std::make_tuple(target_or_none(gx), target_or_none(ghx), target_or_none(gw_ih), target_or_none(gw_hh), target_or_none(gb_ih), target_or_none(gb_hh)),
                             {is_gradient_target_v<TX>, is_gradient_target_v<TH>, is_gradient_target_v<TWi>, is_gradient_target_v<TWh>, is_gradient_target_v<TBi>, is_gradient_target_v<TBh>});
  }
}
template <class Policy, class Context, class G, class X, class H, class Wi, class Wh, class Bi = no_bias, class Bh = no_bias>
auto gru_cell_backward(Context& context, const G& grad, const X& x, const H& hx, const Wi& w_ih, const Wh& w_hh, const Bi& b_ih = {}, const Bh& b_hh = {}) {
  auto g = detail::fresh_cell_gradients(context, x, hx, w_ih, w_hh);
  gru_cell_backward<Policy>(context, grad, x, hx, w_ih, w_hh, b_ih, b_hh, into(g.x), into(g.hx), into(g.w_ih), into(g.w_hh), into(g.b_ih), into(g.b_hh));
  return g;
}

}}  // namespace amphora
