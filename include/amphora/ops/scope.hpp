// Regions of code whose ops share a policy, for code that reads like `with autocast():`.
#pragma once
#include <amphora/op/tree.hpp>            // is_op_v
#include <amphora/ops/activation.hpp>     // sigmoid, tanh, silu, elu, leaky_relu
#include <amphora/ops/adaptive_avg_pool.hpp>  // adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d
#include <amphora/ops/add.hpp>            // add, add_backward
#include <amphora/ops/addcmul.hpp>        // addcmul, addcdiv
#include <amphora/ops/addmm.hpp>  // addmm, addmv, addr, addbmm, baddbmm
#include <amphora/ops/arithmetic.hpp>     // sub, mul, div
#include <amphora/ops/atan2.hpp>          // atan2
#include <amphora/ops/attention.hpp>  // scaled_dot_product_attention
#include <amphora/ops/avg_pool.hpp>       // avg_pool1d, avg_pool2d, avg_pool3d
#include <amphora/ops/batch_norm.hpp>     // batch_norm, instance_norm
#include <amphora/ops/bilinear.hpp>  // bilinear
#include <amphora/ops/binary_cross_entropy.hpp>  // binary_cross_entropy_with_logits, binary_cross_entropy
#include <amphora/ops/cast.hpp>           // cast
#include <amphora/ops/cat.hpp>  // cat, stack
#include <amphora/ops/clamp.hpp>          // clamp
#include <amphora/ops/class_margin_loss.hpp>  // multi_margin_loss, multilabel_margin_loss
#include <amphora/ops/cosine_embedding_loss.hpp>  // cosine_embedding_loss
#include <amphora/ops/conv.hpp>           // conv1d, conv2d, conv3d
#include <amphora/ops/conv_transpose.hpp>  // conv_transpose1d, conv_transpose2d, conv_transpose3d
#include <amphora/ops/cross.hpp>  // cross
#include <amphora/ops/cosine_similarity.hpp>  // cosine_similarity
#include <amphora/ops/cross_entropy.hpp>  // cross_entropy, cross_entropy_backward
#include <amphora/ops/cumulative.hpp>     // cumsum, cumprod
#include <amphora/ops/distance.hpp>       // dist, cdist
#include <amphora/ops/dropout.hpp>        // dropout, dropout_backward
#include <amphora/ops/einsum.hpp>  // einsum
#include <amphora/ops/embedding.hpp>  // embedding
#include <amphora/ops/erfinv.hpp>         // erfinv
#include <amphora/ops/exponential.hpp>    // exp, expm1, log, log2, log10, log1p, softplus
#include <amphora/ops/gather.hpp>  // gather, scatter_add
#include <amphora/ops/gelu.hpp>           // gelu, gelu_backward
#include <amphora/ops/grid_sample.hpp>  // grid_sample
#include <amphora/ops/group_norm.hpp>     // group_norm
#include <amphora/ops/gru_cell.hpp>  // gru_cell
#include <amphora/ops/index_put.hpp>  // index_put
#include <amphora/ops/interpolate.hpp>  // interpolate
#include <amphora/ops/l1_loss.hpp>        // l1_loss, smooth_l1_loss, huber_loss
#include <amphora/ops/layer_norm.hpp>     // layer_norm, rms_norm
#include <amphora/ops/lerp.hpp>           // lerp
#include <amphora/ops/likelihood_loss.hpp>  // poisson_nll_loss, gaussian_nll_loss, kl_div
#include <amphora/ops/linear.hpp>         // linear, linear_backward
#include <amphora/ops/lstm_cell.hpp>  // lstm_cell
#include <amphora/ops/margin_loss.hpp>    // soft_margin_loss, hinge_embedding_loss, margin_ranking_loss
#include <amphora/ops/logsumexp.hpp>      // logsumexp
#include <amphora/ops/matmul.hpp>         // matmul, matmul_backward
#include <amphora/ops/maximum.hpp>        // maximum, minimum
#include <amphora/ops/max_pool.hpp>       // max_pool1d, max_pool2d, max_pool3d
#include <amphora/ops/mm.hpp>  // mm, bmm, mv, dot, vdot
#include <amphora/ops/movement.hpp>  // transpose, permute, slice
#include <amphora/ops/mse_loss.hpp>       // mse_loss, mse_loss_backward
#include <amphora/ops/multi_dot.hpp>  // multi_dot, chain_matmul
#include <amphora/ops/nll_loss.hpp>       // nll_loss
#include <amphora/ops/norm.hpp>           // norm, vector_norm
#include <amphora/ops/number.hpp>         // mul, div by numbers
#include <amphora/ops/pad.hpp>  // pad
#include <amphora/ops/pdist.hpp>          // pdist
#include <amphora/ops/pow.hpp>            // pow
#include <amphora/ops/prelu.hpp>          // prelu
#include <amphora/ops/prod.hpp>           // prod
#include <amphora/ops/relu.hpp>           // relu, relu_backward
#include <amphora/ops/rnn_cell.hpp>  // rnn_tanh_cell, rnn_relu_cell
#include <amphora/ops/renorm.hpp>         // renorm
#include <amphora/ops/root.hpp>           // sqrt, rsqrt, reciprocal
#include <amphora/ops/sign.hpp>           // abs, neg
#include <amphora/ops/soft_cross_entropy.hpp>  // cross_entropy against probabilities
#include <amphora/ops/softmax.hpp>        // softmax, log_softmax, softmin and their backward
#include <amphora/ops/sum.hpp>            // sum, mean and their backward
#include <amphora/ops/tensordot.hpp>      // tensordot
#include <amphora/ops/trigonometric.hpp>  // tan, asin, acos, sinh, cosh
#include <amphora/ops/triplet_margin_loss.hpp>  // triplet_margin_loss
#include <amphora/ops/vecdot.hpp>         // vecdot
#include <amphora/ops/where.hpp>          // where
#include <amphora/policy/policy.hpp>      // require_policy

