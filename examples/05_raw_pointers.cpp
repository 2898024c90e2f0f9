// An existing program, with its own memory and its own passes, gains loss scaling and a fused step with float masters.
#include <amphora/amphora.hpp>

#include <cstdio>

namespace amp = amphora;

struct mixed : amp::o2<amp::f16> {};

int main() {
  constexpr int samples = 16, inputs = 4;
  float x[samples][inputs], y[samples];  // theirs: data …
  for (int s = 0; s < samples; ++s) {
    for (int i = 0; i < inputs; ++i) x[s][i] = static_cast<float>((s * 7 + i * 5) % 11 - 5) / 8;
    y[s] = 6 * x[s][0] - 3 * x[s][1] + x[s][3];
  }
  float master[inputs] = {};  // … and parameters
  amp::float16 weights[inputs] = {}, gradients[inputs] = {};
  float loss = 0;

  amp::host_context context;
  auto scaler = amp::make_scaler<mixed>(context);
  amp::mixed_optimizer optimizer{context, amp::adamw{/*lr*/ 0.05f}, {{master, weights, gradients, nullptr, inputs}}};

  for (int step = 0; step < 400; ++step) {
    float error[samples];  // their forward pass, on the 16-bit weights
    loss = 0;
    for (int s = 0; s < samples; ++s) {
      error[s] = -y[s];
      for (int i = 0; i < inputs; ++i) error[s] += static_cast<float>(weights[i]) * x[s][i];
      loss += error[s] * error[s] / samples;
    }
    //! [step]
    auto scaled_loss = scaler.scale(context, amp::view{&loss});
    const float scale = *scaled_loss.gradient().data();  // ∂(scaled loss)/∂loss
    for (int i = 0; i < inputs; ++i) {  // their backward pass, into 16-bit gradients
      float sum = 0;
      for (int s = 0; s < samples; ++s) sum += scale * 2 * error[s] * x[s][i] / samples;
      gradients[i] = amp::float16(sum);
    }
    auto outcome = optimizer.step(context, amp::scaled(optimizer.gradients(), scaled_loss.ticket()), amp::clip_global_norm{1.0f});
    scaler.update(context, outcome);
    //! [step]
  }
  std::printf("the loss fell below 1e-2: %s\n", loss < 1e-2f ? "yes" : "no");
  std::printf("steps skipped until the scale fit: %d\n", static_cast<int>(scaler.wait_state(context).skipped));
}
