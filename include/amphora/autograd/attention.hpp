// Scaled dot-product attention of variables.
#pragma once
#include <amphora/autograd/add.hpp>       // add_record
#include <amphora/autograd/composed.hpp>  // composed_record
#include <amphora/autograd/dropout.hpp>   // dropout
#include <amphora/autograd/product.hpp>   // product_taped
#include <amphora/ops/attention.hpp>      // scaled_dot_product_attention, attention_sizes
#include <amphora/policy/policy.hpp>      // policy

#include <type_traits>  // is_same_v
#include <utility>      // move

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

/// p (grad − Σ grad p) by the scores and by grad, in which it is linear and symmetric.
struct masked_softmax_gradient_record {
  masked_lines lines;
  template <class Pass, class H, class G, class S> void backward(Pass& pass, const H& h, const H&, const G& grad, const S& scores) const {
    using kernels = masked_softmax_kernels<typename Pass::context_type::device>;
    pass.write(grad, [&](auto target) { kernels::backward(pass.context(), lines, gradient_target(target), read(h.value()), read(scores.value())); }, *this, h, scores);
    pass.write(scores, [&](auto target) { kernels::bend(pass.context(), lines, gradient_target(target), read(h.value()), read(grad.value()), read(scores.value())); });
  }
};
struct masked_softmax_record {
  masked_lines lines;
  template <class Pass, class G, class S> void backward(Pass& pass, const G& gradient, const G&, const S& scores) const {
    using kernels = masked_softmax_kernels<typename Pass::context_type::device>;
    pass.write(scores, [&](auto target) { kernels::backward(pass.context(), lines, gradient_target(target), read(gradient.value()), read(scores.value())); },
               masked_softmax_gradient_record{lines}, gradient, scores);
  }
};

template <class Mask> decltype(auto) mask_value(const Mask& mask) {
  if constexpr (is_variable_v<Mask>) return mask.value();
  else return (mask);
}

/// Mask  what is not a variable: no_mask, or a view of bools or numbers
template <class Policy, class Mask>
struct attention_gradients {
  Mask mask;
  attention_settings settings;

  template <class Pass, class G, class Q, class K, class V, class... M> void operator()(Pass& pass, const G& gradient, const Q& q, const K& k, const V& v, const M&... added) const {
    const no_gradient none;
    auto& context = pass.context();
    const auto grad = gradient.value();
    const auto give = [&](const auto& its_mask, const auto&... of_mask) {
      const auto run = [&](const auto& gq, const auto& gk, const auto& gv, const auto& gm) {
        scaled_dot_product_attention_backward<Policy>(context, grad, q.value(), k.value(), v.value(), its_mask, gq, gk, gv, gm, settings);
      };
      // All together where q, k and v are wanted: the scores are made once. In the order in which they are written, since they may share memory.
      if (pass.wants(q) && pass.wants(k) && pass.wants(v) && !(pass.wants(of_mask) || ...))
        return pass.write(v, [&](auto gv) { pass.write(q, [&](auto gq) { pass.write(k, [&](auto gk) { run(gq, gk, gv, none); }); }); });
      pass.write(q, [&](auto target) { run(target, none, none, none); });
      pass.write(k, [&](auto target) { run(none, target, none, none); });
      pass.write(v, [&](auto target) { run(none, none, target, none); });
      (pass.write(of_mask, [&](auto target) { run(none, none, none, target); }), ...);
    };
    if constexpr (sizeof...(M) == 0) give(mask);
    else give(added.value()..., added...);
  }
};
/// The same of a product, a softmax and a product.
template <class Policy, class Mask>
struct attention_pieces {
  Mask mask;
  attention_settings settings;

  template <class Context, class Q, class K, class V, class... M> auto operator()(const tape<Context>& recording, const Q& q, const K& k, const V& v, const M&... added) const {
    using formats = attention_formats<Policy, Q, K, V>;
    using reads = typename formats::reads;
    using sums = typename formats::sums;
    using value = output_t<Policy, op::scaled_dot_product_attention, given_t<Q>, given_t<K>, given_t<V>>;
    auto& context = recording.context();
    const attention_sizes sizes("scaled_dot_product_attention", q.shape(), k.shape(), v.shape(), settings);
    const auto scores = product_taped<typename formats::scores, reads, sums>(recording, sizes.scores, sizes.score, q, k);
    const auto all = plus(recording, scores, added...);
    const masked_lines lines = masked("scaled_dot_product_attention", sizes, settings.causal, mask);
    tensor_of_t<typename formats::weights, Context> memory(context, sizes.score);
    masked_softmax_kernels<typename Context::device>::forward(context, lines, write(memory.view()), read(all.value()));
    const auto weights = record(recording, std::move(memory), masked_softmax_record{lines}, all);
    const auto dropped = settings.dropout.probability == 0 ? weights : dropout<policy<>>(recording, weights, settings.dropout);
    return product_taped<value, reads, sums>(recording, sizes.values, sizes.value, dropped, v);
  }

 private:
  template <class Context, class S> static S plus(const tape<Context>&, const S& scores) { return scores; }
  template <class Context, class S, class M> static S plus(const tape<Context>& recording, const S& scores, const M& mask) {
    const auto x = scores.value();
    const auto y = mask.value();
    tensor<typename S::value_type, Context> sum(recording.context(), x.shape());
    map_kernels<typename Context::device>::run(recording.context(), add_value{1}, make_loops<2>(x.shape(), {&x.shape(), &y.shape()}), write(sum.view()), read(x), read(y));
    return record(recording, std::move(sum), add_record{1}, scores, mask);
  }
};

}  // namespace detail

/// scaled_dot_product_attention as of ops/attention.hpp, recorded. It keeps its operands alone: scores and weights are made anew on the way back. It
/// has second derivatives, for which all scores are held; a third one by q, k or a mask is `no-derivative`.
///
/// mask  no_mask{}; bools, or numbers that are added, in memory that outlives the graph; or a variable, which gets a gradient
template <class Policy, class Context, class Q, class K, class V, class Mask = no_mask, std::enable_if_t<is_variable_v<Q> && is_variable_v<K> && is_variable_v<V>, int> = 0>
auto scaled_dot_product_attention(const tape<Context>& recording, const Q& q, const K& k, const V& v, const Mask& mask = {}, const attention_settings& settings = {}) {
  using namespace detail;
  auto value = scaled_dot_product_attention<Policy>(recording.context(), q.value(), k.value(), v.value(), mask_value(mask), settings);
  if constexpr (is_variable_v<Mask>) {
    using op = composed_record<attention_gradients<Policy, no_mask>, attention_pieces<Policy, no_mask>>;
    return record(recording, std::move(value), op{{{}, settings}, {{}, settings}}, q, k, v, mask);
  } else if constexpr (std::is_same_v<Mask, no_mask>) {
    using op = composed_record<attention_gradients<Policy, no_mask>, attention_pieces<Policy, no_mask>>;
    return record(recording, std::move(value), op{{{}, settings}, {{}, settings}}, q, k, v);
  } else {
    const auto own = operand(mask);
    using op = composed_record<attention_gradients<Policy, std::decay_t<decltype(own)>>, attention_pieces<Policy, std::decay_t<decltype(own)>>>;
    return record(recording, std::move(value), op{{own, settings}, {own, settings}}, q, k, v);
  }
}

}}  // namespace amphora