#include <utility>  // forward

namespace amphora { inline namespace AMPHORA_ABI {

/// The ops that a scope has as members, over a context and over a tape: op(name) for each.
#define AMPHORA_SCOPE_OPS(op) \
  op(matmul) op(linear) op(add) op(relu) op(gelu) op(softmax) op(log_softmax) op(cross_entropy) op(mse_loss) op(sum) op(mean) op(dropout) op(sub)    \
  op(mul) op(div) op(addcmul) op(addcdiv) op(atan2) op(maximum) op(minimum) op(lerp) op(where) op(sigmoid) op(tanh) op(silu) op(elu) op(leaky_relu)  \
  op(clamp) op(abs) op(neg) op(sqrt) op(exp) op(expm1) op(log) op(log2) op(log10) op(log1p) op(softplus) op(tan) op(asin) op(acos) op(sinh) op(cosh) \
  op(erfinv) op(rsqrt) op(reciprocal) op(pow) op(prelu) op(mm) op(bmm) op(mv) op(dot) op(vdot) op(addmm) op(addmv) op(addr) op(addbmm) op(baddbmm)   \
  op(l1_loss) op(smooth_l1_loss) op(huber_loss) op(binary_cross_entropy_with_logits) op(binary_cross_entropy) op(poisson_nll_loss)                   \
  op(gaussian_nll_loss) op(kl_div) op(soft_margin_loss) op(hinge_embedding_loss) op(margin_ranking_loss) op(scaled_dot_product_attention)            \
  op(softmin) op(logsumexp) op(conv1d) op(conv2d) op(conv3d) op(conv_transpose1d) op(conv_transpose2d) op(conv_transpose3d) op(layer_norm)           \
  op(rms_norm) op(group_norm) op(batch_norm) op(instance_norm) op(norm) op(vector_norm) op(nll_loss) op(tensordot) op(vecdot) op(multi_dot)          \
  op(chain_matmul) op(bilinear) op(einsum) op(max_pool1d) op(max_pool2d) op(max_pool3d) op(avg_pool1d) op(avg_pool2d) op(avg_pool3d)                 \
  op(adaptive_avg_pool1d) op(adaptive_avg_pool2d) op(adaptive_avg_pool3d) op(transpose) op(permute) op(slice) op(cat) op(stack) op(pad)              \
  op(embedding) op(gather) op(scatter_add) op(index_put) op(cross) op(interpolate) op(grid_sample) op(cosine_embedding_loss) op(triplet_margin_loss) \
  op(multi_margin_loss) op(multilabel_margin_loss) op(rnn_tanh_cell) op(rnn_relu_cell) op(lstm_cell) op(gru_cell) op(dist) op(cdist) op(pdist)       \
  op(prod) op(cumsum) op(cumprod) op(cosine_similarity) op(renorm)

/// A policy and a context at once. It holds no state of its own, is no global, and ends where its name does.
///
/// Members   each op: amp.linear(x, w, b) is linear<Policy>(context, x, w, b)
/// A user's  amp(my_op{}, x…): my_op names its `parent` and has a static `forward<Policy>(context, x…)`
template <class Policy, class Context>
class scope {
 public:
  using policy = Policy;

  explicit scope(Context& context) : context_(&context) { require_policy<Policy>(); }
  Context& context() const { return *context_; }

  /// The same context under another policy, e.g. amp.with(o0<>{}) to switch mixed precision off.
  template <class Other> scope<Other, Context> with(Other) const { return scope<Other, Context>(*context_); }

  /// An op of the user's.
  template <class Op, class... X> decltype(auto) operator()(Op, X&&... x) const {
    static_assert(is_op_v<Op>, "amphora [unknown-op]: not an op; give the tag a parent, e.g. using parent = amphora::op::transparent");
    return Op::template forward<Policy>(*context_, std::forward<X>(x)...);
  }

#define AMPHORA_SCOPE_OP(name)                                                                            \
  template <class... X> decltype(auto) name(X&&... x) const {                                             \
    return amphora::name<Policy>(*context_, std::forward<X>(x)...);                                       \
  }                                                                                                       \
  template <class... X> decltype(auto) name##_backward(X&&... x) const {                                  \
    return amphora::name##_backward<Policy>(*context_, std::forward<X>(x)...);                            \
  }
  AMPHORA_SCOPE_OPS(AMPHORA_SCOPE_OP)
#undef AMPHORA_SCOPE_OP

  /// amp.cast(f16{}, x)
  template <class Format, class X> decltype(auto) cast(Format, const X& x) const { return amphora::cast<Format>(*context_, x); }

 private:
  Context* context_;
};

/// Calls f(amp, arguments…) with amp a scope of Policy over the context, and gives back what f gives.
///
/// Example  autocast<o1<f16>>(context, [&](auto amp) { return amp.linear(x, w, b); })
template <class Policy, class Context, class Function, class... Arguments>
decltype(auto) autocast(Context& context, Function&& function, Arguments&&... arguments) {
  return std::forward<Function>(function)(scope<Policy, Context>(context), std::forward<Arguments>(arguments)...);
}

/// A callable wrapped for good, as PyTorch's decorator does: the result takes (context, arguments…).
template <class Policy, class Function>
auto autocasted(Function function) {
  return [function](auto& context, auto&&... arguments) -> decltype(auto) {
    return autocast<Policy>(context, function, std::forward<decltype(arguments)>(arguments)...);
  };
}

}}  // namespace amphora
