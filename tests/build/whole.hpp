// A little of everything, so that a program that calls it uses the whole library.
#pragma once
#include <amphora/amphora.hpp>
#include <amphora/autograd.hpp>
#include <amphora/ops.hpp>

#include <cstdint>
#include <utility>

namespace {

namespace amp = amphora;

struct mixed : amp::amend<amp::o1<amp::f16>, amp::in<amp::op::gelu, amp::compute<amp::f32>>> {};

/// Trains one linear layer for two steps, of which the second has an infinite input. 0 where everything is right.
inline int whole() {
  amp::host_context context;
  float master[8] = {0.5f, -0.25f, 1.0f, 2.0f, -1.0f, 0.0f, 0.125f, 3.0f};
  amp::float16 weight[8], gradient[8], input[8];
  for (int i = 0; i < 8; ++i) weight[i] = amp::float16(master[i]), input[i] = amp::float16(0.125f * static_cast<float>(i));
  const std::int64_t target[2] = {0, 1};
  const amp::view w{weight, {2, 4}}, grad_w{gradient, {2, 4}}, x{input, {2, 4}};
  const amp::view labels{target, {2}};

  auto scaler = amp::make_scaler<mixed>(context);
  amp::mixed_optimizer optimizer{context, amp::adamw{0.01f}, {{master, weight, gradient, nullptr, 8}}};
  amp::step_result result[2];
  float scale[2], kept = 0;
  for (int step = 0; step < 2; ++step) {
    kept = master[0];
    if (step == 1) input[0] = amp::float16(1e30f);  // infinity
    auto logits = amp::linear<mixed>(context, x, w);
    auto loss = scaler.scale(context, amp::cross_entropy<mixed>(context, logits, labels));
    auto grad = amp::cross_entropy_backward<mixed>(context, loss.gradient(), logits, labels);
    amp::linear_backward<mixed>(context, grad, x, w, amp::no_gradient{}, amp::into{grad_w});
    auto outcome = optimizer.step(context, amp::scaled(optimizer.gradients(), loss.ticket()), amp::clip_global_norm{1.0f});
    result[step] = outcome.wait_result(context);
    scaler.update(context, outcome);
    scale[step] = scaler.wait_scale(context);
  }
  if (result[0] != amp::step_result::stepped || scale[0] != 65536.0f || kept == 0.5f) return 1;
  if (result[1] != amp::step_result::skipped || scale[1] != 32768.0f || master[0] != kept) return 2;
  if (weight[0].bits() != amp::float16(master[0]).bits()) return 3;

  const amp::tape tape{context};
  amp::tensor<float, amp::host_context> three(context, {1, 1});
  three.data()[0] = 3;
  const auto leaf = tape.leaf(std::move(three));
  const auto square = amp::matmul<amp::o0<>>(tape, leaf, amp::relu<mixed>(tape, leaf));
  const auto [slope] = amp::grad(context, square, amp::graph::create, leaf);
  amp::backward(context, slope);
  if (slope.value().data()[0] != 6 || leaf.gradient().value().data()[0] != 2) return 5;
  if (optimizer.wait_taken(context) != 1 || optimizer.wait_skipped(context) != 1) return 4;
  return 0;
}

}  // namespace
