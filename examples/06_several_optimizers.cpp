// Two parts of a model, each with its own rule; one scaler watches both, and an overflow in one part skips that part alone.
#include <amphora/amphora.hpp>
#include <amphora/ops.hpp>

#include <cmath>
#include <cstdio>

namespace amp = amphora;

struct mixed : amp::o1<amp::f16> {};
using weight = amp::parameter<mixed, amp::op::linear, amp::host_context>;

int main() {
  amp::host_context context;
  weight body(context, "body", {4, 2}), head(context, "head", {3, 4});
  const float start[] = {0.5f, -0.25f, 0.125f, 1, -0.5f, 0.75f, 0.25f, -1, 0.5f, 0.5f, -0.75f, 0.25f};
  body.load(context, amp::view{start, {4, 2}}), head.load(context, amp::view{start, {3, 4}});
  const amp::float16 one(1.0f), half(0.5f), images[] = {one, half, half, one};
  const std::int32_t labels[] = {0, 2};
  const amp::view x{images, {2, 2}};
  const amp::view targets{labels, {2}};

  //! [optimizers]
  auto scaler = amp::make_scaler<mixed>(context);
  amp::mixed_optimizer slow{context, amp::sgd{0.1f}, {body.view()}};
  amp::mixed_optimizer fast{context, amp::adamw{0.01f}, {head.view()}};
  for (int step = 0; step < 4; ++step) {
    const auto hidden = amp::linear<mixed>(context, x, body.weights(), amp::no_bias{}, amp::with_relu{});
    const auto logits = amp::linear<mixed>(context, hidden, head.weights());
    const auto loss = scaler.scale(context, amp::cross_entropy<mixed>(context, logits, targets));
    const auto of_logits = amp::cross_entropy_backward<mixed>(context, loss.gradient(), logits, targets);
    amp::tensor<amp::float16, amp::host_context> of_hidden(context, hidden.shape());
    amp::linear_backward<mixed>(context, of_logits, hidden, head.weights(), amp::into(of_hidden), amp::into(head.gradient()), amp::no_gradient{}, amp::with_relu{});
    amp::linear_backward<mixed>(context, of_hidden, x, body.weights(), amp::no_gradient{}, amp::into(body.gradient()));
    if (step == 1) body.gradient().data()[0] = amp::float16(INFINITY);  // what an overflow leaves

    const auto of_body = slow.step(context, amp::scaled(slow.gradients(), loss.ticket()));
    const auto of_head = fast.step(context, amp::scaled(fast.gradients(), loss.ticket()));
    scaler.update(context, of_body, of_head);
    std::printf("step %d: scale %g\n", step, scaler.wait_scale(context));
  }
  //! [optimizers]
  std::printf("body: %d steps, head: %d steps\n", static_cast<int>(slow.wait_taken(context)), static_cast<int>(fast.wait_taken(context)));
}
