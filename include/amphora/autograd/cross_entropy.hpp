// cross_entropy, against indices and probabilities, and nll_loss of variables.
#pragma once
#include <amphora/autograd/function.hpp>       // scaled_product
#include <amphora/autograd/gradient_pass.hpp>  // gradient_pass
#include <amphora/autograd/cast.hpp>           // reshape
#include <amphora/autograd/loss.hpp>           // taped_operand, if_taped_t, loss_record
#include <amphora/autograd/softmax.hpp>        // log_softmax
#include <amphora/format/convert.hpp>          // convert
#include <amphora/ops/cast.hpp>                // cast, fill
#include <amphora/ops/cross_entropy.hpp>       // cross_entropy, cross_entropy_backward
#include <amphora/ops/nll_loss.hpp>            // nll_loss, nll_loss_backward
#include <amphora/ops/soft_cross_entropy.hpp>  // soft_target_call, soft_loss_into
#include <amphora/ops/softmax.hpp>             // softmax_backward

#include <type_traits>  // is_same_v
#include <utility>      // move

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

template <class Context> no_weights taped_weights(const tape<Context>&, no_weights none) { return none; }
template <class Context, class W> auto taped_weights(const tape<Context>& recording, const W& weights) { return taped_operand(recording, weights); }
inline no_weights value_of(no_weights none) { return none; }
template <class T, class Context, class Gradient> view<const T> value_of(const variable<T, Context, Gradient>& x) { return x.value(); }

/// grad · the slope of each row's loss. With p the softmax, q what the target says and k what the row weighs, the slope is k p − q; it bends by
/// k times the bend of a softmax.
template <class Policy, class Targets, class Weights>
struct cross_entropy_gradient_record {
  cross_entropy_settings settings;
  Targets targets;
  Weights weights;

  template <class Pass, class H, class G, class X> void backward(Pass& pass, const H& h, const H&, const G& grad, const X& x) const {
    auto& context = pass.context();
    using context_type = typename Pass::context_type;
    using format = arithmetic_format_t<given_t<X>>;
    const auto logits = x.value();
    const int axis = logits.shape().rank() == 1 ? 0 : 1;
    const shape one_class = logits.shape().with(axis, 1);
    pass.write(grad, [&](auto target) {
      tensor_of_t<format, context_type> ones(context, grad.shape()), slope(context, logits.shape());
      fill(context, ones, convert<format>(1.0));
      cross_entropy_backward<Policy>(context, into(slope), ones, logits, targets.value(), settings, value_of(weights));
      const bool each = settings.reduction == reduction::none;
      map_sum(list<given_t<H>, format>{}, context, scaled_product{1}, logits.shape(), each ? reshaped(target, one_class) : target, h.value(), operand(slope));
    });
    pass.write(x, [&](auto target) {
      tensor_of_t<format, context_type> factors(context, one_class), scaled(context, logits.shape());
      const auto call = cross_entropy_checked("cross_entropy_backward", logits, targets.value(), operand(value_of(weights)), !std::is_same_v<Weights, no_weights>, settings);
      cross_entropy_kernels<typename context_type::device>::row_factors(context, call, detail::write(factors.view()), read(grad.value()), read(operand(value_of(weights))));
      map_all(list<given_t<H>, format>{}, context, scaled_product{1}, logits.shape(), detail::write(scaled.view()), h.value(), operand(factors));
      softmax_backward<Policy>(context, target, scaled, logits, axis);
    });
  }
};
template <class Policy, class Targets, class Weights>
struct cross_entropy_record {
  cross_entropy_gradient_record<Policy, Targets, Weights> of;
  template <class Pass, class G, class X> void backward(Pass& pass, const G& gradient, const G&, const X& x) const {
    pass.write(x, [&](auto target) { cross_entropy_backward<Policy>(pass.context(), target, gradient.value(), x.value(), of.targets.value(), of.settings, value_of(of.weights)); },
               of, gradient, x);
  }
};

inline no_weights soft_weights(const char*, no_weights none, const soft_target_call&) { return none; }
template <class W> W soft_weights(const char* name, const W& weights, const soft_target_call& call) {
  require_shape(name, "class weights", weights.shape(), shape{call.weights[0]});
  return weights.template in_same_memory<>(call.weights);
}

/// The loss is linear in x: what a gradient's gradient is worth to grad is the loss of it.
template <class Policy, class Targets, class Weights>
struct nll_record {
  nll_loss_settings settings;
  Targets targets;
  Weights weights;

