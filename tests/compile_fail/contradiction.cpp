// A role is set once for the same ops of one list.
#include <amphora/policy/policy.hpp>  // policy, amend

namespace amp = amphora;

//! [right]
struct mixed : amp::policy<amp::compute<amp::f16>, amp::params<amp::f32>> {};
struct changed : amp::amend<mixed, amp::compute<amp::bf16>> {};
//! [right]
#ifdef AMPHORA_FAIL_contradiction
//! [wrong]
struct wrong : amp::policy<amp::compute<amp::f16>, amp::params<amp::f32>, amp::compute<amp::bf16>> {};
//! [wrong]
#endif
#ifdef AMPHORA_FAIL_contradiction_branch
struct wrong : amp::amend<mixed, amp::in<amp::op::any, amp::compute<amp::bf16>>, amp::compute<amp::f32>> {};
#endif

int main() {
  mixed{}, changed{};
#if defined(AMPHORA_FAIL_contradiction) || defined(AMPHORA_FAIL_contradiction_branch)
  wrong{};
#endif
}
