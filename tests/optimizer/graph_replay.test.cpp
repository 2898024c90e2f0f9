// PyTorch's own test of a scaler in a CUDA graph: a cast to half, a loss, its scale and the backward pass, captured once and
// replayed with the inputs 5, 20000, 5, 40000 from a scale of 4.
#include <amphora/optimizer/mixed_optimizer.hpp>  // mixed_optimizer
#include <amphora/optimizer/sgd.hpp>              // sgd
#include <amphora/scale/growth.hpp>               // growth
#include <amphora/scale/scaled_loss.hpp>          // scaled_loss
#include <amphora/scale/scaler.hpp>               // scaler

#include <device.hpp>  // test_context, device_array

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace amp = amphora;

namespace graph_replay {

/// loss = float(half(x)) · w
struct forward {
  const float *x, *w;
  amp::float16* low;
  float* loss;
  AMPHORA_HD void operator()() const { *low = amp::float16(*x), *loss = static_cast<float>(*low) * *w; }
};
/// In half, of the scaled loss.
struct backward {
  const amp::float16* low;
  const float* upstream;
  amp::float16* gradient;
  AMPHORA_HD void operator()() const { *gradient = amp::float16(static_cast<float>(*low) * *upstream); }
};

}  // namespace graph_replay

TEST_CASE("a scaler in a replayed graph backs off where the replay overflows, and the optimizer steps where it does not") {
  test_context context;
  device_array<float> x(context, {5}), w(context, {1}), loss(context, 1);
  device_array<amp::float16> low(context, 1), gradient(context, 1);
  amp::growth rule;
  rule.initial_scale = 4;
  amp::scaler<test_context> scaler(context, rule);
  amp::mixed_optimizer optimizer{context, amp::sgd{1.0f / 64}, {{w.data(), nullptr, gradient.data(), nullptr, 1}}};
  using kernels = amp::scale_kernels<test_device>;
  const auto step = [&] {
    kernels::run(context, graph_replay::forward{x.data(), w.data(), low.data(), loss.data()});
    auto scaled = scaler.scale(context, loss.view());
    kernels::run(context, graph_replay::backward{low.data(), scaled.gradient().data(), gradient.data()});
    scaler.update(context, optimizer.step(context, amp::scaled(optimizer.gradients(), scaled.ticket())));
  };
  step();  // what the step needs is allocated here
  scaler.set_scale(context, 4);
  const auto start = scaler.wait_state(context);

  cudaGraph_t recorded = nullptr;
  cudaGraphExec_t executable = nullptr;
  REQUIRE(cudaStreamBeginCapture(context.stream(), cudaStreamCaptureModeGlobal) == cudaSuccess);
  step();
  REQUIRE(cudaStreamEndCapture(context.stream(), &recorded) == cudaSuccess);
  REQUIRE(cudaGraphInstantiate(&executable, recorded, 0) == cudaSuccess);
  CHECK(w[0] == 1 - 5.0f / 64);  // the step before the capture; the capture itself takes none
  CHECK(scaler.wait_scale(context) == 4);

  const float inputs[] = {5, 20000, 5, 40000}, gradients[] = {20, INFINITY, 10, INFINITY}, scales[] = {4, 2, 2, 1};
  float expected = w[0];
  std::int64_t clean = start.clean;
  for (int k = 0; k < 4; ++k) {
    CAPTURE(k);
    x[0] = inputs[k];
    const auto allocations = context.allocations();
    REQUIRE(cudaGraphLaunch(executable, context.stream()) == cudaSuccess);
    const bool overflow = k % 2;
    clean = overflow ? 0 : clean + 1;
    if (!overflow) expected -= 5.0f / 64;
    CHECK(static_cast<float>(gradient.get()[0]) == gradients[k]);
    CHECK(scaler.wait_scale(context) == scales[k]);
    CHECK(scaler.wait_state(context).clean == clean);
    CHECK(w[0] == expected);
    CHECK(context.allocations() == allocations);
  }
  CHECK(optimizer.wait_taken(context) == 3);
  CHECK(optimizer.wait_skipped(context) == 2);
  cudaGraphExecDestroy(executable), cudaGraphDestroy(recorded);
}
