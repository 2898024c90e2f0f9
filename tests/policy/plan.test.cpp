#include <amphora/policy/plan.hpp>

#include <amphora/policy/opt_level.hpp>  // o0, o1

#include <type_traits>  // is_empty_v, is_same_v

namespace amp = amphora;

namespace layer { struct attention; struct mlp; struct head; }
struct mixed : amp::policy<amp::compute<amp::f16>> {};
struct network : amp::plan<amp::o1<amp::f16>, amp::at<layer::mlp, amp::o1<amp::bf16>>, amp::at<layer::head, amp::o0<>>> {};

template <class Plan, class Layer, class Policy> constexpr bool has = std::is_same_v<amp::policy_at_t<Plan, Layer>, Policy>;
static_assert(has<network, layer::mlp, amp::o1<amp::bf16>> && has<network, layer::head, amp::o0<>> && has<network, layer::attention, amp::o1<amp::f16>>);
static_assert(has<amp::plan<mixed>, layer::head, mixed> && has<mixed, layer::head, mixed> && has<network, int, amp::o1<amp::f16>>);  // any type is a layer
static_assert(std::is_empty_v<network> && amp::is_plan_v<network> && amp::is_plan_v<amp::plan<mixed>>);
static_assert(!amp::is_plan_v<mixed> && !amp::is_plan_v<int> && !amp::is_plan_v<void> && !amp::is_policy_v<network>);
static_assert(amp::is_override_v<amp::at<layer::head, int>> && !amp::is_override_v<int> && !amp::is_override_v<mixed>);
static_assert(amp::layers_once_v<> && amp::layers_once_v<layer::head, layer::mlp> && !amp::layers_once_v<layer::head, layer::mlp, layer::head>);
