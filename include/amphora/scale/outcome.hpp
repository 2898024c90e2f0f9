// What became of a step, on the device until the next update.
#pragma once
#include <amphora/scale/kernels.hpp>  // scale_kernels
#include <amphora/scale/ticket.hpp>   // ticket

#include <cstdint>  // int32_t
#include <utility>  // move

namespace amphora { inline namespace AMPHORA_ABI {

enum class step_result : std::int32_t {
  nothing,  ///< there was no gradient at all: no step, and no counter moves
  stepped,
  skipped,  ///< a gradient was not finite: nothing was changed
};

/// What an optimizer's step writes, on its device.
struct step_record {
  step_result result;
  std::uint32_t found_non_finite;  ///< 0 if every gradient was finite; combined by "or", tested != 0
  std::int64_t changed;            ///< how many gradients were saturated or set to zero instead of a skip
};

/// The answer of a step: for the scaler's update, or to be read by an explicit wait.
template <class Context>
class [[nodiscard]] outcome {
 public:
  /// record  device pointer; stays the optimizer's
  /// used    the ticket that the step's gradients carried; a default one for plain gradients
  outcome(const step_record* record, ticket used) : record_(record), used_(std::move(used)) {
    if (used_.scaler()) used_.scaler()->open = false;
  }

  const step_record* record() const { return record_; }
  const ticket& used() const { return used_; }

  /// Waits for the device.
  ///
  /// Errors  stale-ticket  the scaler was updated since
  step_record wait_record(Context& context) const {
    used_.require_fresh("outcome");
    step_record result;
    scale_kernels<typename Context::device>::wait_read(context, record_, &result, sizeof result);
    return result;
  }
  /// Waits for the device; as wait_record.
  step_result wait_result(Context& context) const { return wait_record(context).result; }

 private:
  const step_record* record_;
  ticket used_;
};

}}  // namespace amphora
