// Sums are kept in f32 unless less is said aloud.
#include <amphora/op/contraction.hpp>  // matmul
#include <amphora/op/reduction.hpp>    // sum
#include <amphora/policy/policy.hpp>   // policy

namespace amp = amphora;

//! [right]
struct mixed : amp::policy<amp::compute<amp::f16>, amp::accumulate<amp::f32>> {};
struct fast : amp::policy<amp::compute<amp::f16>, amp::in<amp::op::matmul, amp::accumulate<amp::f16, amp::narrow>>> {};
//! [right]
#if defined(AMPHORA_FAIL_narrow_accumulator)
//! [wrong]
struct wrong : amp::policy<amp::compute<amp::f16>, amp::accumulate<amp::f16>> {};
//! [wrong]
#elif defined(AMPHORA_FAIL_narrow_accumulator_sensitive)
struct wrong : amp::policy<amp::in<amp::op::sum, amp::accumulate<amp::f16, amp::narrow>>> {};
#else
struct wrong : amp::policy<amp::in<amp::op::sum, amp::accumulate<amp::f32>>> {};
#endif

int main() { mixed{}, fast{}, wrong{}; }
