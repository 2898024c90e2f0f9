// A little of everything on the CUDA device, so that a unit that calls it has the whole device.
#pragma once
#include <amphora/autograd.hpp>
#include <amphora/cuda_ops.cuh>
#include <amphora/detail/config.hpp>  // AMPHORA_HD

#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

namespace amp = amphora;

struct mixed : amp::amend<amp::o1<amp::f16>, amp::in<amp::op::gelu, amp::compute<amp::f32>>> {};

/// A schedule of the program's own, which a kernel calls.
struct first_fast {
  void check() const {}
  AMPHORA_HD float operator()(std::int64_t taken, float rate) const { return taken == 0 ? 2 * rate : rate; }
};

/// Trains one linear layer for two steps, of which the second has an infinite input. 0 where everything is right.
inline int whole() {
  amp::cuda_context context;
  std::vector<float> start = {0.5f, -0.25f, 1.0f, 2.0f, -1.0f, 0.0f, 0.125f, 3.0f};
  std::vector<amp::float16> copy(8), numbers(8);
  for (std::size_t i = 0; i < 8; ++i) copy[i] = amp::float16(start[i]), numbers[i] = amp::float16(0.125f * static_cast<float>(i));
  amp::tensor<float, amp::cuda_context> master(context, {8});
  amp::tensor<amp::float16, amp::cuda_context> weight(context, {2, 4}), gradient(context, {2, 4}), input(context, {2, 4});
  amp::tensor<std::int64_t, amp::cuda_context> labels(context, {2});
  amp::write(context, start, master);
  amp::write(context, copy, weight);
  amp::write(context, std::vector<std::int64_t>{0, 1}, labels);
  const amp::view w = weight.view(), grad_w = gradient.view(), x = input.view();

  auto scaler = amp::make_scaler<mixed>(context);
  amp::mixed_optimizer optimizer{context, amp::adamw{0.01f}, {{master.data(), weight.data(), gradient.data(), nullptr, 8}}, first_fast{}};
  amp::step_result result[2];
  float scale[2], kept = 0;
  for (int step = 0; step < 2; ++step) {
    kept = amp::wait_read(context, master)[0];
    if (step == 1) numbers[0] = amp::float16(1e30f);  // infinity
    amp::write(context, numbers, input);
    auto logits = amp::linear<mixed>(context, x, w);
    auto loss = scaler.scale(context, amp::cross_entropy<mixed>(context, logits, labels));
    auto grad = amp::cross_entropy_backward<mixed>(context, loss.gradient(), logits, labels);
    amp::linear_backward<mixed>(context, grad, x, w, amp::no_gradient{}, amp::into{grad_w});
    auto outcome = optimizer.step(context, amp::scaled(optimizer.gradients(), loss.ticket()), amp::clip_global_norm{1.0f});
    result[step] = outcome.wait_result(context);
    scaler.update(context, outcome);
    scale[step] = scaler.wait_scale(context);
  }
  const float moved = amp::wait_read(context, master)[0];
  if (result[0] != amp::step_result::stepped || scale[0] != 65536.0f || kept == 0.5f) return 1;
  if (result[1] != amp::step_result::skipped || scale[1] != 32768.0f || moved != kept) return 2;
  if (amp::wait_read(context, weight)[0].bits() != amp::float16(moved).bits()) return 3;
  if (optimizer.wait_taken(context) != 1 || optimizer.wait_skipped(context) != 1) return 4;
  return 0;
}

}  // namespace
