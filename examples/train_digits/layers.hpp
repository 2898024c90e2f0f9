// What the models share: the plan of their layers, weights with a start, and what a training step says to them.
#pragma once
#include "data.hpp"
#include "options.hpp"
#include "random.hpp"

#include <amphora/op/contraction.hpp>
#include <amphora/ops/cross_entropy.hpp>
#include <amphora/optimizer/global_norm.hpp>
#include <amphora/optimizer/unscale.hpp>
#include <amphora/policy/opt_level.hpp>
#include <amphora/policy/plan.hpp>
#include <amphora/tensor/parameter.hpp>
#include <amphora/tensor/transfer.hpp>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace amp = amphora;

namespace layer {
struct hidden { static constexpr const char* name = "hidden"; };
struct head { static constexpr const char* name = "head"; };
}  // namespace layer

/// An opt level for the hidden layers; the head does the same but leaves its ten logits in float.
template <class Level>
struct digits_plan : amp::plan<Level, amp::at<layer::head, amp::amend<Level, amp::in<amp::op::linear, amp::output<amp::f32>>>>> {};

/// One pass over a batch.
struct training_pass {
  amp::cross_entropy_settings loss;
  bool adds = false;  ///< to the gradients that are there
};

struct own_name { std::string text; };
/// A parameter that holds its name, and its start.
template <class Policy, class Op, class Context>
class weight : private own_name, public amp::parameter<Policy, Op, Context> {
 public:
  weight(Context& context, std::string name, const amp::shape& shape) : own_name{std::move(name)}, amp::parameter<Policy, Op, Context>(context, text.c_str(), shape) {}
  weight(const weight&) = delete;  // the parameter points to the name

  void start(Context& context, const std::vector<float>& numbers) {
    amp::tensor<float, Context> there(context, this->shape());
    amp::write(context, numbers, there);
    this->load(context, there);
  }
  void fill(Context& context, float number) { start(context, std::vector<float>(static_cast<std::size_t>(this->size()), number)); }
  /// Uniform in ± 1 / √inputs, by the numbers after `drawn`.
  void draw(Context& context, int inputs, const random_numbers& random, std::uint64_t& drawn) {
    const float bound = 1 / std::sqrt(static_cast<float>(inputs));
    std::vector<float> numbers(static_cast<std::size_t>(this->size()));
    for (float& number : numbers) number = bound * (2 * random.uniform(drawn++) - 1);
    start(context, numbers);
  }
};

/// The weights of x · wᵀ + b, which start as PyTorch's nn.Linear.
template <class Policy, class Context>
struct dense {
  ::weight<Policy, amp::op::linear, Context> weight, bias;

  dense(Context& context, int outputs, int inputs, const std::string& name, const random_numbers& random)
      : weight(context, name + ".weight", {outputs, inputs}), bias(context, name + ".bias", {outputs}) {
    std::uint64_t drawn = 0;
    weight.draw(context, inputs, random, drawn), bias.draw(context, inputs, random, drawn);
  }
};

/// By the finite check that gradients go through.
template <class T, class Context> bool is_finite(Context& context, amp::view<const T> values) {
  return amp::wait_all_finite(context, amp::unscale(context, amp::scaled(values, amp::ticket())));
}
