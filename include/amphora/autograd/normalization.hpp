// layer_norm, rms_norm, group_norm, batch_norm and instance_norm of variables, with their second derivatives.
#pragma once
#include <amphora/autograd/gradient_pass.hpp>  // gradient_pass
#include <amphora/detail/config.hpp>           // AMPHORA_HD
#include <amphora/ops/batch_norm.hpp>          // batch_norm_forward, batch_norm_kind
#include <amphora/ops/group_norm.hpp>          // group_norm_call
#include <amphora/ops/layer_norm.hpp>          // layer_norm_call, rms_norm_call
#include <amphora/ops/normalization.hpp>       // norm_forward_into, norm_x_gradient

#include <cstdint>      // int64_t
#include <memory>       // make_shared, shared_ptr
#include <type_traits>  // enable_if_t, is_same_v
#include <utility>      // move

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

struct norm_product {
  template <class Real> AMPHORA_HD constexpr Real operator()(std::int64_t, Real a, Real b) const { return a * b; }
};
/// Of v by x, where s = ⟨v, the gradient of x⟩: from x̂, u = grad · w, v, and the means of u, v, u · x̂, v · x̂ and u · v.
struct norm_curve {
  template <class Real> AMPHORA_HD constexpr Real operator()(std::int64_t, Real x, Real u, Real v, Real scale, Real mean_u, Real mean_v, Real ux, Real vx, Real uv) const {
    return -(scale * scale) * (x * (uv - mean_u * mean_v - 3 * (ux * vx)) + vx * (u - mean_u) + ux * (v - mean_v));
  }
};

/// A normalization and its statistics, as long as a graph needs them.
template <class T, class Context, class Call>
struct norm_graph {
  Call call;
  std::shared_ptr<statistics_tensor<T, Context>> memory;

  norm_graph(Context& context, const Call& c) : call(c), memory(std::make_shared<statistics_tensor<T, Context>>(make_statistics<T>(context, c))) {}
  norm_statistics<T> statistics() const { return statistics_in(memory->view()); }
  view<const T> high() const { return statistic<T>(call, statistics().high()); }
  view<const T> low() const { return statistic<T>(call, statistics().low()); }
  view<const T> scale() const { return statistic<T>(call, statistics().scale()); }

  /// f(x…), averaged over what is normalized together.
  template <class Real, class Function, class... X> tensor<Real, Context> mean_of(Context& context, const Function& f, const view<const X>&... x) const {
    tensor<Real, Context> each(context, call.wide), mean(context, call.statistics);
    norm_map(context, f, call.wide, write(each.view()), x...);
    sum_over<format_of_t<Real>>(context, write(mean.view()), read(operand(each)), reduction_of(call.wide, broadcast_axes(call.wide, call.statistics)), static_cast<double>(call.terms));
    return mean;
  }
};

/// Σ grad over what shares a weight.
struct norm_bias_record {
  norm_call call;
  template <class Pass, class H, class G> void backward(Pass& pass, const H& h, const H&, const G& grad) const {
    pass.write(grad, [&](auto target) { norm_map(pass.context(), times_factor{1}, call.wide, gradient_target(target), h.value().reshaped(call.weights)); });
  }
};
/// Σ grad · x̂ over what shares a weight.
template <class T, class Context, class Call>
struct norm_weight_record {
  norm_graph<T, Context, Call> graph;
  template <class Pass, class H, class G, class X> void backward(Pass& pass, const H& h, const H&, const G& grad, const X& x) const {
    const Call& c = graph.call;
    pass.write(grad, [&](auto target) {
      norm_map(pass.context(), norm_value{true, false}, c.wide, gradient_target(target), x.value().reshaped(c.wide), graph.high(), graph.low(), graph.scale(),
               h.value().reshaped(c.weights), graph.scale());
    });
    pass.write(x, [&](auto target) { norm_x_gradient(pass.context(), c, graph.statistics(), gradient_target(target), grad.value(), x.value(), h.value()); });
  }
};
/// The gradient of x.
template <class T, class Context, class Call, bool Weighted>
struct norm_x_record {
  norm_graph<T, Context, Call> graph;

