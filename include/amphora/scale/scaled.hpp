// Gradients that still carry the loss scale, as a type of their own.
#pragma once
#include <amphora/error.hpp>         // fail
#include <amphora/scale/ticket.hpp>  // ticket

#include <type_traits>  // is_lvalue_reference_v
#include <utility>      // exchange, forward

namespace amphora { inline namespace AMPHORA_ABI {

namespace detail {

template <class Gradients, class = void> inline constexpr bool is_gradient_view_v = false;
template <class Gradients>
inline constexpr bool is_gradient_view_v<Gradients, decltype((std::declval<const Gradients&>().data(), std::declval<const Gradients&>().shape(), void()))> = true;
template <class Gradients, class = void> inline constexpr bool is_gradient_list_v = false;
template <class Gradients>
inline constexpr bool is_gradient_list_v<Gradients, decltype((static_cast<const void*>(std::declval<const Gradients&>().begin()->data),
                                                              std::declval<const Gradients&>().end(), void()))> = true;

}  // namespace detail

/// What says that two gradients lie in one buffer: an address that they share. Specialise it for an own kind of list.
///
/// Value  a view's data; the data of the first gradient of a list that is there; of anything else the address of the object,
///        if the handle refers to it, and null (unknown) if it holds it
template <class Gradients, class = void>
struct gradient_buffer {
  static const void* of(const std::remove_reference_t<Gradients>& gradients) {
    if constexpr (detail::is_gradient_view_v<std::remove_reference_t<Gradients>>) {
      return gradients.data();
    } else if constexpr (detail::is_gradient_list_v<std::remove_reference_t<Gradients>>) {
      for (const auto& one : gradients)
        if (one.data) return one.data;
      return nullptr;
    } else {
      return std::is_reference_v<Gradients> ? static_cast<const void*>(&gradients) : nullptr;
    }
  }
};

/// What `std::move(handle).take(…)` gives: the gradients and the scale that they carry.
template <class Gradients>
struct scaled_parts {
  Gradients gradients;  ///< scale · ∂loss/∂weight; a reference where the handle was made from a list that lives elsewhere
  ticket used;
};

/// Gradients as the backward pass left them (scale · ∂loss/∂weight), with the ticket of that scale. Moves only; used once.
///
///     auto outcome = optimizer.step(context, amp::scaled(gradients, loss.ticket()));
///
/// Gradients  a view or a list of gradients. Made from a list with a name, the handle refers to it; a temporary or anything
///            trivially copyable is held by value
/// tickets    of each loss that went into these gradients
/// Errors  mixed-tickets  the losses carry different scales
///         stale-ticket   the scaler was updated since
///         same-buffer    another unused handle is on the same gradients
///         used-twice     a handle that was moved from
/// None of them waits.
template <class Gradients>
class [[nodiscard]] scaled : detail::pending_handle {
 public:
  template <class... Tickets>
  scaled(Gradients gradients, amphora::ticket first, const Tickets&... others) : gradients_(static_cast<Gradients&&>(gradients)), ticket_(std::move(first)) {
    ticket_.require_fresh("scaled");
    (ticket_.require_same(others, "scaled"), ...);
    buffer = gradient_buffer<Gradients>::of(gradients_);
    if (ticket_.scaler() && buffer)
      for (const pending_handle* other = ticket_.scaler()->first.next; other; other = other->next)
        if (other->buffer == buffer)
          detail::fail("same-buffer", "scaled: another handle on these gradients is still unused; make one, and use it once");
    live_ = true;
    link();
  }
  scaled(scaled&& other) noexcept
      : gradients_(static_cast<Gradients&&>(other.gradients_)), ticket_(std::move(other.ticket_)), live_(std::exchange(other.live_, false)) {
    buffer = other.buffer;
    other.unlink();
    if (live_) link();
  }
  scaled& operator=(scaled&&) = delete;
  ~scaled() { unlink(); }

  /// Whether the gradients are still here.
  bool live() const { return live_; }
  const amphora::ticket& ticket() const { return ticket_; }

  /// For the library: what take will give, to be looked at before the handle is used up.
  ///
  /// call    who asks, for the message
  /// Errors  used-twice, stale-ticket
  const std::remove_reference_t<Gradients>& peek(const char* call) const {
    if (!live_) detail::fail("used-twice", call, ": these gradients were used or moved from before; make a new handle from the next backward pass");
    ticket_.require_fresh(call);
    return gradients_;
  }
  /// Uses the handle up.
  ///
  /// call    who asks, for the message
  /// Errors  used-twice, stale-ticket
  scaled_parts<Gradients> take(const char* call) && {
    static_cast<void>(peek(call));
    live_ = false;
    if (ticket_.scaler()) ticket_.scaler()->open = false;
    unlink();
    return {static_cast<Gradients&&>(gradients_), std::move(ticket_)};
  }

 private:
  void link() {
    if (!ticket_.scaler()) return;
    pending_handle& head = ticket_.scaler()->first;
    previous = &head, next = head.next;
    if (next) next->previous = this;
    head.next = this;
  }
  void unlink() {
    if (!previous) return;
    previous->next = next;
    if (next) next->previous = previous;
    previous = next = nullptr;
  }

  Gradients gradients_;
  amphora::ticket ticket_;
  bool live_ = false;
};

template <class Gradients, class... Tickets>
scaled(Gradients&&, ticket, Tickets...)
    -> scaled<std::conditional_t<std::is_lvalue_reference_v<Gradients> && !std::is_trivially_copyable_v<std::remove_reference_t<Gradients>>,
                                 Gradients, std::remove_cv_t<std::remove_reference_t<Gradients>>>>;

template <class T> inline constexpr bool is_scaled_v = false;
template <class Gradients> inline constexpr bool is_scaled_v<scaled<Gradients>> = true;

}}  // namespace amphora
