// Data parallel training by threads of one process: each has a replica and a part of the batch, gradients are averaged, all replicas stay equal to the bit.
#include "reference.hpp"

#include <amphora/amphora.hpp>
#include <amphora/autograd.hpp>
#include <amphora/ops.hpp>

#include <cmath>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace amp = amphora;

struct mixed : amp::o1<amp::f16> {};

template <class Policy>
struct network {
  using weight = amp::parameter<Policy, amp::op::linear, amp::host_context>;
  weight w1, b1, w2, b2;

  explicit network(amp::host_context& context) : w1(context, "w1", {7, 5}), b1(context, "b1", {7}), w2(context, "w2", {3, 7}), b2(context, "b2", {3}) {}
  std::vector<amp::parameter_view> parameters() { return {w1.view(), b1.view(), w2.view(), b2.view()}; }

  template <class Scope, class X> auto logits(const Scope& amp, const X& x) {
    const auto& tape = amp.tape();
    return amp.linear(amp.gelu(amp.linear(x, tape.leaf(w1), tape.leaf(b1))), tape.leaf(w2), tape.leaf(b2));
  }
};

constexpr int ranks = 2, samples = 4, mine = samples / ranks;

/// Where all threads meet.
class barrier {
 public:
  void wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    const int round = round_;
    if (++waiting_ == ranks) return waiting_ = 0, ++round_, all_here_.notify_all();
    all_here_.wait(lock, [&] { return round_ != round; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable all_here_;
  int waiting_ = 0, round_ = 0;
};

/// What one thread owns, and a place where the others find its gradients.
template <class Policy>
struct replica {
  amp::host_context context;  // one for each thread
  network<Policy> net{context};
  std::vector<double> losses, scales;
};

//! [sum]
/// The sum over all ranks, in the order of the ranks and in the format of the gradient: the same bits for everybody.
template <class Policy, class Choose>
void sum_gradient(std::vector<replica<Policy>>& all, int rank, barrier& meet, Choose gradient) {
  replica<Policy>& own = all[static_cast<std::size_t>(rank)];
  if (rank == 0)
    for (std::size_t other = 1; other < all.size(); ++other) amp::add_gradients(own.context, gradient(all[other].net), gradient(own.net));
  meet.wait();
  if (rank > 0) amp::cast(own.context, amp::into(gradient(own.net)), gradient(all[0].net));
  meet.wait();
}
//! [sum]

template <class Policy>
void train(const reference& run, std::vector<replica<Policy>>& all, int rank, barrier& meet) {
  auto& [context, net, losses, scales] = all[static_cast<std::size_t>(rank)];
  run.load(context, "start", net.w1, net.b1, net.w2, net.b2);
  auto scaler = amp::make_scaler<Policy>(context, amp::growth{2, 0.5, 3, 1024});  // each has one, and all find the same
  amp::adamw rule;
  rule.learning_rate = 0.01f, rule.weight_decay = 0.1;
  amp::mixed_optimizer optimizer{context, rule, net.parameters()};
  amp::cross_entropy_settings settings;
  settings.factor = 1.0f / ranks;  // divided before they are added, so that sums in 16 bits do not overflow
  for (int step = 0; step < 12; ++step) {
    const auto images = run.batch<float>(context, "x", step);
    const auto labels = run.batch<std::int64_t>(context, "y", step);
    const amp::view<const float> x(images.data() + rank * mine * 5, {mine, 5});
    const amp::view<const std::int64_t> y(labels.data() + rank * mine, {mine});

    //! [step]
    const amp::tape tape{context};
    const auto loss = amp::autocast<Policy>(tape, [&](auto amp) { return amp.cross_entropy(net.logits(amp, tape.constant(x)), y, settings); });
    const auto scaled_loss = scaler.scale(context, loss.value());
    amp::backward(context, loss, scaled_loss);
    if (rank == 1 && (step == 4 || step == 7)) net.w1.gradient().data()[0] = static_cast<typename decltype(net.w1.gradient())::value_type>(INFINITY);
    meet.wait();
    sum_gradient(all, rank, meet, [](auto& net) { return net.w1.gradient(); });
    sum_gradient(all, rank, meet, [](auto& net) { return net.b1.gradient(); });
    sum_gradient(all, rank, meet, [](auto& net) { return net.w2.gradient(); });
    sum_gradient(all, rank, meet, [](auto& net) { return net.b2.gradient(); });
    scaler.update(context, optimizer.step(context, amp::scaled(optimizer.gradients(), scaled_loss.ticket())));  // an overflow of one is in the sum of all
    //! [step]
    losses.push_back(amp::wait_read(context, loss.value())[0]), scales.push_back(scaler.wait_scale(context));
  }
}

template <class Policy>
void train_all(reference& run) {
  std::vector<replica<Policy>> all(ranks);
  std::vector<std::thread> threads;
  barrier meet;
  for (int rank = 0; rank < ranks; ++rank) threads.emplace_back([&, rank] { train(run, all, rank, meet); });
  for (std::thread& thread : threads) thread.join();

  std::vector<double> losses(12);
  for (const auto& each : all)
    for (std::size_t i = 0; i < losses.size(); ++i) losses[i] += each.losses[i];
  run.compare<Policy>("loss", losses);
  for (auto& each : all) {
    run.require_equal("scale", each.scales);
    run.compare_weights<Policy>(each.context, each.net.w1, each.net.b1, each.net.w2, each.net.b2);
    run.require("equal replicas", amp::wait_read(each.context, each.net.w1.master()) == amp::wait_read(all[0].context, all[0].net.w1.master()));
  }
}

int main() {
  reference run("data_parallel");
  train_all<in_float>(run);
  train_all<mixed>(run);
  return run.status();
}
