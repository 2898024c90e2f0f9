// A role takes a format, not a C++ type.
#include <amphora/policy/opt_level.hpp>  // o1
#include <amphora/policy/policy.hpp>     // policy

namespace amp = amphora;

//! [right]
struct mixed : amp::policy<amp::compute<amp::tf32>, amp::output<amp::f32>> {};
//! [right]
#if defined(AMPHORA_FAIL_unknown_format)
//! [wrong]
struct wrong : amp::policy<amp::compute<float>> {};
//! [wrong]
#elif defined(AMPHORA_FAIL_unknown_format_stored)
struct wrong : amp::policy<amp::params<amp::tf32>> {};
#elif defined(AMPHORA_FAIL_unknown_format_answer)
struct wrong : amp::policy<amp::in<amp::op::sensitive, amp::accumulate<amp::widest>>> {};
#elif defined(AMPHORA_FAIL_unknown_format_level)
struct wrong : amp::o1<amp::op_lists<false>> {};
#else
struct wrong : amp::o1<amp::f16, amp::op_lists<false>> {};
#endif

int main() { mixed{}, wrong{}; }
