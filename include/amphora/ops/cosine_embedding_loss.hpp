// The loss of an angle between vectors that are to be alike, or not, forward and backward.
#pragma once
#include <amphora/detail/config.hpp>  // AMPHORA_HD
#include <amphora/format/real.hpp>    // add_once, multiply_once
#include <amphora/op/loss.hpp>        // op::cosine_embedding_loss
#include <amphora/ops/row_loss.hpp>   // row_shapes, row_sums, rows_into, row_slope

#include <cmath>        // sqrt
#include <type_traits>  // enable_if_t

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

struct product_function {
  template <class Real> AMPHORA_HD constexpr Real value(Real a, Real b) const { return multiply_once(a, b); }
};
/// Of Σ x y, Σ x², Σ y² and the sign; 1e-12 (a float, in double too) is added to the squares, as in PyTorch.
struct cosine_loss_function {
  double margin;

  template <class Real> struct numbers { Real square_x, square_y, length, cosine; };
  template <class Real> AMPHORA_HD static numbers<Real> of(Real xy, Real xx, Real yy) {
    const Real a = xx + Real(1e-12f), b = yy + Real(1e-12f), length = std::sqrt(a) * std::sqrt(b);
    return {a, b, length, xy / length};
  }
  /// The slope by the cosine.
  template <class Real> AMPHORA_HD Real direction(Real cosine, Real t) const { return t == 1 ? Real(-1) : t == -1 && cosine - static_cast<Real>(margin) > 0 ? Real(1) : Real(0); }

  template <class Real> AMPHORA_HD Real value(Real xy, Real xx, Real yy, Real t) const {
    const Real cosine = of(xy, xx, yy).cosine, above = cosine - static_cast<Real>(margin);
    return t == 1 ? 1 - cosine : t == -1 && !(above < 0) ? above : Real(0);
  }
  template <class Real> AMPHORA_HD Real slope(by<0>, Real grad, Real xy, Real xx, Real yy, Real t) const {
    const auto n = of(xy, xx, yy);
    return grad * direction(n.cosine, t) / n.length;
  }
  template <class Real> AMPHORA_HD Real slope(by<1>, Real grad, Real xy, Real xx, Real yy, Real t) const {
    const auto n = of(xy, xx, yy);
    return grad * direction(n.cosine, t) * (Real(-0.5) * n.cosine / n.square_x);
  }
  template <class Real> AMPHORA_HD Real slope(by<2>, Real grad, Real xy, Real xx, Real yy, Real t) const {
    const auto n = of(xy, xx, yy);
    return grad * direction(n.cosine, t) * (Real(-0.5) * n.cosine / n.square_y);
  }
  template <int K, int J, class Real> AMPHORA_HD auto curvature(by<K>, by<J>, Real h, Real xy, Real xx, Real yy, Real t) const -> std::enable_if_t<(K < 3 && J < 3), Real> {
    const auto n = of(xy, xx, yy);
    const Real g = h * direction(n.cosine, t), a = n.square_x, b = n.square_y;
    if (K == 0 && J == 0) return 0;
    if (K == 0 || J == 0) return g * (Real(-0.5) / (K + J == 1 ? a : b) / n.length);
    if (K != J) return g * (Real(0.25) * n.cosine / a / b);
    return g * (Real(0.75) * n.cosine / (K == 1 ? a : b) / (K == 1 ? a : b));
  }
};
/// 2 · (gradient of Σ x²) · x + (gradient of Σ x y) · y
struct cosine_gradient_function {
  template <class Real> AMPHORA_HD constexpr Real value(Real of_square, Real of_product, Real x, Real y) const { return add_once(multiply_once(2 * of_square, x), multiply_once(of_product, y)); }
  template <class Real> AMPHORA_HD constexpr Real slope(by<0>, Real h, Real, Real, Real x, Real) const { return 2 * h * x; }
  template <class Real> AMPHORA_HD constexpr Real slope(by<1>, Real h, Real, Real, Real, Real y) const { return h * y; }
  template <class Real> AMPHORA_HD constexpr Real slope(by<2>, Real h, Real of_square, Real, Real, Real) const { return 2 * h * of_square; }
  template <class Real> AMPHORA_HD constexpr Real slope(by<3>, Real h, Real, Real of_product, Real, Real) const { return h * of_product; }
};

/// The sums of a call, and the gradients of x and y that follow from them.
template <class Policy, class Format, class Context, class X, class Z, class T>
struct cosine_rows {
  using sums = tensor_of_t<Format, Context>;
  Context& context;
  view<const X> x;
  view<const Z> y;
  row_shapes shapes;
  view<const T> sign;
  cosine_loss_function f;
  batch all;
  sums xy, xx, yy;

  cosine_rows(const char* call, Context& its_context, const view<const X>& its_x, const view<const Z>& its_y, const view<const T>& t, double margin, reduction r)
      : context(its_context), x(its_x), y(its_y), shapes(call, broadcast(call, x.shape(), y.shape())), sign(signs(call, t)), f{margin}, all(r),
        xy(row_sums<Format>(context, product_function{}, shapes, x, y)), xx(row_sums<Format>(context, product_function{}, shapes, x, x)), yy(row_sums<Format>(context, product_function{}, shapes, y, y)) {}

