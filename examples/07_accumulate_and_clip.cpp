// Four small batches make one step: their gradients are added at one scale, then clipped by the norm of all together.
#include <amphora/amphora.hpp>
#include <amphora/ops.hpp>

#include <cmath>
#include <cstdio>

namespace amp = amphora;

struct mixed : amp::o2<amp::bf16> {};

int main() {
  constexpr int batches = 4, samples = 8, inputs = 6;
  amp::host_context context;
  amp::parameter<mixed, amp::op::linear, amp::host_context> w(context, "w", {3, inputs});
  amp::tensor<amp::bfloat16, amp::host_context> x(context, {batches * samples, inputs});
  amp::tensor<std::int64_t, amp::host_context> labels(context, {batches * samples});
  for (int i = 0; i < x.size(); ++i) x.data()[i] = amp::bfloat16(static_cast<float>(i * 5 % 17) / 8);
  for (int i = 0; i < labels.size(); ++i) labels.data()[i] = i % 3;

  auto scaler = amp::make_scaler<mixed>(context);
  amp::mixed_optimizer optimizer{context, amp::adamw{0.01f}, {w.view()}};
  //! [accumulate]
  amp::cross_entropy_settings settings;
  settings.factor = 1.0f / batches;  // the mean over all of them
  amp::ticket ticket;
  w.zero_gradient(context);
  for (int b = 0; b < batches; ++b) {
    const amp::view images{x.data() + b * samples * inputs, {samples, inputs}};
    const amp::view targets{labels.data() + b * samples, {samples}};
    const auto logits = amp::linear<mixed>(context, images, w.weights());
    const auto loss = scaler.scale(context, amp::cross_entropy<mixed>(context, logits, targets, settings));
    const auto of_logits = amp::cross_entropy_backward<mixed>(context, loss.gradient(), logits, targets, settings);
    amp::linear_backward<mixed>(context, of_logits, images, w.weights(), amp::no_gradient{}, amp::add_to(w.gradient()));
    ticket = loss.ticket();  // the scale stays until update, so each of the four has the same
  }
  auto gradients = amp::unscale(context, amp::scaled(optimizer.gradients(), ticket));
  const double before = amp::wait_global_norm(context, gradients);
  amp::clip_gradients(context, gradients, amp::clip_global_norm{0.05f});
  const double after = amp::wait_global_norm(context, gradients);
  scaler.update(context, optimizer.step(context, gradients));
  //! [accumulate]
  std::printf("norm %.2f, clipped to %.2f\n", before, after);
}
