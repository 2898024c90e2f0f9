// Which scale was used: what a scaled loss carries, and what unscaling asks for.
#pragma once
#include <amphora/error.hpp>    // fail
#include <amphora/version.hpp>  // AMPHORA_ABI

#include <cstdint>  // uint64_t

namespace amphora { inline namespace AMPHORA_ABI {

/// The scale of one generation of a scaler, on its device. Kernels read it; nobody but the scaler writes it.
struct scale_slot {
  float scale;
  float inverse;  ///< 1 / scale, rounded once
};

class ticket;

namespace detail {

/// A handle on gradients that are still scaled, as the scaler sees it: one link of a list, so that no handle allocates.
struct pending_handle {
  pending_handle* previous = nullptr;
  pending_handle* next = nullptr;
  const void* buffer = nullptr;  ///< what the handle is on, to find two handles on one buffer
};

/// The host's half of a scaler, shared with its tickets so that a ticket that outlives its scaler is stale and not dangling.
/// Only the count of owners may be touched by several threads; the compiler's own atomics, since <atomic> is a large header.
struct issuer {
  int owners = 1;
  std::uint64_t generation = 0;  ///< how many updates there were
  bool ended = false;            ///< the scaler is gone
  bool open = false;             ///< a loss was scaled, and nothing has used its gradients yet
  pending_handle first;          ///< head of the list of handles

  void add_owner() noexcept { __atomic_add_fetch(&owners, 1, __ATOMIC_RELAXED); }
  /// Whether it was the last one.
  bool remove_owner() noexcept { return __atomic_sub_fetch(&owners, 1, __ATOMIC_ACQ_REL) == 0; }
};

}  // namespace detail

/// A scaler's identity, its generation, and where the scale of that generation lies on the device.
///
/// Valid until that scaler's next update. A default ticket belongs to no scaler and is always fresh: its scale is one. The host sees
/// no replay of a captured update (scale/scaler.hpp): take a ticket anew after one.
class ticket {
 public:
  ticket() = default;
  ticket(detail::issuer& scaler, const scale_slot* slot) : issuer_(&scaler), generation_(scaler.generation), slot_(slot) { issuer_->add_owner(); }
  ticket(const ticket& other) : issuer_(other.issuer_), generation_(other.generation_), slot_(other.slot_) {
    if (issuer_) issuer_->add_owner();
  }
  ticket(ticket&& other) noexcept : issuer_(other.issuer_), generation_(other.generation_), slot_(other.slot_) {
    other.issuer_ = nullptr, other.generation_ = 0, other.slot_ = nullptr;
  }
  ticket& operator=(ticket other) noexcept {
    detail::issuer* const mine = issuer_;
    issuer_ = other.issuer_, generation_ = other.generation_, slot_ = other.slot_;
    other.issuer_ = mine;
    return *this;
  }
  ~ticket() {
    if (issuer_ && issuer_->remove_owner()) delete issuer_;
  }

  /// Device pointers, null for a ticket of no scaler; do not read them on the host.
  const float* scale() const { return slot_ ? &slot_->scale : nullptr; }
  const float* inverse() const { return slot_ ? &slot_->inverse : nullptr; }
  /// Whether a scaler gave it.
  bool has_scaler() const { return issuer_ != nullptr; }
  std::uint64_t generation() const { return generation_; }
  /// Whether its scaler still holds this generation. Does not wait.
  bool valid() const { return !issuer_ || (!issuer_->ended && issuer_->generation == generation_); }

  /// Errors  stale-ticket  the scaler was updated since (or is gone). Does not wait.
  void require_fresh(const char* call) const {
    if (valid()) return;
    if (issuer_->ended) detail::fail("stale-ticket", call, ": the scaler of this ticket is gone; keep the scaler until its gradients are used");
    detail::fail("stale-ticket", call, ": this ticket is of generation ", generation_, " and its scaler was updated to ", issuer_->generation,
                 "; scale the loss again and take the new ticket");
  }
  /// Errors  mixed-tickets  another scaler's, or another generation's. Does not wait.
  void require_same(const ticket& other, const char* call) const {
    if (*this != other)
      detail::fail("mixed-tickets", call, ": these gradients carry different scales (generations ", generation_, " and ", other.generation_,
                   issuer_ == other.issuer_ ? " of one scaler" : " of two scalers", "); unscale each with its own ticket before adding them");
  }

  friend bool operator==(const ticket& a, const ticket& b) { return a.issuer_ == b.issuer_ && a.generation_ == b.generation_; }
  friend bool operator!=(const ticket& a, const ticket& b) { return !(a == b); }

  /// For the library: the scaler's host half, null for a ticket of no scaler.
  detail::issuer* scaler() const { return issuer_; }

 private:
  detail::issuer* issuer_ = nullptr;
  std::uint64_t generation_ = 0;
  const scale_slot* slot_ = nullptr;
};

}}  // namespace amphora
