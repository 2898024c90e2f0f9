// Binary cross entropy, of logits and of probabilities, forward and backward.
#pragma once
#include <amphora/detail/config.hpp>       // AMPHORA_HD
#include <amphora/format/real.hpp>         // add_once, multiply_once
#include <amphora/op/loss.hpp>             // op::binary_cross_entropy_with_logits, op::binary_cross_entropy
#include <amphora/ops/loss.hpp>            // loss_made, loss_slopes
#include <amphora/ops/loss_reduction.hpp>  // reduction, no_weights

#include <cmath>        // exp, log, log1p
#include <type_traits>  // is_same_v

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// What weighs an element, and what weighs its positive part.
template <class Real> struct element_weights { Real all, positive; };

/// Of x and t, and behind them of the weights and the positive weights, where there are such.
template <bool Weighted, bool Positive>
struct bce_with_logits_function {
  template <class Real> AMPHORA_HD static constexpr element_weights<Real> chosen(Real) { return {1, 1}; }
  template <class Real> AMPHORA_HD static constexpr element_weights<Real> chosen(Real, Real one) { return {Weighted ? one : Real(1), Weighted ? Real(1) : one}; }
  template <class Real> AMPHORA_HD static constexpr element_weights<Real> chosen(Real, Real all, Real positive) { return {all, positive}; }
  /// log(1 + exp(x)), given that of −|x|.
  template <class Real> AMPHORA_HD static constexpr Real above(Real x, Real rest) { return x > 0 ? x + rest : rest; }
  /// A part that weighs nothing adds nothing, however large its logarithm.
  template <class Real> AMPHORA_HD static constexpr Real part(Real share, Real loss) { return share == 0 ? Real(0) : multiply_once(share, loss); }

  template <class Real, class... W> AMPHORA_HD Real value(Real x, Real t, W... weights) const {
    const element_weights<Real> w = chosen(t, weights...);
    const Real rest = std::log1p(std::exp(x > 0 ? -x : x));
    return multiply_once(w.all, add_once(part(t * w.positive, above(-x, rest)), part(1 - t, above(x, rest))));
  }
  template <class Real, class... W> AMPHORA_HD Real slope(by<0>, Real grad, Real x, Real t, W... weights) const {
    const element_weights<Real> w = chosen(t, weights...);
    const Real e = std::exp(x > 0 ? -x : x), large = 1 / (1 + e), rest = e / (1 + e);
    return grad * w.all * add_once(multiply_once(1 - t, x > 0 ? large : rest), -multiply_once(t * w.positive, x > 0 ? rest : large));
  }
  template <class Real, class... W> AMPHORA_HD Real slope(by<1>, Real grad, Real x, Real t, W... weights) const {
    const element_weights<Real> w = chosen(t, weights...);
    if (w.positive == 1) return -grad * w.all * x;
    const Real rest = std::log1p(std::exp(x > 0 ? -x : x));
    return grad * w.all * add_once(multiply_once(w.positive, above(-x, rest)), -above(x, rest));
  }
  template <class Real, class... W> AMPHORA_HD Real curvature(by<0>, by<0>, Real h, Real x, Real t, W... weights) const {
    const element_weights<Real> w = chosen(t, weights...);
    const Real e = std::exp(x > 0 ? -x : x);
    return h * w.all * add_once(1 - t, multiply_once(t, w.positive)) * (e / (1 + e) / (1 + e));
  }
  template <class Real, class... W> AMPHORA_HD Real curvature(by<0>, by<1>, Real h, Real x, Real t, W... weights) const {
    const element_weights<Real> w = chosen(t, weights...);
    const Real e = std::exp(x > 0 ? -x : x), large = 1 / (1 + e), rest = e / (1 + e);
    return -h * w.all * add_once(x > 0 ? large : rest, multiply_once(w.positive, x > 0 ? rest : large));
  }
  template <class Real, class... W> AMPHORA_HD Real curvature(by<1>, by<0>, Real h, Real x, Real t, W... weights) const { return curvature(by<0>{}, by<1>{}, h, x, t, weights...); }
};

