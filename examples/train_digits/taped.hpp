// What models have in common whose backward pass is a tape's: of a Model that has logits(scope, images, leaf) the rest follows.
#pragma once
#include "layers.hpp"

#include <amphora/autograd/backward.hpp>
#include <amphora/autograd/scope.hpp>

#include <string>

/// Model  has hidden, head (policies), weights(f), which calls f with each weight, and logits(amp, x, leaf): amp is a scope of hidden
template <class Model, class Context, class Image>
class taped_model {
 public:
  using image_type = Image;

  std::vector<amp::parameter_view> parameters() {
    std::vector<amp::parameter_view> all;
    own().weights([&](auto& weight) { all.push_back(weight.view()); });
    return all;
  }
  /// Of masters, weights and gradients.
  std::int64_t bytes() {
    std::int64_t sum = 0;
    own().weights([&](auto& weight) { sum += weight.bytes(); });
    return sum;
  }

  /// images  [n, 64]
  /// Value   logits [n, 10], f32
  amp::view<const float> forward(Context& context, amp::view<const Image> images) {
    record(amp::tape{context}.no_grad(), images, false, false);
    return logits_.value();
  }
  /// The mean loss of a batch.
  ///
  /// labels  [n], as long as backward needs them
  amp::view<const float> loss(Context& context, amp::view<const Image> images, amp::view<const std::int64_t> labels, const training_pass& pass) {
    const amp::tape tape{context};
    record(tape, images, true, pass.adds);
    loss_ = amp::cross_entropy<typename Model::head>(tape, logits_, labels, pass.loss);
    return loss_.value();
  }
  /// Gradients of all weights by the last loss.
  void backward(Context& context, const amp::scaled_loss<Context>& scaled) { amp::backward(context, loss_, scaled); }

  /// The first weight that holds a NaN or an infinity; else whether it is the logits or only the loss.
  std::string first_non_finite(Context& context) {
    std::string found;
    own().weights([&](auto& weight) {
      if (found.empty() && !is_finite(context, weight.weights())) found = weight.name();
    });
    if (found.empty()) found = is_finite(context, logits_.value()) ? "loss" : "head.output";
    return found;
  }

 private:
  Model& own() { return static_cast<Model&>(*this); }
  void record(const amp::tape<Context>& tape, amp::view<const Image> images, bool training, bool adds) {
    const auto leaf = [&](auto& weight) { return adds ? tape.accumulating_leaf(weight) : tape.leaf(weight); };
    logits_ = amp::autocast<typename Model::hidden>(tape, [&](auto amp) { return own().logits(amp, tape.constant(images), leaf, training); });
  }

  amp::variable<float, Context> logits_, loss_;
};