  template <class W> static auto weights(const W& w) {
    if constexpr (Weighted) return w.value();
    else return no_weight{};
  }
  template <class Pass, class H, class G, class X, class W> void backward(Pass& pass, const H& h, const H&, const G& grad, const X& x, const W& w) const {
    using real = arithmetic_t<given_t<H>, given_t<X>>;
    const Call& c = graph.call;
    auto& context = pass.context();
    if (pass.wants(grad) || pass.wants(w)) {
      tensor<real, Context> bare(context, c.wide);  // as if there were no weights
      norm_x_gradient(context, c, graph.statistics(), write(bare.view()), h.value(), x.value(), no_weight{});
      pass.write(grad, [&](auto target) {
        if constexpr (Weighted) norm_map(context, norm_product{}, c.wide, gradient_target(target), operand(bare), w.value().reshaped(c.weights));
        else norm_map(context, times_factor{1}, c.wide, gradient_target(target), operand(bare));
      });
      pass.write(w, [&](auto target) {
        tensor<real, Context> each(context, c.wide);
        norm_map(context, norm_product{}, c.wide, write(each.view()), operand(bare), grad.value().reshaped(c.wide));
        norm_bias_gradient(context, c, target, operand(each));
      });
    }
    if (!c.known) pass.write(x, [&](auto target) { curve<real>(context, gradient_target(target), h.value(), grad.value(), x.value(), weights(w)); });
  }

 private:
  template <class Real, class Y, class V, class G, class X, class W>
  void curve(Context& context, const target<Y>& y, const view<const V>& upstream, const view<const G>& grad, const view<const X>& x, const W& w) const {
    const Call& c = graph.call;
    tensor<Real, Context> unit(context, c.wide), weighted(context, c.wide);
    const auto scale = graph.scale();
    const auto v = upstream.reshaped(c.wide);
    norm_map(context, norm_value{false, false}, c.wide, write(unit.view()), x.reshaped(c.wide), graph.high(), graph.low(), scale, scale, scale);
    if constexpr (Weighted) norm_map(context, norm_product{}, c.wide, write(weighted.view()), grad.reshaped(c.wide), w.reshaped(c.weights));
    else norm_map(context, times_factor{1}, c.wide, write(weighted.view()), grad.reshaped(c.wide));
    const auto h = operand(unit), u = operand(weighted);
    auto mean_u = graph.template mean_of<Real>(context, times_factor{c.lines.centered ? 1.0 : 0.0}, u), mean_v = graph.template mean_of<Real>(context, times_factor{c.lines.centered ? 1.0 : 0.0}, v);
    auto ux = graph.template mean_of<Real>(context, norm_product{}, u, h), vx = graph.template mean_of<Real>(context, norm_product{}, v, h), uv = graph.template mean_of<Real>(context, norm_product{}, u, v);
    norm_map(context, norm_curve{}, c.wide, y, h, u, v, scale, operand(mean_u), operand(mean_v), operand(ux), operand(vx), operand(uv));
  }
};
template <class T, class Context, class Call, bool Weighted>
struct normalized_record {
  norm_graph<T, Context, Call> graph;
  template <class Pass, class G, class X, class W, class B> void backward(Pass& pass, const G& gradient, const G&, const X& x, const W& w, const B& b) const {
    using of_x = norm_x_record<T, Context, Call, Weighted>;
    auto& context = pass.context();
    const Call& c = graph.call;
    const auto grad = gradient.value();
    pass.write(x, [&](auto target) { norm_x_gradient(context, c, graph.statistics(), gradient_target(target), grad, x.value(), of_x::weights(w)); }, of_x{graph}, gradient, x, w);
    pass.write(w, [&](auto target) { norm_weight_gradient(context, c, graph.statistics(), gradient_target(target), grad, x.value()); }, norm_weight_record<T, Context, Call>{graph}, gradient, x);
    pass.write(b, [&](auto target) { norm_bias_gradient(context, c, target, grad); }, norm_bias_record{c}, gradient);
  }
};

/// A variable's values, or the word that stands there.
template <class W> auto affine_value(const W& w) {
  if constexpr (is_variable_v<W>) return w.value();
  else return w;
}
/// A variable, or an empty one.
template <class Context, class W> auto affine_input(const W& w) {
  if constexpr (is_variable_v<W>) return w;
  else return variable<float, Context>();
}

