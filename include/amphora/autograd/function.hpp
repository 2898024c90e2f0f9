// The elementwise ops of ops/function.hpp on a tape: values, gradients, and gradients of gradients.
#pragma once
#include <amphora/autograd/gradient_pass.hpp>  // gradient_pass
#include <amphora/autograd/sum_to.hpp>         // give_sum
#include <amphora/detail/config.hpp>           // AMPHORA_HD
#include <amphora/ops/function.hpp>            // applied, slope_into, curvature_sum
#include <amphora/tensor/shape.hpp>            // shape

#include <cstddef>      // size_t
#include <cstdint>      // int64_t
#include <tuple>        // get, tie
#include <type_traits>  // enable_if_t
#include <utility>      // index_sequence

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// For the overloads of an op that take a tape.
template <class... X> using if_variables_t = std::enable_if_t<(is_variable_v<X> && ...), int>;

struct scaled_product {
  double factor;
  template <class Real> AMPHORA_HD constexpr Real operator()(std::int64_t, Real a, Real b) const { return static_cast<Real>(factor) * a * b; }
};
/// factor · a · b over `wide`, summed to the shape of the value: its gradients are of its own kind, so it has derivatives of any order.
struct product_sum_record {
  double factor;
  shape wide;

  template <class Pass, class H, class A, class B> void backward(Pass& pass, const H& gradient, const H&, const A& a, const B& b) const {
    give(pass, a, gradient, b);
    give(pass, b, gradient, a);
  }
  template <class Pass, class To, class A, class B> void give(Pass& pass, const To& to, const A& a, const B& b) const {
    pass.write(to, [&](auto target) { map_sum(list<given_t<A>, given_t<B>>{}, pass.context(), scaled_product{factor}, wide, target, a.value(), b.value()); }, *this, a, b);
  }
};

/// grad · slope by operand K, summed to the shape of the value: what the gradient of an op is, and what that is worth to grad. By grad it has derivatives of
/// any order, by the operands one.
template <class Policy, class Op, class Function, int K>
struct slope_record {
  Function f;
  shape wide;

  template <class Pass, class H, class G, class... X>
  void backward(Pass& pass, const H& h, const H&, const G& grad, const X&... x) const {
    pass.write(grad, [&](auto target) { slope_sum<K, Policy, Op>(pass.context(), f, wide, target, h.value(), x.value()...); }, *this, h, x...);
    each(pass, h, grad, std::index_sequence_for<X...>(), x...);
  }

 private:
  template <class Pass, class H, class G, std::size_t... J, class... X>
  void each(Pass& pass, const H& h, const G& grad, std::index_sequence<J...>, const X&... x) const {
    (bend<static_cast<int>(J)>(pass, h, grad, std::get<J>(std::tie(x...)), x...), ...);
  }
  template <int J, class Pass, class H, class G, class To, class... X>
  void bend(Pass& pass, const H& h, const G& grad, const To& to, const X&... x) const {
    if constexpr (bends_evenly_v<Function, K, J>) product_sum_record{f.bend(by<K>{}, by<J>{}), wide}.give(pass, to, h, grad);
    else if constexpr (bends_v<Function, K, J, X...>)
      pass.write(to, [&](auto target) { curvature_sum<K, J, Policy, Op>(pass.context(), f, wide, target, h.value(), grad.value(), x.value()...); });
  }
};

template <class Policy, class Op, class Function>
struct function_record {
  const char* call;
  Function f;

  template <class Pass, class G, class... X>
  void backward(Pass& pass, const G& gradient, const G&, const X&... x) const { each(pass, gradient, std::index_sequence_for<X...>(), x...); }

 private:
  template <class Pass, class G, std::size_t... K, class... X>
  void each(Pass& pass, const G& gradient, std::index_sequence<K...>, const X&... x) const {
    (one<static_cast<int>(K)>(pass, gradient, std::get<K>(std::tie(x...)), x...), ...);
  }
  template <int K, class Pass, class G, class To, class... X>
  void one(Pass& pass, const G& gradient, const To& to, const X&... x) const {
    if constexpr (is_linear_v<Function, K>) give_sum(pass, to, gradient, f.factor(by<K>{}));
    else pass.write(to, [&](auto target) { slope_into<K, Policy, Op>(call, pass.context(), f, target, gradient.value(), x.value()...); },
                    slope_record<Policy, Op, Function, K>{f, gradient.shape()}, gradient, x...);
  }
};

/// f of variables, recorded.
template <class Policy, class Op, class Context, class Function, class... X>
auto apply_taped(const char* call, const tape<Context>& recording, const Function& f, const X&... x) {
  return record(recording, applied<Policy, Op>(call, recording.context(), f, x.value()...), function_record<Policy, Op, Function>{call, f}, x...);
}

}}}  // namespace amphora::detail
