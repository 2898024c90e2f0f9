// What all normalizations share: their shapes, and value and gradients over formats.
#pragma once
#include <amphora/detail/config.hpp>    // AMPHORA_HD
#include <amphora/ops/add.hpp>          // unbroadcast
#include <amphora/ops/call.hpp>         // may_call, gradient_of_t
#include <amphora/ops/kernels.hpp>      // map_kernels, make_loops
#include <amphora/ops/linear.hpp>       // no_bias
#include <amphora/ops/norm_layout.hpp>  // norm_call, normalization_kernels
#include <amphora/ops/operand.hpp>      // into, operand
#include <amphora/ops/prelu.hpp>        // reshaped
#include <amphora/ops/reduction.hpp>    // sum_over, broadcast_axes

#include <cstdint>      // int64_t
#include <type_traits>  // is_same_v

namespace amphora { inline namespace AMPHORA_ABI {

/// Says that a normalization is not multiplied by weights.
struct no_weight { using format = not_a_format; };

/// The gradients of a normalization as fresh tensors; without weights or bias, w or b is empty.
template <class X, class W, class B> struct normalization_result { X x; W w; B b; };

namespace detail {

inline view<const float> operand(no_weight) { return view<const float>(static_cast<const float*>(nullptr)); }

/// The affine part of a normalization: an operand, or a word (or the bare shape) where there is none.
template <class W> inline constexpr bool is_affine_v = is_operand_v<W>;
template <class W> auto affine(const W& w) {
  if constexpr (is_affine_v<W>) return operand(w);
  else return view<const float>(static_cast<const float*>(nullptr));
}
template <class W, class X, class Context> struct affine_gradient { using t = gradient_of_t<W, Context>; };
template <class X, class Context> struct affine_gradient<no_weight, X, Context> { using t = gradient_of_t<X, Context>; };
template <class X, class Context> struct affine_gradient<no_bias, X, Context> { using t = gradient_of_t<X, Context>; };
template <class X, class Context> struct affine_gradient<shape, X, Context> { using t = gradient_of_t<X, Context>; };
template <class W, class X, class Context> using affine_gradient_t = typename affine_gradient<W, X, Context>::t;

/// The storage type of the statistics of X: double for f64.
template <class X> using statistic_t = arithmetic_t<given_t<X>>;

/// Errors  setting
inline void require_norm_eps(const char* call, double eps) {
  if (!(eps >= 0)) fail("setting", call, " has eps = ", eps, "; it must be 0 or more");
}

/// Over the last axes of x, those of `over`.
inline lines_call line_call(const char* call, const shape& x, const shape& over, bool centered, double eps) {
  require_norm_eps(call, eps);
  const int outer = x.rank() - over.rank();
  bool fits = over.rank() > 0 && outer >= 0;
  for (int i = 0; fits && i < over.rank(); ++i) fits = x[outer + i] == over[i];
  if (!fits) fail("shape", call, " cannot normalize x of shape ", x, " over ", over, "; w is of the shape of x's last axes");
  lines_call c;
  c.lines.lines = x.product(0, outer), c.lines.length = over.elements();
  c.lines.channels = c.lines.length, c.lines.centered = centered, c.lines.eps = eps;
  c.terms = c.lines.length, c.affine = over;
  c.wide = shape{c.lines.lines, c.lines.length}, c.statistics = shape{c.lines.lines, 1}, c.weights = shape{c.lines.length};
  c.columns.rows = c.lines.lines, c.columns.width = c.lines.length, c.columns.row_step = 1, c.columns.share = c.lines.length;
  return c;
}

/// x as [batch, channels, inner].
///
/// Errors  shape
inline shape channels_of(const char* call, const shape& x) {
  if (x.rank() < 2) fail("shape", call, " needs x of shape [batch, channels, ...], not ", x);
  return shape{x[0], x[1], x.product(2, x.rank())};
}
inline groups_call group_call(const char* call, const shape& x, std::int64_t groups, double eps) {
  require_norm_eps(call, eps);
  const shape s = channels_of(call, x);
  if (groups < 1 || s[1] % groups != 0) fail("shape", call, " cannot share ", s[1], " channels of ", x, " among ", groups, " groups");
  groups_call c;
  const std::int64_t share = s[1] / groups;
  c.terms = share * s[2], c.affine = shape{s[1]};
  c.lines.lines = s[0] * groups, c.lines.length = c.terms, c.lines.groups = groups, c.lines.channels = share, c.lines.spread = s[2], c.lines.eps = eps;
  c.wide = shape{s[0], groups, share, s[2]}, c.statistics = shape{s[0], groups, 1, 1}, c.weights = shape{groups, share, 1};
  c.columns.rows = s[0], c.columns.width = s[1], c.columns.inner = s[2], c.columns.row_step = groups, c.columns.share = share;
  return c;
}
/// known  the statistics are given
inline columns_call batch_call(const char* call, const shape& x, bool known, double eps) {
  require_norm_eps(call, eps);
  const shape s = channels_of(call, x);
  columns_call c;
  c.across = true, c.known = known;
  c.terms = s[0] * s[2], c.affine = shape{s[1]};
  c.wide = s, c.statistics = shape{s[1], 1}, c.weights = shape{s[1], 1};
  c.lines.eps = eps;
  c.columns.rows = s[0], c.columns.width = s[1], c.columns.inner = s[2];
  return c;
}

/// (x − mean) · scale · w + b
struct norm_value {
  bool weighted, biased;
  template <class Real> AMPHORA_HD constexpr Real operator()(std::int64_t, Real x, Real high, Real low, Real scale, Real w, Real b) const {
    const Real value = normalized(x, high, low, scale), product = weighted ? value * w : value;
    return biased ? product + b : product;
  }
};
/// The gradient of x where the statistics are known.
struct norm_known_slope {
  bool weighted;
  template <class Real> AMPHORA_HD constexpr Real operator()(std::int64_t, Real grad, Real scale, Real w) const { return scale * (weighted ? grad * w : grad); }
};
/// And where they are those of x: sums of grad and of grad · x̂ are given.
struct normalized_slope {
  bool weighted;
  double terms;
  template <class Real> AMPHORA_HD constexpr Real operator()(std::int64_t, Real grad, Real x, Real high, Real low, Real scale, Real w, Real sum, Real along) const {
    const Real n = static_cast<Real>(terms), rest = (grad - sum / n) - normalized(x, high, low, scale) * (along / n);
    return scale * (weighted ? rest * w : rest);
  }
};

template <class T, class Context> using statistics_tensor = tensor<T, Context>;
/// Memory for the statistics of a call.
template <class T, class Context> statistics_tensor<T, Context> make_statistics(Context& context, const norm_call& c) {
  return statistics_tensor<T, Context>(context, shape{4, c.statistics.elements()});
}
template <class T> norm_statistics<T> statistics_in(const view<T>& memory) { return {memory.data(), memory.shape()[1]}; }
/// One of them, to broadcast.
template <class T> view<const T> statistic(const norm_call& c, const T* at) { return view<const T>(at, c.statistics); }

/// A weight or bias in the shape in which it broadcasts; where there is none, numbers that are not looked at.
template <class T, class W> auto broadcast_affine(const norm_call& c, const norm_statistics<T>& s, const W& w) {
  if constexpr (is_affine_v<W>) return operand(w).reshaped(c.weights);
  else return statistic<T>(c, s.scale());
}

/// y = f(x…) over the shape of a normalization. x… are views that broadcast to it.
template <class Context, class Function, class Y, class... X>
void norm_map(Context& context, const Function& f, const shape& wide, const target<Y>& y, const view<const X>&... x) {
  map_kernels<typename Context::device>::run(context, f, make_loops<static_cast<int>(sizeof...(X))>(wide, {&x.shape()...}), y, read(x)...);
}

/// The value, and the statistics where they are not known.
template <class T, class Context, class Call, class Y, class X, class W, class B>
void norm_forward_into(Context& context, const Call& c, const norm_statistics<T>& s, const target<Y>& y, const view<const X>& x, const W& w, const B& b) {
  using kernels = normalization_kernels<typename Context::device>;
  if constexpr (Call::may_be_lines)
    if (!c.across) return kernels::template forward<Call::spreads>(context, c.lines, s, y, read(x), read(affine(w)), read(affine(b)));
  if constexpr (Call::may_be_columns) {
    if (!c.known) kernels::moments(context, c.columns, c.lines.eps, s, read(x));
    if constexpr (!std::is_same_v<Y, not_a_format>)
      norm_map(context, norm_value{is_affine_v<W>, is_affine_v<B>}, c.wide, y, x.reshaped(c.wide), statistic<T>(c, s.high()), statistic<T>(c, s.low()), statistic<T>(c, s.scale()),
               broadcast_affine(c, s, w), broadcast_affine(c, s, b));
  }
}
/// Σ grad · x̂ over what shares a weight.
template <class T, class Context, class Y, class G, class X>
void norm_weight_gradient(Context& context, const norm_call& c, const norm_statistics<T>& s, const target<Y>& gw, const view<const G>& grad, const view<const X>& x) {
  norm_columns columns = c.columns;
  if (c.wide.elements() == 0) columns.rows = 0;
  const shape parts{columns.parts(), columns.width};
  tensor<double, Context> partial(context, parts);
  normalization_kernels<typename Context::device>::products(context, columns, s, partial.data(), read(grad), read(x));
  sum_over<f64>(context, gw, read(operand(partial)), reduction_of(parts, axis_set::of({0}, 2)), 1);
}
/// Σ grad over what shares a weight.
template <class Context, class Target, class G>
void norm_bias_gradient(Context& context, const norm_call& c, const Target& gb, const view<const G>& grad) {
  unbroadcast<arithmetic_format_t<format_of_t<G>>>(context, reshaped(gb, c.weights), grad.reshaped(c.wide), c.weights, 1);
}
/// The gradient of x from statistics that forward left.
template <class T, class Context, class Call, class Y, class G, class X, class W>
void norm_x_gradient(Context& context, const Call& c, const norm_statistics<T>& s, const target<Y>& gx, const view<const G>& grad, const view<const X>& x, const W& w) {
  if constexpr (Call::may_be_lines)
    if (!c.across) return normalization_kernels<typename Context::device>::template backward<Call::spreads>(context, c.lines, s, gx, read(grad), read(x), read(affine(w)));
  if constexpr (Call::may_be_columns) {
    const auto weights = broadcast_affine(c, s, w);
    const auto scale = statistic<T>(c, s.scale());
    if (c.known) return norm_map(context, norm_known_slope{is_affine_v<W>}, c.wide, gx, grad.reshaped(c.wide), scale, weights);
    using real = arithmetic_format_t<format_of_t<G>, format_of_t<X>>;
    tensor_of_t<real, Context> sums(context, shape{2, c.columns.width});
    const view<storage_t<real>> sum(sums.data(), c.affine), along(sums.data() + c.columns.width, c.affine);
    norm_bias_gradient(context, c, into(sum), grad);
    norm_weight_gradient(context, c, s, write(along), grad, x);
    norm_map(context, normalized_slope{is_affine_v<W>, static_cast<double>(c.terms)}, c.wide, gx, grad.reshaped(c.wide), x.reshaped(c.wide), statistic<T>(c, s.high()),
             statistic<T>(c, s.low()), scale, weights, operand(sum.reshaped(c.weights)), operand(along.reshaped(c.weights)));
  }
}

/// Whether gradients have the shapes that are due.
template <class Context, class G, class X, class GX, class GW, class GB>
void require_norm_gradients(const char* call, const norm_call& c, const G& grad, const X& x, const GX& gx, const GW& gw, const GB& gb) {
  require_shape(call, "a gradient of the value", operand(grad).shape(), operand(x).shape());
  if constexpr (is_gradient_target_v<GX>) require_shape(call, "a gradient of x", memory_of(gx).shape(), operand(x).shape());
  if constexpr (is_gradient_target_v<GW>) require_shape(call, "a gradient of w", memory_of(gw).shape(), c.affine);
  if constexpr (is_gradient_target_v<GB>) require_shape(call, "a gradient of b", memory_of(gb).shape(), c.affine);
}
template <class W, class B>
void require_affine(const char* call, const norm_call& c, const W& w, const B& b) {
  if constexpr (is_affine_v<W>) require_shape(call, "weights", operand(w).shape(), c.affine);
  if constexpr (is_affine_v<B>) require_shape(call, "a bias", operand(b).shape(), c.affine);
}

/// Value and gradients with statistics that live as long as the call.
template <class Policy, class Op, class Context, class Call, class Y, class X, class W, class B>
void normalize_into(const char* call, Context& context, const Call& c, const into<Y>& y, const X& x, const W& w, const B& b) {
  if constexpr (require_into<Policy, Op, Y, X>()) {
    require_shape(call, "an output", y.target.shape(), operand(x).shape());
    require_affine(call, c, w, b);
    auto memory = make_statistics<statistic_t<X>>(context, c);
    norm_forward_into(context, c, statistics_in(memory.view()), write(y.target), operand(x), w, b);
  }
}
template <class Context, class Call, class T, class G, class X, class W, class GX, class GW, class GB>
void norm_gradients(Context& context, const Call& c, const norm_statistics<T>& s, const G& grad, const X& x, const W& w, const GX& gx, const GW& gw, const GB& gb) {
  if constexpr (is_gradient_target_v<GX>) norm_x_gradient(context, c, s, gradient_target(gx), operand(grad), operand(x), w);
  if constexpr (is_gradient_target_v<GW>) norm_weight_gradient(context, c, s, gradient_target(gw), operand(grad), operand(x));
  if constexpr (is_gradient_target_v<GB>) norm_bias_gradient(context, c, gb, operand(grad));
}
template <class Policy, class Op, class Context, class Call, class G, class X, class W, class GX, class GW, class GB>
void normalize_gradients(const char* call, Context& context, const Call& c, const G& grad, const X& x, const W& w, const GX& gx, const GW& gw, const GB& gb) {
  if constexpr (may_call<Policy, Op, X>()) {
    require_norm_gradients<Context>(call, c, grad, x, gx, gw, gb);
    require_affine(call, c, w, no_bias{});
    auto memory = make_statistics<statistic_t<X>>(context, c);
    const auto s = statistics_in(memory.view());
    if constexpr (is_gradient_target_v<GX> || is_gradient_target_v<GW>) norm_forward_into(context, c, s, target<not_a_format>{}, operand(x), no_weight{}, no_bias{});
    norm_gradients(context, c, s, grad, x, w, gx, gw, gb);
  }
}
/// Fresh tensors for x's gradient, and w's and b's where there are weights and a bias.
template <class Context, class X, class W, class B>
auto fresh_norm_gradients(Context& context, const norm_call& c, const X& x) {
  normalization_result<gradient_of_t<X, Context>, affine_gradient_t<W, X, Context>, affine_gradient_t<B, X, Context>> result;
  result.x = gradient_of_t<X, Context>(context, operand(x).shape());
  if constexpr (is_affine_v<W>) result.w = affine_gradient_t<W, X, Context>(context, c.affine);
  if constexpr (is_affine_v<B>) result.b = affine_gradient_t<B, X, Context>(context, c.affine);
  return result;
}
template <class W, class T, class Context> auto into_affine(tensor<T, Context>& g) {
  if constexpr (is_affine_v<W>) return into(g);
  else return no_gradient{};
}

}  // namespace detail
}}  // namespace amphora
