// Under a strict policy nothing is cast in memory.
#include <amphora/op/contraction.hpp>    // linear
#include <amphora/op/reduction.hpp>      // softmax
#include <amphora/policy/call.hpp>       // require_call
#include <amphora/policy/opt_level.hpp>  // o1

namespace amp = amphora;
struct half_out : amp::policy<amp::compute<amp::f32>, amp::output<amp::f16>> {};

int main() {
  //! [right]
  amp::require_call<amp::strict<amp::o1<amp::f16>>, amp::op::linear, amp::f16, amp::f16>();
  amp::require_call<amp::strict<amp::o1<amp::f16>>, amp::op::softmax, amp::f16>();  // converted in registers
  //! [right]
  amp::require_call<half_out, amp::op::softmax, amp::f32>();
#ifdef AMPHORA_FAIL_implicit_cast
  //! [wrong]
  amp::require_call<amp::strict<amp::o1<amp::f16>>, amp::op::linear, amp::f32, amp::f16>();
  //! [wrong]
#endif
#ifdef AMPHORA_FAIL_implicit_cast_output
  amp::require_call<amp::strict<half_out>, amp::op::softmax, amp::f32>();
#endif
}
