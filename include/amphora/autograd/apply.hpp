// Ops of the user's own on variables.
#pragma once
#include <amphora/autograd/gradient_pass.hpp>  // gradient_pass

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

template <class Policy, class Op>
struct apply_record {
  Op op;
  template <class Pass, class G, class... X> void backward(Pass& pass, const G& gradient, const G& value, const X&... x) const {
    op.template backward<Policy>(pass, gradient, value, x...);
  }
};

}  // namespace detail

/// An op of the user's, recorded: the policy under which it runs forward is the policy of its backward.
///
/// op  has two members, static or not:
///         template <class Policy, class Context, class... X> auto forward(Context& context, const X&... x)
///             gives a tensor of what it is given as views
///         template <class Policy, class Pass, class G, class... X> void backward(Pass& pass, const G& gradient, const G& value, const X&... x)
///             gives each variable x its gradient, by pass.write or pass.give (autograd/gradient_pass.hpp)
///     It is copied; its settings are its fields
/// x   variables
/// Example  examples/11_tape.cpp
template <class Policy, class Context, class Op, class... X, std::enable_if_t<(is_variable_v<X> && ...), int> = 0>
auto apply(const tape<Context>& recording, const Op& op, const X&... x) {
  return record(recording, op.template forward<Policy>(recording.context(), x.value()...), detail::apply_record<Policy, Op>{op}, x...);
}

}}  // namespace amphora
