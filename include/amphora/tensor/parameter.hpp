// One weight of a model, as its policy stores it: the float master, what the forward pass reads, and the gradient.
#pragma once
#include <amphora/policy/weights.hpp>         // master_t, model_t, gradient_t, require_may_step
#include <amphora/tensor/parameter_memory.hpp>  // parameter_memory

#include <type_traits>  // is_same_v

namespace amphora { inline namespace AMPHORA_ABI {

/// Owns the memory of a weight that Op reads under Policy.
///
/// The master is float, the model weights are in model_t<Policy, Op>, the gradient in gradient_t<Policy, Op>. Where the op
/// reads float the master is what it reads; under master<none> there is no master. The optimizer keeps its own state.
/// Nobody can write the model weights past the master: load() refreshes both, and the optimizer's step writes both.
///
///     amp::parameter<mixed, amp::op::linear, amp::host_context> w{context, "layer1.weight", {256, 64}};
///     w.load(context, amp::view<const float>{initial, {256, 64}});
///     auto y = amp::linear<mixed>(context, x, w.weights(), b.weights());
///     amp::linear_backward<mixed>(context, gy, x, w.weights(), amp::no_gradient{}, amp::add_to(w.gradient()), …);
///     parameters.push_back(w.view());
///
/// Policy   a policy; of a plan, policy_at_t<Plan, layer>
/// Op       an op that reads weights, e.g. op::linear
/// Context  where it lives; must outlive it
/// Errors   no-master (at compile time) where Policy stores low-precision weights and says nothing about a master
template <class Policy, class Op, class Context>
class parameter : public detail::parameter_memory<!std::is_same_v<master_t<Policy, Op>, none>, gradient_t<Policy, Op>, Context, model_t<Policy, Op>> {
  static_assert(require_may_step<Policy, Op>());
  using memory = detail::parameter_memory<!std::is_same_v<master_t<Policy, Op>, none>, gradient_t<Policy, Op>, Context, model_t<Policy, Op>>;

 public:
  using policy = Policy;
  using op = Op;

  /// Its weights and gradient are zeros.
  ///
  /// name   for messages and files; must outlive the parameter and its views
  /// trains  training::frozen: there is no gradient, and no step moves it
  parameter(Context& context, const char* name, const amphora::shape& shape, training trains = training::on)
      : memory(context, name, shape, trains, is_stochastic_v<Policy, Op>) {}

  /// [shape], model_t<Policy, Op>: what the forward pass reads.
  auto weights() const { return memory::template weights_in<model_t<Policy, Op>>(); }
};

}}  // namespace amphora
