#include <amphora/policy/widest.hpp>

#include <type_traits>  // is_same_v

namespace amp = amphora;

template <class Expected, class... Formats> constexpr bool is = std::is_same_v<amp::widest_t<Formats...>, Expected>;

static_assert(is<amp::f16, amp::f16> && is<amp::f16, amp::f16, amp::f16> && is<amp::f32, amp::f32, amp::f16> && is<amp::f32, amp::bf16, amp::f32>);
static_assert(is<amp::f32, amp::f16, amp::bf16> && is<amp::f32, amp::bf16, amp::f16> && is<amp::f64, amp::f16, amp::bf16, amp::f64>);
static_assert(is<amp::f64, amp::f64, amp::f32> && is<amp::f16, amp::f16, amp::e4m3> && is<amp::f16, amp::e5m2, amp::f16>);
static_assert(is<amp::f32, amp::e4m3, amp::e5m2> && is<amp::bf16, amp::bf16, amp::e5m2> && is<amp::f32, amp::tf32, amp::f32>);
