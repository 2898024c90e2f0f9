// Regions of recorded ops that share a policy: a scope over a tape.
#pragma once
#include <amphora/autograd/add.hpp>      // add
#include <amphora/autograd/apply.hpp>    // apply
#include <amphora/autograd/cast.hpp>     // cast
#include <amphora/autograd/dropout.hpp>  // dropout
#include <amphora/autograd/gelu.hpp>     // gelu
#include <amphora/autograd/linear.hpp>   // linear
#include <amphora/autograd/matmul.hpp>   // matmul
#include <amphora/autograd/relu.hpp>     // relu
#include <amphora/autograd/tape.hpp>     // tape
#include <amphora/ops/scope.hpp>         // scope

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
  AMPHORA_SCOPE_OP(add)
  AMPHORA_SCOPE_OP(dropout)
  AMPHORA_SCOPE_OP(gelu)
  AMPHORA_SCOPE_OP(linear)
  AMPHORA_SCOPE_OP(matmul)
  AMPHORA_SCOPE_OP(relu)
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
