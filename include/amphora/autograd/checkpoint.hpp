// Segments whose inner values are not kept for the backward pass, but computed again in it.
#pragma once
#include <amphora/autograd/gradient_pass.hpp>  // gradient_pass

#include <utility>  // move

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

template <class Function>
struct checkpoint_record {
  static constexpr bool reaches_more = true;  // leaves that the function uses by itself
  Function function;

  template <class Pass, class G, class... X> void backward(Pass& pass, const G& gradient, const G&, const X&... x) const {
    const tape<typename Pass::context_type> recording(pass.context());
    const auto again = function(recording, x...);
    if (!again.needs_gradient()) return;
    pass.start(again.shared());
    pass.give(again, gradient);
  }
};

}  // namespace detail

/// function(tape, x…), of which only x and the value are kept. The backward pass calls it once more, by the same policies
/// since they are in its calls, and goes on through what that records: memory of one segment at a time against a second forward.
///
///     const auto y = amp::checkpoint(tape, [&](const auto& t, const auto& x) { return amp::gelu<mixed>(t, amp::linear<mixed>(t, x, w, b)); }, x);
///
/// function  gives one variable, the same in both calls: a dropout in it has the same settings, so the same mask. It is copied,
///           and what it refers to must live as long as the graph. Leaves that it uses by itself get their gradients; any
///           other variable of the graph must be among x
/// Errors    used-twice  in the backward pass, where function uses such a variable by itself
template <class Context, class Function, class... X>
auto checkpoint(const tape<Context>& recording, Function function, const X&... x) {
  const auto value = function(recording.no_grad(), x...);
  return record(recording, value.template in_same_memory<>(value.shape()), detail::checkpoint_record<Function>{std::move(function)}, x...);
}

}}  // namespace amphora
