// A whole step (forward, backward, optimizer, update) captured in a graph and replayed, beside the same steps made one by one.
#include <amphora/cuda_ops.cuh>

#include <device.hpp>  // test_context, device_array, read_device

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace amp = amphora;

namespace {

struct trained_in_f16 : amp::o1<amp::f16> {};
constexpr std::int64_t samples = 16, inputs = 5, hidden = 7;
constexpr amp::growth quick{2, 0.5, 3, 1024};

struct graph {
  cudaGraph_t recorded = nullptr;
  cudaGraphExec_t executable = nullptr;
  template <class Work> graph(test_context& context, const Work& work) {
    REQUIRE(cudaStreamBeginCapture(context.stream(), cudaStreamCaptureModeGlobal) == cudaSuccess);
    work();
    REQUIRE(cudaStreamEndCapture(context.stream(), &recorded) == cudaSuccess);
    REQUIRE(cudaGraphInstantiate(&executable, recorded, 0) == cudaSuccess);
  }
  graph(const graph&) = delete;
  ~graph() { cudaGraphExecDestroy(executable), cudaGraphDestroy(recorded); }
  void replay(test_context& context) { REQUIRE(cudaGraphLaunch(executable, context.stream()) == cudaSuccess); }
};

/// Everything that a step may change.
struct everything {
  std::vector<float> masters, state;
  std::vector<std::uint16_t> model;
  std::vector<std::int64_t> counts;
  amp::scale_state scale;
  std::int64_t taken;
  friend bool operator==(const everything& a, const everything& b) { return same_weights(a, b) && a.scale == b.scale; }
  friend bool same_weights(const everything& a, const everything& b) {
    return a.masters == b.masters && a.state == b.state && a.model == b.model && a.counts == b.counts && a.taken == b.taken;
  }
};

/// A net of two layers, its optimizer and its scaler, with memory for a batch and for what is logged of it.
class training {
 public:
  explicit training(const amp::growth& rule = quick) : scaler_(context, rule) {
    load(w1_, 1), load(b1_, 2), load(w2_, 3), load(b2_, 4);
    REQUIRE(cudaMallocHost(reinterpret_cast<void**>(&log), 2 * sizeof(float)) == cudaSuccess);
  }
  ~training() { cudaFreeHost(log); }

  /// kind  F: a batch of finite numbers; I: one whose numbers are infinite in f16
  void write_batch(int number, char kind) {
    std::vector<float> x, y;
    for (std::int64_t s = 0; s < samples; ++s) {
      float sum = 0.25f;
      for (std::int64_t i = 0; i < inputs; ++i) x.push_back(static_cast<float>((s * 7 + i * i * 5 + number * 3) % 11 - 5) / 8), sum += static_cast<float>(i - 2) * x.back();
      y.push_back(sum);
    }
    if (kind == 'I') x[static_cast<std::size_t>(number) % x.size()] = 1e20f;
    amp::write(context, x, x_), amp::write(context, y, y_);
  }
  void step() {
    auto input = amp::cast<amp::f16>(context, x_);
    auto middle = amp::linear<trained_in_f16>(context, input, w1_.weights(), b1_.weights(), amp::with_relu{});
    auto prediction = amp::linear<trained_in_f16>(context, middle, w2_.weights(), b2_.weights());
    amp::mse_loss<trained_in_f16>(context, amp::into(loss), prediction, y_);
    auto scaled_loss = scaler_.scale(context, loss);
    auto of_prediction = amp::mse_loss_backward<trained_in_f16>(context, scaled_loss.gradient(), prediction, y_).first;
    amp::tensor<amp::float16, test_context> of_middle(context, middle.shape());
    amp::linear_backward<trained_in_f16>(context, of_prediction, middle, w2_.weights(), amp::into(of_middle), amp::into(w2_.gradient()), amp::into(b2_.gradient()), amp::with_relu{});
    amp::linear_backward<trained_in_f16>(context, of_middle, input, w1_.weights(), amp::no_gradient{}, amp::into(w1_.gradient()), amp::into(b1_.gradient()));
    auto outcome = optimizer_.step(context, amp::scaled(optimizer_.gradients(), scaled_loss.ticket()), amp::clip_global_norm{0.5f});
    amp::copy_later(context, loss, log);
    amp::copy_later(context, scaled_loss.gradient(), log + 1);
    scaler_.update(context, outcome);
  }
  everything wait_everything() {
    everything all;
    collect(all, w1_), collect(all, b1_), collect(all, w2_), collect(all, b2_);
    for (int k = 0; k < 4; ++k) {
      all.counts.push_back(optimizer_.wait_step_count(context, k));
      const std::int64_t n = k == 0 ? hidden * inputs : k == 3 ? 1 : hidden;
      for (int s = 0; s < 2; ++s)
        for (float x : amp::wait_read(context, amp::view<const float>(optimizer_.state(k, s), {n}))) all.state.push_back(x);
    }
    all.scale = scaler_.wait_state(context), all.taken = optimizer_.wait_taken(context);
    return all;
  }

