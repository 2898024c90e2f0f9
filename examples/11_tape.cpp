// The backward pass by a tape: ops on variables are recorded, and one call runs back over them into the parameters' gradients.
#include <amphora/amphora.hpp>
#include <amphora/autograd.hpp>
#include <amphora/ops.hpp>

#include <cstdio>

namespace amp = amphora;

struct mixed : amp::o1<amp::f16> {};
using parameter = amp::parameter<mixed, amp::op::linear, amp::host_context>;

int main() {
  constexpr int samples = 64, inputs = 2, hidden = 16;
  amp::host_context context;
  amp::tensor<float, amp::host_context> x(context, {samples, inputs}), y(context, {samples, 1}), start(context, {hidden, inputs});
  for (int s = 0; s < samples; ++s) {
    const float a = static_cast<float>(s % 8) / 4 - 1, b = static_cast<float>(s / 8) / 4 - 1;
    x.data()[2 * s] = a, x.data()[2 * s + 1] = b, y.data()[s] = a * b;
  }
  for (int i = 0; i < hidden * inputs; ++i) start.data()[i] = static_cast<float>(i * 7 % 13 - 6) / 6;
  parameter w1{context, "w1", {hidden, inputs}}, b1{context, "b1", {hidden}}, w2{context, "w2", {1, hidden}}, b2{context, "b2", {1}};
  w1.load(context, start), w2.load(context, amp::view<const float>(start.data(), {1, hidden}));

  auto scaler = amp::make_scaler<mixed>(context);
  amp::mixed_optimizer optimizer{context, amp::adamw{0.01f}, {w1.view(), b1.view(), w2.view(), b2.view()}};
  for (int step = 0; step <= 200; ++step) {
    //! [step]
    amp::tape tape{context};
    const auto error = amp::autocast<mixed>(tape, [&](auto amp) {
      const auto h = amp.gelu(amp.linear(tape.constant(x), tape.leaf(w1), tape.leaf(b1)));
      return amp.add(amp.linear(h, tape.leaf(w2), tape.leaf(b2)), tape.constant(y), -1);
    });
    const auto flat = amp::reshape(tape, error, {samples});
    const auto loss = amp::matmul<amp::o0<>>(tape, flat, flat);  // the sum of squares
    const auto scaled_loss = scaler.scale(context, loss.value());
    amp::backward(context, loss, scaled_loss);
    scaler.update(context, optimizer.step(context, amp::scaled(optimizer.gradients(), scaled_loss.ticket())));
    //! [step]
    if (step % 100 == 0) std::printf("step %3d: loss %.1f\n", step, amp::wait_read(context, loss.value())[0]);
  }
}
