// The three choices of where a gradient goes, as a target and whether it is wanted: for ops of many operands, whose gradients are made together.
#pragma once
#include <amphora/ops/operand.hpp>   // into, add_to, no_gradient, target
#include <amphora/tensor/shape.hpp>  // shape

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

template <class T> target<format_of_t<T>> target_or_none(const into<T>& y) { return gradient_target(y); }
template <class T> target<format_of_t<T>> target_or_none(const add_to<T>& y) { return gradient_target(y); }
inline target<f32> target_or_none(no_gradient) { return {}; }

/// Insists on the shape of the memory that a gradient goes to, where there is any.
template <class Target> void require_target(const char* call, const char* name, const Target& g, const shape& due) {
  if constexpr (is_gradient_target_v<Target>) require_shape(call, name, memory_of(g).shape(), due);
}

}}}  // namespace amphora::detail
