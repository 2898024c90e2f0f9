// A role is set once for the same ops of one list.
#include <amphora/policy/compute.hpp>     // compute_t
#include <amphora/policy/loss_scale.hpp>  // loss_scale_t, needs_loss_scaling_v
#include <amphora/policy/policy.hpp>      // policy, amend

#include <type_traits>  // is_same_v

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
  amp::compute_t<wrong, amp::op::any> later{};  // what is asked of it later is no second error
  static_assert(!amp::needs_loss_scaling_v<amp::strict<wrong>> || std::is_same_v<amp::loss_scale_t<wrong>, amp::dynamic_scale<>>);
  (void)later;
#endif
}
