// Gradients are unscaled, looked at and clipped before the step: the order that types insist on.
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
  auto scaler = amp::make_scaler<Policy>(context, amp::growth{2, 0.5, 3, 1024});
  amp::adamw rule;
  rule.learning_rate = 0.01f, rule.weight_decay = 0.1;
  amp::mixed_optimizer optimizer{context, rule, net.parameters()};
  std::vector<double> losses, norms, scales;
  for (int step = 0; step < 12; ++step) {
    const auto x = run.batch<float>(context, "x", step);
    const auto y = run.batch<std::int64_t>(context, "y", step);

    const amp::tape tape{context};
    const auto loss = amp::autocast<Policy>(tape, [&](auto amp) { return amp.cross_entropy(net.logits(amp, tape.constant(x)), y); });
    const auto scaled_loss = scaler.scale(context, loss.value());
    amp::backward(context, loss, scaled_loss);
    //! [clip]
    // One pass that only reads. The stored values stay as they are, 16 bits wide; a factor beside them makes them true where they are read.
    auto gradients = amp::unscale(context, amp::scaled(optimizer.gradients(), scaled_loss.ticket()));
    norms.push_back(amp::wait_global_norm(context, gradients));  // of the true gradients. Of scaled ones it does not compile
    amp::clip_gradients(context, gradients, amp::clip_global_norm{0.5f});
    scaler.update(context, optimizer.step(context, gradients));
    // The same without a look, in two passes over memory instead of three:
    //   optimizer.step(context, amp::scaled(optimizer.gradients(), scaled_loss.ticket()), amp::clip_global_norm{0.5f})
    //! [clip]
    losses.push_back(amp::wait_read(context, loss.value())[0]), scales.push_back(scaler.wait_scale(context));
  }
  run.compare<Policy>("loss", losses);
  run.require_equal("scale", scales);
  run.compare<Policy>("norm", norms);
  run.compare_weights<Policy>(context, net.w1, net.b1, net.w2, net.b2);
}

int main() {
  reference run("unscale_and_clip");
  train<in_float>(run);
  train<mixed>(run);
  return run.status();
}
