#include <amphora/policy/weights.hpp>

#include <amphora/op/op.hpp>             // every tag
#include <amphora/policy/opt_level.hpp>  // o0 … o3

#include <type_traits>  // is_same_v

namespace amp = amphora;
namespace op = amp::op;
using amp::f16, amp::bf16, amp::f32, amp::f64, amp::none;

/// Params, model, master and gradient of Op's weights.
template <class Policy, class Op, class Params, class Model, class Master, class Gradient> constexpr bool are =
    std::is_same_v<amp::params_t<Policy, Op>, Params> && std::is_same_v<amp::model_t<Policy, Op>, Model> &&
    std::is_same_v<amp::master_t<Policy, Op>, Master> && std::is_same_v<amp::gradient_t<Policy, Op>, Gradient>;

static_assert(are<amp::o0<>, op::linear, f32, f32, f32, f32> && are<amp::policy<>, op::linear, f32, f32, f32, f32>);
static_assert(are<amp::o1<f16>, op::linear, f32, f16, f32, f16> && are<amp::o1<bf16>, op::linear, f32, bf16, f32, bf16> && are<amp::o1<f16>, op::layer_norm, f32, f32, f32, f32>);
static_assert(are<amp::o1<f16>, op::embedding, f32, f32, f32, f32>);
static_assert(are<amp::o2<f16>, op::linear, f16, f16, f32, f16> && are<amp::o2<bf16>, op::layer_norm, bf16, bf16, f32, bf16> && are<amp::o2<f16>, op::batch_norm, f32, f32, f32, f32>);
static_assert(are<amp::o3<f16>, op::linear, f16, f16, none, f16> && are<amp::o3<bf16>, op::batch_norm, bf16, bf16, none, bf16>);

// a gradient of its own, f64, and float weights that say they have no master: they are their own
static_assert(are<amp::amend<amp::o1<f16>, amp::gradient<f32>>, op::linear, f32, f16, f32, f32> && are<amp::policy<amp::params<f64>>, op::linear, f64, f64, f64, f64>);
static_assert(are<amp::o0<amp::master_weights<false>>, op::linear, f32, f32, f32, f32> && are<amp::policy<amp::master<f64>>, op::linear, f32, f32, f64, f32>);
// a sensitive op converts in registers: it reads the stored weights unless its copy is smaller; a contraction needs its format in memory
static_assert(are<amp::policy<amp::params<f16>, amp::master<f32>, amp::compute<f32>>, op::layer_norm, f16, f16, f32, f16>);
static_assert(are<amp::policy<amp::params<f16>, amp::master<f32>, amp::compute<f32>>, op::linear, f16, f32, f32, f32>);
static_assert(are<amp::policy<amp::compute<f16>>, op::layer_norm, f32, f16, f32, f16> && are<amp::policy<amp::compute<amp::tf32>>, op::linear, f32, f32, f32, f32>);
// without a master there is no second copy
using bare = amp::policy<amp::params<bf16, amp::stochastic>, amp::compute<f16>>;
static_assert(are<bare, op::linear, bf16, bf16, none, bf16> && amp::is_stochastic_v<bare, op::linear>);
static_assert(!amp::is_stochastic_v<amp::o3<bf16>, op::linear> && !amp::is_stochastic_v<int, int> && !amp::is_stochastic_v<amp::amend<bare, amp::params<bf16>>, op::linear>);

static_assert(amp::may_step_v<amp::o1<f16>, op::linear> && amp::may_step_v<amp::o3<f16>, op::linear> && amp::may_step_v<bare, op::linear> && amp::may_step_v<amp::o2<bf16>, op::batch_norm>);
static_assert(!amp::may_step_v<amp::policy<amp::params<f16>>, op::linear> && !amp::may_step_v<amp::o0<amp::cast_model_type<f16>>, op::linear>);
static_assert(amp::may_step_v<amp::policy<amp::in<op::linear, amp::params<f16>>>, op::batch_norm> && !amp::may_step_v<int, op::linear> && !amp::may_step_v<amp::o0<>, int>);
