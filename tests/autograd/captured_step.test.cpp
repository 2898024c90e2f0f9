// A whole step whose backward pass is the tape's, captured in a graph and replayed, beside the same steps made one by one.
#include <amphora/autograd.hpp>  // tape, backward, checkpoint
#include <amphora/cuda_ops.cuh>

#include <autograd/values.hpp>
#include <device.hpp>  // test_context

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace amp = amphora;

namespace {

struct mixed : amp::o2<amp::f16> {};
constexpr std::int64_t samples = 16, inputs = 5, hidden = 7;

class training {
 public:
  training() { load(w1_, 1), load(b1_, 2), load(w2_, 3), load(b2_, 4); }

  void write_batch(int number) {
    std::vector<float> x, y;
    for (std::int64_t s = 0; s < samples; ++s) {
      float sum = 0.25f;
      for (std::int64_t i = 0; i < inputs; ++i) x.push_back(static_cast<float>((s * 7 + i * i * 5 + number * 3) % 11 - 5) / 8), sum += static_cast<float>(i - 2) * x.back();
      y.push_back(sum);
    }
    amp::write(context, x, x_), amp::write(context, y, y_);
  }
  void step() {
    const amp::tape tape{context};
    const auto layer = [&](const auto& t, const auto& x) {  // computed again on the way back
      return amp::dropout<mixed>(t, amp::gelu<mixed>(t, amp::linear<mixed>(t, x, tape.leaf(w1_), tape.leaf(b1_))), {0.2, 1, 2});
    };
    const auto middle = amp::checkpoint(tape, layer, tape.constant(x_));
    const auto prediction = amp::linear<mixed>(tape, middle, tape.leaf(w2_), tape.leaf(b2_));
    const auto error = amp::reshape(tape, amp::add<amp::o0<>>(tape, prediction, tape.constant(y_), -1), {samples});
    const auto loss = amp::matmul<amp::o0<>>(tape, error, error);
    const auto scaled_loss = scaler_.scale(context, loss.value());
    amp::backward(context, loss, scaled_loss);
    const auto outcome = optimizer_.step(context, amp::scaled(optimizer_.gradients(), scaled_loss.ticket()), amp::clip_global_norm{0.5f});
    scaler_.update(context, outcome);
  }
  std::vector<double> wait_weights() {
    std::vector<double> all;
    for (auto* p : {&w1_, &b1_, &w2_, &b2_})
      for (double x : values(context, p->master())) all.push_back(x);
    all.push_back(scaler_.wait_scale(context));
    return all;
  }

  test_context context;

 private:
  using parameter = amp::parameter<mixed, amp::op::linear, test_context>;
  void load(parameter& p, int number) {
    std::vector<double> start(static_cast<std::size_t>(p.size()));
    for (std::size_t i = 0; i < start.size(); ++i) start[i] = static_cast<double>((static_cast<int>(i) * 5 + number * 3) % 13 - 6) / 16;
    p.load(context, numbers<float>(context, p.shape(), start));
  }

  amp::tensor<float, test_context> x_{context, {samples, inputs}}, y_{context, {samples, 1}};
  parameter w1_{context, "w1", {hidden, inputs}}, b1_{context, "b1", {hidden}}, w2_{context, "w2", {1, hidden}}, b2_{context, "b2", {1}};
  amp::scaler<test_context> scaler_{context, amp::growth{2, 0.5, 3, 256}};
  amp::mixed_optimizer<amp::adamw, test_context> optimizer_{context, amp::adamw{0.05f}, {w1_.view(), b1_.view(), w2_.view(), b2_.view()}};
};

struct recorded {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  template <class Work> recorded(test_context& context, const Work& work) {
    REQUIRE(cudaStreamBeginCapture(context.stream(), cudaStreamCaptureModeGlobal) == cudaSuccess);
    work();
    REQUIRE(cudaStreamEndCapture(context.stream(), &graph) == cudaSuccess);
    REQUIRE(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
  }
  recorded(const recorded&) = delete;
  ~recorded() { cudaGraphExecDestroy(executable), cudaGraphDestroy(graph); }
  void replay(test_context& context) { REQUIRE(cudaGraphLaunch(executable, context.stream()) == cudaSuccess); }
};

}  // namespace

TEST_CASE("replays of a step on a tape leave the bits that the same steps leave one by one") {
  training eager, replayed;
  for (int k = 0; k < 2; ++k) eager.write_batch(k), eager.step(), replayed.write_batch(k), replayed.step();
  const auto before = eager.wait_weights();
  recorded graph(replayed.context, [&] { replayed.step(); });
  CHECK(replayed.wait_weights() == before);
  for (int k = 2; k < 9; ++k) {
    CAPTURE(k);
    eager.write_batch(k), eager.step();
    replayed.write_batch(k);
    if (k % 3) graph.replay(replayed.context);
    else replayed.step();
    CHECK(replayed.wait_weights() == eager.wait_weights());
  }
  CHECK(eager.wait_weights() != before);
}

#if defined(AMPHORA_EMULATED_CUDA)
TEST_CASE("a step on a tape waits for nothing and, once warmed up, allocates nothing: made, captured or replayed") {
  training one;
  one.write_batch(0), one.step();
  const auto allocations = one.context.allocations();
  {
    const emulated::no_waits nothing_waits;
    const emulated::no_allocations nothing_is_allocated;
    one.write_batch(1), one.step(), one.step();
  }
  CHECK(one.context.allocations() == allocations);
  recorded first(one.context, [&] {
    const emulated::no_waits nothing_waits;
    one.step();
  });
  recorded again(one.context, [&] {
    const emulated::no_waits nothing_waits;
    const emulated::no_allocations nothing_is_allocated;  // it gets what the first capture had
    one.step();
  });
  {
    const emulated::no_waits nothing_waits;
    one.step();  // what the captures took is missing once
    const auto settled = one.context.allocations();
    const emulated::no_allocations nothing_is_allocated;
    for (int k = 0; k < 3; ++k) one.write_batch(k), one.step(), first.replay(one.context), again.replay(one.context);
    CHECK(one.context.allocations() == settled);
  }
}
#endif
