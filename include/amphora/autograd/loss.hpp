// Losses of each element on a tape: what ops/loss.hpp computes, with gradients and gradients of gradients.
#pragma once
#include <amphora/autograd/function.hpp>  // slope_record, if_variables_t
#include <amphora/ops/loss.hpp>           // loss_made, averaged, batch, slopes_by_v

#include <cstddef>      // size_t
#include <tuple>        // get, tie
#include <type_traits>  // enable_if_t
#include <utility>      // index_sequence

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// What a taped loss takes beside its first operand: a variable, or a view or tensor, which is a constant and must outlive the graph.
template <class X> inline constexpr bool is_taped_operand_v = is_variable_v<X> || is_operand_v<X>;
template <class... X> using if_taped_t = std::enable_if_t<(is_taped_operand_v<X> && ...), int>;
template <class Context, class T, class Gradient> const variable<T, Context, Gradient>& taped_operand(const tape<Context>&, const variable<T, Context, Gradient>& x) { return x; }
template <class Context, class X, std::enable_if_t<is_operand_v<X>, int> = 0> auto taped_operand(const tape<Context>&, const X& x) {
  const auto memory = operand(x);
  return variable<std::remove_const_t<typename std::decay_t<decltype(memory)>::value_type>, Context>(memory);
}

template <class Policy, class Op, class Function>
struct loss_record {
  averaged<Function> f;
  shape wide;

  template <class Pass, class G, class... X>
  void backward(Pass& pass, const G& gradient, const G&, const X&... x) const { each(pass, gradient, std::index_sequence_for<X...>(), x...); }

 private:
  template <class Pass, class G, std::size_t... K, class... X>
  void each(Pass& pass, const G& gradient, std::index_sequence<K...>, const X&... x) const {
    (one<static_cast<int>(K)>(pass, gradient, std::get<K>(std::tie(x...)), x...), ...);
  }
  template <int K, class Pass, class G, class To, class... X>
  void one(Pass& pass, const G& gradient, const To& to, const X&... x) const {
    if constexpr (slopes_by_v<Function, K, X...>)
      pass.write(to, [&](auto target) { slope_sum<K, Policy, Op>(pass.context(), f, wide, target, gradient.value(), x.value()...); },
                 slope_record<Policy, Op, averaged<Function>, K>{f, wide}, gradient, x...);
  }
};

/// The losses f of variables, reduced and recorded.
template <class Policy, class Op, class Context, class Function, class... X>
auto loss_of_variables(const char* call, const tape<Context>& recording, const Function& f, const batch& all, const X&... x) {
  const shape wide = broadcast_all(call, x.shape()...);
  return record(recording, loss_made<Policy, Op>(call, recording.context(), f, all, x.value()...), loss_record<Policy, Op, Function>{{f, all.divisor(wide)}, wide}, x...);
}
template <class Policy, class Op, class Context, class Function, class... X>
auto loss_taped(const char* call, const tape<Context>& recording, const Function& f, const batch& all, const X&... x) {
  return loss_of_variables<Policy, Op>(call, recording, f, all, taped_operand(recording, x)...);
}

}}}  // namespace amphora::detail
