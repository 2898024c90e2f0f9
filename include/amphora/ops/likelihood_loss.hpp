// Negative logarithms of likelihoods: Poisson's and the normal distribution's, and the Kullback-Leibler divergence, forward and backward.
#pragma once
#include <amphora/detail/config.hpp>  // AMPHORA_HD
#include <amphora/format/real.hpp>    // add_once, multiply_once
#include <amphora/op/loss.hpp>        // op::poisson_nll_loss, op::gaussian_nll_loss, op::kl_div
#include <amphora/ops/loss.hpp>       // loss_made, loss_slopes, reduction

#include <cmath>  // exp, log

namespace amphora { inline namespace AMPHORA_ABI {

struct poisson_nll_settings {
  amphora::reduction reduction = reduction::mean;
  bool log_input = true;  ///< x is the logarithm of the rate
  bool full = false;      ///< Stirling's approximation of log t! is added where t > 1
  double eps = 1e-8;      ///< is added to a rate before its logarithm
};
struct gaussian_nll_settings {
  amphora::reduction reduction = reduction::mean;
  bool full = false;  ///< log(2 π) / 2 is added
  double eps = 1e-6;  ///< the least variance
};
struct kl_div_settings {
  amphora::reduction reduction = reduction::mean;
  bool log_target = false;  ///< t is a logarithm, as x is
  bool batch_mean = false;  ///< a mean divides by the first extent and not by all elements: the divergence itself (PyTorch's batchmean)
};

namespace detail {

struct poisson_nll_function {
  bool log_input, full;
  double eps;
  template <class Real> AMPHORA_HD Real value(Real x, Real t) const {
    const Real loss = log_input ? add_once(std::exp(x), -multiply_once(t, x)) : add_once(x, -multiply_once(t, std::log(x + static_cast<Real>(eps))));
    if (!full || !(t > 1)) return loss;
    return loss + add_once(add_once(multiply_once(t, std::log(t)), -t), multiply_once(Real(0.5), std::log(Real(6.2831853071795865) * t)));
  }
  template <class Real> AMPHORA_HD Real slope(by<0>, Real grad, Real x, Real t) const {
    return grad * (log_input ? std::exp(x) - t : 1 - t / (x + static_cast<Real>(eps)));
  }
  template <class Real> AMPHORA_HD Real curvature(by<0>, by<0>, Real h, Real x, Real t) const {
    const Real rate = x + static_cast<Real>(eps);
    return log_input ? h * std::exp(x) : h * (t / rate / rate);
  }
};

struct gaussian_nll_function {
  bool full;
  double eps;
  template <class Real> AMPHORA_HD constexpr Real at_least(Real var) const { return var < static_cast<Real>(eps) ? static_cast<Real>(eps) : var; }
  template <class Real> AMPHORA_HD Real value(Real x, Real t, Real var) const {
    const Real v = at_least(var), d = x - t;
    return multiply_once(Real(0.5), add_once(std::log(v), multiply_once(d, d) / v) + (full ? Real(1.8378770664093454) : Real(0)));
  }
  template <class Real> AMPHORA_HD constexpr Real slope(by<0>, Real grad, Real x, Real t, Real var) const { return grad * ((x - t) / at_least(var)); }
  template <class Real> AMPHORA_HD constexpr Real slope(by<1>, Real grad, Real x, Real t, Real var) const { return grad * ((t - x) / at_least(var)); }
  template <class Real> AMPHORA_HD constexpr Real slope(by<2>, Real grad, Real x, Real t, Real var) const {
    const Real v = at_least(var), u = (x - t) / v;
    return grad * (add_once(1 / v, -multiply_once(u, u)) / 2);
  }
  template <int K, int J, class Real> AMPHORA_HD constexpr Real curvature(by<K>, by<J>, Real h, Real x, Real t, Real var) const {
    const Real v = at_least(var), u = (x - t) / v;
    if (K < 2 && J < 2) return K == J ? h / v : -h / v;
    if (K == 2 && J == 2) return h * (add_once(multiply_once(u, u), Real(-0.5) / v) / v);
    return (K == 0 || J == 0 ? -h : h) * (u / v);
  }
};

/// What t = 0 is worth: 0, unless x is infinite; the gradient of t is NaN there, as in PyTorch.
struct kl_div_function {
  bool log_target;
  template <class Real> AMPHORA_HD Real value(Real x, Real t) const {
    if (log_target) return multiply_once(std::exp(t), t - x);
    return add_once(t == 0 ? Real(0) : multiply_once(t, std::log(t)), -multiply_once(t, x));
  }
  template <class Real> AMPHORA_HD Real slope(by<0>, Real grad, Real, Real t) const { return -grad * (log_target ? std::exp(t) : t); }
  template <class Real> AMPHORA_HD Real slope(by<1>, Real grad, Real x, Real t) const {
    return grad * (log_target ? std::exp(t) * (t - x + 1) : (t == 0 ? Real(0) : std::log(t)) + t / t - x);
  }
  template <class Real> AMPHORA_HD Real curvature(by<0>, by<1>, Real h, Real, Real t) const { return -h * (log_target ? std::exp(t) : Real(1)); }
  template <class Real> AMPHORA_HD Real curvature(by<1>, by<0>, Real h, Real, Real t) const { return -h * (log_target ? std::exp(t) : Real(1)); }
  template <class Real> AMPHORA_HD Real curvature(by<1>, by<1>, Real h, Real x, Real t) const { return log_target ? h * (std::exp(t) * (t - x + 2)) : h / t; }
};
inline batch kl_div_batch(const kl_div_settings& settings) { return {settings.reduction, settings.batch_mean}; }

}  // namespace detail

/// exp(x) − t · x, or x − t · log(x + eps) of a rate: −log of Poisson's probability of t, but for log t!, under the rules of l1_loss.
///
/// x, t    shapes that broadcast
/// t       counts, in a floating format
/// Errors  shape
template <class Policy, class Context, class X, class T, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto poisson_nll_loss(Context& context, const X& x, const T& t, const poisson_nll_settings& settings = {}) {
  return detail::loss_made<Policy, op::poisson_nll_loss>("poisson_nll_loss", context, detail::poisson_nll_function{settings.log_input, settings.full, settings.eps}, settings.reduction, x, t);
}
template <class Policy, class Context, class Y, class X, class T>
void poisson_nll_loss(Context& context, into<Y> y, const X& x, const T& t, const poisson_nll_settings& settings = {}) {
  detail::loss_into<Policy, op::poisson_nll_loss>("poisson_nll_loss", context, detail::poisson_nll_function{settings.log_input, settings.full, settings.eps}, settings.reduction, y, x, t);
}

/// The gradient of poisson_nll_loss by x.
///
/// grad  of the loss: a scalar on the device, or the broadcast shape without a reduction
template <class Policy, class Context, class G, class X, class T, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto poisson_nll_loss_backward(Context& context, const G& grad, const X& x, const T& t, const poisson_nll_settings& settings = {}) {
  return detail::loss_slope<Policy, op::poisson_nll_loss>("poisson_nll_loss_backward", context, detail::poisson_nll_function{settings.log_input, settings.full, settings.eps}, settings.reduction, grad, x, t);
}
template <class Policy, class Context, class Target, class G, class X, class T, std::enable_if_t<detail::is_gradient_target_v<Target>, int> = 0>
void poisson_nll_loss_backward(Context& context, const Target& gx, const G& grad, const X& x, const T& t, const poisson_nll_settings& settings = {}) {
  detail::loss_slope_into<0, Policy, op::poisson_nll_loss>("poisson_nll_loss_backward", context, detail::poisson_nll_function{settings.log_input, settings.full, settings.eps}, settings.reduction, gx, grad, x, t);
}

/// −log of the normal density at t, but for its constant: (log var + (x − t)² / var) / 2, under the rules of l1_loss.
///
/// x, t, var  shapes that broadcast; var is not below eps, a smaller one counts as eps and yet takes the gradient of that, as in PyTorch
/// Errors     shape
template <class Policy, class Context, class X, class T, class V, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto gaussian_nll_loss(Context& context, const X& x, const T& t, const V& var, const gaussian_nll_settings& settings = {}) {
  return detail::loss_made<Policy, op::gaussian_nll_loss>("gaussian_nll_loss", context, detail::gaussian_nll_function{settings.full, settings.eps}, settings.reduction, x, t, var);
}
template <class Policy, class Context, class Y, class X, class T, class V>
void gaussian_nll_loss(Context& context, into<Y> y, const X& x, const T& t, const V& var, const gaussian_nll_settings& settings = {}) {
  detail::loss_into<Policy, op::gaussian_nll_loss>("gaussian_nll_loss", context, detail::gaussian_nll_function{settings.full, settings.eps}, settings.reduction, y, x, t, var);
}

/// The gradients of gaussian_nll_loss.
///
/// gx, gt, gv  into(view), add_to(view) or no_gradient{}
template <class Policy, class Context, class G, class X, class T, class V, class GX, class GT, class GV, std::enable_if_t<detail::is_gradient_choice_v<GX>, int> = 0>
void gaussian_nll_loss_backward(Context& context, const G& grad, const X& x, const T& t, const V& var, const GX& gx, const GT& gt, const GV& gv,
                                const gaussian_nll_settings& settings = {}) {
  const detail::gaussian_nll_function f{settings.full, settings.eps};
  detail::loss_slopes_into<Policy, op::gaussian_nll_loss>("gaussian_nll_loss_backward", context, f, settings.reduction, gx, gt, grad, x, t, var);
  detail::loss_slope_into<2, Policy, op::gaussian_nll_loss>("gaussian_nll_loss_backward", context, f, settings.reduction, gv, grad, x, t, var);
}
template <class Policy, class Context, class G, class X, class T, class V>
auto gaussian_nll_loss_backward(Context& context, const G& grad, const X& x, const T& t, const V& var, const gaussian_nll_settings& settings = {}) {
  using namespace detail;
  gradient_triple<gradient_of_t<X, Context>, gradient_of_t<T, Context>, gradient_of_t<V, Context>> result{
      {context, operand(x).shape()}, {context, operand(t).shape()}, {context, operand(var).shape()}};
  gaussian_nll_loss_backward<Policy>(context, grad, x, t, var, into(result.first), into(result.second), into(result.third), settings);
  return result;
}

/// t · (log t − x), which summed over a distribution t is the divergence from one whose logarithm is x, under the rules of l1_loss.
///
/// x       logarithms of probabilities
/// t       probabilities, or their logarithms with log_target; shapes that broadcast
/// Errors  shape
template <class Policy, class Context, class X, class T, std::enable_if_t<detail::is_operand_v<X>, int> = 0>
auto kl_div(Context& context, const X& x, const T& t, const kl_div_settings& settings = {}) {
  return detail::loss_made<Policy, op::kl_div>("kl_div", context, detail::kl_div_function{settings.log_target}, detail::kl_div_batch(settings), x, t);
}
template <class Policy, class Context, class Y, class X, class T>
void kl_div(Context& context, into<Y> y, const X& x, const T& t, const kl_div_settings& settings = {}) {
  detail::loss_into<Policy, op::kl_div>("kl_div", context, detail::kl_div_function{settings.log_target}, detail::kl_div_batch(settings), y, x, t);
}

/// The gradients of kl_div.
///
/// gx, gt  into(view), add_to(view) or no_gradient{}
template <class Policy, class Context, class G, class X, class T, class GX, class GT, std::enable_if_t<detail::is_gradient_choice_v<GX>, int> = 0>
void kl_div_backward(Context& context, const G& grad, const X& x, const T& t, const GX& gx, const GT& gt, const kl_div_settings& settings = {}) {
  detail::loss_slopes_into<Policy, op::kl_div>("kl_div_backward", context, detail::kl_div_function{settings.log_target}, detail::kl_div_batch(settings), gx, gt, grad, x, t);
}
template <class Policy, class Context, class G, class X, class T>
auto kl_div_backward(Context& context, const G& grad, const X& x, const T& t, const kl_div_settings& settings = {}) {
  return detail::loss_slopes<Policy, op::kl_div>("kl_div_backward", context, detail::kl_div_function{settings.log_target}, detail::kl_div_batch(settings), grad, x, t);
}

}}  // namespace amphora
