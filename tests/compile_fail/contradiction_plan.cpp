// A plan names a layer once, and an opt level has a property overridden once.
#include <amphora/policy/opt_level.hpp>  // o0, o1, o2
#include <amphora/policy/plan.hpp>       // plan, at, policy_at_t

namespace amp = amphora;
namespace layer { struct head; struct body; }

struct network : amp::plan<amp::o1<amp::f16>, amp::at<layer::head, amp::o0<>>, amp::at<layer::body, amp::o2<amp::f16, amp::master_weights<true>>>> {};
#ifdef AMPHORA_FAIL_contradiction_plan
struct wrong : amp::plan<amp::o1<amp::f16>, amp::at<layer::head, amp::o0<>>, amp::at<layer::head, amp::o1<amp::bf16>>> {};
#endif
#ifdef AMPHORA_FAIL_contradiction_override
struct wrong : amp::o2<amp::f16, amp::master_weights<true>, amp::master_weights<false>> {};
#endif

int main() {
  network{}, amp::policy_at_t<network, layer::head>{};
#if defined(AMPHORA_FAIL_contradiction_plan) || defined(AMPHORA_FAIL_contradiction_override)
  wrong{};
  amp::policy_at_t<wrong, layer::head> later{};  // what is asked of it later is no second error
  (void)later;
#endif
}
