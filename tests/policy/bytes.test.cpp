#include <amphora/policy/bytes.hpp>

#include <amphora/op/op.hpp>             // every tag
#include <amphora/policy/opt_level.hpp>  // o0 … o3

namespace amp = amphora;
namespace op = amp::op;
using amp::f16, amp::bf16, amp::f32;

struct adamw { static constexpr int states = 2; };
struct sgd { static constexpr int states = 0; };

template <class Policy, class Op = op::linear, class Rule = adamw> constexpr int bytes = amp::bytes_per_parameter_v<Policy, Op, Rule>;
static_assert(bytes<amp::o0<>> == 4 + 4 + 8);                     // weight, gradient, two moments
static_assert(bytes<amp::o1<f16>> == 4 + 2 + 2 + 8);              // the same, with a copy that the forward pass reads
static_assert(bytes<amp::o2<f16>> == bytes<amp::o1<f16>> && bytes<amp::o2<bf16>> == bytes<amp::o1<f16>>);  // o1 and o2 store the same
static_assert(bytes<amp::o3<f16>> == 2 + 2 + 8 && bytes<amp::o1<f16>, op::layer_norm> == bytes<amp::o0<>>);
static_assert(bytes<amp::o1<f16>, op::linear, sgd> == 8 && bytes<amp::amend<amp::o1<f16>, amp::gradient<f32>>> == 4 + 2 + 4 + 8);
static_assert(bytes<amp::policy<amp::params<bf16, amp::stochastic>, amp::compute<bf16>>> == 2 + 2 + 8);
static_assert(bytes<int> == 0 && bytes<amp::o0<>, int> == 0 && bytes<amp::o0<>, op::gelu> == 0 && bytes<amp::o0<>, op::linear, int> == 0 && bytes<void, void, void> == 0);
