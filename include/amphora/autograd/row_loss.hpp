// cosine_embedding_loss and triplet_margin_loss of variables.
#pragma once
#include <amphora/autograd/cast.hpp>             // reshape
#include <amphora/autograd/function.hpp>         // slope_record, product_sum_record
#include <amphora/autograd/loss.hpp>             // loss_record, taped_operand
#include <amphora/ops/cosine_embedding_loss.hpp> // cosine_rows_of
#include <amphora/ops/triplet_margin_loss.hpp>   // triplet_rows_of

#include <cstddef>  // size_t
#include <tuple>    // get, tie
#include <utility>  // index_sequence

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// f(x…) over `wide`, summed to the shape of the value. It has one derivative.
template <class Policy, class Op, class Function>
struct combination_record {
  Function f;
  shape wide;
  template <class Pass, class H, class... X> void backward(Pass& pass, const H& h, const H&, const X&... x) const { each(pass, h, std::index_sequence_for<X...>(), x...); }

 private:
  template <class Pass, class H, std::size_t... K, class... X> void each(Pass& pass, const H& h, std::index_sequence<K...>, const X&... x) const {
    (one<static_cast<int>(K)>(pass, h, std::get<K>(std::tie(x...)), x...), ...);
  }
  template <int K, class Pass, class H, class To, class... X> void one(Pass& pass, const H& h, const To& to, const X&... x) const {
    pass.write(to, [&](auto target) { slope_sum<K, Policy, Op>(pass.context(), f, wide, target, h.value(), x.value()...); });
  }
};

/// The steps of a row loss's gradient, recorded: what a pass makes that can be differentiated again.
template <class Policy, class Op, class Format, class Pass>
struct row_steps {
  Pass& pass;
  row_shapes shapes;
  batch all;

  /// The gradient of the loss beside the sums.
  template <class G> G beside(const G& grad) const { return all.reduction == reduction::none ? reshape(pass.tape(), grad, shapes.kept) : grad; }
  template <int K, class Function, class G, class... Sums> auto slope(const Function& f, const G& grad, const Sums&... sums) const {
    const averaged<Function> its{f, all.divisor(shapes.rows)};
    tensor_of_t<Format, typename Pass::context_type> value(pass.context(), shapes.kept);
    slope_sum<K, Policy, Op>(pass.context(), its, shapes.kept, into(value), grad.value(), sums.value()...);
    return record(pass.tape(), std::move(value), slope_record<Policy, Op, averaged<Function>, K>{its, shapes.kept}, grad, sums...);
  }
  /// Gives x the value of f(inputs…).
  template <class To, class Function, class... X> void give(const To& to, const Function& f, const X&... x) const {
    tensor_of_t<Format, typename Pass::context_type> value(pass.context(), to.shape());
    map_sum(list<given_t<X>...>{}, pass.context(), element_value<Function>{f}, shapes.wide, into(value), x.value()...);
    pass.give(to, record(pass.tape(), std::move(value), combination_record<Policy, Op, Function>{f, shapes.wide}, x...));
  }
};

template <class Policy, class Sign>
struct cosine_loss_record {
  Sign sign;
  double margin;
  amphora::reduction reduction;

  template <class Pass, class G, class X, class Z> void backward(Pass& pass, const G& grad, const G&, const X& x, const Z& y) const {
    if (pass.creates_graph()) return again(pass, grad, x, y);
    const auto rows = cosine_rows_of<Policy>("cosine_embedding_loss_backward", pass.context(), x.value(), y.value(), sign.value(), margin, reduction);
    pass.write(x, [&](auto target) { rows.template gradient_into<0>("cosine_embedding_loss_backward", target, grad.value()); });
    pass.write(y, [&](auto target) { rows.template gradient_into<1>("cosine_embedding_loss_backward", target, grad.value()); });
  }

 private:
  template <class Pass, class G, class X, class Z> void again(Pass& pass, const G& grad, const X& x, const Z& y) const {
    using format = arithmetic_format_t<given_t<X>, given_t<Z>>;
    const row_steps<Policy, op::cosine_embedding_loss, format, Pass> steps{pass, row_shapes("cosine_embedding_loss_backward", broadcast("cosine_embedding_loss_backward", x.shape(), y.shape())), reduction};
    const auto dot = [&](const auto& a, const auto& b) {
      return record(pass.tape(), row_sums<format>(pass.context(), product_function{}, steps.shapes, a.value(), b.value()), product_sum_record{1, steps.shapes.wide}, a, b);
    };
    const auto xy = dot(x, y), xx = dot(x, x), yy = dot(y, y);
    const auto t = sign.template in_same_memory<>(steps.shapes.kept);
    const auto g = steps.beside(grad);
    const cosine_loss_function f{margin};
    const auto of_product = steps.template slope<0>(f, g, xy, xx, yy, t);
    steps.give(x, cosine_gradient_function{}, steps.template slope<1>(f, g, xy, xx, yy, t), of_product, x, y);
    steps.give(y, cosine_gradient_function{}, steps.template slope<2>(f, g, xy, xx, yy, t), of_product, y, x);
  }
};

