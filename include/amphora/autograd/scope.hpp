// Regions of recorded ops that share a policy: a scope over a tape.
#pragma once
#include <amphora/autograd/activation.hpp>      // sigmoid, tanh, silu, elu, leaky_relu, abs, neg, sqrt, clamp
#include <amphora/autograd/add.hpp>             // add
#include <amphora/autograd/addmm.hpp>  // addmm, addmv, addr, addbmm, baddbmm
#include <amphora/autograd/apply.hpp>           // apply
#include <amphora/autograd/arithmetic.hpp>      // sub, mul, div, addcmul, addcdiv, atan2, maximum, minimum, lerp, where
#include <amphora/autograd/attention.hpp>  // scaled_dot_product_attention
#include <amphora/autograd/bilinear.hpp>  // bilinear
#include <amphora/autograd/cast.hpp>            // cast
#include <amphora/autograd/class_margin_loss.hpp>  // multi_margin_loss, multilabel_margin_loss
#include <amphora/autograd/cat.hpp>  // cat, stack
#include <amphora/autograd/cross.hpp>  // cross
#include <amphora/autograd/cross_entropy.hpp>   // cross_entropy, nll_loss
#include <amphora/autograd/conv.hpp>            // conv1d, conv2d, conv3d
#include <amphora/autograd/conv_transpose.hpp>  // conv_transpose1d, conv_transpose2d, conv_transpose3d
#include <amphora/autograd/cosine_similarity.hpp>  // cosine_similarity
#include <amphora/autograd/cumulative.hpp>      // cumsum, cumprod
#include <amphora/autograd/distance.hpp>        // dist, cdist
#include <amphora/autograd/dropout.hpp>         // dropout
#include <amphora/autograd/einsum.hpp>  // einsum, tensordot, vecdot
#include <amphora/autograd/element_loss.hpp>    // mse_loss and the other losses of elements
#include <amphora/autograd/gelu.hpp>            // gelu
#include <amphora/autograd/gru_cell.hpp>        // gru_cell
#include <amphora/autograd/indexing.hpp>  // embedding, gather, scatter_add, index_put
#include <amphora/autograd/linear.hpp>          // linear
#include <amphora/autograd/lstm_cell.hpp>       // lstm_cell
#include <amphora/autograd/matmul.hpp>          // matmul
#include <amphora/autograd/mm.hpp>  // mm, bmm, mv, dot, vdot
#include <amphora/autograd/movement.hpp>  // transpose, permute, slice, pad
#include <amphora/autograd/multi_dot.hpp>  // multi_dot, chain_matmul
#include <amphora/autograd/normalization.hpp>   // layer_norm, rms_norm, group_norm, batch_norm, instance_norm
#include <amphora/autograd/norm.hpp>            // norm, vector_norm
#include <amphora/autograd/pooling.hpp>         // max_pool, avg_pool and adaptive_avg_pool over one to three axes
#include <amphora/autograd/pdist.hpp>           // pdist
#include <amphora/autograd/prelu.hpp>           // prelu
#include <amphora/autograd/rnn_cell.hpp>        // rnn_tanh_cell, rnn_relu_cell
#include <amphora/autograd/prod.hpp>            // prod
#include <amphora/autograd/reduction.hpp>       // sum, mean
#include <amphora/autograd/relu.hpp>            // relu
#include <amphora/autograd/row_loss.hpp>        // cosine_embedding_loss, triplet_margin_loss
#include <amphora/autograd/resample.hpp>  // interpolate, grid_sample
#include <amphora/autograd/renorm.hpp>          // renorm
#include <amphora/autograd/softmax.hpp>         // softmax, log_softmax, softmin, logsumexp
#include <amphora/autograd/tape.hpp>            // tape
#include <amphora/autograd/transcendental.hpp>  // exp, log, pow and their kin
#include <amphora/ops/scope.hpp>                // scope, AMPHORA_SCOPE_OPS

#include <utility>  // forward

namespace amphora { inline namespace AMPHORA_ABI {

/// As over a context (ops/scope.hpp), but the ops take variables and are recorded.
///
/// Members   each op: amp.linear(x, w, b) is linear<Policy>(tape, x, w, b)
/// A user's  amp(my_op{}, x…) is apply<Policy>(tape, my_op{}, x…)
/// Example   autocast<o1<f16>>(tape, [&](auto amp) { return amp.relu(amp.linear(x, w, b)); })
template <class Policy, class Context>
class scope<Policy, const tape<Context>> {
 public:
  using policy = Policy;

  explicit scope(const amphora::tape<Context>& recording) : tape_(recording) { require_policy<Policy>(); }
  const amphora::tape<Context>& tape() const { return tape_; }
  Context& context() const { return tape_.context(); }

  /// The same tape under another policy, e.g. amp.with(o0<>{}) to switch mixed precision off.
  template <class Other> auto with(Other) const { return scope<Other, const amphora::tape<Context>>(tape_); }

  /// An op of the user's.
  template <class Op, class... X> auto operator()(const Op& op, const X&... x) const {
    static_assert(is_op_v<Op>, "amphora [unknown-op]: not an op; give the tag a parent, e.g. using parent = amphora::op::transparent");
    return apply<Policy>(tape_, op, x...);
  }

#define AMPHORA_SCOPE_OP(name) \
  template <class... X> auto name(X&&... x) const { return amphora::name<Policy>(tape_, std::forward<X>(x)...); }
  AMPHORA_SCOPE_OPS(AMPHORA_SCOPE_OP)
#undef AMPHORA_SCOPE_OP

  /// amp.cast(f16{}, x)
  template <class Format, class X> auto cast(Format, const X& x) const { return amphora::cast<Format>(tape_, x); }

 private:
  amphora::tape<Context> tape_;
};
template <class Policy, class Context>
class scope<Policy, tape<Context>> : public scope<Policy, const tape<Context>> {
  using scope<Policy, const tape<Context>>::scope;
};

}}  // namespace amphora