/// forward(statistics, into(y)) writes the value and the statistics.
template <class Policy, class Op, class Context, class Call, class X, class W, class B, class Forward>
auto normalize_taped(const tape<Context>& recording, const Call& c, const X& x, const W& w, const B& b, const Forward& forward) {
  using result = result_t<Policy, Op, Context, X>;
  using statistic = statistic_t<X>;
  auto& context = recording.context();
  norm_graph<statistic, Context, Call> graph(context, c);
  auto value = made<result>(context, x.shape(), [&](auto y) { forward(graph.statistics(), into(y)); });
  return record(recording, std::move(value), normalized_record<statistic, Context, Call, is_variable_v<W>>{graph}, x, affine_input<Context>(w), affine_input<Context>(b));
}
/// Over lines.
template <class Policy, class Op, class Context, class Call, class X, class W, class B>
auto normalize_lines_taped(const char* call, const tape<Context>& recording, const Call& c, const X& x, const W& w, const B& b) {
  using value = decltype(x.value());
  if constexpr (may_call<Policy, Op, value>()) {
    require_affine(call, c, affine_value(w), affine_value(b));
    return normalize_taped<Policy, Op>(recording, c, x, w, b, [&](const auto& s, const auto& y) {
      norm_forward_into(recording.context(), c, s, write(y.target), x.value(), affine_value(w), affine_value(b));
    });
  } else {
    return variable<typename result_t<Policy, Op, Context, X>::value_type, Context>();
  }
}
template <class Kind, class Policy, class Context, class X, class Running, class W, class B>
auto batch_norm_taped(const tape<Context>& recording, const X& x, const Running& running, const W& w, const B& b, const batch_norm_settings& settings) {
  using value = decltype(x.value());
  if constexpr (may_call<Policy, typename Kind::op, value>()) {
    const auto c = Kind::call(x.shape(), settings);
    return normalize_taped<Policy, typename Kind::op>(recording, c, x, w, b, [&](const auto& s, const auto& y) {
      batch_norm_forward<Kind, Policy>(recording.context(), c, s, y, x.value(), running, affine_value(w), affine_value(b), settings);
    });
  } else {
    return variable<typename result_t<Policy, typename Kind::op, Context, X>::value_type, Context>();
  }
}
template <class W> inline constexpr bool is_taped_over_v = is_variable_v<W> || std::is_same_v<W, shape>;

}  // namespace detail

/// layer_norm as of ops/layer_norm.hpp, recorded: the graph keeps the statistics. It has second derivatives; a third one is `no-derivative`.
///
/// w  a variable, or the shape that is normalized over
/// b  a variable, or no_bias{}
template <class Policy, class Context, class X, class W, class B = no_bias, std::enable_if_t<is_variable_v<X> && detail::is_taped_over_v<W>, int> = 0>
auto layer_norm(const tape<Context>& recording, const X& x, const W& w, const B& b = {}, double eps = 1e-5) {
  return detail::normalize_lines_taped<Policy, op::layer_norm>("layer_norm", recording, detail::layer_norm_call("layer_norm", x.value(), detail::affine_value(w), eps), x, w, b);
}
/// rms_norm as of ops/layer_norm.hpp, recorded in the same way.
template <class Policy, class Context, class X, class W, std::enable_if_t<is_variable_v<X> && detail::is_taped_over_v<W>, int> = 0>
auto rms_norm(const tape<Context>& recording, const X& x, const W& w, double eps = machine_epsilon) {
  return detail::normalize_lines_taped<Policy, op::rms_norm>("rms_norm", recording, detail::rms_norm_call("rms_norm", x.value(), detail::affine_value(w), eps), x, w, no_bias{});
}
/// group_norm as of ops/group_norm.hpp, recorded in the same way.
///
/// w, b  variables, or no_weight{} and no_bias{}
template <class Policy, class Context, class X, class W = no_weight, class B = no_bias, std::enable_if_t<is_variable_v<X>, int> = 0>
auto group_norm(const tape<Context>& recording, const X& x, std::int64_t groups, const W& w = {}, const B& b = {}, double eps = 1e-5) {
  return detail::normalize_lines_taped<Policy, op::group_norm>("group_norm", recording, detail::group_norm_call("group_norm", x.shape(), groups, eps), x, w, b);
}
/// batch_norm and instance_norm as of ops/batch_norm.hpp, recorded in the same way. Running statistics move in the forward call alone, also under no_grad.
///
/// running  running_statistics, or no_running{}
/// w, b     variables, or no_weight{} and no_bias{}
template <class Policy, class Context, class X, class Running, class W = no_weight, class B = no_bias, std::enable_if_t<is_variable_v<X> && detail::is_running_choice_v<Running>, int> = 0>
auto batch_norm(const tape<Context>& recording, const X& x, const Running& running, const W& w = {}, const B& b = {}, const batch_norm_settings& settings = {}) {
  return detail::batch_norm_taped<detail::batch_norm_kind, Policy>(recording, x, running, w, b, settings);
}
template <class Policy, class Context, class X, class Running, class W = no_weight, class B = no_bias, std::enable_if_t<is_variable_v<X> && detail::is_running_choice_v<Running>, int> = 0>
auto instance_norm(const tape<Context>& recording, const X& x, const Running& running, const W& w = {}, const B& b = {}, const batch_norm_settings& settings = {}) {
  return detail::batch_norm_taped<detail::instance_norm_kind, Policy>(recording, x, running, w, b, settings);
}

}}  // namespace amphora
