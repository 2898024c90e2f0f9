// Ops in one piece whose derivatives beyond the first come from the pieces that they are made of.
#pragma once
#include <amphora/autograd/cast.hpp>           // cast, reshape
#include <amphora/autograd/gradient_pass.hpp>  // gradient_pass
#include <amphora/ops/operand.hpp>             // target, gradient_target

#include <cstddef>      // size_t
#include <tuple>        // tuple, get
#include <type_traits>  // is_same_v

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

/// Gradients of several inputs that are made together: calls run(targets, wanted) once, where any is. Targets are written in the order of the
/// inputs, since two of them may be one memory, of which the first is written and the second added to.
template <std::size_t Which, class Pass, class Run, class Targets, std::size_t Count, class... X>
void write_from(Pass& pass, const Run& run, Targets& to, bool (&wanted)[Count], const std::tuple<const X&...>& x) {
  if constexpr (Which == Count) {
    for (const bool any : wanted)
      if (any) return run(to, wanted);
  } else {
    const auto& input = std::get<Which>(x);
    if (!pass.wants(input)) return write_from<Which + 1>(pass, run, to, wanted, x);
    wanted[Which] = true;
    pass.write(input, [&](auto memory) {
      std::get<Which>(to) = gradient_target(memory);
      write_from<Which + 1>(pass, run, to, wanted, x);
    });
  }
}
template <class Pass, class Run, class... X>
void write_together(Pass& pass, const Run& run, const X&... x) {
  std::tuple<target<format_of_t<typename X::gradient_type>>...> to;
  bool wanted[sizeof...(X)] = {};
  write_from<0>(pass, run, to, wanted, std::tuple<const X&...>(x...));
}

/// A variable in Format, whose gradient is in Format too.
template <class Format, class Context, class X> variable<storage_t<Format>, Context> variable_in(const tape<Context>& recording, const X& x) {
  if constexpr (std::is_same_v<X, variable<storage_t<Format>, Context>>) return x;
  else if constexpr (std::is_same_v<typename X::value_type, storage_t<Format>>) return reshape(recording, x, x.shape());
  else return cast<Format>(recording, x);
}

}}}  // namespace amphora::detail
