// The kinds of loss scaling that a policy can name.
#pragma once
#include <amphora/version.hpp>  // AMPHORA_ABI

namespace amphora { inline namespace AMPHORA_ABI {

struct growth;

/// Gradients are as they come; the finite check stays on.
struct no_scale {};
/// One scale, a field of the scaler's rule, that never moves.
struct static_scale {};
/// A scale that Rule moves: down where a gradient was not finite, up after a run of finite ones.
///
/// Rule  growth, or a rule of your own; its numbers are fields of its value, given to the scaler
template <class Rule = growth> struct dynamic_scale { using rule = Rule; };

/// Whether T is a kind of loss scaling.
template <class T> inline constexpr bool is_scale_kind_v = false;
template <> inline constexpr bool is_scale_kind_v<no_scale> = true;
template <> inline constexpr bool is_scale_kind_v<static_scale> = true;
template <class Rule> inline constexpr bool is_scale_kind_v<dynamic_scale<Rule>> = true;

}}  // namespace amphora
