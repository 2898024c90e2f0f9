// multi_margin_loss and multilabel_margin_loss of variables.
#pragma once
#include <amphora/autograd/gradient_pass.hpp>  // gradient_pass
#include <amphora/autograd/cross_entropy.hpp>  // taped_weights, value_of
#include <amphora/autograd/loss.hpp>           // taped_operand, if_taped_t
#include <amphora/ops/class_margin_loss.hpp>   // multi_margin_loss, multilabel_margin_loss

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

template <class Policy, class Targets, class Weights>
struct multi_margin_record {
  multi_margin_settings settings;
  Targets targets;
  Weights weights;
  template <class Pass, class G, class X> void backward(Pass& pass, const G& gradient, const G&, const X& x) const {
    pass.write(x, [&](auto target) { multi_margin_loss_backward<Policy>(pass.context(), target, gradient.value(), x.value(), targets.value(), settings, value_of(weights)); });
  }
};
template <class Policy, class Targets>
struct multilabel_margin_record {
  amphora::reduction reduction;
  Targets targets;
  template <class Pass, class G, class X> void backward(Pass& pass, const G& gradient, const G&, const X& x) const {
    pass.write(x, [&](auto target) { multilabel_margin_loss_backward<Policy>(pass.context(), target, gradient.value(), x.value(), targets.value(), reduction); });
  }
};

}  // namespace detail

/// As of ops/class_margin_loss.hpp, recorded. Second derivatives are `no-derivative`, as in PyTorch.
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
  return record(recording, multilabel_margin_loss<Policy>(recording.context(), x.value(), t.value(), r), detail::multilabel_margin_record<Policy, std::decay_t<decltype(t)>>{r, t}, x);
}

}}  // namespace amphora
