// The norm of all gradients together, and whether they are finite.
#pragma once
#include <amphora/optimizer/unscale.hpp>  // chunk_sums
#include <amphora/scale/unscaled.hpp>     // require_unscaled

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

template <class Gradients> struct unscaled_kernels;
template <class Gradients, class Context>
struct unscaled_kernels<unscaled<Gradients, Context>> {
  static void norm(Context& context, const unscaled<Gradients, Context>& gradients, double order, double* result) {
    if (is_nan(order) || order < 0) fail("setting", "a norm has an order of 0 or more, or infinity, not ", order);
    const gradient_list list(gradients.gradients());
    const chunk_sums<Context> sums(context, chunks_of(list));
    step_kernels<typename Context::device>::norm(context, list.begin(), list.size(), sums.data(), gradients.facts(), order, result);
  }
};

}  // namespace detail

/// The norm of all gradients together, as a step would use them now (unscaled, clipped as far as they were).
///
/// order   p ≥ 0: 2, 1, 3, …, infinity for the largest magnitude, 0 for how many are not zero
/// result  device pointer to one double; NaN or infinite where a gradient is
/// Errors  setting  any other order; scaled-gradient at compile time. Does not synchronise
/// Cost    nothing for the Euclidean norm, which the check has found; else the gradients' bytes, twice for other orders than 0, 1, infinity
template <class Context, class Gradients>
void global_norm(Context& context, const Gradients& gradients, double* result, double order = 2) {
  if constexpr (require_unscaled<Gradients>()) detail::unscaled_kernels<Gradients>::norm(context, gradients, order, result);
}
/// The same, read on the host. Waits for the device.
template <class Context, class Gradients>
double wait_global_norm(Context& context, const Gradients& gradients, double order = 2) {
  double norm = 0;
  if constexpr (require_unscaled<Gradients>()) {
    const detail::chunk_sums<Context> result(context, 1);
    global_norm(context, gradients, result.data(), order);
    scale_kernels<typename Context::device>::wait_read(context, result.data(), &norm, sizeof norm);
  }
  return norm;
}
/// Whether every gradient was finite, before and after the scale was taken out. Waits for the device; without a wait it is
/// `gradients.facts()->found_non_finite == 0` in a kernel.
template <class Context, class Gradients>
bool wait_all_finite(Context& context, const Gradients& gradients) {
  gradient_facts facts;
  if constexpr (require_unscaled<Gradients>()) scale_kernels<typename Context::device>::wait_read(context, gradients.facts(), &facts, sizeof facts);
  return facts.found_non_finite == 0;
}

}}  // namespace amphora