/// PyTorch's: logarithms end at −100, and the gradient divides by at least 1e-12 (a float, in double too), though the value is flat there.
template <bool Weighted>
struct bce_function {
  template <class Real> AMPHORA_HD static constexpr Real chosen(Real) { return 1; }
  template <class Real> AMPHORA_HD static constexpr Real chosen(Real, Real w) { return w; }
  template <class Real> AMPHORA_HD static constexpr Real not_below(Real x, Real least) { return x < least ? least : x; }

  template <class Real, class... W> AMPHORA_HD Real value(Real x, Real t, W... weights) const {
    const Real positive = not_below(std::log(x), Real(-100)), negative = not_below(std::log1p(-x), Real(-100));
    return multiply_once(chosen(t, weights...), add_once(multiply_once(t - 1, negative), -multiply_once(t, positive)));
  }
  template <class Real, class... W> AMPHORA_HD Real slope(by<0>, Real grad, Real x, Real t, W... weights) const {
    return grad * chosen(t, weights...) * ((x - t) / not_below((1 - x) * x, Real(1e-12f)));
  }
  template <class Real, class... W> AMPHORA_HD Real slope(by<1>, Real grad, Real x, Real t, W... weights) const {
    return grad * chosen(t, weights...) * (std::log1p(-x) - std::log(x));
  }
  template <class Real, class... W> AMPHORA_HD Real curvature(by<0>, by<0>, Real h, Real x, Real t, W... weights) const {
    const Real d = not_below((1 - x) * x, Real(1e-12f));
    return h * chosen(t, weights...) * (add_once(multiply_once(x, x - t), multiply_once(t, 1 - x)) / d / d);
  }
  template <class Real, class... W> AMPHORA_HD Real curvature(by<0>, by<1>, Real h, Real x, Real t, W... weights) const {
    return -h * chosen(t, weights...) / not_below((1 - x) * x, Real(1e-12f));
  }
  template <class Real, class... W> AMPHORA_HD Real curvature(by<1>, by<0>, Real h, Real x, Real t, W... weights) const { return curvature(by<0>{}, by<1>{}, h, x, t, weights...); }
};

/// Calls go(function, weights…) with those weights that there are.
template <class W, class P, class Go>
auto with_logit_weights(const W& weights, const P& positive, const Go& go) {
  constexpr bool weighted = !std::is_same_v<W, no_weights>, has_positive = !std::is_same_v<P, no_weights>;
  const bce_with_logits_function<weighted, has_positive> f{};
  if constexpr (weighted && has_positive) return go(f, weights, positive);
  else if constexpr (weighted) return go(f, weights);
  else if constexpr (has_positive) return go(f, positive);
  else return go(f);
}
template <class W, class Go>
auto with_element_weights(const W& weights, const Go& go) {
  if constexpr (std::is_same_v<W, no_weights>) return go(bce_function<false>{});
  else return go(bce_function<true>{}, weights);
}

}  // namespace detail

/// −t · log s(x) − (1 − t) · log(1 − s(x)) with s the sigmoid, under the rules of l1_loss. Nowhere infinite or NaN where that is not.
///
/// x, t      logits, and probabilities of 1
/// weights   of elements, or no_weights{}
/// positive  weighs t · log s(x) alone, or no_weights{}; all are of shapes that broadcast. Weights take no gradient
/// Errors    shape
template <class Policy, class Context, class X, class T, class W = no_weights, class P = no_weights, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto binary_cross_entropy_with_logits(Context& context, const X& x, const T& t, reduction r = reduction::mean, const W& weights = {}, const P& positive = {}) {
  return detail::with_logit_weights(weights, positive, [&](const auto& f, const auto&... w) {
    return detail::loss_made<Policy, op::binary_cross_entropy_with_logits>("binary_cross_entropy_with_logits", context, f, r, x, t, w...);
  });
}
template <class Policy, class Context, class Y, class X, class T, class W = no_weights, class P = no_weights>
void binary_cross_entropy_with_logits(Context& context, into<Y> y, const X& x, const T& t, reduction r = reduction::mean, const W& weights = {}, const P& positive = {}) {
  detail::with_logit_weights(weights, positive, [&](const auto& f, const auto&... w) {
    detail::loss_into<Policy, op::binary_cross_entropy_with_logits>("binary_cross_entropy_with_logits", context, f, r, y, x, t, w...);
  });
}

