// A policy is a type, composed of settings; what it answers for an op is a constant.
#include <amphora/amphora.hpp>
#include <amphora/policy/describe.hpp>

#include <iostream>
#include <type_traits>

namespace amp = amphora;

//! [policy]
struct mixed : amp::policy<
    amp::params<amp::f32>, amp::compute<amp::f16>, amp::accumulate<amp::f32>, amp::output<amp::f16>> {};

struct guarded : amp::amend<mixed,
    amp::in<amp::op::reduction, amp::compute<amp::f32>>,
    amp::in<amp::op::gelu,      amp::compute<amp::f32>>> {};

static_assert(std::is_same_v<amp::compute_t<guarded, amp::op::softmax>, amp::f32>);  // a softmax is a reduction
static_assert(std::is_same_v<amp::compute_t<guarded, amp::op::linear>, amp::f16>);   // no branch near it was amended
static_assert(amp::needs_loss_scaling_v<guarded>);                                   // f16 has five exponent bits
static_assert(amp::bytes_per_parameter_v<guarded, amp::op::linear, amp::adamw> == 4 + 2 + 2 + 8);
//! [policy]

int main() {
  amp::describe<guarded>(std::cout);
}
