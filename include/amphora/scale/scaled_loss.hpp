// A loss times the scale, with the ticket that says which scale.
#pragma once
#include <amphora/scale/ticket.hpp>   // ticket
#include <amphora/tensor/tensor.hpp>  // tensor
#include <amphora/tensor/view.hpp>    // view

#include <utility>  // move

namespace amphora { inline namespace AMPHORA_ABI {

/// What `scaler.scale` gives. Moves only; its memory goes back to the context with it.
template <class Context>
class [[nodiscard]] scaled_loss {
 public:
  scaled_loss(tensor<float, Context> value, amphora::ticket used) : value_(std::move(value)), ticket_(std::move(used)) {}

  /// scale · loss, of the loss's shape, device, f32.
  view<float> value() { return value_.view(); }
  view<const float> value() const { return value_.view(); }
  /// ∂(scale · loss)/∂loss: the scale, one float on the device. An explicit backward pass begins with it.
  view<const float> gradient() const { return view<const float>(ticket_.scale()); }
  /// Goes with the gradients of this loss. Null-free: ticket().scale() is a device pointer to the scale.
  const amphora::ticket& ticket() const { return ticket_; }

 private:
  tensor<float, Context> value_;
  amphora::ticket ticket_;
};

}}  // namespace amphora
