// A multilayer perceptron under any plan, written with the library's ops and parameters.
#pragma once
#include "data.hpp"
#include "random.hpp"

#include <amphora/ops/cross_entropy.hpp>
#include <amphora/ops/linear.hpp>
#include <amphora/optimizer/global_norm.hpp>
#include <amphora/optimizer/unscale.hpp>
#include <amphora/policy/opt_level.hpp>
#include <amphora/policy/plan.hpp>
#include <amphora/tensor/parameter.hpp>
#include <amphora/tensor/transfer.hpp>

#include <cmath>
#include <deque>
#include <string>
#include <vector>

namespace amp = amphora;

namespace layer {
struct hidden { static constexpr const char* name = "hidden"; };
struct head { static constexpr const char* name = "head"; };
}  // namespace layer

/// An opt level for the hidden layers; the head does the same but leaves its ten logits in float.
template <class Level>
struct digits_plan : amp::plan<Level, amp::at<layer::head, amp::amend<Level, amp::in<amp::op::linear, amp::output<amp::f32>>>>> {};

/// The weights of x · wᵀ + b as Policy wants them.
template <class Policy, class Context>
struct dense {
  using parameter = amp::parameter<Policy, amp::op::linear, Context>;
  std::string weight_name, bias_name;
  parameter weight, bias;

  /// Starts as PyTorch's nn.Linear: uniform in ± 1 / √inputs.
  dense(Context& context, int outputs, int inputs, const std::string& name, const random_numbers& random)
      : weight_name(name + ".weight"), bias_name(name + ".bias"), weight(context, weight_name.c_str(), {outputs, inputs}), bias(context, bias_name.c_str(), {outputs}) {
    const float bound = 1 / std::sqrt(static_cast<float>(inputs));
    std::uint64_t drawn = 0;
    for (parameter* each : {&weight, &bias}) {
      std::vector<float> start(static_cast<std::size_t>(each->size()));
      for (float& number : start) number = bound * (2 * random.uniform(drawn++) - 1);
      amp::tensor<float, Context> there(context, each->shape());
      amp::write(context, start, there);
      each->load(context, there);
    }
  }
  dense(const dense&) = delete;  // the parameters point to the names
};

template <class Plan, class Context>
class network {
  using hidden = amp::policy_at_t<Plan, layer::hidden>;
  using head = amp::policy_at_t<Plan, layer::head>;

 public:
  /// The first layer reads images in the format that it computes in, so that none is ever cast.
  using image_type = amp::storage_t<amp::compute_t<hidden, amp::op::linear, amp::f32>>;
  using activation_type = amp::storage_t<amp::output_t<hidden, amp::op::linear, amp::f32>>;

  network(Context& context, const std::vector<int>& sizes, std::uint64_t seed)
      : head_(context, classes, sizes.back(), "head", random_numbers(purpose::weights, seed, sizes.size())) {
    for (std::size_t i = 0; i < sizes.size(); ++i)
      hidden_.emplace_back(context, sizes[i], i ? sizes[i - 1] : pixels, "hidden" + std::to_string(i + 1), random_numbers(purpose::weights, seed, i));
  }

  /// All weights and biases, as an optimizer takes them.
  std::vector<amp::parameter_view> parameters() {
    std::vector<amp::parameter_view> all;
    for (auto& each : hidden_) all.insert(all.end(), {each.weight.view(), each.bias.view()});
    all.insert(all.end(), {head_.weight.view(), head_.bias.view()});
    return all;
  }

  std::int64_t size() const {
    std::int64_t numbers = 0;
    for (const auto& each : hidden_) numbers += each.weight.size() + each.bias.size();
    return numbers + head_.weight.size() + head_.bias.size();
  }
  /// Of masters, weights and gradients.
  std::int64_t bytes() const {
    std::int64_t sum = 0;
    for (const auto& each : hidden_) sum += each.weight.bytes() + each.bias.bytes();
    return sum + head_.weight.bytes() + head_.bias.bytes();
  }

  /// Keeps what backward needs.
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

  /// The mean loss of the logits of the last forward call.
  ///
  /// labels  [n]
  amp::tensor<float, Context> loss(Context& context, amp::view<const std::int64_t> labels, const amp::cross_entropy_settings& settings) {
    return amp::cross_entropy<head>(context, logits_, labels, settings);
  }

  /// Gradients of all parameters, each left where `put` says: amp::into or amp::add_to.
  ///
  /// grad  of the loss: the loss scale
  template <class Put>
  void backward(Context& context, amp::view<const float> grad, amp::view<const std::int64_t> labels, const amp::cross_entropy_settings& settings, Put put) {
    auto of_logits = amp::cross_entropy_backward<head>(context, grad, logits_, labels, settings);
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
  /// By the finite check that gradients go through.
  template <class T> static bool is_finite(Context& context, amp::view<const T> values) {
    return amp::wait_all_finite(context, amp::unscale(context, amp::scaled(values, amp::ticket())));
  }

  std::deque<dense<hidden, Context>> hidden_;
  dense<head, Context> head_;
  amp::view<const image_type> images_;
  std::vector<amp::tensor<activation_type, Context>> activations_;
  amp::tensor<float, Context> logits_;
};
