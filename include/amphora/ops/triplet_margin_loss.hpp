// The loss of an anchor that is to be nearer to one row than to another, forward and backward.
#pragma once
#include <amphora/detail/config.hpp>  // AMPHORA_HD
#include <amphora/format/real.hpp>    // add_once, multiply_once
#include <amphora/op/loss.hpp>        // op::triplet_margin_loss
#include <amphora/ops/row_loss.hpp>   // row_shapes, row_sums, rows_into, row_slope

#include <cmath>        // pow, sqrt
#include <optional>     // optional
#include <type_traits>  // enable_if_t

namespace amphora { inline namespace AMPHORA_ABI {

struct triplet_margin_settings {
  amphora::reduction reduction = reduction::mean;
  double margin = 1;
  double p = 2;        ///< of the norm that is the distance, positive and finite
  double eps = 1e-6;   ///< is added to each difference
  bool swap = false;   ///< the negative's distance is the smaller one of that from the anchor and that from the positive
};

namespace detail {

/// |x − y + eps| to the power of p, and what follows from it.
struct power_distance_function {
  double p, eps;
  template <class Real> AMPHORA_HD Real size(Real x, Real y) const {
    const Real d = x - y + static_cast<Real>(eps);
    return d < 0 ? -d : d;
  }
  template <class Real> AMPHORA_HD Real value(Real x, Real y) const {
    const Real d = size(x, y);
    return p == 1 ? d : p == 2 ? multiply_once(d, d) : std::pow(d, static_cast<Real>(p));
  }
  /// By x; by y it is the negative.
  template <class Real> AMPHORA_HD Real rise(Real x, Real y) const {
    const Real d = x - y + static_cast<Real>(eps), size = d < 0 ? -d : d;
    const Real rise = p == 1 ? Real(1) : p == 2 ? 2 * size : static_cast<Real>(p) * std::pow(size, static_cast<Real>(p - 1));
    return d > 0 ? rise : d < 0 ? -rise : d * 0;  // NaN stays
  }
  template <class Real> AMPHORA_HD Real bent(Real x, Real y) const {
    const Real d = size(x, y);
    if (p == 1 || (p < 2 && d == 0)) return 0;
    return p == 2 ? Real(2) : static_cast<Real>(p * (p - 1)) * std::pow(d, static_cast<Real>(p - 2));
  }
  template <int K, class Real> AMPHORA_HD Real slope(by<K>, Real grad, Real x, Real y) const { return (K == 0 ? grad : -grad) * rise(x, y); }
  template <int K, int J, class Real> AMPHORA_HD Real curvature(by<K>, by<J>, Real h, Real x, Real y) const { return (K == J ? h : -h) * bent(x, y); }
};

/// Of the sums of powers between anchor and positive, anchor and negative, and with Swap positive and negative.
template <bool Swap>
struct triplet_function {
  double margin, p;

  template <class Real> AMPHORA_HD Real root(Real q) const { return p == 1 ? q : p == 2 ? std::sqrt(q) : std::pow(q, static_cast<Real>(1 / p)); }
  template <class Real> AMPHORA_HD Real root_slope(Real q) const { return q == 0 ? Real(0) : root(q) / (static_cast<Real>(p) * q); }
  template <class Real> AMPHORA_HD Real root_bend(Real q) const { return q == 0 ? Real(0) : root_slope(q) * (static_cast<Real>(1 / p - 1) / q); }
  template <class Real> AMPHORA_HD Real negative(Real of_anchor) const { return root(of_anchor); }
  template <class Real> AMPHORA_HD Real negative(Real of_anchor, Real of_positive) const { return root(of_positive < of_anchor ? of_positive : of_anchor); }
  template <class Real, class... Negative> AMPHORA_HD bool counts(Real positive, Negative... q) const { return static_cast<Real>(margin) + root(positive) - negative(q...) > 0; }
  /// How much of the negative's distance is that sum's: half where they are equal.
  template <class Real> AMPHORA_HD static Real share(Real, by<1>) { return 1; }
  template <int K, class Real> AMPHORA_HD static Real share(Real of_anchor, Real of_positive, by<K>) {
    return of_anchor == of_positive ? Real(0.5) : (of_anchor < of_positive) == (K == 1) ? Real(1) : Real(0);
  }
  template <class Real> AMPHORA_HD static Real sum(by<1>, Real of_anchor) { return of_anchor; }
  template <class Real> AMPHORA_HD static Real sum(by<1>, Real of_anchor, Real) { return of_anchor; }
  template <class Real> AMPHORA_HD static Real sum(by<2>, Real, Real of_positive) { return of_positive; }

