// A multilayer perceptron under any plan, its backward pass op by op: the library's ops and parameters without a tape.
#pragma once
#include "layers.hpp"

#include <amphora/ops/linear.hpp>

#include <deque>

template <class Plan, class Context>
class mlp {
  using hidden = amp::policy_at_t<Plan, layer::hidden>;
  using head = amp::policy_at_t<Plan, layer::head>;

 public:
  /// The first layer reads images in the format that it computes in, so that none is ever cast.
  using image_type = amp::storage_t<amp::compute_t<hidden, amp::op::linear, amp::f32>>;
  using activation_type = amp::storage_t<amp::output_t<hidden, amp::op::linear, amp::f32>>;

  mlp(Context& context, const options& o) : head_(context, classes, o.hidden.back(), "head", random_numbers(purpose::weights, o.seed, o.hidden.size())) {
    for (std::size_t i = 0; i < o.hidden.size(); ++i)
      hidden_.emplace_back(context, o.hidden[i], i ? o.hidden[i - 1] : pixels, "hidden" + std::to_string(i + 1), random_numbers(purpose::weights, o.seed, i));
  }

  /// All weights and biases, as an optimizer takes them.
  std::vector<amp::parameter_view> parameters() {
    std::vector<amp::parameter_view> all;
    for (auto& each : hidden_) all.insert(all.end(), {each.weight.view(), each.bias.view()});
    all.insert(all.end(), {head_.weight.view(), head_.bias.view()});
    return all;
  }

  /// Of masters, weights and gradients.
  std::int64_t bytes() const {
    std::int64_t sum = 0;
    for (const auto& each : hidden_) sum += each.weight.bytes() + each.bias.bytes();
    return sum + head_.weight.bytes() + head_.bias.bytes();
  }
  /// What is saved beside the parameters: f(items…).
  template <class Function> auto with_state(Function f) { return f(); }

  /// Keeps what loss needs.
  ///
  /// images  [n, 64]
  /// Value   logits [n, 10], f32
  amp::view<const float> forward(Context& context, amp::view<const image_type> images) {
    images_ = images;
    activations_.clear();
    for (auto& each : hidden_)
      activations_.push_back(activations_.empty() ? amp::linear<hidden>(context, images, each.weight.weights(), each.bias.weights(), amp::with_relu{})
                                                  : amp::linear<hidden>(context, activations_.back(), each.weight.weights(), each.bias.weights(), amp::with_relu{}));
    logits_ = amp::linear<head>(context, activations_.back(), head_.weight.weights(), head_.bias.weights());
    return logits_.view();
  }

  /// The mean loss of a batch. Keeps what backward needs.
  ///
  /// labels  [n]
  amp::view<const float> loss(Context& context, amp::view<const image_type> images, amp::view<const std::int64_t> labels, const training_pass& pass) {
    forward(context, images);
    labels_ = labels, pass_ = pass;
    loss_ = amp::cross_entropy<head>(context, logits_, labels, pass.loss);
    return loss_.view();
  }
  /// Gradients of all parameters by the last loss.
  void backward(Context& context, const amp::scaled_loss<Context>& scaled) {
    if (pass_.adds) backward(context, scaled.gradient(), [](auto gradient) { return amp::add_to(gradient); });
    else backward(context, scaled.gradient(), [](auto gradient) { return amp::into(gradient); });
  }

  /// The first tensor of the last forward call, in the order of the computation, that holds a NaN or an infinity; "loss" if none does.
  std::string first_non_finite(Context& context) const {
    if (!is_finite(context, images_)) return "images";
    for (std::size_t i = 0; i < hidden_.size(); ++i) {
      if (!is_finite(context, hidden_[i].weight.weights())) return hidden_[i].weight.name();
      if (!is_finite(context, hidden_[i].bias.weights())) return hidden_[i].bias.name();
      if (!is_finite(context, activations_[i].view())) return "hidden" + std::to_string(i + 1) + ".output";
    }
    if (!is_finite(context, head_.weight.weights())) return head_.weight.name();
    if (!is_finite(context, head_.bias.weights())) return head_.bias.name();
    return is_finite(context, logits_.view()) ? "loss" : "head.output";
  }

 private:
  /// grad  of the loss: the loss scale
  /// put   amp::into or amp::add_to
  template <class Put> void backward(Context& context, amp::view<const float> grad, Put put) {
    auto of_logits = amp::cross_entropy_backward<head>(context, grad, logits_, labels_, pass_.loss);
    amp::tensor<activation_type, Context> below(context, activations_.back().shape());
    amp::linear_backward<head>(context, of_logits, activations_.back(), head_.weight.weights(), amp::into(below), put(head_.weight.gradient()),
                               put(head_.bias.gradient()), amp::with_relu{});
    for (std::size_t i = hidden_.size() - 1; i > 0; --i) {
      amp::tensor<activation_type, Context> next(context, activations_[i - 1].shape());
      amp::linear_backward<hidden>(context, below, activations_[i - 1], hidden_[i].weight.weights(), amp::into(next), put(hidden_[i].weight.gradient()),
                                   put(hidden_[i].bias.gradient()), amp::with_relu{});
      below = std::move(next);
    }
    amp::linear_backward<hidden>(context, below, images_, hidden_[0].weight.weights(), amp::no_gradient{}, put(hidden_[0].weight.gradient()),
                                 put(hidden_[0].bias.gradient()));
  }

  std::deque<dense<hidden, Context>> hidden_;
  dense<head, Context> head_;
  amp::view<const image_type> images_;
  std::vector<amp::tensor<activation_type, Context>> activations_;
  amp::tensor<float, Context> logits_, loss_;
  amp::view<const std::int64_t> labels_;
  training_pass pass_;
};
