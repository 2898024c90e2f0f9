// Two kinds of files: the 16-bit weights, for who only infers, and the whole state with its float masters, from which training goes on to the same bits.
#include "reference.hpp"

#include <amphora/amphora.hpp>
#include <amphora/autograd.hpp>
#include <amphora/ops.hpp>
#include <amphora/optimizer/state_file.hpp>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

namespace amp = amphora;

struct mixed : amp::o2<amp::f16> {};

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
  template <class Function> void each(const Function& f) { f(w1), f(b1), f(w2), f(b2); }
};

//! [weights]
/// What the forward pass reads, and nothing else: 2 bytes a weight under a 16-bit policy.
template <class Network>
void save_weights(amp::host_context& context, const std::string& path, Network& net) {
  std::ofstream file(path, std::ios::binary);
  net.each([&](auto& w) {
    const auto values = amp::wait_read(context, w.weights());
    file.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof values[0]));
  });
}
/// The masters become what the 16-bit weights are worth: right for inference, and for fine-tuning as a start, but not the run that was saved.
template <class Network>
void load_weights(amp::host_context& context, const std::string& path, Network& net) {
  std::ifstream file(path, std::ios::binary);
  net.each([&](auto& w) {
    auto values = amp::wait_read(context, w.weights());
    file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof values[0]));
    w.load(context, amp::view(values.data(), w.shape()));
  });
}
//! [weights]

/// All that a run holds between two steps.
template <class Policy>
struct training_run {
  amp::host_context context;
  network<Policy> net{context};
  amp::scaler<amp::host_context> scaler = amp::make_scaler<Policy>(context, amp::growth{2, 0.5, 3, 1024});
  amp::mixed_optimizer<amp::adamw, amp::host_context> optimizer{context, amp::adamw{0.01f, 0.9, 0.999, 1e-8, 0.1}, net.parameters()};
  std::vector<double> losses, scales;
  int step = 0;

  void train(const reference& run, int until) {
    for (; step < until; ++step) {
      const auto x = run.batch<float>(context, "x", step);
      const auto y = run.batch<std::int64_t>(context, "y", step);
      const amp::tape tape{context};
      const auto loss = amp::autocast<Policy>(tape, [&](auto amp) { return amp.cross_entropy(net.logits(amp, tape.constant(x)), y); });
      const auto scaled_loss = scaler.scale(context, loss.value());
      amp::backward(context, loss, scaled_loss);
      scaler.update(context, optimizer.step(context, amp::scaled(optimizer.gradients(), scaled_loss.ticket())));
      losses.push_back(amp::wait_read(context, loss.value())[0]), scales.push_back(scaler.wait_scale(context));
    }
  }
  //! [state]
  void save(const std::string& path) { amp::wait_save_state(context, path.c_str(), optimizer, scaler, amp::saved("step", step)); }
  void resume(const std::string& path) { amp::load_state(context, path.c_str(), optimizer, scaler, amp::saved("step", step)); }
  //! [state]
};

template <class Network>
bool same_weights(amp::host_context& context, Network& a, Network& b) {
  bool same = true;
  const auto one = [&](auto& x, auto& y) {
    const auto f = amp::wait_read(context, amp::cast<amp::f32>(context, x.weights())), g = amp::wait_read(context, amp::cast<amp::f32>(context, y.weights()));
    same = same && f == g;
  };
  one(a.w1, b.w1), one(a.b1, b.b1), one(a.w2, b.w2), one(a.b2, b.b2);
  return same;
}

template <class Policy>
void interrupt(reference& run, const std::string& path) {
  training_run<Policy> first;
  run.load(first.context, "start", first.net.w1, first.net.b1, first.net.w2, first.net.b2);
  first.train(run, 7);
  first.save(path + ".state"), save_weights(first.context, path + ".weights", first.net);

  training_run<Policy> second;  // another process, some days later
  second.resume(path + ".state");
  run.require("the weights at resume", second.step == 7 && same_weights(second.context, first.net, second.net));
  second.train(run, 12), first.train(run, 12);  // the first one as if nothing had happened
  run.require("the same weights after", same_weights(second.context, first.net, second.net) &&
                                            amp::wait_read(second.context, second.net.w1.master()) == amp::wait_read(first.context, first.net.w1.master()));
  run.compare<Policy>("loss", first.losses);
  run.require("losses after resume", second.losses == std::vector<double>(first.losses.begin() + 7, first.losses.end()));
  run.require_equal("scale", first.scales);
  run.compare_weights<Policy>(second.context, second.net.w1, second.net.b1, second.net.w2, second.net.b2);

  network<Policy> inferring(second.context);
  load_weights(second.context, path + ".weights", inferring);
  training_run<Policy> at_seven;
  at_seven.resume(path + ".state");
  run.require("weights for inference", same_weights(second.context, inferring, at_seven.net));
  std::remove((path + ".state").c_str()), std::remove((path + ".weights").c_str());
}

int main() {
  reference run("save_and_resume");
  interrupt<in_float>(run, "save_and_resume_f32");
  interrupt<mixed>(run, "save_and_resume_f16");
  return run.status();
}
