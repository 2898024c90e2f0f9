// Gradients whose scale is known to be taken out: what clipping, norms and plain steps accept.
#pragma once
#include <amphora/scale/gradient_facts.hpp>  // gradient_facts
#include <amphora/scale/scaled.hpp>  // is_scaled_v
#include <amphora/scale/ticket.hpp>  // ticket

#include <cstdint>      // uint32_t
#include <type_traits>  // remove_cv_t
#include <utility>      // exchange, move

namespace amphora { inline namespace AMPHORA_ABI {

/// Gradients in their buffers as the backward pass left them, with the factor that makes them true: nothing is rounded to 16 bits.
///
/// Moves only. The facts are memory of the context, given back when the object ends.
template <class Gradients, class Context>
class [[nodiscard]] unscaled {
 public:
  /// facts  memory for one gradient_facts from context.allocate; taken over
  unscaled(Context& context, Gradients gradients, amphora::ticket used, gradient_facts* facts)
      : gradients_(static_cast<Gradients&&>(gradients)), ticket_(std::move(used)), context_(&context), facts_(facts) {}
  unscaled(unscaled&& other) noexcept
      : gradients_(static_cast<Gradients&&>(other.gradients_)), ticket_(std::move(other.ticket_)), context_(other.context_),
        facts_(std::exchange(other.facts_, nullptr)) {}
  unscaled& operator=(unscaled&&) = delete;
  ~unscaled() {
    if (facts_) context_->release(facts_, sizeof(gradient_facts));
  }

  /// The stored values, still times the scale: multiply by facts()->factor() where they are read.
  const std::remove_reference_t<Gradients>& gradients() const { return gradients_; }
  /// Device pointer.
  ///
  /// Errors  used-twice  moved from
  gradient_facts* facts() const {
    if (!facts_) detail::fail("used-twice", "these unscaled gradients were moved from");
    return facts_;
  }
  const amphora::ticket& ticket() const { return ticket_; }

 private:
  Gradients gradients_;
  amphora::ticket ticket_;
  Context* context_;
  gradient_facts* facts_;
};

template <class T> inline constexpr bool is_unscaled_v = false;
template <class Gradients, class Context> inline constexpr bool is_unscaled_v<unscaled<Gradients, Context>> = true;

/// Insists that T, without reference, is unscaled (clipping, norms). Host code only.
template <class T>
constexpr bool require_unscaled() {
  static_assert(!is_scaled_v<std::remove_cv_t<std::remove_reference_t<T>>>,
      "amphora [scaled-gradient]: these gradients still carry the loss scale; write amphora::unscale(context, std::move(gradients)) first");
  return !is_scaled_v<std::remove_cv_t<std::remove_reference_t<T>>>;
}

/// Insists that an argument of type T&& is scaled and given by move (unscaling). Host code only.
template <class T>
constexpr bool require_scaled() {
  constexpr bool is_scaled = is_scaled_v<std::remove_cv_t<std::remove_reference_t<T>>>;
  if constexpr (!is_scaled)
    static_assert(is_scaled, "amphora [scaled-gradient]: there is no scale to take out here; pass amphora::scaled(gradients, ticket), once");
  else
    static_assert(!std::is_lvalue_reference_v<T>,
        "amphora [scaled-gradient]: this uses the scaled gradients up; write std::move(gradients)");
  return is_scaled && !std::is_lvalue_reference_v<T>;
}

}}  // namespace amphora