  template <class Real, class... Negative> AMPHORA_HD Real value(Real positive, Negative... q) const {
    const Real loss = static_cast<Real>(margin) + root(positive) - negative(q...);
    return loss < 0 ? Real(0) : loss;
  }
  template <class Real, class... Negative> AMPHORA_HD Real slope(by<0>, Real grad, Real positive, Negative... q) const { return counts(positive, q...) ? grad * root_slope(positive) : Real(0); }
  template <int K, class Real, class... Negative> AMPHORA_HD auto slope(by<K> k, Real grad, Real positive, Negative... q) const -> std::enable_if_t<K != 0, Real> {
    return counts(positive, q...) ? -grad * share(q..., k) * root_slope(sum(k, q...)) : Real(0);
  }
  template <class Real, class... Negative> AMPHORA_HD Real curvature(by<0>, by<0>, Real h, Real positive, Negative... q) const { return counts(positive, q...) ? h * root_bend(positive) : Real(0); }
  template <int K, class Real, class... Negative> AMPHORA_HD auto curvature(by<K> k, by<K>, Real h, Real positive, Negative... q) const -> std::enable_if_t<K != 0, Real> {
    return counts(positive, q...) ? -h * share(q..., k) * root_bend(sum(k, q...)) : Real(0);
  }
};

/// What one row gets of the sums that it is part of: gradient of the sum · rise, from one of them or two. First says whether it is the first of the two rows.
template <bool First>
struct triplet_gradient_function {
  power_distance_function d;
  template <class Real> AMPHORA_HD Real rise(Real own, Real other) const { return First ? d.rise(own, other) : -d.rise(other, own); }
  template <class Real> AMPHORA_HD Real bent(Real own, Real other) const { return First ? d.bent(own, other) : d.bent(other, own); }
  template <class Real> AMPHORA_HD Real value(Real g, Real own, Real other) const { return multiply_once(g, rise(own, other)); }
  template <class Real> AMPHORA_HD Real slope(by<0>, Real h, Real, Real own, Real other) const { return h * rise(own, other); }
  template <class Real> AMPHORA_HD Real slope(by<1>, Real h, Real g, Real own, Real other) const { return h * g * bent(own, other); }
  template <class Real> AMPHORA_HD Real slope(by<2>, Real h, Real g, Real own, Real other) const { return -h * g * bent(own, other); }
};
template <bool First, bool FirstToo>
struct triplet_gradients_function {
  triplet_gradient_function<First> a;
  triplet_gradient_function<FirstToo> b;
  template <class Real> AMPHORA_HD Real value(Real g, Real f, Real own, Real other, Real another) const { return add_once(a.value(g, own, other), b.value(f, own, another)); }
  template <class Real> AMPHORA_HD Real slope(by<0>, Real h, Real, Real, Real own, Real other, Real) const { return h * a.rise(own, other); }
  template <class Real> AMPHORA_HD Real slope(by<1>, Real h, Real, Real, Real own, Real, Real another) const { return h * b.rise(own, another); }
  template <class Real> AMPHORA_HD Real slope(by<2>, Real h, Real g, Real f, Real own, Real other, Real another) const {
    return add_once(a.slope(by<1>{}, h, g, own, other), b.slope(by<1>{}, h, f, own, another));
  }
  template <class Real> AMPHORA_HD Real slope(by<3>, Real h, Real g, Real, Real own, Real other, Real) const { return a.slope(by<2>{}, h, g, own, other); }
  template <class Real> AMPHORA_HD Real slope(by<4>, Real h, Real, Real f, Real own, Real, Real another) const { return b.slope(by<2>{}, h, f, own, another); }
};

inline void require_triplet_settings(const char* call, const triplet_margin_settings& settings) {
  if (!(settings.p > 0 && settings.p <= 1e6)) fail("setting", call, " has p = ", settings.p, "; it must be positive and finite");
}

/// The sums of a call, and the gradients that follow from them.
template <class Policy, class Format, class Context, class A, class P, class N>
struct triplet_rows {
  using sums = tensor_of_t<Format, Context>;
  Context& context;
  view<const A> anchor;
  view<const P> positive;
  view<const N> negative;
  triplet_margin_settings settings;
  row_shapes shapes;
  power_distance_function d;
  sums to_positive, to_negative;
  std::optional<sums> between;

