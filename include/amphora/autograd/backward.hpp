// Runs back over what was recorded: gradients of all leaves, or of chosen variables.
#pragma once
#include <amphora/autograd/gradient_pass.hpp>  // gradient_pass
#include <amphora/autograd/variable.hpp>       // variable
#include <amphora/error.hpp>                   // fail
#include <amphora/format/convert.hpp>          // convert
#include <amphora/ops/cast.hpp>                // cast, fill
#include <amphora/scale/scaled_loss.hpp>       // scaled_loss
#include <amphora/scale/ticket.hpp>            // ticket

#include <tuple>        // apply, tie, tuple
#include <type_traits>  // enable_if_t
#include <utility>      // move

namespace amphora { inline namespace AMPHORA_ABI {

/// What a pass leaves of the graph behind it.
enum class graph {
  free,    ///< memory goes as it is consumed; a second pass is an error
  keep,    ///< another pass may follow
  create,  ///< kept, and the gradients can be differentiated themselves
};

namespace detail {

template <class Context, class T>
variable<T, Context> gradient_of_itself(const char* call, Context& context, const variable<T, Context>& value) {
  if (value.size() != 1) fail("shape", call, " begins at a value of shape ", value.shape(), ", and only one number is its own gradient's measure; give a seed of that shape");
  tensor<T, Context> one(context, value.shape());
  fill(context, one, convert<format_of_t<T>>(1.0));
  return variable<T, Context>(std::move(one));
}

}  // namespace detail

/// Runs back from a value to all leaves that it was made of. Does not wait.
///
/// value   one that was recorded
/// seed    ∂(what is differentiated)/∂value, of its shape
/// after   graph::create makes leaf.gradient() differentiable, and the leaf part of its own gradient: clear_gradient() ends that;
///         grad() has no such ring
/// Effect  each leaf's gradient, or the memory given for it, has these gradients added
/// Errors  shape; used-twice where the graph was used up by a pass before; not-recorded. Nothing was changed before these
template <class T, class Context>
void backward(Context& context, const variable<T, Context>& value, const variable<T, Context>& seed, graph after = graph::free) {
  if (!value.needs_gradient()) detail::fail("not-recorded", "backward: this value was made without recording, or of constants alone; make it on a tape that records, of leaves");
  detail::require_shape("backward", "a seed", seed.shape(), value.shape());
  gradient_pass<Context> pass(context, after == graph::create, after != graph::free, true);
  pass.start(value.shared());
  pass.give(value, seed);
  pass.run();
}
/// From one number, whose own gradient is one.
template <class T, class Context>
void backward(Context& context, const variable<T, Context>& value, graph after = graph::free) {
  backward(context, value, detail::gradient_of_itself("backward", context, value), after);
}
/// By a seed in any format, on the device.
template <class T, class Context, class Seed>
void backward(Context& context, const variable<T, Context>& value, const view<Seed>& seed, graph after = graph::free) {
  tensor<T, Context> start(context, seed.shape());
  cast(context, into(start), seed);
  backward(context, value, variable<T, Context>(std::move(start)), after);
}
/// From a loss that was scaled: the leaves get scaled gradients, for amphora::scaled(…, of.ticket()).
///
///     const auto scaled_loss = scaler.scale(context, loss.value());
///     amp::backward(context, loss, scaled_loss);
///     scaler.update(context, optimizer.step(context, amp::scaled(optimizer.gradients(), scaled_loss.ticket())));
template <class T, class Context>
void backward(Context& context, const variable<T, Context>& loss, const scaled_loss<Context>& of, graph after = graph::free) {
  backward(context, loss, of.ticket(), after);
}
/// The same by a ticket alone, for a loss that nobody reads scaled.
///
/// Errors  stale-ticket
template <class T, class Context>
void backward(Context& context, const variable<T, Context>& loss, const ticket& of, graph after = graph::free) {
  of.require_fresh("backward");
  if (!of.scale()) return backward(context, loss, after);
  backward(context, loss, view<const float>(of.scale(), loss.shape().rank() ? loss.shape() : shape{}), after);
}

/// The gradients of values by some variables, leaves or not; no other gradient is computed, and leaves keep theirs as they are.
///
///     auto [gx, gw] = amp::grad(context, y, seed, amp::graph::create, x, w);
///     auto [g] = amp::grad(context, std::tie(y, z), std::tie(seed_y, seed_z), amp::graph::free, x);
///
/// values  one, or a tuple of several: the gradients of all are added
/// seeds   one for each value, of its shape
/// Value   a tuple in the order of `by`; an empty variable where no value depends on it
/// Errors  as backward
template <class Context, class... Values, class... Seeds, class... By, std::enable_if_t<sizeof...(Values) == sizeof...(Seeds), int> = 0>
std::tuple<variable<typename By::gradient_type, Context>...> grad(Context& context, const std::tuple<Values...>& values, const std::tuple<Seeds...>& seeds, graph after, const By&... by) {
  gradient_pass<Context> pass(context, after == graph::create, after != graph::free, false);
  (pass.want(by), ...);
  const auto begin = [&](const auto& value, const auto& seed) {
    detail::require_shape("grad", "a seed", seed.shape(), value.shape());
    if (value.needs_gradient()) pass.start(value.shared());
  };
  std::apply([&](const auto&... value) { std::apply([&](const auto&... seed) { (begin(value, seed), ...), (pass.give(value, seed), ...); }, seeds); }, values);
  pass.run();
  return {pass.answer(by)...};
}
template <class T, class Context, class... By>
auto grad(Context& context, const variable<T, Context>& value, const variable<T, Context>& seed, graph after, const By&... by) {
  return grad(context, std::tie(value), std::tie(seed), after, by...);
}
/// Of one number.
template <class T, class Context, class... By>
auto grad(Context& context, const variable<T, Context>& value, graph after, const By&... by) {
  return grad(context, value, detail::gradient_of_itself("grad", context, value), after, by...);
}

}}  // namespace amphora