template <class Policy>
struct triplet_loss_record {
  triplet_margin_settings settings;

  template <class Pass, class G, class A, class P, class N> void backward(Pass& pass, const G& grad, const G&, const A& a, const P& p, const N& n) const {
    if (pass.creates_graph()) return again(pass, grad, a, p, n);
    const auto rows = triplet_rows_of<Policy>("triplet_margin_loss_backward", pass.context(), a.value(), p.value(), n.value(), settings);
    pass.write(a, [&](auto target) { rows.template gradient_into<0>("triplet_margin_loss_backward", target, grad.value()); });
    pass.write(p, [&](auto target) { rows.template gradient_into<1>("triplet_margin_loss_backward", target, grad.value()); });
    pass.write(n, [&](auto target) { rows.template gradient_into<2>("triplet_margin_loss_backward", target, grad.value()); });
  }

 private:
  template <class Pass, class G, class A, class P, class N> void again(Pass& pass, const G& grad, const A& a, const P& p, const N& n) const {
    using format = arithmetic_format_t<given_t<A>, given_t<P>, given_t<N>>;
    using op = op::triplet_margin_loss;
    const row_steps<Policy, op, format, Pass> steps{pass, row_shapes("triplet_margin_loss_backward", broadcast_all("triplet_margin_loss_backward", a.shape(), p.shape(), n.shape())), settings.reduction};
    const power_distance_function d{settings.p, settings.eps};
    const auto distance = [&](const auto& x, const auto& y) {
      return record(pass.tape(), row_sums<format>(pass.context(), d, steps.shapes, x.value(), y.value()), loss_record<Policy, op, power_distance_function>{{d, 1}, steps.shapes.wide}, x, y);
    };
    const auto to_positive = distance(a, p), to_negative = distance(a, n);
    const auto g = steps.beside(grad);
    const triplet_gradient_function<true> first{d};
    const triplet_gradient_function<false> second{d};
    if (settings.swap) {
      const triplet_function<true> f{settings.margin, settings.p};
      const auto between = distance(p, n);
      const auto gp = steps.template slope<0>(f, g, to_positive, to_negative, between), gn = steps.template slope<1>(f, g, to_positive, to_negative, between),
                 gb = steps.template slope<2>(f, g, to_positive, to_negative, between);
      steps.give(a, triplet_gradients_function<true, true>{first, first}, gp, gn, a, p, n);
      steps.give(p, triplet_gradients_function<false, true>{second, first}, gp, gb, p, a, n);
      steps.give(n, triplet_gradients_function<false, false>{second, second}, gn, gb, n, a, p);
    } else {
      const triplet_function<false> f{settings.margin, settings.p};
      const auto gp = steps.template slope<0>(f, g, to_positive, to_negative), gn = steps.template slope<1>(f, g, to_positive, to_negative);
      steps.give(a, triplet_gradients_function<true, true>{first, first}, gp, gn, a, p, n);
      steps.give(p, second, gp, p, a);
      steps.give(n, second, gn, n, a);
    }
  }
};

}  // namespace detail

/// As of ops/cosine_embedding_loss.hpp and ops/triplet_margin_loss.hpp, recorded. They have second derivatives; a third one is `no-derivative`.
///
/// x          a variable
/// y, t, …    variables, or views or tensors, which are constants and must outlive the graph; signs take no gradient
template <class Policy, class Context, class X, class Z, class T, detail::if_variables_t<X> = 0, detail::if_taped_t<Z, T> = 0>
auto cosine_embedding_loss(const tape<Context>& recording, const X& x, const Z& y, const T& t, reduction r = reduction::mean, double margin = 0) {
  const auto b = detail::taped_operand(recording, y);
  const auto sign = detail::taped_operand(recording, t);
  return record(recording, cosine_embedding_loss<Policy>(recording.context(), x.value(), b.value(), sign.value(), r, margin),
                detail::cosine_loss_record<Policy, std::decay_t<decltype(sign)>>{sign, margin, r}, x, b);
}
template <class Policy, class Context, class A, class P, class N, detail::if_variables_t<A> = 0, detail::if_taped_t<P, N> = 0>
auto triplet_margin_loss(const tape<Context>& recording, const A& anchor, const P& positive, const N& negative, const triplet_margin_settings& settings = {}) {
  const auto p = detail::taped_operand(recording, positive);
  const auto n = detail::taped_operand(recording, negative);
  return record(recording, triplet_margin_loss<Policy>(recording.context(), anchor.value(), p.value(), n.value(), settings), detail::triplet_loss_record<Policy>{settings}, anchor, p, n);
}

}}  // namespace amphora