  test_context context;
  amp::tensor<float, test_context> loss{context, {}};
  float* log = nullptr;  ///< the loss and the scale of the last step, pinned
  amp::scaler<test_context>& scaler() { return scaler_; }

 private:
  template <class P> void load(P& parameter, int number) {
    std::vector<float> values(static_cast<std::size_t>(parameter.size()));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>((static_cast<int>(i) * 5 + number * 3) % 13 - 6) / 16;
    const device_array<float> on_device(context, values);
    parameter.load(context, amp::view<const float>(on_device.data(), parameter.shape()));
  }
  template <class P> void collect(everything& all, P& parameter) {
    for (float x : amp::wait_read(context, parameter.master())) all.masters.push_back(x);
    for (auto x : amp::wait_read(context, parameter.weights())) all.model.push_back(x.bits());
  }

  amp::tensor<float, test_context> x_{context, {samples, inputs}}, y_{context, {samples, 1}};
  amp::parameter<trained_in_f16, amp::op::linear, test_context> w1_{context, "w1", {hidden, inputs}}, b1_{context, "b1", {hidden}}, w2_{context, "w2", {1, hidden}}, b2_{context, "b2", {1}};
  amp::scaler<test_context> scaler_;
  amp::mixed_optimizer<amp::adamw, test_context, amp::warmup_cosine> optimizer_{context, amp::adamw{0.05f}, {w1_.view(), b1_.view(), w2_.view(), b2_.view()}, amp::warmup_cosine{3, 12, 0.1}};
};

const std::string pattern = "FFIFFFFIIFFFFF";

}  // namespace

TEST_CASE("replayed steps, finite and not, leave the bits that the same steps leave one by one, whatever they are trained_in_f16 with") {
  for (std::size_t capture_after : {std::size_t(1), std::size_t(2)}) {  // a capture by either of the scaler's two slots
    // e: one by one; r, s: by one of two graphs
    for (const std::string how : {"eerrrrrrrrrrrr", "eererereererer", "eesrsrrsesrser"}) {
      CAPTURE(how);
      training eager, mixed_up;
      for (std::size_t k = 0; k < capture_after; ++k) {
        const int number = static_cast<int>(k);
        eager.write_batch(number, pattern[k]), eager.step();
        mixed_up.write_batch(number, pattern[k]), mixed_up.step();
      }
      graph first(mixed_up.context, [&] { mixed_up.step(); }), second(mixed_up.context, [&] { mixed_up.step(); });
      CHECK(mixed_up.wait_everything() == eager.wait_everything());  // capturing does nothing
      for (std::size_t k = capture_after; k < pattern.size(); ++k) {
        CAPTURE(k);
        eager.write_batch(static_cast<int>(k), pattern[k]), mixed_up.write_batch(static_cast<int>(k), pattern[k]);
        const everything before = eager.wait_everything();
        eager.step();
        if (how[k] == 'e') mixed_up.step();
        else (how[k] == 'r' ? first : second).replay(mixed_up.context);
        const everything after = eager.wait_everything(), replayed = mixed_up.wait_everything();
        CHECK(replayed == after);
        if (pattern[k] == 'F') CHECK(mixed_up.log[0] == eager.log[0]);
        CHECK(mixed_up.log[1] == before.scale.scale);
        if (pattern[k] == 'I') {
          CHECK(same_weights(before, replayed));
          CHECK(replayed.scale.skipped == before.scale.skipped + 1);
          CHECK(replayed.scale.scale == before.scale.scale / 2);
        } else {
          CHECK(replayed.masters != before.masters);
          CHECK(replayed.taken == before.taken + 1);
        }
      }
      const everything end = mixed_up.wait_everything();
      CHECK(end.taken == 11);
      CHECK(end.counts == std::vector<std::int64_t>(4, 11));
      CHECK(end.scale.skipped == 3);
      CHECK(end.scale.scale == 512);  // 2 clean, halved, 3 clean, doubled, 1 clean, halved twice, 3 clean, doubled, 2 clean
    }
  }
}

