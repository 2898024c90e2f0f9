// What is asked of a policy is asked of a policy.
#include <amphora/op/reduction.hpp>       // softmax
#include <amphora/policy/call.hpp>        // require_call
#include <amphora/policy/compute.hpp>     // compute_t
#include <amphora/policy/dispatch.hpp>    // dispatch
#include <amphora/policy/loss_scale.hpp>  // loss_scale_t
#include <amphora/policy/opt_level.hpp>   // o1
#include <amphora/policy/plan.hpp>        // plan, at

namespace amp = amphora;
namespace layer { struct head; }
struct mixed : amp::policy<amp::compute<amp::f16>> {};

int main() {
  //! [right]
  amp::compute_t<mixed, amp::op::softmax> format;
  //! [right]
  (void)format;
#if defined(AMPHORA_FAIL_unknown_policy)
  //! [wrong]
  amp::compute_t<amp::f16, amp::op::softmax> wrong;
  //! [wrong]
#elif defined(AMPHORA_FAIL_unknown_policy_amend)
  using amended = amp::amend<float, amp::compute<amp::f16>>;
  amended wrong;
  amp::compute_t<amended, amp::op::softmax> later;
  (void)later;
#elif defined(AMPHORA_FAIL_unknown_policy_at)
  using network = amp::plan<mixed, amp::at<layer::head, amp::f32>>;  // and what is asked of it later is no second error
  network wrong;
  amp::compute_t<amp::policy_at_t<network, layer::head>, amp::op::softmax> later;
  amp::loss_scale_t<network> scale;
  (void)later, (void)scale;
#elif defined(AMPHORA_FAIL_unknown_policy_default)
  amp::plan<int, amp::at<layer::head, mixed>> wrong;
#elif defined(AMPHORA_FAIL_unknown_policy_strict)
  amp::strict<amp::f16> wrong;
#elif defined(AMPHORA_FAIL_unknown_policy_scale)
  amp::loss_scale_t<amp::f16> wrong;
#elif defined(AMPHORA_FAIL_unknown_policy_call)
  bool wrong = amp::require_call<amp::f16, amp::op::softmax, amp::f16>();
#elif defined(AMPHORA_FAIL_unknown_policy_dispatch)
  int wrong = amp::dispatch<mixed, amp::f16>("mixed", [](auto) { return 1; });
#else
  int wrong = amp::dispatch<mixed, amp::o1<amp::f16>>("mixed", [](auto) { return 1; });
#endif
  (void)wrong;
}
