// Ops in one piece whose derivatives beyond the first come from the pieces that they are made of.
#pragma once
#include <amphora/autograd/gradient_pass.hpp>  // gradient_pass

#include <utility>  // move

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// A record for an op whose gradients are written at once, by written(pass, gradient, inputs…). Where the pass makes a graph, the value is made
/// again by composed(tape, inputs…) of ops that have derivatives, and the pass goes on through what that records.
///
/// written, composed  structs at namespace scope with a call operator
template <class Written, class Composed>
struct composed_record {
  Written written;
  Composed composed;

  template <class Pass, class G, class... X> void backward(Pass& pass, const G& gradient, const G&, const X&... x) const {
    if (!pass.creates_graph()) return written(pass, gradient, x...);
    const auto again = composed(pass.tape(), x...);
    if (!again.needs_gradient()) return;
    pass.start(again.shared());
    pass.give(again, gradient);
  }
};

}}}  // namespace amphora::detail