  view<const T> signs(const char* call, const view<const T>& t) const {
    require_shape(call, "signs", t.shape(), shapes.rows);
    return t.reshaped(shapes.kept);
  }
  /// K = 0: of x, 1: of y.
  template <int K, class Target, class G> void gradient_into(const char* call, const Target& target, const view<const G>& grad) const {
    require_shape(call, "a gradient of the loss", grad.shape(), all.of(shapes.rows));
    require_shape(call, "a gradient", memory_of(target).shape(), K == 0 ? x.shape() : y.shape());
    const auto of_product = row_slope<0, Format, Policy, op::cosine_embedding_loss>(context, f, all, shapes, grad, xy, xx, yy, sign);
    const auto of_square = row_slope<K + 1, Format, Policy, op::cosine_embedding_loss>(context, f, all, shapes, grad, xy, xx, yy, sign);
    const element_value<cosine_gradient_function> gradient{};
    if constexpr (K == 0) map_sum(list<Format, Format, format_of_t<X>, format_of_t<Z>>{}, context, gradient, shapes.wide, target, operand(of_square), operand(of_product), x, y);
    else map_sum(list<Format, Format, format_of_t<Z>, format_of_t<X>>{}, context, gradient, shapes.wide, target, operand(of_square), operand(of_product), y, x);
  }
};
template <class Policy, class Context, class X, class Z, class T>
auto cosine_rows_of(const char* call, Context& context, const view<const X>& x, const view<const Z>& y, const view<const T>& t, double margin, reduction r) {
  return cosine_rows<Policy, arithmetic_format_t<format_of_t<X>, format_of_t<Z>>, Context, X, Z, T>(call, context, x, y, t, margin, r);
}

}  // namespace detail

/// 1 − cos(x, y) where t is 1, max(0, cos(x, y) − margin) where it is −1, for each row: a sensitive op, in float whatever comes in.
///
/// x, y    [..., length], shapes that broadcast
/// t       1 or −1, [...], in a floating format
/// Value   a scalar, or [...] without a reduction, in the policy's output format
/// Errors  shape
template <class Policy, class Context, class X, class Z, class T, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto cosine_embedding_loss(Context& context, const X& x, const Z& y, const T& t, reduction r = reduction::mean, double margin = 0) {
  using namespace detail;
  using result = result_t<Policy, op::cosine_embedding_loss, Context, X, Z>;
  if constexpr (may_call<Policy, op::cosine_embedding_loss, X, Z>())
    return made<result>(context, loss_shape(r, row_shapes("cosine_embedding_loss", broadcast("cosine_embedding_loss", operand(x).shape(), operand(y).shape())).rows),
                        [&](auto value) { cosine_embedding_loss<Policy>(context, into(value), x, y, t, r, margin); });
  else return result{};
}
template <class Policy, class Context, class V, class X, class Z, class T>
void cosine_embedding_loss(Context& context, into<V> value, const X& x, const Z& y, const T& t, reduction r = reduction::mean, double margin = 0) {
  using namespace detail;
  if constexpr (require_into<Policy, op::cosine_embedding_loss, V, X, Z>()) {
    const auto rows = cosine_rows_of<Policy>("cosine_embedding_loss", context, operand(x), operand(y), operand(t), margin, r);
    rows_into<accumulate_t<Policy, op::cosine_embedding_loss, given_t<X>, given_t<Z>>>("cosine_embedding_loss", context, rows.f, rows.all, rows.shapes, value, rows.xy, rows.xx, rows.yy, rows.sign);
  }
}

/// The gradients of cosine_embedding_loss by x and y; of order 1e6 at a row of zeros, as in PyTorch.
///
/// grad    of the loss: a scalar on the device, or [...] without a reduction
/// gx, gy  into(view), add_to(view) or no_gradient{}
template <class Policy, class Context, class G, class X, class Z, class T, class GX, class GY, std::enable_if_t<detail::is_gradient_choice_v<GX>, int> = 0>
void cosine_embedding_loss_backward(Context& context, const G& grad, const X& x, const Z& y, const T& t, const GX& gx, const GY& gy, reduction r = reduction::mean, double margin = 0) {
  using namespace detail;
  if constexpr (may_call<Policy, op::cosine_embedding_loss, X, Z>()) {
    const auto rows = cosine_rows_of<Policy>("cosine_embedding_loss_backward", context, operand(x), operand(y), operand(t), margin, r);
    if constexpr (is_gradient_target_v<GX>) rows.template gradient_into<0>("cosine_embedding_loss_backward", gx, operand(grad));
    if constexpr (is_gradient_target_v<GY>) rows.template gradient_into<1>("cosine_embedding_loss_backward", gy, operand(grad));
  }
}
template <class Policy, class Context, class G, class X, class Z, class T, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto cosine_embedding_loss_backward(Context& context, const G& grad, const X& x, const Z& y, const T& t, reduction r = reduction::mean, double margin = 0) {
  auto result = detail::fresh_pair(context, x, y);
  cosine_embedding_loss_backward<Policy>(context, grad, x, y, t, into(result.first), into(result.second), r, margin);
  return result;
}

}}  // namespace amphora
