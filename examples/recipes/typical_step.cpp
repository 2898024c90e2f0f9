// The typical step: a forward pass under a policy, the loss scaled, gradients by a tape, one step, one update of the scale.
#if defined(RECIPE_ON_CUDA)
#include <amphora/cuda_ops.cuh>
using context_type = amphora::cuda_context;
#else
#include <amphora/amphora.hpp>
using context_type = amphora::host_context;
#endif
#include <amphora/autograd.hpp>
#include <amphora/ops.hpp>

#include "reference.hpp"

#include <vector>

namespace amp = amphora;

/// Products in f16, the loss in f32, float weights, a dynamic loss scale.
struct mixed : amp::o1<amp::f16> {};

template <class Policy>
struct network {
  using weight = amp::parameter<Policy, amp::op::linear, context_type>;
  weight w1, b1, w2, b2;

  explicit network(context_type& context) : w1(context, "w1", {7, 5}), b1(context, "b1", {7}), w2(context, "w2", {3, 7}), b2(context, "b2", {3}) {}
  std::vector<amp::parameter_view> parameters() { return {w1.view(), b1.view(), w2.view(), b2.view()}; }

  /// amp  a scope: what its ops compute in is the policy's choice
  template <class Scope, class X> auto logits(const Scope& amp, const X& x) {
    const auto& tape = amp.tape();
    return amp.linear(amp.gelu(amp.linear(x, tape.leaf(w1), tape.leaf(b1))), tape.leaf(w2), tape.leaf(b2));
  }
};

template <class Policy>
void train(reference& run) {
  context_type context;
  network<Policy> net(context);
  run.load(context, "start", net.w1, net.b1, net.w2, net.b2);
  std::vector<double> losses, scales;
  //! [loop]
  auto scaler = amp::make_scaler<Policy>(context, amp::growth{2, 0.5, 3, 1024});  // grows after 3 clean steps
  amp::adamw rule;
  rule.learning_rate = 0.01f, rule.weight_decay = 0.1;
  amp::mixed_optimizer optimizer{context, rule, net.parameters()};
  for (int step = 0; step < 12; ++step) {
    const auto x = run.batch<float>(context, "x", step);
    const auto y = run.batch<std::int64_t>(context, "y", step);

    const amp::tape tape{context};
    const auto loss = amp::autocast<Policy>(tape, [&](auto amp) { return amp.cross_entropy(net.logits(amp, tape.constant(x)), y); });
    const auto scaled_loss = scaler.scale(context, loss.value());
    amp::backward(context, loss, scaled_loss);
    const auto outcome = optimizer.step(context, amp::scaled(optimizer.gradients(), scaled_loss.ticket()));
    scaler.update(context, outcome);

    losses.push_back(amp::wait_read(context, loss.value())[0]);  // the only calls that wait, and only to look
    scales.push_back(scaler.wait_scale(context));
  }
  //! [loop]
  run.compare<Policy>("loss", losses);
  run.require_equal("scale", scales);
  run.compare_weights<Policy>(context, net.w1, net.b1, net.w2, net.b2);
}

int main() {
  reference run("typical_step");
  train<in_float>(run);
  train<mixed>(run);
  return run.status();
}
