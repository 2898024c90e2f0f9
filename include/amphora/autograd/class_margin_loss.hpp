// multi_margin_loss and multilabel_margin_loss of variables.
#pragma once
#include <amphora/autograd/gradient_pass.hpp>  // gradient_pass
#include <amphora/autograd/cross_entropy.hpp>  // taped_weights, value_of
#include <amphora/autograd/loss.hpp>           // taped_operand, if_taped_t
#include <amphora/ops/class_margin_loss.hpp>   // multi_margin_loss, multilabel_margin_loss, class_margin_kernels

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// grad · the slopes of the loss: what these are worth along h to grad, and how they bend along it.
template <class Loss>
struct class_margin_gradient_record {
  Loss of;

  template <class Pass, class H, class G, class X> void backward(Pass& pass, const H& h, const H&, const G& grad, const X& x) const {
    using kernels = class_margin_kernels<typename Pass::context_type::device>;
    auto& context = pass.context();
    const auto weights = value_of(of.weights);
    class_margin_call call = of.call(x.value());
    if (call.rows == 0) call.divisor = 1;  // nothing has slope 0, though its mean is 0 / 0
    if (call.classes == 0) call.shares = 1;
    pass.write(grad, [&](auto target) { kernels::forward(context, call, gradient_target(target), read(x.value()), read(operand(weights)), read(h.value())); });
    if constexpr (Loss::may_bend)
      if (call.p == 2) pass.write(x, [&](auto target) { kernels::backward(context, call, gradient_target(target), read(grad.value()), read(x.value()), read(operand(weights)), read(h.value())); });
  }
};

template <class Policy, class Targets, class Weights>
struct multi_margin_record {
  static constexpr bool may_bend = true;
  multi_margin_settings settings;
  Targets targets;
  Weights weights;

  template <class X> class_margin_call call(const X& x) const { return multi_margin_checked("multi_margin_loss_backward", x, targets.value(), value_of(weights), settings); }
  template <class Pass, class G, class X> void backward(Pass& pass, const G& gradient, const G&, const X& x) const {
    pass.write(x, [&](auto target) { multi_margin_loss_backward<Policy>(pass.context(), target, gradient.value(), x.value(), targets.value(), settings, value_of(weights)); },
               class_margin_gradient_record<multi_margin_record>{*this}, gradient, x);
  }
};
template <class Policy, class Targets>
struct multilabel_margin_record {
  static constexpr bool may_bend = false;
  amphora::reduction reduction;
  Targets targets;
  no_weights weights;

  template <class X> class_margin_call call(const X& x) const { return class_margin_checked("multilabel_margin_loss_backward", x.shape(), targets.value(), true, reduction); }
  template <class Pass, class G, class X> void backward(Pass& pass, const G& gradient, const G&, const X& x) const {
    pass.write(x, [&](auto target) { multilabel_margin_loss_backward<Policy>(pass.context(), target, gradient.value(), x.value(), targets.value(), reduction); },
               class_margin_gradient_record<multilabel_margin_record>{*this}, gradient, x);
  }
};

}  // namespace detail

/// As of ops/class_margin_loss.hpp, recorded. They have second derivatives, which PyTorch refuses: with p = 1 and for several labels by the gradient of
/// the loss alone, since slopes are constant between corners. A third one is `no-derivative`.
///
/// x                 a variable
/// targets, weights  variables without gradient, or views or tensors, which must outlive the graph; weights also no_weights{}
template <class Policy, class Context, class X, class T, class W = no_weights, detail::if_variables_t<X> = 0, detail::if_taped_t<T> = 0>
auto multi_margin_loss(const tape<Context>& recording, const X& x, const T& targets, const multi_margin_settings& settings = {}, const W& weights = {}) {
  const auto t = detail::taped_operand(recording, targets);
  const auto w = detail::taped_weights(recording, weights);
  return record(recording, multi_margin_loss<Policy>(recording.context(), x.value(), t.value(), settings, detail::value_of(w)),
                detail::multi_margin_record<Policy, std::decay_t<decltype(t)>, std::decay_t<decltype(w)>>{settings, t, w}, x);
}
template <class Policy, class Context, class X, class T, detail::if_variables_t<X> = 0, detail::if_taped_t<T> = 0>
auto multilabel_margin_loss(const tape<Context>& recording, const X& x, const T& targets, reduction r = reduction::mean) {
  const auto t = detail::taped_operand(recording, targets);
  return record(recording, multilabel_margin_loss<Policy>(recording.context(), x.value(), t.value(), r), detail::multilabel_margin_record<Policy, std::decay_t<decltype(t)>>{r, t, {}}, x);
}

}}  // namespace amphora
