// Fine-tuning with frozen layers: they have no gradient and no state, and the backward pass ends above them.
#include "reference.hpp"

#include <amphora/amphora.hpp>
#include <amphora/autograd.hpp>
#include <amphora/ops.hpp>

#include <vector>

namespace amp = amphora;

struct mixed : amp::o1<amp::f16> {};

template <class Policy>
struct network {
  using weight = amp::parameter<Policy, amp::op::linear, amp::host_context>;
  weight w1, b1, w2, b2;

  explicit network(amp::host_context& context)
      : w1(context, "w1", {7, 5}, amp::training::frozen), b1(context, "b1", {7}, amp::training::frozen),
        w2(context, "w2", {3, 7}), b2(context, "b2", {3}) {}
  std::vector<amp::parameter_view> parameters() { return {w2.view(), b2.view()}; }  // those that train

  template <class Scope, class X> auto logits(const Scope& amp, const X& x) {
    const auto& tape = amp.tape();
    return amp.linear(amp.gelu(amp.linear(x, tape.leaf(w1), tape.leaf(b1))), tape.leaf(w2), tape.leaf(b2));
  }
};

template <class Policy>
void train(reference& run) {
  amp::host_context context;
  network<Policy> net(context);
  run.load(context, "start", net.w1, net.b1, net.w2, net.b2);
  const std::vector<float> before = amp::wait_read(context, net.w1.master());
  auto scaler = amp::make_scaler<Policy>(context, amp::growth{2, 0.5, 3, 1024});
  amp::mixed_optimizer optimizer{context, amp::adamw{0.02f, 0.9, 0.999, 1e-8, 0.01}, net.parameters()};
  std::vector<double> losses, scales;
  for (int step = 0; step < 8; ++step) {
    const auto x = run.batch<float>(context, "x", step);
    const auto y = run.batch<std::int64_t>(context, "y", step);

    const amp::tape tape{context};
    const auto loss = amp::autocast<Policy>(tape, [&](auto amp) { return amp.cross_entropy(net.logits(amp, tape.constant(x)), y); });
    const auto scaled_loss = scaler.scale(context, loss.value());
    amp::backward(context, loss, scaled_loss);
    scaler.update(context, optimizer.step(context, amp::scaled(optimizer.gradients(), scaled_loss.ticket())));
    losses.push_back(amp::wait_read(context, loss.value())[0]), scales.push_back(scaler.wait_scale(context));
  }
  run.compare<Policy>("loss", losses);
  run.require_equal("scale", scales);
  run.compare_weights<Policy>(context, net.w1, net.b1, net.w2, net.b2);
  run.require("the frozen weights", amp::wait_read(context, net.w1.master()) == before && net.w1.gradient().size() == 0);
  run.require("the frozen bytes", net.w1.bytes() == 35 * (std::is_same_v<Policy, mixed> ? 4 + 2 : 4));  // master and 16-bit copy, no gradient
}

int main() {
  reference run("frozen_layers");
  train<in_float>(run);
  train<mixed>(run);
  return run.status();
}