TEST_CASE("a schedule advances in replays by taken steps alone") {
  test_context context;
  device_array<float> w(context, {0}), g(context, {1}), number(context, {1});
  // sgd at rate 1 under half a cosine of 4 steps: the weights tell which rates were used.
  amp::mixed_optimizer<amp::sgd, test_context, amp::cosine> optimizer(context, amp::sgd{1.0f}, {amp::parameter_view(w.data(), nullptr, g.data(), nullptr, 1)}, amp::cosine{4, 0});
  const amp::cosine rates{4, 0};
  amp::scaler scaler(context, amp::fixed{1});
  const auto step = [&] {
    auto scaled_loss = scaler.scale(context, amp::view(number.data()));
    scaler.update(context, optimizer.step(context, amp::scaled(optimizer.gradients(), scaled_loss.ticket())));
  };
  step();
  float expected = -rates(0, 1);
  CHECK(w[0] == expected);
  graph recorded(context, step);
  for (int k = 1; k < 4; ++k) {
    g[0] = std::numeric_limits<float>::infinity(), recorded.replay(context);
    CHECK(w[0] == expected);
    g[0] = 1, recorded.replay(context);
    CHECK(w[0] == (expected -= rates(k, 1)));
  }
  CHECK(optimizer.wait_taken(context) == 4);
  CHECK(scaler.wait_state(context).skipped == 3);
}

TEST_CASE("after replays a loss and a ticket have the scale as it is, not as the host last knew it") {
  training one;
  one.write_batch(0, 'F'), one.step();
  graph recorded(one.context, [&] { one.step(); });
  for (int k = 0; k < 7; ++k) recorded.replay(one.context);
  const float scale = one.scaler().wait_scale(one.context);
  CHECK(scale > 1024);
  const auto ticket = one.scaler().ticket(one.context);
  CHECK(read_device(one.context, ticket.scale()) == scale);
  CHECK(read_device(one.context, ticket.inverse()) == 1 / scale);
  const auto scaled_loss = one.scaler().scale(one.context, one.loss);
  CHECK(read_device(one.context, scaled_loss.ticket().scale()) == scale);
  CHECK(amp::wait_read(one.context, scaled_loss.value())[0] == amp::wait_read(one.context, one.loss)[0] * scale);
  // A capture counts as one update on the host: tickets from before it are stale. Replays do not count.
  CHECK(ticket.valid());
  recorded.replay(one.context);
  CHECK(ticket.valid());
}

TEST_CASE("a captured backward pass is replayed for an accumulation, and its gradients are stepped by a call") {
  test_context context;
  device_array<float> w(context, {0}), g(context, {0}), loss(context, {3});
  amp::mixed_optimizer<amp::sgd, test_context> optimizer(context, amp::sgd{0.5f}, {amp::parameter_view(w.data(), nullptr, g.data(), nullptr, 1)});
  amp::scaler scaler(context, amp::growth{2, 0.5, 1, 4});
  graph backward(context, [&] {  // loss = 3 w: its gradient is added as 3 · scale
    auto scaled_loss = scaler.scale(context, amp::view(loss.data()));
    amp::add_gradients(context, scaled_loss.value(), g.view());
  });
  float scale = 4;
  for (int batch = 1; batch <= 4; ++batch, scale *= 2) {
    g.set({0});
    for (int micro = 0; micro < 2; ++micro) backward.replay(context);
    CHECK(g[0] == 6 * scale);
    const auto outcome = optimizer.step(context, amp::scaled(optimizer.gradients(), scaler.ticket(context)));
    CHECK(outcome.wait_result(context) == amp::step_result::stepped);
    scaler.update(context, outcome);
    CHECK(w[0] == -3.0f * static_cast<float>(batch));
    CHECK(scaler.wait_scale(context) == 2 * scale);
  }
}

TEST_CASE("saved after replays, a run goes on elsewhere with equal bits") {
  training one, other;
  one.write_batch(0, 'F'), one.step();
  graph recorded(one.context, [&] { one.step(); });
  for (int k = 0; k < 5; ++k) recorded.replay(one.context);
  char text[amp::max_state_text];
  other.scaler().load(other.context, text, one.scaler().wait_save(one.context, text, sizeof text));
  CHECK(other.scaler().wait_state(other.context) == one.scaler().wait_state(one.context));
}

#if defined(AMPHORA_EMULATED_CUDA)
TEST_CASE("a step waits for nothing and, once warmed up, allocates nothing: made, captured or replayed") {
  training one;
  one.write_batch(0, 'F'), one.step();
  const auto allocations = one.context.allocations();
  {
    const emulated::no_waits nothing_waits;
    const emulated::no_allocations nothing_is_allocated;
    one.write_batch(1, 'F'), one.step(), one.step();
  }
  CHECK(one.context.allocations() == allocations);
  graph first(one.context, [&] {
    const emulated::no_waits nothing_waits;
    one.step();
  });
  graph again(one.context, [&] {
    const emulated::no_waits nothing_waits;
    const emulated::no_allocations nothing_is_allocated;  // it gets what the first capture had
    one.step();
  });
  {
    const emulated::no_waits nothing_waits;
    one.step();  // what the captures took is missing once
    const auto settled = one.context.allocations();
    const emulated::no_allocations nothing_is_allocated;
    for (int k = 0; k < 3; ++k) one.write_batch(k, k == 1 ? 'I' : 'F'), one.step(), first.replay(one.context), again.replay(one.context);
    CHECK(one.context.allocations() == settled);
  }
}
#endif
