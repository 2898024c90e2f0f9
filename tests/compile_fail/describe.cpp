// What is described is a policy or a plan, over on<layer, op>.
#include <amphora/policy/describe.hpp>   // describe, on
#include <amphora/policy/opt_level.hpp>  // o1

#include <iostream>  // cout

namespace amp = amphora;
namespace layer { struct head; }

int main() {
#if defined(AMPHORA_FAIL_unknown_setting_describe)
  amp::describe<amp::o1<amp::f16>, amp::op::linear>(std::cout);
#elif defined(AMPHORA_FAIL_unknown_policy_describe)
  amp::describe<amp::f16, amp::on<layer::head, amp::op::linear>>(std::cout);
#else
  amp::describe<amp::o1<amp::f16>, amp::on<layer::head, amp::op::linear>>(std::cout);
#endif
}
