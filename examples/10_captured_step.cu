// A whole training step as one CUDA graph: forward, backward, optimizer and scaler are replayed without the host.
#include <amphora/cuda_ops.cuh>

#include <cstdio>
#include <vector>

namespace amp = amphora;

struct mixed : amp::o1<amp::f16> {};

int main() {
  constexpr int samples = 64, inputs = 8;
  amp::cuda_context context;
  std::vector<float> x_values, y_values;
  for (int s = 0; s < samples; ++s) {
    float y = 0.5f;
    for (int i = 0; i < inputs; ++i) x_values.push_back(static_cast<float>((s * 7 + i * i * 5) % 11 - 5) / 8), y += static_cast<float>(i - 3) * x_values.back();
    y_values.push_back(y);
  }
  amp::tensor<float, amp::cuda_context> x(context, {samples, inputs}), y(context, {samples, 1}), loss(context, {});
  amp::write(context, x_values, x), amp::write(context, y_values, y);
  amp::parameter<mixed, amp::op::linear, amp::cuda_context> w{context, "w", {1, inputs}}, b{context, "b", {1}};
  amp::growth rule;
  rule.initial_scale = 0x1p24f;  // too large: the first steps are skipped
  auto scaler = amp::make_scaler<mixed>(context, rule);
  amp::mixed_optimizer optimizer{context, amp::adamw{/*lr*/ 0.03f}, {w.view(), b.view()}};

  //! [step]
  const auto step = [&] {
    auto input = amp::cast<amp::f16>(context, x);
    auto prediction = amp::linear<mixed>(context, input, w.weights(), b.weights());
    amp::mse_loss<mixed>(context, amp::into(loss), prediction, y);
    auto scaled_loss = scaler.scale(context, loss);
    auto of_prediction = amp::mse_loss_backward<mixed>(context, scaled_loss.gradient(), prediction, y).first;
    amp::linear_backward<mixed>(context, of_prediction, input, w.weights(), amp::no_gradient{}, amp::into(w.gradient()), amp::into(b.gradient()));
    auto outcome = optimizer.step(context, amp::scaled(optimizer.gradients(), scaled_loss.ticket()), amp::clip_global_norm{1.0f});
    scaler.update(context, outcome);
  };
  step();  // once as it is: from now on nothing is allocated
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t replay = nullptr;
  cudaStreamBeginCapture(context.stream(), cudaStreamCaptureModeGlobal);
  step();
  cudaStreamEndCapture(context.stream(), &graph);
  cudaGraphInstantiate(&replay, graph, 0);
  for (int i = 0; i < 600; ++i) cudaGraphLaunch(replay, context.stream());  // 600 steps; skips and scale are the device's own business
  //! [step]

  const amp::scale_state state = scaler.wait_state(context);
  std::printf("the loss fell below 1e-2: %s\n", amp::wait_read(context, loss)[0] < 1e-2f ? "yes" : "no");
  std::printf("steps: %d taken, %d skipped\n", static_cast<int>(optimizer.wait_taken(context)), static_cast<int>(state.skipped));
  std::printf("the scale fell to %g\n", static_cast<double>(state.scale));
  cudaGraphExecDestroy(replay);
  cudaGraphDestroy(graph);
}
