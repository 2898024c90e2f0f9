// Regions of code whose ops share a policy, for code that reads like `with autocast():`.
#pragma once
#include <amphora/op/tree.hpp>            // is_op_v
#include <amphora/ops/add.hpp>            // add, add_backward
#include <amphora/ops/cast.hpp>           // cast
#include <amphora/ops/cross_entropy.hpp>  // cross_entropy, cross_entropy_backward
#include <amphora/ops/dropout.hpp>        // dropout, dropout_backward
#include <amphora/ops/gelu.hpp>           // gelu, gelu_backward
#include <amphora/ops/linear.hpp>         // linear, linear_backward
#include <amphora/ops/matmul.hpp>         // matmul, matmul_backward
#include <amphora/ops/mse_loss.hpp>       // mse_loss, mse_loss_backward
#include <amphora/ops/relu.hpp>           // relu, relu_backward
#include <amphora/ops/softmax.hpp>        // softmax, log_softmax and their backward
#include <amphora/ops/sum.hpp>            // sum, mean and their backward
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
