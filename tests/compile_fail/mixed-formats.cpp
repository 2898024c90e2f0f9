// The inputs of a call come to one format.
#include <amphora/op/contraction.hpp>    // linear
#include <amphora/op/promoting.hpp>      // add
#include <amphora/policy/call.hpp>       // require_call
#include <amphora/policy/opt_level.hpp>  // o1

namespace amp = amphora;
struct plain : amp::policy<> {};

int main() {
  //! [right]
  amp::require_call<amp::o1<amp::f16>, amp::op::linear, amp::f32, amp::f16>();  // f32 is cast
  amp::require_call<amp::o1<amp::f16>, amp::op::linear, amp::f64, amp::f64>();  // nothing to cast
  amp::require_call<amp::o1<amp::f16>, amp::op::add, amp::f64, amp::f16>();     // the widest
  //! [right]
  amp::require_call<plain, amp::op::linear, amp::f16, amp::f16, amp::not_a_format>();
#ifdef AMPHORA_FAIL_mixed_formats
  //! [wrong]
  amp::require_call<amp::o1<amp::f16>, amp::op::linear, amp::f64, amp::f16>();
  //! [wrong]
#endif
#ifdef AMPHORA_FAIL_mixed_formats_as_given
  amp::require_call<plain, amp::op::linear, amp::f16, amp::f32>();
#endif
}