  struct gradient_record {
    nll_record of;
    template <class Pass, class H, class G, class X> void backward(Pass& pass, const H& h, const H&, const G& grad, const X&) const {
      pass.give(grad, record(pass.tape(), cast<typename G::format>(pass.context(), nll_loss<Policy>(pass.context(), h.value(), of.targets.value(), of.settings, value_of(of.weights))), of, h));
    }
  };
  template <class Pass, class G, class X> void backward(Pass& pass, const G& gradient, const G&, const X& x) const {
    pass.write(x, [&](auto target) { nll_loss_backward<Policy>(pass.context(), target, gradient.value(), x.value(), targets.value(), settings, value_of(weights)); }, gradient_record{*this}, gradient, x);
  }
};

}  // namespace detail

/// cross_entropy as of ops/cross_entropy.hpp, recorded. It has second derivatives; a third one is `no-derivative`.
///
/// logits            a variable
/// targets, weights  variables without gradient, or views or tensors, which must outlive the graph; weights also no_weights{}
template <class Policy, class Context, class L, class T, class W = no_weights, detail::if_variables_t<L> = 0, detail::if_taped_t<T> = 0, std::enable_if_t<!is_format_v<detail::given_t<T>>, int> = 0>
auto cross_entropy(const tape<Context>& recording, const L& logits, const T& targets, const cross_entropy_settings& settings = {}, const W& weights = {}) {
  const auto t = detail::taped_operand(recording, targets);
  const auto w = detail::taped_weights(recording, weights);
  using gradient_record = detail::cross_entropy_gradient_record<Policy, std::decay_t<decltype(t)>, std::decay_t<decltype(w)>>;
  using op_record = detail::cross_entropy_record<Policy, std::decay_t<decltype(t)>, std::decay_t<decltype(w)>>;
  return record(recording, cross_entropy<Policy>(recording.context(), logits.value(), t.value(), settings, detail::value_of(w)), op_record{gradient_record{settings, t, w}}, logits);
}
/// The same against probabilities, as of ops/soft_cross_entropy.hpp, which take a gradient too.
template <class Policy, class Context, class L, class T, class W = no_weights, detail::if_variables_t<L> = 0, detail::if_taped_t<T> = 0, std::enable_if_t<is_format_v<detail::given_t<T>>, int> = 0>
auto cross_entropy(const tape<Context>& recording, const L& logits, const T& targets, const cross_entropy_settings& settings = {}, const W& weights = {}) {
  using namespace detail;
  const auto t = taped_operand(recording, targets);
  const soft_target_call call("cross_entropy", logits.shape(), t.shape(), settings);
  const auto w = soft_weights("cross_entropy", taped_weights(recording, weights), call);
  const auto l = log_softmax<float_logarithms>(recording, logits, call.axis);
  result_t<Policy, op::cross_entropy, Context, L, std::decay_t<decltype(t)>> loss(recording.context(), call.narrow());
  soft_loss_into<accumulate_t<Policy, op::cross_entropy, given_t<L>, given_t<T>>>(recording.context(), call, loss.view(), l.value(), t.value(), value_of(w));
  const loss_record<Policy, op::cross_entropy, soft_target_function> of{{call.f, call.divisor}, call.wide};
  if constexpr (std::is_same_v<std::decay_t<decltype(w)>, no_weights>) return reshape(recording, record(recording, std::move(loss), of, l, t), call.loss());
  else return reshape(recording, record(recording, std::move(loss), of, l, t, w), call.loss());
}

/// nll_loss as of ops/nll_loss.hpp, recorded, under the rules of cross_entropy. It is linear, so it has derivatives of any order by its gradient.
template <class Policy, class Context, class X, class T, class W = no_weights, detail::if_variables_t<X> = 0, detail::if_taped_t<T> = 0>
auto nll_loss(const tape<Context>& recording, const X& x, const T& targets, const nll_loss_settings& settings = {}, const W& weights = {}) {
  const auto t = detail::taped_operand(recording, targets);
  const auto w = detail::taped_weights(recording, weights);
  using op_record = detail::nll_record<Policy, std::decay_t<decltype(t)>, std::decay_t<decltype(w)>>;
  return record(recording, nll_loss<Policy>(recording.context(), x.value(), t.value(), settings, detail::value_of(w)), op_record{settings, t, w}, x);
}

}}  // namespace amphora
