// One step of a plain recurrent network, by tanh or relu, forward and backward.
#pragma once
#include <amphora/detail/config.hpp>       // AMPHORA_HD
#include <amphora/op/contraction.hpp>      // op::rnn_tanh_cell, op::rnn_relu_cell
#include <amphora/ops/activation.hpp>      // tanh_function
#include <amphora/ops/call.hpp>            // result_t, require_into_on, may_call_on, made
#include <amphora/ops/recurrent_cell.hpp>  // recurrent_sizes, gates_into, gate_gradients

#include <cstddef>      // size_t
#include <cstdint>      // int64_t
#include <tuple>        // get, tuple
#include <type_traits>  // is_same_v

namespace amphora { inline namespace AMPHORA_ABI {

/// The gradients of a cell's operands, each in its own format; biases in that of their weights.
template <class X, class H, class Wi, class Wh> struct rnn_cell_result { X x; H hx; Wi w_ih; Wh w_hh; Wi b_ih; Wh b_hh; };

namespace detail {

/// The slope of relu at 0 is 0, and NaN passes.
struct rnn_value {
  bool relu;
  template <class Real> AMPHORA_HD Real operator()(std::int64_t, Real gate) const { return relu ? (gate < 0 ? Real(0) : gate) : tanh_function{}.value(gate); }
};
struct rnn_slope {
  bool relu;
  template <class Real> AMPHORA_HD Real operator()(std::int64_t, Real grad, Real gate) const { return relu ? (gate <= 0 ? Real(0) : grad) : tanh_function{}.slope(by<0>{}, grad, gate); }
};
template <class Op> inline constexpr bool is_relu_cell_v = std::is_same_v<Op, op::rnn_relu_cell>;

/// The gates of a cell whose two products are added.
template <class Formats, class Context, class X, class H, class Wi, class Wh, class Bi, class Bh>
auto summed_gates(Context& context, const recurrent_sizes& sizes, const X& x, const H& h, const Wi& w_ih, const Wh& w_hh, const Bi& b_ih, const Bh& b_hh) {
  tensor_of_t<typename Formats::gates, Context> gates(context, shape{sizes.batch, sizes.gates});
  gates_into<Formats>(context, target<typename Formats::gates>{gates.data(), false}, sizes.gates, x, w_ih, b_ih);
  gates_into<Formats>(context, target<typename Formats::gates>{gates.data(), true}, sizes.gates, h, w_hh, b_hh);
  return gates;
}

template <class Policy, class Op, class Context, class Y, class X, class H, class Wi, class Wh, class Bi, class Bh>
void rnn_cell_into(const char* call, Context& context, const into<Y>& y, const X& x, const H& h, const Wi& w_ih, const Wh& w_hh, const Bi& b_ih, const Bh& b_hh) {
  if constexpr (require_into_on<Context, Policy, Op, Y, X, H, Wi, Wh, Bi, Bh>()) {
    using formats = recurrent_formats<Policy, Op, X, H, Wi, Wh, Bi, Bh>;
    const recurrent_sizes sizes(call, 1, operand(x).shape(), operand(h).shape(), operand(w_ih).shape(), operand(w_hh).shape());
    require_shape(call, "an output", y.target.shape(), sizes.state()), require_bias(call, b_ih, sizes.gates), require_bias(call, b_hh, sizes.gates);
    const auto gates = summed_gates<formats>(context, sizes, x, h, w_ih, w_hh, b_ih, b_hh);
    const shape s = sizes.state();
    map_kernels<typename Context::device>::run(context, rnn_value{is_relu_cell_v<Op>}, make_loops<1>(s, {&s}), write(y.target), read(operand(gates)));
  }
}
template <class Policy, class Op, class Context, class X, class H, class Wi, class Wh, class Bi, class Bh>
auto rnn_cell_made(const char* call, Context& context, const X& x, const H& h, const Wi& w_ih, const Wh& w_hh, const Bi& b_ih, const Bh& b_hh) {
  using result = result_t<Policy, Op, Context, X, H, Wi, Wh, Bi, Bh>;
  if constexpr (may_call_on<Context, Policy, Op, X, H, Wi, Wh, Bi, Bh>())
    return made<result>(context, recurrent_sizes(call, 1, operand(x).shape(), operand(h).shape(), operand(w_ih).shape(), operand(w_hh).shape()).state(),
                        [&](auto y) { rnn_cell_into<Policy, Op>(call, context, into(y), x, h, w_ih, w_hh, b_ih, b_hh); });
  else return result{};
}

/// to, wanted  of x, hx, w_ih, w_hh, b_ih, b_hh
template <class Policy, class Op, class Context, class G, class X, class H, class Wi, class Wh, class Bi, class Bh, class... To>
void rnn_cell_gradients_to(Context& context, const recurrent_sizes& sizes, const G& grad, const X& x, const H& h, const Wi& w_ih, const Wh& w_hh, const Bi& b_ih, const Bh& b_hh,
                           const std::tuple<To...>& to, const bool (&wanted)[6]) {
  using formats = recurrent_formats<Policy, Op, X, H, Wi, Wh, Bi, Bh>;
  const auto gates = summed_gates<formats>(context, sizes, x, h, w_ih, w_hh, b_ih, b_hh);
  tensor_of_t<typename formats::gradients, Context> of_gates(context, sizes.state());
  const shape s = sizes.state();
  map_kernels<typename Context::device>::run(context, rnn_slope{is_relu_cell_v<Op>}, make_loops<2>(s, {&s, &s}), write(of_gates.view()), read(operand(grad)), read(operand(gates)));
  gate_gradients<formats>(context, sizes.gates, operand(of_gates), x, w_ih, wanted[0], std::get<0>(to), wanted[2], std::get<2>(to), wanted[4], std::get<4>(to));
  gate_gradients<formats>(context, sizes.gates, operand(of_gates), h, w_hh, wanted[1], std::get<1>(to), wanted[3], std::get<3>(to), wanted[5], std::get<5>(to));
}
template <class Policy, class Op, class Context, class G, class X, class H, class Wi, class Wh, class Bi, class Bh, class GX, class GH, class GWi, class GWh, class GBi, class GBh>
void rnn_cell_gradients_into(const char* call, Context& context, const G& grad, const X& x, const H& h, const Wi& w_ih, const Wh& w_hh, const Bi& b_ih, const Bh& b_hh, const GX& gx, const GH& gh,
                             const GWi& gw_ih, const GWh& gw_hh, const GBi& gb_ih, const GBh& gb_hh) {
  if constexpr (may_call_on<Context, Policy, Op, X, H, Wi, Wh, Bi, Bh>()) {
    const recurrent_sizes sizes(call, 1, operand(x).shape(), operand(h).shape(), operand(w_ih).shape(), operand(w_hh).shape());
    require_shape(call, "a gradient of the value", operand(grad).shape(), sizes.state()), require_bias(call, b_ih, sizes.gates), require_bias(call, b_hh, sizes.gates);
    require_target(call, "a gradient of x", gx, operand(x).shape()), require_target(call, "a gradient of hx", gh, operand(h).shape());
    require_target(call, "a gradient of w_ih", gw_ih, operand(w_ih).shape()), require_target(call, "a gradient of w_hh", gw_hh, operand(w_hh).shape());
    require_target(call, "a gradient of b_ih", gb_ih, shape{sizes.gates}), require_target(call, "a gradient of b_hh", gb_hh, shape{sizes.gates});
    rnn_cell_gradients_to<Policy, Op>(context, sizes, grad, x, h, w_ih, w_hh, b_ih, b_hh,
                                      std::make_tuple(target_or_none(gx), target_or_none(gh), target_or_none(gw_ih), target_or_none(gw_hh), target_or_none(gb_ih), target_or_none(gb_hh)),
                                      {is_gradient_target_v<GX>, is_gradient_target_v<GH>, is_gradient_target_v<GWi>, is_gradient_target_v<GWh>, is_gradient_target_v<GBi>, is_gradient_target_v<GBh>});
  }
}
template <class Context, class X, class H, class Wi, class Wh> auto fresh_cell_gradients(Context& context, const X& x, const H& h, const Wi& w_ih, const Wh& w_hh) {
  using of_wi = gradient_of_t<Wi, Context>;
  using of_wh = gradient_of_t<Wh, Context>;
  const auto rows = [](const auto& w) { return operand(w).shape().rank() == 2 ? shape{operand(w).shape()[0]} : shape{}; };
  return rnn_cell_result<gradient_of_t<X, Context>, gradient_of_t<H, Context>, of_wi, of_wh>{
      {context, operand(x).shape()}, {context, operand(h).shape()}, of_wi(context, operand(w_ih).shape()), of_wh(context, operand(w_hh).shape()), of_wi(context, rows(w_ih)), of_wh(context, rows(w_hh))};
}
template <class Policy, class Op, class Context, class G, class X, class H, class Wi, class Wh, class Bi, class Bh>
auto rnn_cell_gradients(const char* call, Context& context, const G& grad, const X& x, const H& h, const Wi& w_ih, const Wh& w_hh, const Bi& b_ih, const Bh& b_hh) {
  auto g = fresh_cell_gradients(context, x, h, w_ih, w_hh);
  rnn_cell_gradients_into<Policy, Op>(call, context, grad, x, h, w_ih, w_hh, b_ih, b_hh, into(g.x), into(g.hx), into(g.w_ih), into(g.w_hh), into(g.b_ih), into(g.b_hh));
  return g;
}

}  // namespace detail

/// tanh(x · w_ihᵀ + b_ih + hx · w_hhᵀ + b_hh), a contraction: operands are read in the policy's compute format, what is before the bend stays in float,
/// and the new state is rounded once.
///
/// x, hx       [batch, in], [batch, hidden]
/// w_ih, w_hh  [hidden, in], [hidden, hidden]
/// b_ih, b_hh  [hidden], or no_bias{}
/// Value       [batch, hidden]; rnn_tanh_cell<Policy>(context, into(y), x, hx, …) writes it to y
/// Errors      shape
template <class Policy, class Context, class X, class H, class Wi, class Wh, class Bi = no_bias, class Bh = no_bias, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto rnn_tanh_cell(Context& context, const X& x, const H& hx, const Wi& w_ih, const Wh& w_hh, const Bi& b_ih = {}, const Bh& b_hh = {}) {
  return detail::rnn_cell_made<Policy, op::rnn_tanh_cell>("rnn_tanh_cell", context, x, hx, w_ih, w_hh, b_ih, b_hh);
}
template <class Policy, class Context, class Y, class X, class H, class Wi, class Wh, class Bi = no_bias, class Bh = no_bias>
void rnn_tanh_cell(Context& context, into<Y> y, const X& x, const H& hx, const Wi& w_ih, const Wh& w_hh, const Bi& b_ih = {}, const Bh& b_hh = {}) {
  detail::rnn_cell_into<Policy, op::rnn_tanh_cell>("rnn_tanh_cell", context, y, x, hx, w_ih, w_hh, b_ih, b_hh);
}

/// The gradients of rnn_tanh_cell, of biases too. What is before the bend is made anew.
///
/// gx, ghx, …  into(view), add_to(view) or no_gradient{}
template <class Policy, class Context, class G, class X, class H, class Wi, class Wh, class Bi = no_bias, class Bh = no_bias>
auto rnn_tanh_cell_backward(Context& context, const G& grad, const X& x, const H& hx, const Wi& w_ih, const Wh& w_hh, const Bi& b_ih = {}, const Bh& b_hh = {}) {
  return detail::rnn_cell_gradients<Policy, op::rnn_tanh_cell>("rnn_tanh_cell_backward", context, grad, x, hx, w_ih, w_hh, b_ih, b_hh);
}
template <class Policy, class Context, class G, class X, class H, class Wi, class Wh, class Bi, class Bh, class GX, class GH, class GWi, class GWh, class GBi, class GBh>
void rnn_tanh_cell_backward(Context& context, const G& grad, const X& x, const H& hx, const Wi& w_ih, const Wh& w_hh, const Bi& b_ih, const Bh& b_hh, const GX& gx, const GH& ghx, const GWi& gw_ih,
                  const GWh& gw_hh, const GBi& gb_ih, const GBh& gb_hh) {
  detail::rnn_cell_gradients_into<Policy, op::rnn_tanh_cell>("rnn_tanh_cell_backward", context, grad, x, hx, w_ih, w_hh, b_ih, b_hh, gx, ghx, gw_ih, gw_hh, gb_ih, gb_hh);
}

/// The same by relu.
template <class Policy, class Context, class X, class H, class Wi, class Wh, class Bi = no_bias, class Bh = no_bias, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto rnn_relu_cell(Context& context, const X& x, const H& hx, const Wi& w_ih, const Wh& w_hh, const Bi& b_ih = {}, const Bh& b_hh = {}) {
  return detail::rnn_cell_made<Policy, op::rnn_relu_cell>("rnn_relu_cell", context, x, hx, w_ih, w_hh, b_ih, b_hh);
}
template <class Policy, class Context, class Y, class X, class H, class Wi, class Wh, class Bi = no_bias, class Bh = no_bias>
void rnn_relu_cell(Context& context, into<Y> y, const X& x, const H& hx, const Wi& w_ih, const Wh& w_hh, const Bi& b_ih = {}, const Bh& b_hh = {}) {
  detail::rnn_cell_into<Policy, op::rnn_relu_cell>("rnn_relu_cell", context, y, x, hx, w_ih, w_hh, b_ih, b_hh);
}
template <class Policy, class Context, class G, class X, class H, class Wi, class Wh, class Bi = no_bias, class Bh = no_bias>
auto rnn_relu_cell_backward(Context& context, const G& grad, const X& x, const H& hx, const Wi& w_ih, const Wh& w_hh, const Bi& b_ih = {}, const Bh& b_hh = {}) {
  return detail::rnn_cell_gradients<Policy, op::rnn_relu_cell>("rnn_relu_cell_backward", context, grad, x, hx, w_ih, w_hh, b_ih, b_hh);
}
template <class Policy, class Context, class G, class X, class H, class Wi, class Wh, class Bi, class Bh, class GX, class GH, class GWi, class GWh, class GBi, class GBh>
void rnn_relu_cell_backward(Context& context, const G& grad, const X& x, const H& hx, const Wi& w_ih, const Wh& w_hh, const Bi& b_ih, const Bh& b_hh, const GX& gx, const GH& ghx, const GWi& gw_ih,
                  const GWh& gw_hh, const GBi& gb_ih, const GBh& gb_hh) {
  detail::rnn_cell_gradients_into<Policy, op::rnn_relu_cell>("rnn_relu_cell_backward", context, grad, x, hx, w_ih, w_hh, b_ih, b_hh, gx, ghx, gw_ih, gw_hh, gb_ih, gb_hh);
}

}}  // namespace amphora
