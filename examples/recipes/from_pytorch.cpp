// The training script from_pytorch.py in C++, line by line: docs/from_pytorch.md shows them side by side.
//! [start]
#include <amphora/amphora.hpp>
#include <amphora/autograd.hpp>
#include <amphora/ops.hpp>
#include <amphora/optimizer/state_file.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <random>
#include <string>
#include <vector>

namespace amp = amphora;

struct half : amp::o1<amp::f16> {};      // autocast's lists of ops, as a type
using context_type = amp::host_context;  // with <amphora/cuda_ops.cuh>: amp::cuda_context
//! [start]

//! [data]
struct dataset {
  std::vector<float> images;  // [n, 64]
  std::vector<std::int64_t> labels;

  static dataset read(const char* path) {
    dataset all;
    std::ifstream file(path);
    for (float number; file >> number; file.ignore()) {  // and the comma
      if (all.images.size() % 64 || all.images.size() / 64 == all.labels.size()) all.images.push_back(number / 16);
      else all.labels.push_back(static_cast<std::int64_t>(number));
    }
    return all;
  }
  dataset rows(const std::vector<std::size_t>& order, std::size_t first, std::size_t last) const {
    dataset part;
    for (std::size_t i = first; i < std::min(last, order.size()); ++i) {
      part.images.insert(part.images.end(), images.begin() + static_cast<std::ptrdiff_t>(64 * order[i]), images.begin() + static_cast<std::ptrdiff_t>(64 * order[i] + 64));
      part.labels.push_back(labels[order[i]]);
    }
    return part;
  }
};

std::vector<std::size_t> permutation(std::size_t n, std::mt19937& random) {
  std::vector<std::size_t> order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), random);
  return order;
}
template <class T> amp::tensor<T, context_type> there(context_type& context, const std::vector<T>& numbers, const amp::shape& shape) {
  amp::tensor<T, context_type> result(context, shape);
  amp::write(context, numbers, result);
  return result;
}
//! [data]

//! [model]
struct linear {
  std::string weight_name, bias_name;
  amp::parameter<half, amp::op::linear, context_type> weight, bias;

  linear(context_type& context, const std::string& name, int inputs, int outputs, std::mt19937& random)
      : weight_name(name + ".weight"), bias_name(name + ".bias"), weight(context, weight_name.c_str(), {outputs, inputs}), bias(context, bias_name.c_str(), {outputs}) {
    std::uniform_real_distribution<float> uniform(-1 / std::sqrt(float(inputs)), 1 / std::sqrt(float(inputs)));
    for (auto* each : {&weight, &bias}) {
      std::vector<float> start(static_cast<std::size_t>(each->size()));
      for (float& number : start) number = uniform(random);
      each->load(context, there(context, start, each->shape()));
    }
  }
};

struct network {
  linear hidden, head;

  network(context_type& context, std::mt19937& random) : hidden(context, "hidden", 64, 128, random), head(context, "head", 128, 10, random) {}
  std::vector<amp::parameter_view> parameters() { return {hidden.weight.view(), hidden.bias.view(), head.weight.view(), head.bias.view()}; }

  template <class Scope, class X> auto forward(const Scope& amp, const X& x) {
    const auto& tape = amp.tape();
    const auto h = amp.gelu(amp.linear(x, tape.leaf(hidden.weight), tape.leaf(hidden.bias)));
    return amp.linear(h, tape.leaf(head.weight), tape.leaf(head.bias));
  }
};
//! [model]

int main(int argc, char** argv) {
  //! [split]
  std::mt19937 random(1);
  const dataset table = dataset::read(argc > 1 ? argv[1] : "../data/digits.csv");
  const auto shuffled = permutation(table.labels.size(), random);
  const dataset train = table.rows(shuffled, 0, 1440), test = table.rows(shuffled, 1440, shuffled.size());
  //! [split]

  //! [made]
  context_type context;
  network net(context, random);
  amp::adamw rule;
  rule.learning_rate = 3e-3f, rule.weight_decay = 0.01;
  amp::mixed_optimizer optimizer{context, rule, net.parameters()};
  auto scaler = amp::make_scaler<half>(context);
  //! [made]

  //! [loop]
  amp::cross_entropy_settings settings;
  settings.label_smoothing = 0.1f;
  for (int epoch = 0; epoch < 12; ++epoch) {
    const auto order = permutation(train.labels.size(), random);
    float last_loss = 0;
    for (std::size_t first = 0; first < order.size(); first += 32) {
      const dataset batch = train.rows(order, first, first + 32);
      const std::int64_t n = static_cast<std::int64_t>(batch.labels.size());
      const auto x = there(context, batch.images, {n, 64});
      const auto y = there(context, batch.labels, {n});
      const amp::tape tape{context};  // a new graph: its first gradients overwrite, so nothing is zeroed
      const auto loss = amp::autocast<half>(tape, [&](auto amp) {
        const auto logits = net.forward(amp, tape.constant(x));
        return amp.cross_entropy(logits, y, settings);
      });
      const auto scaled_loss = scaler.scale(context, loss.value());
      amp::backward(context, loss, scaled_loss);
      auto gradients = amp::scaled(optimizer.gradients(), scaled_loss.ticket());
      const auto outcome = optimizer.step(context, std::move(gradients), amp::clip_global_norm{1.0f});  // unscales, clips, steps
      scaler.update(context, outcome);
      if (first + 32 >= order.size()) last_loss = amp::wait_read(context, loss.value())[0];
    }
    std::printf("epoch %d: loss %.3f, scale %g\n", epoch + 1, last_loss, scaler.wait_scale(context));
  }
  //! [loop]

  //! [evaluate]
  const std::int64_t n = static_cast<std::int64_t>(test.labels.size());
  const auto tape = amp::tape{context}.no_grad();
  const auto images = there(context, test.images, {n, 64});
  const auto logits = amp::autocast<half>(tape, [&](auto amp) { return net.forward(amp, tape.constant(images)); });
  const auto numbers = amp::wait_read(context, amp::cast<amp::f32>(context, logits.value()));
  std::int64_t right = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const float* row = numbers.data() + 10 * i;
    right += std::max_element(row, row + 10) - row == test.labels[static_cast<std::size_t>(i)];
  }
  std::printf("%.1f %% of %d are right\n", 100.0 * static_cast<double>(right) / static_cast<double>(n), static_cast<int>(n));
  //! [evaluate]
  //! [save]
  amp::wait_save_state(context, "digits.state", optimizer, scaler);
  //! [save]
  return n > 0 && 100 * right >= 95 * n ? 0 : 1;
}
