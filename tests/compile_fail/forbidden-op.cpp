// An op whose gradient leaves f16's range is refused in a low precision.
#include <amphora/op/loss.hpp>           // binary_cross_entropy, bce_with_logits
#include <amphora/policy/call.hpp>       // require_call
#include <amphora/policy/opt_level.hpp>  // o1, o2

namespace amp = amphora;

int main() {
  //! [right]
  amp::require_call<amp::o1<amp::f16>, amp::op::bce_with_logits, amp::f16, amp::f16>();
  amp::require_call<amp::o1<amp::f16>, amp::op::binary_cross_entropy, amp::f32, amp::f32>();
  //! [right]
#ifdef AMPHORA_FAIL_forbidden_op
  //! [wrong]
  amp::require_call<amp::o1<amp::f16>, amp::op::binary_cross_entropy, amp::f16, amp::f32>();
  //! [wrong]
#endif
#ifdef AMPHORA_FAIL_unknown_op_call
  amp::require_call<amp::o1<amp::f16>, amp::f32, amp::f32>();
#endif
#ifdef AMPHORA_FAIL_forbidden_op_compute
  amp::require_call<amp::o2<amp::bf16>, amp::op::binary_cross_entropy, amp::f32, amp::f32>();
#endif
}
