// Resampling of images and signals: float since the backward pass adds by atomics, which are slow in 16 bits.
#pragma once
#include <amphora/op/tree.hpp>  // sensitive

namespace amphora { inline namespace AMPHORA_ABI { namespace op {

/// A branch.
struct interpolation {
  using parent = sensitive;
  using reads = roles<role::compute, role::accumulate, role::output>;
  static constexpr amphora::reason why = reason::speed;
};
struct upsample_nearest1d { using parent = interpolation; };
struct upsample_nearest2d { using parent = interpolation; };
struct upsample_nearest3d { using parent = interpolation; };
struct upsample_nearest_exact1d { using parent = interpolation; };
struct upsample_nearest_exact2d { using parent = interpolation; };
struct upsample_nearest_exact3d { using parent = interpolation; };
struct upsample_linear1d { using parent = interpolation; };
struct upsample_bilinear2d { using parent = interpolation; };
struct upsample_bilinear2d_aa { using parent = interpolation; };
struct upsample_trilinear3d { using parent = interpolation; };
struct upsample_bicubic2d { using parent = interpolation; };
struct upsample_bicubic2d_aa { using parent = interpolation; };

}}}  // namespace amphora::op
