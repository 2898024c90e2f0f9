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
#include <amphora/ops/einsum.hpp>  // einsum, tensordot, vecdot
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
#include <amphora/ops/likelihood_loss.hpp>  // poisson_nll_loss, gaussian_nll_loss, kl_div
#include <amphora/ops/linear.hpp>         // linear, linear_backward
#include <amphora/ops/lstm_cell.hpp>  // lstm_cell
#include <amphora/ops/margin_loss.hpp>    // soft_margin_loss, hinge_embedding_loss, margin_ranking_loss
#include <amphora/ops/logsumexp.hpp>      // logsumexp
#include <amphora/ops/matmul.hpp>         // matmul, matmul_backward
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
#include <amphora/ops/trigonometric.hpp>  // tan, asin, acos, sinh, cosh
#include <amphora/ops/triplet_margin_loss.hpp>  // triplet_margin_loss
#include <amphora/ops/where.hpp>          // where
#include <amphora/policy/policy.hpp>      // require_policy

#include <utility>  // forward

namespace amphora { inline namespace AMPHORA_ABI {

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
  AMPHORA_SCOPE_OP(matmul)
  AMPHORA_SCOPE_OP(linear)
  AMPHORA_SCOPE_OP(add)
  AMPHORA_SCOPE_OP(relu)
  AMPHORA_SCOPE_OP(gelu)
  AMPHORA_SCOPE_OP(softmax)
  AMPHORA_SCOPE_OP(log_softmax)
  AMPHORA_SCOPE_OP(cross_entropy)
  AMPHORA_SCOPE_OP(mse_loss)
  AMPHORA_SCOPE_OP(sum)
  AMPHORA_SCOPE_OP(mean)
  AMPHORA_SCOPE_OP(dropout)
  AMPHORA_SCOPE_OP(sub)
  AMPHORA_SCOPE_OP(mul)
  AMPHORA_SCOPE_OP(div)
  AMPHORA_SCOPE_OP(addcmul)
  AMPHORA_SCOPE_OP(addcdiv)
  AMPHORA_SCOPE_OP(atan2)
  AMPHORA_SCOPE_OP(where)
  AMPHORA_SCOPE_OP(sigmoid)
  AMPHORA_SCOPE_OP(tanh)
  AMPHORA_SCOPE_OP(silu)
  AMPHORA_SCOPE_OP(elu)
  AMPHORA_SCOPE_OP(leaky_relu)
  AMPHORA_SCOPE_OP(clamp)
  AMPHORA_SCOPE_OP(abs)
  AMPHORA_SCOPE_OP(neg)
  AMPHORA_SCOPE_OP(sqrt)
  AMPHORA_SCOPE_OP(exp)
  AMPHORA_SCOPE_OP(expm1)
  AMPHORA_SCOPE_OP(log)
  AMPHORA_SCOPE_OP(log2)
  AMPHORA_SCOPE_OP(log10)
  AMPHORA_SCOPE_OP(log1p)
  AMPHORA_SCOPE_OP(softplus)
  AMPHORA_SCOPE_OP(tan)
  AMPHORA_SCOPE_OP(asin)
  AMPHORA_SCOPE_OP(acos)
  AMPHORA_SCOPE_OP(sinh)
  AMPHORA_SCOPE_OP(cosh)
  AMPHORA_SCOPE_OP(erfinv)
  AMPHORA_SCOPE_OP(rsqrt)
  AMPHORA_SCOPE_OP(reciprocal)
  AMPHORA_SCOPE_OP(pow)
  AMPHORA_SCOPE_OP(prelu)
  AMPHORA_SCOPE_OP(mm)
  AMPHORA_SCOPE_OP(bmm)
  AMPHORA_SCOPE_OP(mv)
  AMPHORA_SCOPE_OP(dot)
  AMPHORA_SCOPE_OP(vdot)
  AMPHORA_SCOPE_OP(addmm)
  AMPHORA_SCOPE_OP(addmv)
  AMPHORA_SCOPE_OP(addr)
  AMPHORA_SCOPE_OP(addbmm)
  AMPHORA_SCOPE_OP(baddbmm)
  AMPHORA_SCOPE_OP(l1_loss)
  AMPHORA_SCOPE_OP(smooth_l1_loss)
  AMPHORA_SCOPE_OP(huber_loss)
  AMPHORA_SCOPE_OP(binary_cross_entropy_with_logits)
  AMPHORA_SCOPE_OP(binary_cross_entropy)
  AMPHORA_SCOPE_OP(poisson_nll_loss)
  AMPHORA_SCOPE_OP(gaussian_nll_loss)
  AMPHORA_SCOPE_OP(kl_div)
  AMPHORA_SCOPE_OP(soft_margin_loss)
  AMPHORA_SCOPE_OP(hinge_embedding_loss)
  AMPHORA_SCOPE_OP(margin_ranking_loss)
  AMPHORA_SCOPE_OP(scaled_dot_product_attention)
  AMPHORA_SCOPE_OP(softmin)
  AMPHORA_SCOPE_OP(logsumexp)
  AMPHORA_SCOPE_OP(conv1d)
  AMPHORA_SCOPE_OP(conv2d)
  AMPHORA_SCOPE_OP(conv3d)
  AMPHORA_SCOPE_OP(conv_transpose1d)
  AMPHORA_SCOPE_OP(conv_transpose2d)
  AMPHORA_SCOPE_OP(conv_transpose3d)
  AMPHORA_SCOPE_OP(layer_norm)
  AMPHORA_SCOPE_OP(rms_norm)
  AMPHORA_SCOPE_OP(group_norm)
  AMPHORA_SCOPE_OP(batch_norm)
  AMPHORA_SCOPE_OP(instance_norm)
  AMPHORA_SCOPE_OP(norm)
  AMPHORA_SCOPE_OP(vector_norm)
  AMPHORA_SCOPE_OP(nll_loss)
  AMPHORA_SCOPE_OP(tensordot)
  AMPHORA_SCOPE_OP(vecdot)
  AMPHORA_SCOPE_OP(multi_dot)
  AMPHORA_SCOPE_OP(chain_matmul)
  AMPHORA_SCOPE_OP(bilinear)
  AMPHORA_SCOPE_OP(einsum)
  AMPHORA_SCOPE_OP(max_pool1d)
  AMPHORA_SCOPE_OP(max_pool2d)
  AMPHORA_SCOPE_OP(max_pool3d)
  AMPHORA_SCOPE_OP(avg_pool1d)
  AMPHORA_SCOPE_OP(avg_pool2d)
  AMPHORA_SCOPE_OP(avg_pool3d)
  AMPHORA_SCOPE_OP(adaptive_avg_pool1d)
  AMPHORA_SCOPE_OP(adaptive_avg_pool2d)
  AMPHORA_SCOPE_OP(adaptive_avg_pool3d)
  AMPHORA_SCOPE_OP(transpose)
  AMPHORA_SCOPE_OP(permute)
  AMPHORA_SCOPE_OP(slice)
  AMPHORA_SCOPE_OP(cat)
  AMPHORA_SCOPE_OP(stack)
  AMPHORA_SCOPE_OP(pad)
  AMPHORA_SCOPE_OP(embedding)
  AMPHORA_SCOPE_OP(gather)
  AMPHORA_SCOPE_OP(scatter_add)
  AMPHORA_SCOPE_OP(index_put)
  AMPHORA_SCOPE_OP(cross)
  AMPHORA_SCOPE_OP(interpolate)
  AMPHORA_SCOPE_OP(grid_sample)
  AMPHORA_SCOPE_OP(cosine_embedding_loss)
  AMPHORA_SCOPE_OP(triplet_margin_loss)
  AMPHORA_SCOPE_OP(multi_margin_loss)
  AMPHORA_SCOPE_OP(multilabel_margin_loss)
  AMPHORA_SCOPE_OP(rnn_tanh_cell)
  AMPHORA_SCOPE_OP(rnn_relu_cell)
  AMPHORA_SCOPE_OP(lstm_cell)
  AMPHORA_SCOPE_OP(gru_cell)
  AMPHORA_SCOPE_OP(dist)
  AMPHORA_SCOPE_OP(cdist)
  AMPHORA_SCOPE_OP(pdist)
  AMPHORA_SCOPE_OP(prod)
  AMPHORA_SCOPE_OP(cumsum)
  AMPHORA_SCOPE_OP(cumprod)
  AMPHORA_SCOPE_OP(cosine_similarity)
  AMPHORA_SCOPE_OP(renorm)
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
