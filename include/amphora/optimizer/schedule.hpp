// Learning rates that change over the steps: functors of the number of taken steps.
#pragma once
#include <amphora/detail/rounded.hpp>  // rounded, cosine_of_half_turns
#include <amphora/detail/setting.hpp>  // require_in

#include <cstdint>      // int64_t
#include <type_traits>  // is_trivially_copyable_v, void_t
#include <utility>      // declval

namespace amphora { inline namespace AMPHORA_ABI {

// A schedule is a trivially copyable struct with
//
//     AMPHORA_HD float operator()(std::int64_t taken, float base) const;
//
// taken  how many steps the optimizer took before this one: 0 for the first. A skipped step does not count
// base   the group's learning rate
// Value  the learning rate of this step
//
// It runs where the step runs, so it holds in a captured graph and never advances on a skip. Those below take sums, products
// and quotients in double, so every device has the same bits. `check()` fails on a bad setting and is optional in a user's own.

namespace detail {

constexpr void require_steps(const char* schedule, const char* setting, std::int64_t value, std::int64_t least) {
  if (value < least) fail("setting", schedule, " has ", setting, " = ", value, "; it must be at least ", least);
}
/// Half a cosine from 1 down to end, over `steps` steps.
AMPHORA_HD inline rounded half_cosine(std::int64_t taken, std::int64_t steps, double end) {
  const rounded turns = taken >= steps ? rounded(1.0) : rounded(static_cast<double>(taken)) / static_cast<double>(steps);
  return rounded(end) + (rounded(1.0) - end) * ((rounded(1.0) + cosine_of_half_turns(turns)) * 0.5);
}
/// From 1/steps up to 1: the first step already moves.
AMPHORA_HD inline rounded ramp(std::int64_t taken, std::int64_t steps) {
  return taken + 1 >= steps ? rounded(1.0) : rounded(static_cast<double>(taken + 1)) / static_cast<double>(steps);
}
template <class Schedule, class = void> inline constexpr bool schedule_has_check = false;
template <class Schedule> inline constexpr bool schedule_has_check<Schedule, std::void_t<decltype(std::declval<const Schedule&>().check())>> = true;
/// The schedule's own check, where it has one.
template <class Schedule> constexpr void check_schedule(const Schedule& schedule) {
  static_assert(std::is_trivially_copyable_v<Schedule>, "amphora [setting]: a schedule is copied to the device as bytes; make it trivially copyable");
  if constexpr (schedule_has_check<Schedule>) schedule.check();
}
AMPHORA_HD inline float scaled_rate(float base, rounded factor) { return (rounded(base) * factor).single().x; }

}  // namespace detail

/// The learning rate as it was given.
struct constant {
  constexpr void check() const {}
  AMPHORA_HD float operator()(std::int64_t, float base) const { return base; }
};

/// Rises from base/steps in equal parts, is base from step number `steps` on.
struct linear_warmup {
  std::int64_t steps = 1000;

  constexpr void check() const { detail::require_steps("linear_warmup", "steps", steps, 1); }
  AMPHORA_HD float operator()(std::int64_t taken, float base) const { return detail::scaled_rate(base, detail::ramp(taken, steps)); }
};

/// Falls along half a cosine from base to end · base over `steps` steps, and stays there.
///
/// Source  Loshchilov and Hutter 2017 without restarts; torch.optim.lr_scheduler.CosineAnnealingLR with eta_min = end · base
struct cosine {
  std::int64_t steps = 10000;
  double end = 0;  ///< a fraction of base, 0 to 1

  constexpr void check() const {
    detail::require_steps("cosine", "steps", steps, 1);
    detail::require_share("cosine", "end", end);
  }
  AMPHORA_HD float operator()(std::int64_t taken, float base) const {
    return detail::scaled_rate(base, detail::half_cosine(taken, steps, end));
  }
};

/// linear_warmup over `warmup` steps, then cosine over the rest of `steps`.
struct warmup_cosine {
  std::int64_t warmup = 1000;
  std::int64_t steps = 10000;  ///< all of them, the warmup included
  double end = 0;              ///< a fraction of base, 0 to 1

  constexpr void check() const {
    detail::require_steps("warmup_cosine", "warmup", warmup, 0);
    detail::require_steps("warmup_cosine", "steps", steps, warmup + 1);
    detail::require_share("warmup_cosine", "end", end);
  }
  AMPHORA_HD float operator()(std::int64_t taken, float base) const {
    return detail::scaled_rate(base, taken < warmup ? detail::ramp(taken, warmup) : detail::half_cosine(taken - warmup, steps - warmup, end));
  }
};

/// Multiplied by `factor` after every `every` taken steps.
///
/// Source  torch.optim.lr_scheduler.StepLR
struct step_decay {
  std::int64_t every = 1000;
  double factor = 0.1;  ///< in (0, 1]

  constexpr void check() const {
    detail::require_steps("step_decay", "every", every, 1);
    detail::require_share("step_decay", "factor", factor);
  }
  AMPHORA_HD float operator()(std::int64_t taken, float base) const { return detail::scaled_rate(base, power(detail::rounded(factor), taken / every)); }
};

/// Multiplied by `factor` after every taken step.
///
/// Source  torch.optim.lr_scheduler.ExponentialLR
struct exponential {
  double factor = 0.9999;  ///< in [0, 1]

  constexpr void check() const { detail::require_share("exponential", "factor", factor); }
  AMPHORA_HD float operator()(std::int64_t taken, float base) const { return detail::scaled_rate(base, power(detail::rounded(factor), taken)); }
};

}}  // namespace amphora
