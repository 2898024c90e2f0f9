// Losses of each element, of variables: errors, likelihoods, margins, binary cross entropies.
#pragma once
#include <amphora/autograd/loss.hpp>             // loss_taped
#include <amphora/ops/binary_cross_entropy.hpp>  // bce_with_logits_function, bce_function
#include <amphora/ops/l1_loss.hpp>               // l1_function, smooth_l1_function, huber_function
#include <amphora/ops/likelihood_loss.hpp>       // poisson_nll_function, gaussian_nll_function, kl_div_function
#include <amphora/ops/margin_loss.hpp>           // soft_margin_function, hinge_embedding_function, margin_ranking_function
#include <amphora/ops/mse_loss.hpp>              // mse_function

namespace amphora { inline namespace AMPHORA_ABI {

/// mse_loss as of ops/mse_loss.hpp, recorded, with derivatives of any order.
///
/// x  a variable
/// t  a variable, or a view or tensor, which is a constant and must outlive the graph
template <class Policy, class Context, class X, class T, detail::if_variables_t<X> = 0, detail::if_taped_t<T> = 0>
auto mse_loss(const tape<Context>& recording, const X& x, const T& t, reduction r = reduction::mean) {
  return detail::loss_taped<Policy, op::mse_loss>("mse_loss", recording, detail::mse_function{}, r, x, t);
}

/// As of ops/l1_loss.hpp, recorded. They have second derivatives (l1_loss none but by its gradient), by their gradients all; by their operands a third one is
/// `no-derivative`.
template <class Policy, class Context, class X, class T, detail::if_variables_t<X> = 0, detail::if_taped_t<T> = 0>
auto l1_loss(const tape<Context>& recording, const X& x, const T& t, reduction r = reduction::mean) {
  return detail::loss_taped<Policy, op::l1_loss>("l1_loss", recording, detail::l1_function{}, r, x, t);
}
template <class Policy, class Context, class X, class T, detail::if_variables_t<X> = 0, detail::if_taped_t<T> = 0>
auto smooth_l1_loss(const tape<Context>& recording, const X& x, const T& t, reduction r = reduction::mean, double beta = 1) {
  return detail::loss_taped<Policy, op::smooth_l1_loss>("smooth_l1_loss", recording, detail::smooth_l1_function("smooth_l1_loss", beta), r, x, t);
}
template <class Policy, class Context, class X, class T, detail::if_variables_t<X> = 0, detail::if_taped_t<T> = 0>
auto huber_loss(const tape<Context>& recording, const X& x, const T& t, reduction r = reduction::mean, double delta = 1) {
  return detail::loss_taped<Policy, op::huber_loss>("huber_loss", recording, detail::huber_function("huber_loss", delta), r, x, t);
}

/// As of ops/likelihood_loss.hpp, recorded, with second derivatives.
template <class Policy, class Context, class X, class T, detail::if_variables_t<X> = 0, detail::if_taped_t<T> = 0>
auto poisson_nll_loss(const tape<Context>& recording, const X& x, const T& t, const poisson_nll_settings& settings = {}) {
  return detail::loss_taped<Policy, op::poisson_nll_loss>("poisson_nll_loss", recording, detail::poisson_nll_function{settings.log_input, settings.full, settings.eps}, settings.reduction, x, t);
}
template <class Policy, class Context, class X, class T, detail::if_variables_t<X> = 0, detail::if_taped_t<T> = 0>
auto kl_div(const tape<Context>& recording, const X& x, const T& t, const kl_div_settings& settings = {}) {
  return detail::loss_taped<Policy, op::kl_div>("kl_div", recording, detail::kl_div_function{settings.log_target}, detail::kl_div_batch(settings), x, t);
}
template <class Policy, class Context, class X, class T, class V, detail::if_variables_t<X> = 0, detail::if_taped_t<T, V> = 0>
auto gaussian_nll_loss(const tape<Context>& recording, const X& x, const T& t, const V& var, const gaussian_nll_settings& settings = {}) {
  return detail::loss_taped<Policy, op::gaussian_nll_loss>("gaussian_nll_loss", recording, detail::gaussian_nll_function{settings.full, settings.eps}, settings.reduction, x, t, var);
}

/// As of ops/margin_loss.hpp, recorded, with second derivatives. Signs take no gradient.
template <class Policy, class Context, class X, class T, detail::if_variables_t<X> = 0, detail::if_taped_t<T> = 0>
auto soft_margin_loss(const tape<Context>& recording, const X& x, const T& t, reduction r = reduction::mean) {
  return detail::loss_taped<Policy, op::soft_margin_loss>("soft_margin_loss", recording, detail::soft_margin_function{}, r, x, t);
}
template <class Policy, class Context, class X, class T, detail::if_variables_t<X> = 0, detail::if_taped_t<T> = 0>
auto hinge_embedding_loss(const tape<Context>& recording, const X& x, const T& t, reduction r = reduction::mean, double margin = 1) {
  return detail::loss_taped<Policy, op::hinge_embedding_loss>("hinge_embedding_loss", recording, detail::hinge_embedding_function{margin}, r, x, t);
}
template <class Policy, class Context, class X, class Z, class T, detail::if_variables_t<X> = 0, detail::if_taped_t<Z, T> = 0>
auto margin_ranking_loss(const tape<Context>& recording, const X& x, const Z& y, const T& t, reduction r = reduction::mean, double margin = 0) {
  return detail::loss_taped<Policy, op::margin_ranking_loss>("margin_ranking_loss", recording, detail::margin_ranking_function{margin}, r, x, y, t);
}

/// As of ops/binary_cross_entropy.hpp, recorded, with second derivatives. Weights take no gradient.
template <class Policy, class Context, class X, class T, class W = no_weights, class P = no_weights, detail::if_variables_t<X> = 0, detail::if_taped_t<T> = 0>
auto binary_cross_entropy_with_logits(const tape<Context>& recording, const X& x, const T& t, reduction r = reduction::mean, const W& weights = {}, const P& positive = {}) {
  return detail::with_logit_weights(weights, positive, [&](const auto& f, const auto&... w) {
    return detail::loss_taped<Policy, op::binary_cross_entropy_with_logits>("binary_cross_entropy_with_logits", recording, f, r, x, t, w...);
  });
}
template <class Policy, class Context, class X, class T, class W = no_weights, detail::if_variables_t<X> = 0, detail::if_taped_t<T> = 0>
auto binary_cross_entropy(const tape<Context>& recording, const X& x, const T& t, reduction r = reduction::mean, const W& weights = {}) {
  return detail::with_element_weights(weights, [&](const auto& f, const auto&... w) {
    return detail::loss_taped<Policy, op::binary_cross_entropy>("binary_cross_entropy", recording, f, r, x, t, w...);
  });
}

}}  // namespace amphora
