#include <amphora/policy/policy.hpp>

#include <amphora/op/op.hpp>             // every tag
#include <amphora/policy/compute.hpp>    // compute_t, output_t
#include <amphora/policy/opt_level.hpp>  // o1

#include <type_traits>  // is_empty_v, is_same_v

namespace amp = amphora;
namespace op = amp::op;

template <class A, class B> constexpr bool same = std::is_same_v<A, B>;

struct mixed : amp::policy<amp::output<amp::f16>, amp::accumulate<amp::f32>, amp::params<amp::f32>, amp::compute<amp::f16>,
                           amp::in<op::transparent, amp::compute<amp::as_given>>> {};
struct guarded : amp::amend<mixed, amp::in<op::reduction, amp::compute<amp::f32>>, amp::in<op::gelu, amp::compute<amp::f32>>> {};
struct nested : amp::amend<guarded, amp::compute<amp::bf16>, amp::in<op::softmax, amp::compute<amp::bf16>>> {};
struct swiglu { using parent = op::contraction; };

// The order of settings does not matter, a derived policy is one, and all are empty.
struct reordered : amp::policy<amp::in<op::transparent, amp::compute<amp::as_given>>, amp::compute<amp::f16>, amp::params<amp::f32>,
                               amp::accumulate<amp::f32>, amp::output<amp::f16>> {};
static_assert(same<amp::compute_t<reordered, op::linear>, amp::compute_t<mixed, op::linear>> && same<amp::compute_t<reordered, op::gelu>, amp::as_given>);
static_assert(std::is_empty_v<mixed> && std::is_empty_v<nested> && std::is_empty_v<amp::policy<>>);
static_assert(amp::is_policy_v<mixed> && amp::is_policy_v<nested> && amp::is_policy_v<amp::policy<>> && amp::is_policy_v<amp::o1<amp::f16>> && amp::is_policy_v<amp::strict<mixed>>);
struct declared;
static_assert(!amp::is_policy_v<int> && !amp::is_policy_v<void> && !amp::is_policy_v<amp::f16> && !amp::is_policy_v<declared>);

// The branch nearest to the op wins wherever it was laid; at the same branch the newer one.
static_assert(same<amp::compute_t<mixed, op::softmax>, amp::f16> && same<amp::compute_t<guarded, op::softmax>, amp::f32>);
static_assert(same<amp::compute_t<nested, op::softmax>, amp::bf16> && same<amp::compute_t<nested, op::sum>, amp::f32> && same<amp::compute_t<nested, op::linear>, amp::bf16>);
static_assert(same<amp::compute_t<guarded, op::gelu>, amp::f32> && same<amp::compute_t<guarded, op::relu>, amp::as_given>);
static_assert(same<amp::compute_t<nested, swiglu>, amp::bf16> && same<amp::output_t<nested, swiglu>, amp::f16>);
static_assert(same<amp::compute_t<amp::amend<nested, amp::in<op::softmax, amp::compute<amp::f64>>>, op::softmax>, amp::f64>);
static_assert(same<amp::compute_t<amp::amend<amp::o1<amp::f16>, amp::in<op::layer_norm, amp::compute<amp::bf16>>>, op::native_layer_norm>, amp::bf16>);

// Many settings, many amendments.
template <class Policy, int Times> struct laid : laid<amp::amend<Policy, amp::compute<amp::bf16>>, Times - 1> {};
template <class Policy> struct laid<Policy, 0> { using type = Policy; };
static_assert(same<amp::compute_t<laid<mixed, 60>::type, op::linear>, amp::bf16> && same<amp::output_t<laid<mixed, 60>::type, op::linear>, amp::f16>);

// Strictness is one more setting: it stays under an amendment.
template <class Policy> using casts_t = amp::setting_t<Policy, amp::role::casts>;
static_assert(same<casts_t<amp::strict<mixed>>, amp::refused> && same<casts_t<amp::amend<amp::strict<mixed>, amp::compute<amp::f32>>>, amp::refused> && !same<casts_t<mixed>, amp::refused>);
static_assert(same<amp::compute_t<amp::strict<guarded>, op::softmax>, amp::f32>);
