// A convolutional net with batch norm under O0, O1 and O2: batch norm and its statistics stay in float, whatever the rest computes in.
#include "data.hpp"
#include "reference.hpp"

#include <amphora/amphora.hpp>
#include <amphora/autograd.hpp>
#include <amphora/ops.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace amp = amphora;
using context_type = amp::host_context;
using float_tensor = amp::tensor<float, context_type>;

struct by_op : amp::o1<amp::f16> {};  // O1 casts op by op: convolutions and products are in f16, the rest as its inputs are or in float
struct whole : amp::o2<amp::f16> {};  // O2 is f16 throughout, over float masters; but batch norm has its weights, statistics and arithmetic in float

//! [net]
template <class Policy>
struct network {
  template <class Op> using weight = amp::parameter<Policy, Op, context_type>;
  weight<amp::op::conv2d> w1, w2;
  weight<amp::op::linear> w3, b3;
  weight<amp::op::batch_norm> scale1, shift1, scale2, shift2;  // float under every level
  float_tensor mean1, variance1, mean2, variance2;             // running statistics, float too

  network(context_type& context, random_numbers& random)
      : w1(context, "w1", {16, 1, 3, 3}), w2(context, "w2", {32, 16, 3, 3}), w3(context, "w3", {10, 512}), b3(context, "b3", {10}), scale1(context, "scale1", {16}),
        shift1(context, "shift1", {16}), scale2(context, "scale2", {32}), shift2(context, "shift2", {32}), mean1(filled(context, {16}, 0)),
        variance1(filled(context, {16}, 1)), mean2(filled(context, {32}, 0)), variance2(filled(context, {32}, 1)) {
    draw(context, random, 9, w1), draw(context, random, 144, w2), draw(context, random, 512, w3);
    scale1.load(context, variance1), scale2.load(context, variance2);  // ones
  }
  std::vector<amp::parameter_view> parameters() { return {w1.view(), w2.view(), w3.view(), b3.view(), scale1.view(), shift1.view(), scale2.view(), shift2.view()}; }

  /// x  [n, 1, 8, 8]
  template <class Scope, class X> auto logits(const Scope& amp, const X& x, bool training) {
    const auto& tape = amp.tape();
    amp::batch_norm_settings settings;
    settings.training = training;
    const auto norm = [&](const auto& h, auto& mean, auto& variance, auto& scale, auto& shift) {
      return amp.relu(amp.batch_norm(h, amp::running_statistics(mean, variance), tape.leaf(scale), tape.leaf(shift), settings));
    };
    const auto h1 = norm(amp.conv2d(x, tape.leaf(w1), amp::no_bias{}, amp::convolution_options{}.padding(1)), mean1, variance1, scale1, shift1);
    const auto h2 = norm(amp.conv2d(h1, tape.leaf(w2), amp::no_bias{}, amp::convolution_options{}.padding(1).stride(2)), mean2, variance2, scale2, shift2);
    return amp.linear(amp::reshape(tape, h2, {x.shape()[0], 512}), tape.leaf(w3), tape.leaf(b3));
  }
};
//! [net]

/// The share of images whose largest logit is at their label, in percent, by the running statistics.
template <class Policy>
double accuracy(context_type& context, network<Policy>& net, const digits& test) {
  const auto images = there(context, test.images, {test.size(), 1, 8, 8});
  const auto tape = amp::tape{context}.no_grad();
  const auto logits = amp::autocast<Policy>(tape, [&](auto amp) { return net.logits(amp, tape.constant(images), false); });
  const std::vector<float> numbers = amp::wait_read(context, amp::cast<amp::f32>(context, logits.value()));
  int right = 0;
  for (std::size_t i = 0; i < test.labels.size(); ++i) {
    const float* row = &numbers[10 * i];
    right += std::max_element(row, row + 10) - row == test.labels[i];
  }
  return 100.0 * right / static_cast<double>(test.size());
}

/// steps  0 for as many as eight epochs have
template <class Policy>
void train(reference& run, const std::string& level, std::size_t steps = 0) {
  context_type context;
  random_numbers random;
  const digits all(RECIPES_DIR "/../data/digits.csv");
  const digits shuffled(all, random.shuffled(all.labels.size()), 0, all.labels.size());
  network<Policy> net(context, random);
  auto scaler = amp::make_scaler<Policy>(context);
  amp::mixed_optimizer optimizer{context, amp::adamw{0.003f, 0.9, 0.999, 1e-8, 0.01}, net.parameters()};
  amp::cross_entropy_settings settings;
  settings.label_smoothing = 0.1f;
  std::vector<double> losses;
  std::vector<std::size_t> order;
  for (std::size_t step = 0; step < (steps ? steps : 8 * 45); ++step) {
    const std::size_t first = step % 45 * 32;
    if (first == 0) order = random.shuffled(1440);
    const digits batch(shuffled, order, first, first + 32);
    const auto x = there(context, batch.images, {32, 1, 8, 8});
    const auto y = there(context, batch.labels, {32});
    const amp::tape tape{context};
    const auto loss = amp::autocast<Policy>(tape, [&](auto amp) { return amp.cross_entropy(net.logits(amp, tape.constant(x), true), y, settings); });
    const auto scaled_loss = scaler.scale(context, loss.value());
    amp::backward(context, loss, scaled_loss);
    scaler.update(context, optimizer.step(context, amp::scaled(optimizer.gradients(), scaled_loss.ticket())));

    if (step < 12) losses.push_back(amp::wait_read(context, loss.value())[0]);
    if (step != 11) continue;
    run.compare<Policy>("loss", losses, 2);
    const auto compare = [&](const char* name, const float_tensor& values) {
      const std::vector<float> ours = amp::wait_read(context, values);
      run.compare<Policy>(name, {ours.begin(), ours.end()}, 4);  // after twelve steps
    };
    compare("mean1", net.mean1), compare("variance1", net.variance1), compare("mean2", net.mean2), compare("variance2", net.variance2);
  }
  if (steps) return;
  std::vector<std::size_t> rest;
  for (std::size_t i = 1440; i < shuffled.labels.size(); ++i) rest.push_back(i);
  const double percent = accuracy(context, net, digits(shuffled, rest, 0, rest.size()));
  std::printf("%s: %.1f %% of the test set are right, PyTorch in float: %.1f %%\n", level.c_str(), percent, run.numbers("accuracy")[0]);
  run.require(level + ": at least 98 %", percent >= 98);
}

int main() {
  reference run("convolutional");
  train<in_float>(run, "O0", 12);
  train<by_op>(run, "O1");
  train<whole>(run, "O2");
  return run.status();
}
