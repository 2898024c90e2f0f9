// A transformer under any plan, for which an image is a sequence of eight rows: attention, layer norm, two layers with a gelu between them.
#pragma once
#include "taped.hpp"

#include <amphora/op/promoting.hpp>
#include <amphora/op/normalization.hpp>

#include <deque>

template <class Policy, class Context>
struct layer_normalization {
  weight<Policy, amp::op::layer_norm, Context> scale, shift;

  layer_normalization(Context& context, int width, const std::string& name) : scale(context, name + ".scale", {width}), shift(context, name + ".shift", {width}) { scale.fill(context, 1); }
  template <class Scope, class X, class Leaf> auto operator()(const Scope& amp, const X& x, const Leaf& leaf) { return amp.layer_norm(x, leaf(scale), leaf(shift)); }
  template <class Function> void weights(const Function& f) { f(scale), f(shift); }
};

template <class Policy, class Context>
struct transformer_block {
  static constexpr int heads = 4;
  layer_normalization<Policy, Context> before_attention, before_layers;
  dense<Policy, Context> q, k, v, out, up, down;

  transformer_block(Context& context, int width, const std::string& name, std::uint64_t seed, std::uint64_t first)
      : before_attention(context, width, name + ".norm1"), before_layers(context, width, name + ".norm2"),
        q(context, width, width, name + ".q", random_numbers(purpose::weights, seed, first)), k(context, width, width, name + ".k", random_numbers(purpose::weights, seed, first + 1)),
        v(context, width, width, name + ".v", random_numbers(purpose::weights, seed, first + 2)),
        out(context, width, width, name + ".out", random_numbers(purpose::weights, seed, first + 3)),
        up(context, 2 * width, width, name + ".up", random_numbers(purpose::weights, seed, first + 4)),
        down(context, width, 2 * width, name + ".down", random_numbers(purpose::weights, seed, first + 5)) {}
  template <class Function> void weights(const Function& f) {
    before_attention.weights(f), before_layers.weights(f);
    for (auto* each : {&q, &k, &v, &out, &up, &down}) f(each->weight), f(each->bias);
  }
  /// x  [n, rows, width]
  template <class Scope, class X, class Leaf> auto operator()(const Scope& amp, const X& x, const Leaf& leaf) {
    const auto& tape = amp.tape();
    const std::int64_t n = x.shape()[0], rows = x.shape()[1], width = x.shape()[2];
    const auto through = [&](auto& layer, const auto& h) { return amp.linear(h, leaf(layer.weight), leaf(layer.bias)); };
    const auto normed = before_attention(amp, x, leaf);
    const auto split = [&](auto& layer) { return amp.transpose(amp::reshape(tape, through(layer, normed), {n, rows, heads, width / heads}), 1, 2); };
    const auto attended = amp.transpose(amp.scaled_dot_product_attention(split(q), split(k), split(v)), 1, 2);
    const auto h = amp.add(x, through(out, amp::reshape(tape, attended, x.shape())));
    return amp.add(h, through(down, amp.gelu(through(up, before_layers(amp, h, leaf)))));
  }
};

template <class Plan, class Context>
class transformer : public taped_model<transformer<Plan, Context>, Context, amp::storage_t<amp::compute_t<amp::policy_at_t<Plan, layer::hidden>, amp::op::linear, amp::f32>>> {
 public:
  using hidden = amp::policy_at_t<Plan, layer::hidden>;
  using head = amp::policy_at_t<Plan, layer::head>;

  /// o.hidden  the width of each block, always the same one
  transformer(Context& context, const options& o)
      : width_(o.hidden.front()), embedding_(context, width_, rows, "embedding", random_numbers(purpose::weights, o.seed, 0)), places_(context, "places", {rows, width_}),
        last_(context, width_, "norm"), head_(context, classes, rows * width_, "head", random_numbers(purpose::weights, o.seed, 1)) {
    std::uint64_t drawn = 0;
    places_.draw(context, width_, random_numbers(purpose::weights, o.seed, 2), drawn);
    for (std::size_t i = 0; i < o.hidden.size(); ++i) blocks_.emplace_back(context, width_, "block" + std::to_string(i + 1), o.seed, 8 * (i + 1));
  }
  template <class Function> void weights(const Function& f) {
    f(embedding_.weight), f(embedding_.bias), f(places_);
    for (auto& each : blocks_) each.weights(f);
    last_.weights(f), f(head_.weight), f(head_.bias);
  }
  /// What is saved beside the weights: f(items…).
  template <class Function> auto with_state(Function f) { return f(); }

  template <class Scope, class X, class Leaf> auto logits(const Scope& amp, const X& x, const Leaf& leaf, bool) {
    const auto& tape = amp.tape();
    const std::int64_t n = x.shape()[0];
    const auto embedded = amp.linear(amp::reshape(tape, x, {n, rows, pixels / rows}), leaf(embedding_.weight), leaf(embedding_.bias));
    auto h = amp.add(embedded, leaf(places_));
    for (auto& each : blocks_) h = each(amp, h, leaf);
    return amp.with(head{}).linear(amp::reshape(tape, last_(amp, h, leaf), {n, rows * width_}), leaf(head_.weight), leaf(head_.bias));
  }

 private:
  static constexpr int rows = 8;
  int width_;
  dense<hidden, Context> embedding_;
  weight<hidden, amp::op::add, Context> places_;
  std::deque<transformer_block<hidden, Context>> blocks_;
  layer_normalization<hidden, Context> last_;
  dense<head, Context> head_;
};
