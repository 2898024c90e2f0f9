// Two models, two losses of both, two optimizers, one scaler: where one overflows it skips, the other steps, and the scale goes down.
#include "reference.hpp"

#include <amphora/amphora.hpp>
#include <amphora/autograd.hpp>
#include <amphora/ops.hpp>

#include <cmath>
#include <string>
#include <vector>

namespace amp = amphora;

struct mixed : amp::o1<amp::f16> {};

template <class Policy>
struct network {
  using weight = amp::parameter<Policy, amp::op::linear, amp::host_context>;
  std::string names[4];
  weight w1, b1, w2, b2;

  network(amp::host_context& context, const std::string& name, int hidden)
      : names{name + ".w1", name + ".b1", name + ".w2", name + ".b2"}, w1(context, names[0].c_str(), {hidden, 5}), b1(context, names[1].c_str(), {hidden}),
        w2(context, names[2].c_str(), {3, hidden}), b2(context, names[3].c_str(), {3}) {}
  std::vector<amp::parameter_view> parameters() { return {w1.view(), b1.view(), w2.view(), b2.view()}; }

  template <class Scope, class X> auto logits(const Scope& amp, const X& x) {
    const auto& tape = amp.tape();
    return amp.linear(amp.gelu(amp.linear(x, tape.leaf(w1), tape.leaf(b1))), tape.leaf(w2), tape.leaf(b2));
  }
};

/// As after a backward pass in which a number went past the format's range.
template <class Parameter> void overflow(Parameter& parameter) {
  using number = typename decltype(parameter.gradient())::value_type;
  parameter.gradient().data()[0] = number(INFINITY);
}

template <class Policy>
void train(reference& run) {
  amp::host_context context;
  network<Policy> a(context, "model0", 7), b(context, "model1", 4);
  run.load(context, "start", a.w1, a.b1, a.w2, a.b2, b.w1, b.b1, b.w2, b.b2);
  auto scaler = amp::make_scaler<Policy>(context, amp::growth{2, 0.5, 3, 1024});
  amp::mixed_optimizer sgd{context, amp::sgd{0.1f}, a.parameters()};
  amp::mixed_optimizer adamw{context, amp::adamw{0.01f, 0.9, 0.999, 1e-8, 0.01}, b.parameters()};
  std::vector<double> losses[2], scales;
  for (int step = 0; step < 10; ++step) {
    const auto x = run.batch<float>(context, "x", step);
    const auto y = run.batch<std::int64_t>(context, "y", step);

    //! [step]
    const amp::tape tape{context};
    const auto [loss0, loss1] = amp::autocast<Policy>(tape, [&](auto amp) {
      const auto of_a = amp.cast(amp::f32{}, a.logits(amp, tape.constant(x))), of_b = amp.cast(amp::f32{}, b.logits(amp, tape.constant(x)));
      const auto mixture = [&](double p, double q) { return amp.add(amp.mul(of_a, p), of_b, q); };
      return std::make_pair(amp.cross_entropy(mixture(2, 3), y), amp.cross_entropy(mixture(3, -5), y));
    });
    const auto scaled0 = scaler.scale(context, loss0.value()), scaled1 = scaler.scale(context, loss1.value());
    amp::backward(context, loss0, scaled0, amp::graph::keep);
    amp::backward(context, loss1, scaled1);  // adds to what the first pass left
    const bool overflows = step == 3 || step == 6;
    if (overflows) overflow(a.w1);

    const auto of_sgd = sgd.step(context, amp::scaled(sgd.gradients(), scaled0.ticket(), scaled1.ticket()));
    const auto of_adamw = adamw.step(context, amp::scaled(adamw.gradients(), scaled0.ticket(), scaled1.ticket()));
    const bool first_skipped = of_sgd.wait_result(context) == amp::step_result::skipped, second_stepped = of_adamw.wait_result(context) == amp::step_result::stepped;
    scaler.update(context, of_sgd, of_adamw);  // once, by what all steps found
    //! [step]
    run.require("step " + std::to_string(step), first_skipped == overflows && second_stepped);
    losses[0].push_back(amp::wait_read(context, loss0.value())[0]), losses[1].push_back(amp::wait_read(context, loss1.value())[0]);
    scales.push_back(scaler.wait_scale(context));
  }
  run.compare<Policy>("loss0", losses[0], 2 + 3), run.compare<Policy>("loss1", losses[1], 3 + 5);
  run.require_equal("scale", scales);
  run.compare_weights<Policy>(context, a.w1, a.b1, a.w2, a.b2, b.w1, b.b1, b.w2, b.b2);
}

int main() {
  reference run("two_models");
  train<in_float>(run);
  train<mixed>(run);
  return run.status();
}
