// A policy takes settings, `in` takes an op and settings, and a scale is a kind of scaling.
#include <amphora/policy/plan.hpp>    // plan
#include <amphora/policy/policy.hpp>  // policy

namespace amp = amphora;

//! [right]
struct mixed : amp::policy<amp::compute<amp::f16>, amp::in<amp::op::sensitive, amp::compute<amp::f32>>> {};
//! [right]
struct my_role;
template <class Value> struct my_setting : amp::setting<my_role, Value> {};
struct more : amp::amend<mixed, my_setting<int>, amp::loss_scale<amp::dynamic_scale<>>, amp::params<amp::bf16, amp::stochastic>> {};
#if defined(AMPHORA_FAIL_unknown_setting)
//! [wrong]
struct wrong : amp::policy<amp::f16> {};
//! [wrong]
#elif defined(AMPHORA_FAIL_unknown_setting_nested)
struct wrong : amp::policy<amp::in<amp::op::contraction, amp::compute<amp::f16>, amp::in<amp::op::sensitive, amp::compute<amp::f32>>>> {};
#elif defined(AMPHORA_FAIL_unknown_setting_op)
struct wrong : amp::policy<amp::in<float, amp::compute<amp::f16>>> {};
#elif defined(AMPHORA_FAIL_unknown_setting_scale)
struct wrong : amp::policy<amp::loss_scale<amp::f32>> {};
#elif defined(AMPHORA_FAIL_unknown_setting_stochastic)
struct wrong : amp::policy<amp::params<amp::f16, amp::stochastic>> {};
#elif defined(AMPHORA_FAIL_unknown_setting_empty)
struct wrong : amp::policy<amp::in<amp::op::sensitive>> {};
#elif defined(AMPHORA_FAIL_unknown_setting_plan)
struct wrong : amp::plan<mixed, more> {};
#else
struct wrong : amp::plan<mixed> {};
#endif

int main() { mixed{}, more{}, wrong{}; }
