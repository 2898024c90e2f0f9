// Writes true gradients as floats, for those who want to read them.
#pragma once
#include <amphora/optimizer/unscale.hpp>  // step_kernels, gradient_list
#include <amphora/scale/unscaled.hpp>     // require_unscaled
#include <amphora/tensor/view.hpp>        // view

#include <vector>  // vector

namespace amphora { inline namespace AMPHORA_ABI {

/// Writes gradients as the step would use them, unscaled and clipped, in float: nothing is rounded to 16 bits on the way.
///
/// to      one view for each gradient, of its size; those of absent gradients are left as they are
/// Errors  shape; scaled-gradient at compile time. Does not synchronise
template <class Context, class Gradients>
void materialize(Context& context, const Gradients& gradients, const std::vector<view<float>>& to) {
  if constexpr (require_unscaled<Gradients>()) {
    const gradient_list list(gradients.gradients());
    const auto count = static_cast<std::int64_t>(to.size());
    if (list.size() != count) detail::fail("shape", "materialize: ", list.size(), " gradients cannot be written to ", count, " views");
    for (std::int64_t k = 0; k < count; ++k)
      if (list[k].data && list[k].n != to[static_cast<std::size_t>(k)].size())
        detail::fail("shape", "materialize: gradient ", k, " has ", list[k].n, " elements, its view has shape ", to[static_cast<std::size_t>(k)].shape());
    std::vector<float*> places;
    for (const view<float>& place : to) places.push_back(place.data());
    step_kernels<typename Context::device>::materialize(context, list.begin(), count, gradients.facts(), places.data());
  }
}
/// The same for a single gradient.
template <class Context, class Gradients>
void materialize(Context& context, const Gradients& gradients, const view<float>& to) {
  if constexpr (require_unscaled<Gradients>()) {
    const gradient_list list(gradients.gradients());
    if (list.size() != 1 || list[0].n != to.size()) detail::fail("shape", "materialize: one gradient is to be written to a view of shape ", to.shape(), ", but there are ", list.size(), ", the first of ", list.size() ? list[0].n : 0, " elements");
    float* const place = to.data();
    step_kernels<typename Context::device>::materialize(context, list.begin(), 1, gradients.facts(), &place);
  }
}

}}  // namespace amphora
