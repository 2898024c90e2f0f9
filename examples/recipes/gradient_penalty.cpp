// A penalty on the gradients' norm: gradients of gradients, of which the first are unscaled by hand.
#include "reference.hpp"

#include <amphora/amphora.hpp>
#include <amphora/autograd.hpp>
#include <amphora/ops.hpp>

#include <tuple>
#include <vector>

namespace amp = amphora;

/// The products in f16, what becomes of their gradients in float.
struct mixed : amp::o1<amp::f16> {};

template <class Policy>
struct network {
  using weight = amp::parameter<Policy, amp::op::linear, amp::host_context>;
  weight w1, b1, w2, b2;

  explicit network(amp::host_context& context) : w1(context, "w1", {7, 5}), b1(context, "b1", {7}), w2(context, "w2", {3, 7}), b2(context, "b2", {3}) {}
  std::vector<amp::parameter_view> parameters() { return {w1.view(), b1.view(), w2.view(), b2.view()}; }

  auto leaves(const amp::tape<amp::host_context>& tape) { return std::make_tuple(tape.leaf(w1), tape.leaf(b1), tape.leaf(w2), tape.leaf(b2)); }
};

template <class Policy>
void train(reference& run) {
  amp::host_context context;
  network<Policy> net(context);
  run.load(context, "start", net.w1, net.b1, net.w2, net.b2);
  auto scaler = amp::make_scaler<Policy>(context, amp::growth{2, 0.5, 3, 1024});
  amp::mixed_optimizer optimizer{context, amp::sgd{0.05f}, net.parameters()};
  std::vector<double> losses, penalties, scales;
  for (int step = 0; step < 8; ++step) {
    const auto x = run.batch<float>(context, "x", step);
    const auto y = run.batch<std::int64_t>(context, "y", step);

    const amp::tape tape{context};
    const auto leaves = net.leaves(tape);
    const auto fit = amp::autocast<Policy>(tape, [&](auto amp) {
      const auto& [w1, b1, w2, b2] = leaves;
      return amp.cross_entropy(amp.linear(amp.gelu(amp.linear(tape.constant(x), w1, b1)), w2, b2), y);
    });
    //! [penalty]
    // Scaled gradients that can be differentiated themselves; the parameters' own are not touched.
    const auto scaled_fit = scaler.scale(context, fit.value());
    const auto gradients = std::apply([&](const auto&... leaf) { return amp::grad(context, fit, tape.constant(scaled_fit.gradient()), amp::graph::create, leaf...); }, leaves);
    const auto inverse = tape.constant(amp::view<const float>(scaled_fit.ticket().inverse()));  // on the device: nobody waits for it
    const auto loss = amp::autocast<amp::o0<>>(tape, [&](auto amp) {
      const auto square = [&](const auto& scaled) {
        const auto g = amp::reshape(tape, amp.mul(amp.cast(amp::f32{}, scaled), inverse), {scaled.size()});
        return amp.matmul(g, g);
      };
      const auto squares = std::apply([&](const auto& first, const auto&... rest) {
        auto sum = square(first);
        ((sum = amp.add(sum, square(rest))), ...);
        return sum;
      }, gradients);
      const auto norm = amp.sqrt(squares);
      penalties.push_back(amp::wait_read(context, norm.value())[0]);
      return amp.add(fit, norm, 0.1);
    });
    const auto scaled_loss = scaler.scale(context, loss.value());
    amp::backward(context, loss, scaled_loss);  // through the first backward pass, into the parameters' gradients
    //! [penalty]
    scaler.update(context, optimizer.step(context, amp::scaled(optimizer.gradients(), scaled_loss.ticket())));
    losses.push_back(amp::wait_read(context, loss.value())[0]), scales.push_back(scaler.wait_scale(context));
  }
  run.compare<Policy>("loss", losses);
  run.require_equal("scale", scales);
  run.compare<Policy>("penalty", penalties);
  run.compare_weights<Policy>(context, net.w1, net.b1, net.w2, net.b2);
}

int main() {
  reference run("gradient_penalty");
  train<in_float>(run);
  train<mixed>(run);
  return run.status();
}
