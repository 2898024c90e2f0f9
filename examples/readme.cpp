#include <amphora/amphora.hpp>
#include <amphora/ops.hpp>
namespace amp = amphora;

struct mixed : amp::o1<amp::f16> {};  // products in f16, softmax and loss in f32, a dynamic loss scale

int main() {
  amp::host_context context;
  static float master[10 * 64];                       // your memory: float weights, what the forward pass reads,
  static amp::float16 weight[640], gradient[640], image[32 * 64];  // its gradient, a batch of images
  static std::int64_t digit[32];
  const amp::view w{weight, {10, 64}}, grad_w{gradient, {10, 64}}, x{image, {32, 64}};
  auto scaler = amp::make_scaler<mixed>(context);
  amp::mixed_optimizer optimizer{context, amp::adamw{3e-4f}, {{master, weight, gradient, nullptr, 640}}};
  for (int step = 0; step < 10; ++step) {
    auto logits = amp::linear<mixed>(context, x, w);
    auto loss = scaler.scale(context, amp::cross_entropy<mixed>(context, logits, amp::view{digit, {32}}));
    auto grad = amp::cross_entropy_backward<mixed>(context, loss.gradient(), logits, amp::view{digit, {32}});
    amp::linear_backward<mixed>(context, grad, x, w, amp::no_gradient{}, amp::into{grad_w});
    auto gradients = amp::scaled(optimizer.gradients(), loss.ticket());
    // amp::clip_gradients(context, gradients, amp::clip_global_norm{1.0f});  ❌ still times the loss scale: does not compile
    auto outcome = optimizer.step(context, std::move(gradients), amp::clip_global_norm{1.0f});
    scaler.update(context, outcome);
  }
}