/// The gradients of binary_cross_entropy_with_logits.
///
/// grad    of the loss: a scalar on the device, or the broadcast shape without a reduction
/// gx, gt  into(view), add_to(view) or no_gradient{}
template <class Policy, class Context, class G, class X, class T, class GX, class GT, class W = no_weights, class P = no_weights,
          std::enable_if_t<detail::is_gradient_choice_v<GX>, int> = 0>
void binary_cross_entropy_with_logits_backward(Context& context, const G& grad, const X& x, const T& t, const GX& gx, const GT& gt, reduction r = reduction::mean,
                                               const W& weights = {}, const P& positive = {}) {
  detail::with_logit_weights(weights, positive, [&](const auto& f, const auto&... w) {
    detail::loss_slopes_into<Policy, op::binary_cross_entropy_with_logits>("binary_cross_entropy_with_logits_backward", context, f, r, gx, gt, grad, x, t, w...);
  });
}
template <class Policy, class Context, class G, class X, class T, class W = no_weights, class P = no_weights>
auto binary_cross_entropy_with_logits_backward(Context& context, const G& grad, const X& x, const T& t, reduction r = reduction::mean, const W& weights = {}, const P& positive = {}) {
  return detail::with_logit_weights(weights, positive, [&](const auto& f, const auto&... w) {
    return detail::loss_slopes<Policy, op::binary_cross_entropy_with_logits>("binary_cross_entropy_with_logits_backward", context, f, r, grad, x, t, w...);
  });
}

/// −t · log x − (1 − t) · log(1 − x) of a probability x, each logarithm at least −100. Its gradient goes up to 1e12, so it is refused in a low
/// precision (forbidden-op): call binary_cross_entropy_with_logits there.
///
/// x, t     probabilities, f32 or f64
/// weights  of elements, or no_weights{}; shapes that broadcast
/// Errors   shape
template <class Policy, class Context, class X, class T, class W = no_weights, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto binary_cross_entropy(Context& context, const X& x, const T& t, reduction r = reduction::mean, const W& weights = {}) {
  return detail::with_element_weights(weights, [&](const auto& f, const auto&... w) {
    return detail::loss_made<Policy, op::binary_cross_entropy>("binary_cross_entropy", context, f, r, x, t, w...);
  });
}
template <class Policy, class Context, class Y, class X, class T, class W = no_weights>
void binary_cross_entropy(Context& context, into<Y> y, const X& x, const T& t, reduction r = reduction::mean, const W& weights = {}) {
  detail::with_element_weights(weights, [&](const auto& f, const auto&... w) {
    detail::loss_into<Policy, op::binary_cross_entropy>("binary_cross_entropy", context, f, r, y, x, t, w...);
  });
}

/// The gradients of binary_cross_entropy; by t it is infinite where x is 0 or 1.
///
/// gx, gt  into(view), add_to(view) or no_gradient{}
template <class Policy, class Context, class G, class X, class T, class GX, class GT, class W = no_weights, std::enable_if_t<detail::is_gradient_choice_v<GX>, int> = 0>
void binary_cross_entropy_backward(Context& context, const G& grad, const X& x, const T& t, const GX& gx, const GT& gt, reduction r = reduction::mean, const W& weights = {}) {
  detail::with_element_weights(weights, [&](const auto& f, const auto&... w) {
    detail::loss_slopes_into<Policy, op::binary_cross_entropy>("binary_cross_entropy_backward", context, f, r, gx, gt, grad, x, t, w...);
  });
}
template <class Policy, class Context, class G, class X, class T, class W = no_weights, std::enable_if_t<!detail::is_gradient_choice_v<W>, int> = 0>
auto binary_cross_entropy_backward(Context& context, const G& grad, const X& x, const T& t, reduction r = reduction::mean, const W& weights = {}) {
  return detail::with_element_weights(weights, [&](const auto& f, const auto&... w) {
    return detail::loss_slopes<Policy, op::binary_cross_entropy>("binary_cross_entropy_backward", context, f, r, grad, x, t, w...);
  });
}

}}  // namespace amphora