  triplet_rows(const char* call, Context& its_context, const view<const A>& a, const view<const P>& p, const view<const N>& n, const triplet_margin_settings& s)
      : context(its_context), anchor(a), positive(p), negative(n), settings(s), shapes(call, broadcast_all(call, a.shape(), p.shape(), n.shape())), d{s.p, s.eps},
        to_positive(row_sums<Format>(context, d, shapes, a, p)), to_negative(row_sums<Format>(context, d, shapes, a, n)) {
    require_triplet_settings(call, s);
    if (s.swap) between = row_sums<Format>(context, d, shapes, p, n);
  }
  batch all() const { return settings.reduction; }
  /// Calls go(function, sums…).
  template <class Go> void with_sums(const Go& go) const {
    if (settings.swap) go(triplet_function<true>{settings.margin, settings.p}, to_positive, to_negative, *between);
    else go(triplet_function<false>{settings.margin, settings.p}, to_positive, to_negative);
  }
  template <int K, class G> sums slope(const view<const G>& grad) const {
    if (settings.swap) return row_slope<K, Format, Policy, op::triplet_margin_loss>(context, triplet_function<true>{settings.margin, settings.p}, all(), shapes, grad, to_positive, to_negative, *between);
    if constexpr (K < 2) return row_slope<K, Format, Policy, op::triplet_margin_loss>(context, triplet_function<false>{settings.margin, settings.p}, all(), shapes, grad, to_positive, to_negative);
    else return sums(context, shapes.kept);  // not reached
  }
  template <bool First, class Target, class Own, class Other>
  void one(const Target& target, const sums& g, const view<const Own>& own, const view<const Other>& other) const {
    map_sum(list<Format, format_of_t<Own>, format_of_t<Other>>{}, context, element_value<triplet_gradient_function<First>>{{d}}, shapes.wide, target, operand(g), own, other);
  }
  template <bool First, bool FirstToo, class Target, class Own, class Other, class Another>
  void two(const Target& target, const sums& g, const sums& f, const view<const Own>& own, const view<const Other>& other, const view<const Another>& another) const {
    map_sum(list<Format, Format, format_of_t<Own>, format_of_t<Other>, format_of_t<Another>>{}, context, element_value<triplet_gradients_function<First, FirstToo>>{{{d}, {d}}}, shapes.wide,
            target, operand(g), operand(f), own, other, another);
  }
  template <int K, class Target, class G> void gradient_into(const char* call, const Target& target, const view<const G>& grad) const {
    require_shape(call, "a gradient of the loss", grad.shape(), all().of(shapes.rows));
    require_shape(call, "a gradient", memory_of(target).shape(), K == 0 ? anchor.shape() : K == 1 ? positive.shape() : negative.shape());
    if constexpr (K == 0) two<true, true>(target, slope<0>(grad), slope<1>(grad), anchor, positive, negative);
    else if constexpr (K == 1) settings.swap ? two<false, true>(target, slope<0>(grad), slope<2>(grad), positive, anchor, negative) : one<false>(target, slope<0>(grad), positive, anchor);
    else settings.swap ? two<false, false>(target, slope<1>(grad), slope<2>(grad), negative, anchor, positive) : one<false>(target, slope<1>(grad), negative, anchor);
  }
};
template <class Policy, class Context, class A, class P, class N>
auto triplet_rows_of(const char* call, Context& context, const view<const A>& a, const view<const P>& p, const view<const N>& n, const triplet_margin_settings& settings) {
  return triplet_rows<Policy, arithmetic_format_t<format_of_t<A>, format_of_t<P>, format_of_t<N>>, Context, A, P, N>(call, context, a, p, n, settings);
}

}  // namespace detail

/// max(0, margin + |anchor − positive| − |anchor − negative|) for each row: a sensitive op, in float whatever comes in.
///
/// anchor, positive, negative  [..., length], shapes that broadcast
/// Value                       a scalar, or [...] without a reduction, in the policy's output format
/// Errors                      shape, setting
template <class Policy, class Context, class A, class P, class N, std::enable_if_t<detail::is_operand_v<A>, int> = 0>
auto triplet_margin_loss(Context& context, const A& anchor, const P& positive, const N& negative, const triplet_margin_settings& settings = {}) {
  using namespace detail;
  using result = result_t<Policy, op::triplet_margin_loss, Context, A, P, N>;
  if constexpr (may_call<Policy, op::triplet_margin_loss, A, P, N>())
    return made<result>(context, loss_shape(settings.reduction, row_shapes("triplet_margin_loss", broadcast_all("triplet_margin_loss", operand(anchor).shape(), operand(positive).shape(), operand(negative).shape())).rows),
                        [&](auto value) { triplet_margin_loss<Policy>(context, into(value), anchor, positive, negative, settings); });
  else return result{};
}
template <class Policy, class Context, class V, class A, class P, class N>
void triplet_margin_loss(Context& context, into<V> value, const A& anchor, const P& positive, const N& negative, const triplet_margin_settings& settings = {}) {
  using namespace detail;
  if constexpr (require_into<Policy, op::triplet_margin_loss, V, A, P, N>()) {
    const auto rows = triplet_rows_of<Policy>("triplet_margin_loss", context, operand(anchor), operand(positive), operand(negative), settings);
    rows.with_sums([&](const auto& f, const auto&... sums) {
      rows_into<accumulate_t<Policy, op::triplet_margin_loss, given_t<A>, given_t<P>, given_t<N>>>("triplet_margin_loss", context, f, rows.all(), rows.shapes, value, sums...);
    });
  }
}

/// The gradients of triplet_margin_loss: 0 where the loss is, and at a distance of 0.
///
/// grad        of the loss: a scalar on the device, or [...] without a reduction
/// ga, gp, gn  into(view), add_to(view) or no_gradient{}
template <class Policy, class Context, class G, class A, class P, class N, class GA, class GP, class GN, std::enable_if_t<detail::is_gradient_choice_v<GA>, int> = 0>
void triplet_margin_loss_backward(Context& context, const G& grad, const A& anchor, const P& positive, const N& negative, const GA& ga, const GP& gp, const GN& gn,
                                  const triplet_margin_settings& settings = {}) {
  using namespace detail;
  if constexpr (may_call<Policy, op::triplet_margin_loss, A, P, N>()) {
    const auto rows = triplet_rows_of<Policy>("triplet_margin_loss_backward", context, operand(anchor), operand(positive), operand(negative), settings);
    if constexpr (is_gradient_target_v<GA>) rows.template gradient_into<0>("triplet_margin_loss_backward", ga, operand(grad));
    if constexpr (is_gradient_target_v<GP>) rows.template gradient_into<1>("triplet_margin_loss_backward", gp, operand(grad));
    if constexpr (is_gradient_target_v<GN>) rows.template gradient_into<2>("triplet_margin_loss_backward", gn, operand(grad));
  }
}
template <class Policy, class Context, class G, class A, class P, class N, std::enable_if_t<detail::is_operand_v<G>, int> = 0>
auto triplet_margin_loss_backward(Context& context, const G& grad, const A& anchor, const P& positive, const N& negative, const triplet_margin_settings& settings = {}) {
  using namespace detail;
  gradient_triple<gradient_of_t<A, Context>, gradient_of_t<P, Context>, gradient_of_t<N, Context>> result{
      {context, operand(anchor).shape()}, {context, operand(positive).shape()}, {context, operand(negative).shape()}};
  triplet_margin_loss_backward<Policy>(context, grad, anchor, positive, negative, into(result.first), into(result.second), into(result.third), settings);
  return result;
}

}}  // namespace amphora
