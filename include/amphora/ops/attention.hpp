// Scaled dot-product attention: softmax(scale · q · kᵀ, masked) · v, forward and backward.
#pragma once
#include <amphora/op/contraction.hpp>         // op::scaled_dot_product_attention
#include <amphora/ops/add.hpp>                // unbroadcast
#include <amphora/ops/call.hpp>               // result_t, require_into_on, may_call_on, made
#include <amphora/ops/dropout.hpp>            // dropout_settings, dropout_mask, dropout_kernels
#include <amphora/ops/function.hpp>           // gradient_triple
#include <amphora/ops/masked_softmax.hpp>     // masked_lines, masked_softmax_kernels
#include <amphora/ops/operand.hpp>            // into, operand
#include <amphora/ops/symmetric_product.hpp>  // symmetric_product, product_gradients
#include <amphora/ops/where.hpp>              // are_truths_v
#include <amphora/policy/compute.hpp>         // compute_t, in_memory_t

#include <cmath>        // sqrt
#include <cstdint>      // int64_t
#include <type_traits>  // conditional_t, is_same_v

namespace amphora { inline namespace AMPHORA_ABI {

/// How an attention is scored.
struct attention_settings {
  bool causal = false;               ///< query i sees the keys up to i, counted from the first of both; a mask may hold beside it
  double scale = 0;                  ///< of the products of queries and keys; 0 for 1 / √width
  bool grouped = false;              ///< several heads of queries, one after the other, share one of keys and values
  dropout_settings dropout = {0};    ///< of the weights
};
/// Says that every query sees every key.
struct no_mask {};

namespace detail {

/// The sizes of an attention: q [..., queries, width], k [..., keys, width], v [..., keys, out].
struct attention_sizes {
  symmetric_product scores, values;  ///< q · kᵀ; weights · v
  shape score, value;
  std::int64_t queries = 0, keys = 0;

  attention_sizes(const char* call, const shape& q, const shape& k, const shape& v, const attention_settings& settings) {
    if (q.rank() < 2 || k.rank() < 2 || v.rank() < 2 || q[-1] != k[-1] || k[-2] != v[-2])
      fail("shape", call, " cannot join q of shape ", q, ", k of shape ", k, " and v of shape ", v, "; they are [..., queries, width], [..., keys, width], [..., keys, out]");
    queries = q[-2], keys = k[-2];
    shape batch_q = matmul_sizes::leading(q);
    const shape batch_k = matmul_sizes::leading(k), batch_v = matmul_sizes::leading(v);
    std::int64_t shared = 1;  // heads of queries for one of keys: they follow each other, so that they are rows of one matrix
    if (settings.grouped) {
      if (q.rank() < 3 || k.rank() < 3 || v.rank() < 3 || k[-3] != v[-3] || k[-3] == 0 || q[-3] % k[-3] != 0)
        fail("shape", call, " cannot group the heads of q of shape ", q, " by those of k of shape ", k, " and v of shape ", v, "; q has a multiple of their heads, on the third axis from the end");
      shared = q[-3] / k[-3], batch_q = batch_q.with(-1, k[-3]);
    }
    const shape batch_s = broadcast(call, batch_q, batch_k), batch = broadcast(call, batch_s, batch_v);
    const double scale = settings.scale != 0 ? settings.scale : q[-1] == 0 ? 1 : 1 / std::sqrt(static_cast<double>(q[-1]));
    scores = {shared * queries, keys, q[-1], false, true, batch_s, batch_q, batch_k, batch_s, scale};
    values = {shared * queries, v[-1], keys, false, false, batch, batch_s, batch_v, batch, 1};
    score = matrices(batch_s, shared, queries, keys), value = matrices(batch, shared, queries, v[-1]);
  }

  /// Over the scores' lines.
  masked_lines lines(bool causal) const {
    masked_lines result;
    result.lines = score.product(0, score.rank() - 1), result.length = keys, result.rows = queries > 0 ? queries : 1, result.causal = causal;
    return result;
  }
  /// The same with a mask, of a shape that broadcasts to the scores'.
  ///
  /// Errors  shape
  masked_lines lines(const char* call, bool causal, const void* mask, const shape& own, format_id added) const {
    if (broadcast(call, own, score) != score) fail("shape", call, " cannot broadcast a mask of shape ", own, " to the scores' ", score);
    masked_lines result = lines(causal);
    result.mask = mask, result.added = added;
    for (int axis = 0; axis < score.rank(); ++axis) {
      const int at = axis - (score.rank() - own.rank());
      const std::int64_t stride = at < 0 || own[at] == 1 ? 0 : own.product(at + 1, own.rank());
      if (axis == score.rank() - 1) result.step = stride;
      else if (score[axis] != 1) result.over.extent[result.over.rank] = score[axis], result.over.stride[0][result.over.rank++] = stride;
    }
    return result;
  }

