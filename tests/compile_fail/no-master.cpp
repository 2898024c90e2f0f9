// Low-precision weights are stepped with a master, or without one where the policy says so.
#include <amphora/op/contraction.hpp>   // linear
#include <amphora/policy/weights.hpp>   // require_may_step

namespace amp = amphora;

//! [right]
struct mixed : amp::policy<amp::params<amp::f16>, amp::compute<amp::f16>, amp::master<amp::f32>> {};
struct bare : amp::policy<amp::params<amp::f16>, amp::compute<amp::f16>, amp::master<amp::none>> {};
//! [right]
//! [wrong]
struct inference : amp::policy<amp::params<amp::f16>, amp::compute<amp::f16>> {};  // fine until an optimizer steps it
//! [wrong]
#ifdef AMPHORA_FAIL_no_master_narrow
struct wrong : amp::policy<amp::params<amp::f16>, amp::master<amp::bf16>> {};
#endif

int main() {
  amp::require_may_step<mixed, amp::op::linear>();
  amp::require_may_step<bare, amp::op::linear>();
#ifdef AMPHORA_FAIL_no_master
  amp::require_may_step<inference, amp::op::linear>();
#endif
#ifdef AMPHORA_FAIL_no_master_narrow
  wrong{};
#endif
}
