// Scaled dot-product attention: softmax(scale · q · kᵀ, masked) · v, forward and backward.
#pragma once
#include <amphora/op/contraction.hpp>         // op::scaled_dot_product_attention
#include <amphora/ops/add.hpp>                // unbroadcast
#include <amphora/ops/attention_call.hpp>     // attention_call, attention_kernels
#include <amphora/ops/attention_sizes.hpp>    // attention_settings, attention_sizes, attention_part
#include <amphora/ops/call.hpp>               // result_t, require_into_on, may_call_on, made
#include <amphora/ops/dropout.hpp>            // dropout_mask, dropout_kernels
#include <amphora/ops/function.hpp>           // gradient_triple
#include <amphora/ops/masked_softmax.hpp>     // masked_lines, masked_softmax_kernels
#include <amphora/ops/operand.hpp>            // into, operand
#include <amphora/ops/symmetric_product.hpp>  // product_gradients
#include <amphora/ops/where.hpp>              // are_truths_v
#include <amphora/policy/compute.hpp>         // compute_t, in_memory_t

#include <cstdint>      // int64_t, uint64_t
#include <limits>       // numeric_limits
#include <type_traits>  // conditional_t, is_same_v

namespace amphora { inline namespace AMPHORA_ABI {

namespace detail {

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

/// Calls run(part, its dropout) for what is worked on at once.
template <class Run>
void in_parts(const char* call, const attention_sizes& sizes, const attention_settings& settings, const Run& run) {
  const dropout_mask dropout = dropout_mask::of(call, settings.dropout);
  const attention_parts parts = sizes.parts(settings);
  for (std::int64_t i = 0; i < parts.count(); ++i) {
    const attention_part part = parts[i];
    dropout_mask its_dropout = dropout;
    its_dropout.first = static_cast<std::uint64_t>(part.matrices_before() * sizes.scores.m * sizes.keys / 4);
    run(part, its_dropout);
  }
}

template <class Formats, class Context, class Y, class Q, class K, class V, class Mask>
void attention_forward(Context& context, const char* call, into<Y> y, const view<const Q>& q, const view<const K>& k, const view<const V>& v, const Mask& mask, const attention_settings& settings,
                       const dropout_mask& dropout) {
  const attention_sizes sizes(call, q.shape(), k.shape(), v.shape(), settings);
  const auto scores = attention_scores<Formats>(context, sizes, q, k);
  const auto weights = attention_weights<Formats>(context, sizes, masked(call, sizes, settings.causal, mask), scores, dropout);
  run_matmul<typename Formats::reads, typename Formats::sums>(context, sizes.values.loops(), write(y.target), operand(weights), v);
}
template <class Formats, class Context, class G, class Q, class K, class V, class Mask, class GQ, class GK, class GV, class GMask>
void attention_backward(Context& context, const char* call, const view<const G>& grad, const view<const Q>& q, const view<const K>& k, const view<const V>& v, const Mask& mask, const GQ& gq, const GK& gk,
                        const GV& gv, const GMask& gmask, const attention_settings& settings, const dropout_mask& dropout) {
  using reads = typename Formats::reads;
  using sums = typename Formats::sums;
  const attention_sizes sizes(call, q.shape(), k.shape(), v.shape(), settings);
  const masked_lines lines = masked(call, sizes, settings.causal, mask);
  const auto scores = attention_scores<Formats>(context, sizes, q, k);
  if constexpr (is_gradient_target_v<GV>) {
    const auto weights = attention_weights<Formats>(context, sizes, lines, scores, dropout);
    product_gradients<reads, sums>(context, sizes.values, grad, operand(weights), v, no_gradient{}, gv);
  }
  if constexpr (is_gradient_target_v<GQ> || is_gradient_target_v<GK> || is_gradient_target_v<GMask>) {
    tensor_of_t<typename Formats::scores, Context> of_weights(context, sizes.score);
    product_gradients<reads, sums>(context, sizes.values, grad, operand(of_weights), v, into(of_weights), no_gradient{});
    drop_in_place(context, of_weights, dropout);
    // The mask's gradient is a sum of these, so that they stay floats where it is wanted.
    using stored = std::conditional_t<is_gradient_target_v<GMask>, typename Formats::scores, typename Formats::weights>;
    tensor_of_t<stored, Context> of_scores(context, sizes.score);
    masked_softmax_kernels<typename Context::device>::backward(context, lines, write(of_scores.view()), read(operand(of_weights)), read(operand(scores)));
    product_gradients<reads, sums>(context, sizes.scores, operand(of_scores), q, k, gq, gk);
    if constexpr (is_gradient_target_v<GMask>) unbroadcast<stored>(context, gmask, operand(of_scores), operand(mask).shape(), 1);
  }
}

inline attention_call call_of(const attention_sizes& sizes, const masked_lines& lines, const dropout_mask& dropout) {
  return {sizes.values.batch.elements(), sizes.scores.m, sizes.keys, sizes.scores.k, sizes.values.n, sizes.queries, sizes.scores.factor, lines, dropout};
}
inline target<f32> target_if_wanted(no_gradient) { return {}; }
template <class G> auto target_if_wanted(const G& g) { return gradient_target(g); }

template <class Mask> inline constexpr bool is_mask_v = std::is_same_v<Mask, no_mask> || are_truths_v<Mask> || is_operand_v<Mask>;
inline no_mask mask_operand(no_mask none) { return none; }
template <class Mask> auto mask_operand(const Mask& mask) { return operand(mask); }

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
/// Cost     on CUDA scores of some heads are held, in float and again in the compute format: settings.scores_at_once, or one head's if that is more;
///          on the host some rows a thread. Where leading axes broadcast, all of them
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
    using kernels = attention_kernels<typename Context::device>;
    if constexpr (kernels::is_fused) {
      using reads = typename formats::reads;
      if (sizes.is_even)
        return kernels::template forward<formats>(context, call_of(sizes, lines, dropout_mask::of(call, settings.dropout)), write(y.target), read_as<reads>(operand(q)), read_as<reads>(operand(k)),
                                                  read_as<reads>(operand(v)));
    }
    in_parts(call, sizes, settings, [&](const attention_part& part, const dropout_mask& dropout) {
      attention_forward<formats>(context, call, part(y), part(operand(q)), part(operand(k)), part(operand(v)), part(mask_operand(mask)), settings, dropout);
    });
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
    constexpr const char* call = "scaled_dot_product_attention_backward";
    const attention_sizes sizes(call, operand(q).shape(), operand(k).shape(), operand(v).shape(), settings);
    require_shape(call, "a gradient of the value", operand(grad).shape(), sizes.value);
    if constexpr (is_gradient_target_v<GQ>) require_shape(call, "a gradient of q", memory_of(gq).shape(), operand(q).shape());
    if constexpr (is_gradient_target_v<GK>) require_shape(call, "a gradient of k", memory_of(gk).shape(), operand(k).shape());
    if constexpr (is_gradient_target_v<GV>) require_shape(call, "a gradient of v", memory_of(gv).shape(), operand(v).shape());
    if constexpr (is_gradient_target_v<GMask>) require_shape(call, "a gradient of the mask", memory_of(gmask).shape(), operand(mask).shape());
    const masked_lines lines = masked(call, sizes, settings.causal, mask);
    using kernels = attention_kernels<typename Context::device>;
    if constexpr (kernels::is_fused && !is_gradient_target_v<GMask>) {
      using reads = typename formats::reads;
      if (sizes.is_even)
        return kernels::template backward<formats>(context, call_of(sizes, lines, dropout_mask::of(call, settings.dropout)), read_as<reads>(operand(grad)), read_as<reads>(operand(q)),
                                                   read_as<reads>(operand(k)), read_as<reads>(operand(v)), target_if_wanted(gq), target_if_wanted(gk), target_if_wanted(gv));
    }
    attention_settings its = settings;
    if constexpr (is_gradient_target_v<GMask>) its.scores_at_once = (std::numeric_limits<std::int64_t>::max)();  // its gradient is a sum over all of them
    in_parts(call, sizes, its, [&](const attention_part& part, const dropout_mask& dropout) {
      attention_backward<formats>(context, call, part(operand(grad)), part(operand(q)), part(operand(k)), part(operand(v)), part(mask_operand(mask)), part(gq), part(gk), part(gv), gmask, settings, dropout);
    });
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
