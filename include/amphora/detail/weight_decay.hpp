// The two places of weight decay, in the gradient or beside it, and the sign of the step, as factors that need no branch.
#pragma once
#include <amphora/detail/rounded.hpp>  // rounded

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

struct weight_decay {
  real sign, in_gradient, beside;

  AMPHORA_HD static weight_decay at(rounded lr, double decay, bool decoupled, bool maximize) {
    return {maximize ? -1.0f : 1.0f, decoupled ? 0.0f : static_cast<float>(decay), decoupled ? (lr * decay).single() : real(0)};
  }
  /// What the rule descends along.
  AMPHORA_HD real gradient(real g, real w) const { return g * sign + w * in_gradient; }
  /// What an element gives up beside the update.
  AMPHORA_HD real lost(real w) const { return w * beside; }
};

}}}  // namespace amphora::detail
