// Three batches make one step: their gradients are added at one scale, and the scale moves once.
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

  explicit network(amp::host_context& context) : w1(context, "w1", {7, 5}), b1(context, "b1", {7}), w2(context, "w2", {3, 7}), b2(context, "b2", {3}) {}
  std::vector<amp::parameter_view> parameters() { return {w1.view(), b1.view(), w2.view(), b2.view()}; }

  /// adds  to the gradients that are there; otherwise the backward pass overwrites them
  template <class Scope, class X> auto logits(const Scope& amp, const X& x, bool adds) {
    const auto leaf = [&](weight& w) { return adds ? amp.tape().accumulating_leaf(w) : amp.tape().leaf(w); };
    return amp.linear(amp.gelu(amp.linear(x, leaf(w1), leaf(b1))), leaf(w2), leaf(b2));
  }
};

template <class Policy>
void train(reference& run) {
  amp::host_context context;
  network<Policy> net(context);
  run.load(context, "start", net.w1, net.b1, net.w2, net.b2);
  auto scaler = amp::make_scaler<Policy>(context, amp::growth{2, 0.5, 3, 1024});
  amp::sgd rule;
  rule.learning_rate = 0.1f, rule.momentum = 0.9;
  amp::mixed_optimizer optimizer{context, rule, net.parameters()};
  std::vector<double> losses, scales;
  //! [accumulate]
  constexpr int together = 3;
  amp::cross_entropy_settings settings;
  settings.factor = 1.0f / together;  // the mean over all three
  for (int step = 0; step < 12; ++step) {
    const auto x = run.batch<float>(context, "x", step);
    const auto y = run.batch<std::int64_t>(context, "y", step);

    const amp::tape tape{context};
    const auto loss = amp::autocast<Policy>(tape, [&](auto amp) { return amp.cross_entropy(net.logits(amp, tape.constant(x), step % together > 0), y, settings); });
    const auto scaled_loss = scaler.scale(context, loss.value());  // the scale stays until update: all three have the same
    amp::backward(context, loss, scaled_loss);
    losses.push_back(amp::wait_read(context, loss.value())[0]);
    if ((step + 1) % together) continue;
    scaler.update(context, optimizer.step(context, amp::scaled(optimizer.gradients(), scaled_loss.ticket())));
    scales.push_back(scaler.wait_scale(context));
  }
  //! [accumulate]
  run.compare<Policy>("loss", losses);
  run.require_equal("scale", scales);
  run.compare_weights<Policy>(context, net.w1, net.b1, net.w2, net.b2);
}

int main() {
  reference run("accumulation");
  train<in_float>(run);
  train<mixed>(run);
  return run.status();
}
