// The checks that rules and schedules make of their settings. Usable in constants: a bad one does not compile there.
#pragma once
#include <amphora/detail/bit_cast.hpp>  // bit_cast
#include <amphora/error.hpp>            // fail
#include <amphora/format/format.hpp>    // f32

#include <cstdint>  // uint64_t

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// Whether value is neither infinite nor NaN and in [least, most]: by its bits first, so that -ffast-math cannot fold it away.
constexpr bool is_setting_in(double value, double least, double most) {
  return (bit_cast<std::uint64_t>(value) >> 52 & 0x7FF) != 0x7FF && value >= least && value <= most;
}

/// rule  its name, for the message; setting likewise
/// Errors  setting  value is not in [least, below), also after it is rounded to the float it is used in
constexpr void require_in(const char* rule, const char* setting, double value, double least, double below) {
  if (!is_setting_in(value, least, below) || static_cast<float>(value) >= static_cast<float>(below))
    fail("setting", rule, " has ", setting, " = ", value, "; it must be at least ", least, " and below ", below);
}

/// Errors  setting  value is negative, not finite, or so small that it is nothing in the float it is used in. 0 says "off".
constexpr void require_off_or_normal(const char* rule, const char* setting, double value) {
  if (!is_setting_in(value, 0, f32::largest)) fail("setting", rule, " has ", setting, " = ", value, "; it must be finite and not negative");
  if (value > 0 && value < f32::smallest_normal)
    fail("setting", rule, " has ", setting, " = ", value, ", which rounds to nothing in float; write 0 or at least 1.2e-38");
}

/// Errors  setting  an epsilon that is 0, negative, not finite, or nothing in the float it is used in: 0/0 would follow
constexpr void require_epsilon(const char* rule, double value) {
  if (!is_setting_in(value, f32::smallest_normal, f32::largest))
    fail("setting", rule, " has eps = ", value, ", which is nothing in float or no number; with a zero gradient 0/0 would follow; write at least 1.2e-38");
}

/// Errors  setting  a learning rate that is negative or not finite. 0 is allowed: such a step moves the state alone.
constexpr void require_learning_rate(const char* rule, double value) {
  if (!is_setting_in(value, 0, f32::largest)) fail("setting", rule, " has learning_rate = ", value, "; it must be finite and not negative");
}

/// Errors  setting  a decay that with this learning rate is nothing in float, so that it would silently be off
constexpr void require_decay(const char* rule, double learning_rate, double decay) {
  require_off_or_normal(rule, "weight_decay", decay);
  if (decay > 0 && learning_rate > 0 && learning_rate * decay < f32::smallest_normal)
    fail("setting", rule, " has learning_rate · weight_decay = ", learning_rate * decay, ", which rounds to nothing in float; write weight_decay 0 or more");
}

/// Errors  setting  a share that is not from 0 to 1
constexpr void require_share(const char* rule, const char* setting, double value) {
  if (!is_setting_in(value, 0, 1)) fail("setting", rule, " has ", setting, " = ", value, "; it must be from 0 to 1");
}

}}}  // namespace amphora::detail
