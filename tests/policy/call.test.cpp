#include <amphora/policy/call.hpp>

#include <amphora/op/op.hpp>             // every tag
#include <amphora/policy/opt_level.hpp>  // o0, o1, o2

namespace amp = amphora;
namespace op = amp::op;
using amp::f16, amp::bf16, amp::f32, amp::f64, amp::not_a_format;

// forbidden in a low precision, whether it comes in or is computed in; fine in float
static_assert(!amp::is_allowed_v<amp::o1<f16>, op::binary_cross_entropy, f16, f32> && !amp::is_allowed_v<amp::o1<bf16>, op::binary_cross_entropy, bf16>);
static_assert(!amp::is_allowed_v<amp::o2<f16>, op::binary_cross_entropy, f32, f32> && amp::is_allowed_v<amp::o1<f16>, op::binary_cross_entropy, f32, f32>);
static_assert(amp::is_allowed_v<amp::o0<>, op::binary_cross_entropy, f64> && amp::is_allowed_v<amp::o1<f16>, op::bce_with_logits, f16>);
struct risky { using parent = op::forbidden; };
static_assert(!amp::is_allowed_v<amp::o1<f16>, risky, f16>);  // an op of a user joins by naming the branch

// one format
template <class Op, class... Inputs> constexpr bool common = amp::have_common_format_v<amp::o1<f16>, Op, Inputs...>;
static_assert(common<op::linear, f32, f16, bf16> && common<op::linear, f64, f64> && !common<op::linear, f64, f32> && common<op::linear, f64, not_a_format>);
static_assert(common<op::add, f64, f16> && common<op::relu, f64> && !common<op::max_pool, f16, f32> && common<op::embedding, not_a_format, f32>);
static_assert(common<op::linear> && common<op::relu> && common<op::cross_entropy, f16, not_a_format> && !common<op::softmax, f64, f32>);

// casts: operands of a contraction in memory, and outputs narrower than what was computed
template <class Policy, class Op, class... Inputs> constexpr bool clean = amp::casts_nothing_v<Policy, Op, Inputs...>;
static_assert(clean<amp::o1<f16>, op::linear, f16, f16> && !clean<amp::o1<f16>, op::linear, f16, f32> && !clean<amp::o1<f16>, op::linear, bf16, f16>);
static_assert(clean<amp::o1<f16>, op::softmax, f16> && clean<amp::o1<f16>, op::add, f16, f32> && clean<amp::o1<f16>, op::linear, f16, not_a_format>);
static_assert(!clean<amp::policy<amp::compute<f32>, amp::output<f16>>, op::softmax, f32> && clean<amp::policy<amp::compute<f16>, amp::output<f32>>, op::linear, f16>);
static_assert(clean<amp::policy<amp::compute<amp::tf32>>, op::linear, f32, f32> && clean<amp::o1<f16>, op::linear, f64, f64>);
static_assert(amp::is_cast_v<f16, f32> && !amp::is_cast_v<f16, f16>);

// what holds can be insisted on, in a constant
static_assert(amp::require_call<amp::o1<f16>, op::linear, f32, f16, f32>() && amp::require_call<amp::strict<amp::o1<f16>>, op::linear, f16, f16>());
static_assert(amp::require_call<amp::strict<amp::o1<f16>>, op::softmax, f16>() && amp::require_call<amp::o0<>, op::binary_cross_entropy, f32, f32>());
