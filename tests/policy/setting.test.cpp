#include <amphora/policy/setting.hpp>

#include <type_traits>  // is_base_of_v, is_empty_v

namespace amp = amphora;

template <class Setting, class Role, class Value> constexpr bool says = std::is_base_of_v<amp::setting<Role, Value>, Setting> && std::is_empty_v<Setting>;

static_assert(says<amp::compute<amp::f16>, amp::role::compute, amp::f16> && says<amp::params<amp::bf16>, amp::role::params, amp::bf16>);
static_assert(says<amp::output<amp::as_computed>, amp::role::output, amp::as_computed> && says<amp::accumulate<amp::f32>, amp::role::accumulate, amp::f32>);
static_assert(says<amp::master<amp::none>, amp::role::master, amp::none> && says<amp::gradient<amp::f32>, amp::role::gradient, amp::f32>);
static_assert(says<amp::loss_scale<int>, amp::role::scale, int>);
// A word said aloud stays beside the format, so that the same role stays one setting.
static_assert(says<amp::params<amp::bf16, amp::stochastic>, amp::role::params, amp::detail::said<amp::bf16, amp::stochastic>>);
static_assert(says<amp::accumulate<amp::f16, amp::narrow>, amp::role::accumulate, amp::detail::said<amp::f16, amp::narrow>>);
static_assert(!says<amp::params<amp::f16, amp::stochastic>, amp::role::params, amp::f16>);
