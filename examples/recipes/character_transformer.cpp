// A small transformer that learns a sonnet by heart, letter by letter: attention, layer norm, dropout, and one table for the letters that go in and come out.
#include "data.hpp"
#include "reference.hpp"

#include <amphora/amphora.hpp>
#include <amphora/autograd.hpp>
#include <amphora/ops.hpp>

#include <algorithm>
#include <deque>
#include <iterator>
#include <string>
#include <vector>

namespace amp = amphora;
using context_type = amp::host_context;

struct mixed : amp::o1<amp::f16> {};  // products and attention in f16; layer norm, softmax and loss in float
struct brain : amp::o1<amp::bf16> {};

constexpr int width = 32, heads = 4, length = 32, together = 8;

//! [net]
template <class Policy>
struct norm {
  amp::parameter<Policy, amp::op::layer_norm, context_type> scale, shift;
  explicit norm(context_type& context) : scale(context, "scale", {width}), shift(context, "shift", {width}) { scale.load(context, filled(context, {width}, 1)); }
  template <class Scope, class X> auto operator()(const Scope& amp, const X& x) { return amp.layer_norm(x, amp.tape().leaf(scale), amp.tape().leaf(shift)); }
};

template <class Policy>
struct block {
  using weight = amp::parameter<Policy, amp::op::linear, context_type>;
  norm<Policy> before_attention, before_layers;
  weight q, k, v, out, up, down;

  block(context_type& context, random_numbers& random)
      : before_attention(context), before_layers(context), q(context, "q", {width, width}), k(context, "k", {width, width}), v(context, "v", {width, width}),
        out(context, "out", {width, width}), up(context, "up", {2 * width, width}), down(context, "down", {width, 2 * width}) {
    for (weight* w : {&q, &k, &v, &out, &up}) draw(context, random, width, *w);
    draw(context, random, 2 * width, down);
  }
  /// drop  dropout
  template <class Scope, class X, class Drop> auto operator()(const Scope& amp, const X& x, const Drop& drop) {
    const auto& tape = amp.tape();
    const auto normed = before_attention(amp, x);
    const auto split = [&](weight& w) {  // [batch, length, width] to [batch, heads, length, width / heads]
      return amp.transpose(amp::reshape(tape, amp.linear(normed, tape.leaf(w)), {x.shape()[0], length, heads, width / heads}), 1, 2);
    };
    amp::attention_settings settings;
    settings.causal = true;
    const auto attended = amp.transpose(amp.scaled_dot_product_attention(split(q), split(k), split(v), amp::no_mask{}, settings), 1, 2);
    const auto h = amp.add(x, drop(amp.linear(amp::reshape(tape, attended, x.shape()), tape.leaf(out))));
    return amp.add(h, drop(amp.linear(amp.gelu(amp.linear(before_layers(amp, h), tape.leaf(up))), tape.leaf(down))));
  }
};

template <class Policy>
struct network {
  amp::tied_parameter<Policy, context_type, amp::op::embedding, amp::op::linear> tokens;  // one master, a copy in each format that is read
  amp::parameter<Policy, amp::op::add, context_type> places;
  std::deque<block<Policy>> blocks;
  norm<Policy> last;

  network(context_type& context, random_numbers& random, int letters) : tokens(context, "tokens", {letters, width}), places(context, "places", {length, width}), last(context) {
    draw(context, random, width, tokens), draw(context, random, width, places);
    for (int i = 0; i < 2; ++i) blocks.emplace_back(context, random);
  }
  std::vector<amp::parameter_view> parameters() {
    std::vector<amp::parameter_view> all = {tokens.view(), places.view(), last.scale.view(), last.shift.view()};
    for (block<Policy>& b : blocks) {
      for (auto* w : {&b.q, &b.k, &b.v, &b.out, &b.up, &b.down}) all.push_back(w->view());
      for (auto* n : {&b.before_attention, &b.before_layers}) all.push_back(n->scale.view()), all.push_back(n->shift.view());
    }
    return all;
  }
  /// letters  [batch, length]
  template <class Scope, class Letters> auto logits(const Scope& amp, const Letters& letters, double dropout, std::uint64_t step) {
    const auto& tape = amp.tape();
    std::uint64_t call = 0;
    const auto drop = [&](const auto& x) { return amp.dropout(x, amp::dropout_settings{dropout, 1, 16 * step + call++}); };  // another mask for each call and step
    auto h = amp.cast(amp::f32{}, drop(amp.add(amp.embedding(letters, tape.template leaf_of<amp::op::embedding>(tokens)), tape.leaf(places))));
    for (block<Policy>& b : blocks) h = amp.cast(amp::f32{}, b(amp, h, drop));
    return amp.linear(last(amp, h), tape.template leaf_of<amp::op::linear>(tokens));
  }
};
//! [net]

template <class Policy>
void train(reference& run, int steps, double dropout) {
  context_type context;
  std::ifstream file(RECIPES_DIR "/sonnet.txt");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::string letters = text;
  std::sort(letters.begin(), letters.end());
  letters.erase(std::unique(letters.begin(), letters.end()), letters.end());
  random_numbers random;
  network<Policy> net(context, random, static_cast<int>(letters.size()));
  auto scaler = amp::make_scaler<Policy>(context);
  amp::mixed_optimizer optimizer{context, amp::adamw{0.003f, 0.9, 0.999, 1e-8, 0.01}, net.parameters()};
  std::vector<double> losses;
  for (int step = 0; step < steps; ++step) {
    std::vector<std::int64_t> from, to;
    for (int i = 0; i < together; ++i) {
      const std::size_t start = random.below(text.size() - length);
      for (std::size_t at = start; at < start + length; ++at) from.push_back(static_cast<std::int64_t>(letters.find(text[at]))), to.push_back(static_cast<std::int64_t>(letters.find(text[at + 1])));
    }
    const auto x = there(context, from, {together, length});
    const auto y = there(context, to, {together * length});
    const amp::tape tape{context};
    const auto loss = amp::autocast<Policy>(tape, [&](auto amp) {
      const auto logits = net.logits(amp, x, dropout, static_cast<std::uint64_t>(step));
      return amp.cross_entropy(amp::reshape(tape, logits, {together * length, logits.shape()[2]}), y);
    });
    const auto scaled_loss = scaler.scale(context, loss.value());
    amp::backward(context, loss, scaled_loss);
    scaler.update(context, optimizer.step(context, amp::scaled(optimizer.gradients(), scaled_loss.ticket())));
    losses.push_back(amp::wait_read(context, loss.value())[0]);
  }
  if (dropout == 0) return run.compare<Policy>("loss", losses);
  double last = 0;
  for (auto loss = losses.end() - 20; loss != losses.end(); ++loss) last += *loss / 20;
  std::printf("the last 20 losses: %.2f, PyTorch in float: %.2f\n", last, run.numbers("last")[0]);
  run.require("learns as fast", last < 1.1 * run.numbers("last")[0]);
}

int main() {
  reference run("character_transformer");
  train<in_float>(run, 12, 0);
  train<mixed>(run, 12, 0), train<brain>(run, 12, 0);
  train<mixed>(run, 300, 0.1);
  return run.status();
}