 private:
  static shape matrices(const shape& batch, std::int64_t shared, std::int64_t rows, std::int64_t columns) {
    std::int64_t extents[shape::max_rank + 2] = {};
    for (int i = 0; i < batch.rank(); ++i) extents[i] = batch[i];
    if (batch.rank() > 0) extents[batch.rank() - 1] *= shared;
    extents[batch.rank()] = rows, extents[batch.rank() + 1] = columns;
    return shape(extents, batch.rank() + 2);
  }
};

inline masked_lines masked(const char*, const attention_sizes& sizes, bool causal, no_mask) { return sizes.lines(causal); }
template <class Mask>
masked_lines masked(const char* call, const attention_sizes& sizes, bool causal, const Mask& mask) {
  const auto own = operand(mask);
  return sizes.lines(call, causal, own.data(), own.shape(), are_truths_v<Mask> ? format_id::none : format_id_v<given_t<Mask>>);
}

template <class Policy, class Q, class K, class V> struct attention_formats {
  using op_type = op::scaled_dot_product_attention;
  using reads = compute_t<Policy, op_type, given_t<Q>, given_t<K>, given_t<V>>;
  using sums = accumulate_t<Policy, op_type, given_t<Q>, given_t<K>, given_t<V>>;
  using scores = arithmetic_format_t<reads, sums>;  ///< before the softmax: a float, so that neither it nor the scale loses anything
  using weights = in_memory_t<reads>;               ///< after it
};

/// The scaled products of queries and keys.
template <class Formats, class Context, class Q, class K>
auto attention_scores(Context& context, const attention_sizes& sizes, const view<const Q>& q, const view<const K>& k) {
  tensor_of_t<typename Formats::scores, Context> scores(context, sizes.score);
  run_matmul<typename Formats::reads, typename Formats::sums>(context, sizes.scores.loops(), write(scores.view()), q, k);
  return scores;
}
template <class Context, class T>
void drop_in_place(Context& context, tensor<T, Context>& x, const dropout_mask& dropout) {
  if (dropout.threshold != 0) dropout_kernels<typename Context::device>::run(context, dropout, x.size(), write(x.view()), read(operand(x)));
}
template <class Formats, class Context, class S>
auto attention_weights(Context& context, const attention_sizes& sizes, const masked_lines& lines, const tensor<S, Context>& scores, const dropout_mask& dropout) {
  tensor_of_t<typename Formats::weights, Context> weights(context, sizes.score);
  masked_softmax_kernels<typename Context::device>::forward(context, lines, write(weights.view()), read(operand(scores)));
  drop_in_place(context, weights, dropout);
  return weights;
}

template <class Mask> inline constexpr bool is_mask_v = std::is_same_v<Mask, no_mask> || are_truths_v<Mask> || is_operand_v<Mask>;

}  // namespace detail

/// softmax(scale · q · kᵀ, masked) · v, a contraction: q, k and v are read in the policy's compute format, scores and softmax are in float, the
/// weights are rounded to the compute format once, and so is the result to the output's. A query that sees no key gets 0.
///
/// q        [..., queries, width]
/// k, v     [..., keys, width], [..., keys, out]; leading axes broadcast
/// mask     no_mask{}; bools on the device, of which false leaves a key out; or numbers in any format that are added to the scaled scores. Of a
///          shape that broadcasts to the scores' [..., queries, keys]
/// Value    [..., queries, out]; scaled_dot_product_attention<Policy>(context, into(y), q, k, v, …) writes it to y
/// Errors   shape, setting; nothing is written before
/// Cost     the scores are stored: queries · keys numbers a head, in float and again in the compute format
template <class Policy, class Context, class Q, class K, class V, class Mask = no_mask, std::enable_if_t<detail::is_operand_v<Q> && detail::is_mask_v<Mask>, int> = 0>
auto scaled_dot_product_attention(Context& context, const Q& q, const K& k, const V& v, const Mask& mask = {}, const attention_settings& settings = {}) {
  using namespace detail;
  using result = result_t<Policy, op::scaled_dot_product_attention, Context, Q, K, V>;
  if constexpr (may_call_on<Context, Policy, op::scaled_dot_product_attention, Q, K, V>()) {
    const attention_sizes sizes("scaled_dot_product_attention", operand(q).shape(), operand(k).shape(), operand(v).shape(), settings);
    return made<result>(context, sizes.value, [&](auto y) { scaled_dot_product_attention<Policy>(context, into(y), q, k, v, mask, settings); });
  } else {
    return result{};
  }
}
template <class Policy, class Context, class Y, class Q, class K, class V, class Mask = no_mask>
void scaled_dot_product_attention(Context& context, into<Y> y, const Q& q, const K& k, const V& v, const Mask& mask = {}, const attention_settings& settings = {}) {
  using namespace detail;
  if constexpr (require_into_on<Context, Policy, op::scaled_dot_product_attention, Y, Q, K, V>()) {
    using formats = attention_formats<Policy, Q, K, V>;
    constexpr const char* call = "scaled_dot_product_attention";
    const attention_sizes sizes(call, operand(q).shape(), operand(k).shape(), operand(v).shape(), settings);
    require_shape(call, "an output", y.target.shape(), sizes.value);
    const masked_lines lines = masked(call, sizes, settings.causal, mask);
    const dropout_mask dropout = dropout_mask::of(call, settings.dropout);
    const auto scores = attention_scores<formats>(context, sizes, operand(q), operand(k));
    const auto weights = attention_weights<formats>(context, sizes, lines, scores, dropout);
    run_matmul<typename formats::reads, typename formats::sums>(context, sizes.values.loops(), write(y.target), operand(weights), operand(v));
  }
}

/// The gradients of an attention. Scores and weights are made anew from q and k, with the same dropout, so that nothing but the operands is kept
/// between forward and backward.
///
/// gq, gk, gv  into(view), add_to(view) or no_gradient{}
/// gmask       the same for the numbers that are added, or no_gradient{}
template <class Policy, class Context, class G, class Q, class K, class V, class Mask, class GQ, class GK, class GV, class GMask = no_gradient,
          std::enable_if_t<detail::is_mask_v<Mask> && detail::is_gradient_choice_v<GQ>, int> = 0>
void scaled_dot_product_attention_backward(Context& context, const G& grad, const Q& q, const K& k, const V& v, const Mask& mask, const GQ& gq, const GK& gk, const GV& gv,
                                           const GMask& gmask = {}, const attention_settings& settings = {}) {
  using namespace detail;
  if constexpr (may_call_on<Context, Policy, op::scaled_dot_product_attention, Q, K, V>()) {
    using formats = attention_formats<Policy, Q, K, V>;
    using reads = typename formats::reads;
    using sums = typename formats::sums;
    using kernels = masked_softmax_kernels<typename Context::device>;
    constexpr const char* call = "scaled_dot_product_attention_backward";
    const attention_sizes sizes(call, operand(q).shape(), operand(k).shape(), operand(v).shape(), settings);
    require_shape(call, "a gradient of the value", operand(grad).shape(), sizes.value);
    if constexpr (is_gradient_target_v<GQ>) require_shape(call, "a gradient of q", memory_of(gq).shape(), operand(q).shape());
    if constexpr (is_gradient_target_v<GK>) require_shape(call, "a gradient of k", memory_of(gk).shape(), operand(k).shape());
    if constexpr (is_gradient_target_v<GV>) require_shape(call, "a gradient of v", memory_of(gv).shape(), operand(v).shape());
    if constexpr (is_gradient_target_v<GMask>) require_shape(call, "a gradient of the mask", memory_of(gmask).shape(), operand(mask).shape());
    const masked_lines lines = masked(call, sizes, settings.causal, mask);
    const dropout_mask dropout = dropout_mask::of(call, settings.dropout);
    const auto scores = attention_scores<formats>(context, sizes, operand(q), operand(k));
    if constexpr (is_gradient_target_v<GV>) {
      const auto weights = attention_weights<formats>(context, sizes, lines, scores, dropout);
      product_gradients<reads, sums>(context, sizes.values, operand(grad), operand(weights), operand(v), no_gradient{}, gv);
    }
    if constexpr (is_gradient_target_v<GQ> || is_gradient_target_v<GK> || is_gradient_target_v<GMask>) {
      tensor_of_t<typename formats::scores, Context> of_weights(context, sizes.score);
      product_gradients<reads, sums>(context, sizes.values, operand(grad), operand(of_weights), operand(v), into(of_weights), no_gradient{});
      drop_in_place(context, of_weights, dropout);
      // The mask's gradient is a sum of these, so that they stay floats where it is wanted.
      using stored = std::conditional_t<is_gradient_target_v<GMask>, typename formats::scores, typename formats::weights>;
      tensor_of_t<stored, Context> of_scores(context, sizes.score);
      kernels::backward(context, lines, write(of_scores.view()), read(operand(of_weights)), read(operand(scores)));
      product_gradients<reads, sums>(context, sizes.scores, operand(of_scores), operand(q), operand(k), gq, gk);
      if constexpr (is_gradient_target_v<GMask>) unbroadcast<stored>(context, gmask, operand(of_scores), operand(mask).shape(), 1);
    }
  }
}
/// As fresh tensors, q's, k's and v's.
template <class Policy, class Context, class G, class Q, class K, class V, class Mask = no_mask, std::enable_if_t<detail::is_mask_v<Mask>, int> = 0>
auto scaled_dot_product_attention_backward(Context& context, const G& grad, const Q& q, const K& k, const V& v, const Mask& mask = {}, const attention_settings& settings = {}) {
  using namespace detail;
  gradient_triple<gradient_of_t<Q, Context>, gradient_of_t<K, Context>, gradient_of_t<V, Context>> result{{context, operand(q).shape()}, {context, operand(k).shape()}, {context, operand(v).shape()}};
  scaled_dot_product_attention_backward<Policy>(context, grad, q, k, v, mask, into(result.first), into(result.second), into(result.third), no_gradient{}, settings);
  return result;
}

}}  // namespace amphora
