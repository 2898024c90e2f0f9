// Clipping of unscaled gradients outside a step.
#pragma once
#include <amphora/optimizer/clip.hpp>     // is_clip_v
#include <amphora/optimizer/unscale.hpp>  // chunk_sums
#include <amphora/scale/unscaled.hpp>     // require_unscaled

namespace amphora { inline namespace AMPHORA_ABI {

/// Clips gradients by changing the factor with which they are read; what is stored stays.
///
/// clip    clip_global_norm or clip_value; several in turn act in turn
/// Effect  none where a gradient is not finite and the choice is to skip: the flag stays up and the step is skipped
/// Errors  setting  a bad clip; scaled-gradient at compile time. Does not synchronise
template <class Context, class Gradients, class Clip>
void clip_gradients(Context& context, Gradients& gradients, const Clip& clip) {
  static_assert(is_clip_v<Clip>, "amphora [unknown-setting]: gradients are clipped by amphora::clip_global_norm or amphora::clip_value");
  if constexpr (require_unscaled<Gradients>() && is_clip_v<Clip>) {
    clip.check();
    const gradient_list list(gradients.gradients());
    const detail::chunk_sums<Context> sums(context, detail::chunks_of(list));
    step_kernels<typename Context::device>::clip(context, list.begin(), list.size(), sums.data(), gradients.facts(), detail::clip_numbers(clip));
  }
}

}}  // namespace amphora
