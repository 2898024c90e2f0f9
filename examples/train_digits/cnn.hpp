// A convolutional net under any plan: convolutions of 3 × 3 with batch norm and relu, of which all but the first halve the image.
#pragma once
#include "taped.hpp"

#include <amphora/ops/batch_norm.hpp>
#include <amphora/ops/conv.hpp>
#include <amphora/optimizer/state_file.hpp>

#include <deque>
#include <numeric>

/// One convolution and its normalization, whose statistics are in float under every plan.
template <class Policy, class Context>
struct normed_convolution {
  int stride;
  weight<Policy, amp::op::conv2d, Context> kernel;
  weight<Policy, amp::op::batch_norm, Context> scale, shift;
  amp::running_statistics<float> running;

  /// its_running  mean and variance, of `outputs` each
  normed_convolution(Context& context, int outputs, int inputs, int its_stride, float* its_running, const std::string& name, const random_numbers& random)
      : stride(its_stride), kernel(context, name + ".kernel", {outputs, inputs, 3, 3}), scale(context, name + ".scale", {outputs}), shift(context, name + ".shift", {outputs}),
        running{amp::view<float>(its_running, {outputs}), amp::view<float>(its_running + outputs, {outputs})} {
    std::uint64_t drawn = 0;
    kernel.draw(context, 9 * inputs, random, drawn), scale.fill(context, 1);
    const std::vector<float> zeros(static_cast<std::size_t>(outputs), 0), ones(static_cast<std::size_t>(outputs), 1);
    amp::write(context, zeros, running.mean), amp::write(context, ones, running.variance);
  }
  template <class Scope, class X, class Leaf> auto operator()(const Scope& amp, const X& x, const Leaf& leaf, bool training) {
    amp::batch_norm_settings settings;
    settings.training = training;
    const auto sums = amp.conv2d(x, leaf(kernel), amp::no_bias{}, amp::convolution_options{}.padding(1).stride(stride));
    return amp.relu(amp.batch_norm(sums, running, leaf(scale), leaf(shift), settings));
  }
};

template <class Plan, class Context>
class cnn : public taped_model<cnn<Plan, Context>, Context, amp::storage_t<amp::compute_t<amp::policy_at_t<Plan, layer::hidden>, amp::op::conv2d, amp::f32>>> {
 public:
  using hidden = amp::policy_at_t<Plan, layer::hidden>;
  using head = amp::policy_at_t<Plan, layer::head>;

  /// o.hidden  the channels of each convolution
  cnn(Context& context, const options& o)
      : running_(context, {2 * std::accumulate(o.hidden.begin(), o.hidden.end(), std::int64_t(0))}),
        head_(context, classes, last_size(o) * last_size(o) * o.hidden.back(), "head", random_numbers(purpose::weights, o.seed, o.hidden.size())) {
    float* running = running_.data();
    for (std::size_t i = 0; i < o.hidden.size(); running += 2 * o.hidden[i++])
      hidden_.emplace_back(context, o.hidden[i], i ? o.hidden[i - 1] : 1, i ? 2 : 1, running, "convolution" + std::to_string(i + 1), random_numbers(purpose::weights, o.seed, i));
  }
  template <class Function> void weights(const Function& f) {
    for (auto& each : hidden_) f(each.kernel), f(each.scale), f(each.shift);
    f(head_.weight), f(head_.bias);
  }
  /// What is saved beside the weights: f(items…).
  template <class Function> auto with_state(Function f) { return f(amp::saved("running statistics", running_)); }

  template <class Scope, class X, class Leaf> auto logits(const Scope& amp, const X& x, const Leaf& leaf, bool training) {
    const std::int64_t n = x.shape()[0];
    auto h = hidden_.front()(amp, amp::reshape(amp.tape(), x, {n, 1, side, side}), leaf, training);
    for (std::size_t i = 1; i < hidden_.size(); ++i) h = hidden_[i](amp, h, leaf, training);
    return amp.with(head{}).linear(amp::reshape(amp.tape(), h, {n, h.size() / n}), leaf(head_.weight), leaf(head_.bias));
  }

 private:
  static constexpr int side = 8;
  /// The side of the image after all convolutions.
  static int last_size(const options& o) {
    int size = side;
    for (std::size_t i = 1; i < o.hidden.size(); ++i) size = (size + 1) / 2;
    return size;
  }

  amp::tensor<float, Context> running_;  // of all normalizations, one after the other
  std::deque<normed_convolution<hidden, Context>> hidden_;
  dense<head, Context> head_;
};
