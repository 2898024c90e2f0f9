// A setting for a branch is one that its ops read.
#include <amphora/op/transparent.hpp>  // gelu, avg_pool
#include <amphora/policy/policy.hpp>   // policy

namespace amp = amphora;

//! [right]
struct mixed : amp::policy<amp::in<amp::op::gelu, amp::compute<amp::f32>>, amp::in<amp::op::avg_pool, amp::accumulate<amp::f32>>> {};
//! [right]
#if defined(AMPHORA_FAIL_unread_setting)
//! [wrong]
struct wrong : amp::policy<amp::in<amp::op::gelu, amp::accumulate<amp::f32>>> {};
//! [wrong]
#elif defined(AMPHORA_FAIL_unread_setting_gradient)
struct wrong : amp::policy<amp::in<amp::op::gelu, amp::gradient<amp::f32>>> {};
#elif defined(AMPHORA_FAIL_unread_setting_scale)
struct wrong : amp::policy<amp::in<amp::op::contraction, amp::loss_scale<amp::no_scale>>> {};
#else
struct wrong : amp::policy<amp::in<amp::op::contraction, amp::gradient<amp::f32>>> {};
#endif

int main() { mixed{}, wrong{}; }
