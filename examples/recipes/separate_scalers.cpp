// A scaler for each of two losses: an overflow in the gradients of one skips the step, and lowers the scale of that one alone.
#include "reference.hpp"

#include <amphora/amphora.hpp>
#include <amphora/autograd.hpp>
#include <amphora/ops.hpp>

#include <cmath>
#include <string>
#include <tuple>
#include <vector>

namespace amp = amphora;

struct mixed : amp::o1<amp::f16> {};

template <class Policy>
struct network {
  using weight = amp::parameter<Policy, amp::op::linear, amp::host_context>;
  weight w1, b1, w2, b2;

  explicit network(amp::host_context& context) : w1(context, "w1", {7, 5}), b1(context, "b1", {7}), w2(context, "w2", {3, 7}), b2(context, "b2", {3}) {}
  std::vector<amp::parameter_view> parameters() { return {w1.view(), b1.view(), w2.view(), b2.view()}; }

  auto leaves(const amp::tape<amp::host_context>& tape) { return std::make_tuple(tape.leaf(w1), tape.leaf(b1), tape.leaf(w2), tape.leaf(b2)); }
};

/// Float gradients of all parameters, in one array.
struct sum_of_gradients {
  amp::tensor<float, amp::host_context> values;
  std::vector<amp::view<float>> each;
  std::vector<amp::gradient_view> list;

  sum_of_gradients(amp::host_context& context, const std::vector<amp::parameter_view>& parameters) {
    std::int64_t size = 0;
    for (const auto& p : parameters) size += p.n;
    values = {context, {size}};
    float* at = values.data();
    for (const auto& p : parameters) each.emplace_back(at, amp::shape{p.n}), list.emplace_back(each.back()), at += p.n;
  }
};

template <class Policy>
void train(reference& run) {
  amp::host_context context;
  network<Policy> net(context);
  run.load(context, "start", net.w1, net.b1, net.w2, net.b2);
  amp::adamw rule;
  rule.learning_rate = 0.01f, rule.weight_decay = 0.1;
  amp::mixed_optimizer optimizer{context, rule, net.parameters()};
  //! [step]
  amp::scaler<amp::host_context> scalers[] = {amp::make_scaler<Policy>(context, amp::growth{2, 0.5, 3, 1024}), amp::make_scaler<Policy>(context, amp::growth{2, 0.5, 3, 1024})};
  sum_of_gradients sum(context, net.parameters()), part(context, net.parameters());
  std::vector<double> losses[2], scales[2];
  for (int step = 0; step < 12; ++step) {
    const auto x = run.batch<float>(context, "x", step);
    const auto y = run.batch<std::int64_t>(context, "y", step);

    const amp::tape tape{context};
    const auto leaves = net.leaves(tape);
    const auto both = amp::autocast<Policy>(tape, [&](auto amp) {
      const auto& [w1, b1, w2, b2] = leaves;
      const auto logits = amp.linear(amp.gelu(amp.linear(tape.constant(x), w1, b1)), w2, b2);
      const auto flat = amp.cast(amp::f32{}, amp::reshape(tape, logits, {logits.size()}));
      const auto small = amp.mul(amp.with(amp::o0<>{}).matmul(flat, flat), 0.1 / static_cast<double>(logits.size()));  // keeps the logits small
      return std::make_pair(amp.cross_entropy(logits, y), small);
    });
    const auto one = [&](int which, const auto& loss, bool overflows, sum_of_gradients& to) {
      const auto scaled_loss = scalers[which].scale(context, loss.value());
      const auto seed = amp::mul<amp::o0<>>(tape, tape.constant(scaled_loss.gradient()), overflows ? INFINITY : 1);
      const auto gradients = std::apply([&](const auto&... leaf) { return amp::grad(context, loss, seed, amp::graph::keep, leaf...); }, leaves);
      std::vector<amp::gradient_view> list;
      std::apply([&](const auto&... g) { (list.emplace_back(g.value()), ...); }, gradients);
      const auto unscaled = amp::unscale(context, amp::scaled(amp::gradient_list(list), scaled_loss.ticket()));
      amp::materialize(context, unscaled, to.each);  // true gradients, in float: those of different scales can be added now
      scalers[which].update(context, unscaled);      // each by what its own gradients were
      losses[which].push_back(amp::wait_read(context, loss.value())[0]), scales[which].push_back(scalers[which].wait_scale(context));
    };
    one(0, both.first, step == 3 || step == 7, sum);
    one(1, both.second, step == 5, part);
    amp::add_gradients(context, part.values.view(), sum.values.view());
    const auto outcome = optimizer.step(context, sum.list);  // its own finite check finds the overflow of either
    run.require("step " + std::to_string(step), outcome.wait_result(context) == (step == 3 || step == 5 || step == 7 ? amp::step_result::skipped : amp::step_result::stepped));
  }
  //! [step]
  for (const char which : {'0', '1'}) {
    run.compare<Policy>(std::string("loss") + which, losses[which - '0']);
    run.require_equal(std::string("scale") + which, scales[which - '0']);
  }
  run.compare_weights<Policy>(context, net.w1, net.b1, net.w2, net.b2);
}

int main() {
  reference run("separate_scalers");
  train<in_float>(run);
  train<mixed>(run);
  return run.status();
}
