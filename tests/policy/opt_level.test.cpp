#include <amphora/policy/opt_level.hpp>

#include <amphora/op/op.hpp>              // every tag
#include <amphora/policy/loss_scale.hpp>  // loss_scale_t
#include <amphora/policy/weights.hpp>     // params_t, master_t

#include <type_traits>  // is_same_v

namespace amp = amphora;
namespace op = amp::op;
using amp::f16, amp::bf16, amp::f32, amp::f64, amp::none;

template <class A, class B> constexpr bool same = std::is_same_v<A, B>;
template <class Policy, class Params, class BatchNorm, class Master, class Scale> constexpr bool is_level =
    same<amp::params_t<Policy, op::linear>, Params> && same<amp::params_t<Policy, op::batch_norm>, BatchNorm> &&
    same<amp::master_t<Policy, op::linear>, Master> && same<amp::loss_scale_t<Policy>, Scale>;
template <class Policy, class Contraction, class Reduction, class Promoting, class Transparent> constexpr bool computes =
    same<amp::compute_t<Policy, op::linear>, Contraction> && same<amp::compute_t<Policy, op::softmax>, Reduction> &&
    same<amp::compute_t<Policy, op::add>, Promoting> && same<amp::compute_t<Policy, op::gelu>, Transparent>;
using dynamic = amp::dynamic_scale<>;

// the table of the levels
static_assert(is_level<amp::o0<>, f32, f32, f32, amp::no_scale> && computes<amp::o0<>, f32, f32, f32, f32>);
static_assert(is_level<amp::o1<f16>, f32, f32, f32, dynamic> && computes<amp::o1<f16>, f16, f32, amp::widest, amp::as_given>);
static_assert(is_level<amp::o2<f16>, f16, f32, f32, dynamic> && computes<amp::o2<f16>, f16, f16, f16, f16> && same<amp::compute_t<amp::o2<f16>, op::batch_norm>, f32>);
static_assert(is_level<amp::o3<f16>, f16, f16, none, amp::no_scale> && computes<amp::o3<f16>, f16, f16, f16, f16> && same<amp::compute_t<amp::o3<f16>, op::batch_norm>, f16>);
static_assert(is_level<amp::o1<bf16>, f32, f32, f32, amp::no_scale> && is_level<amp::o2<bf16>, bf16, f32, f32, amp::no_scale> && is_level<amp::o3<bf16>, bf16, bf16, none, amp::no_scale>);
static_assert(same<amp::o1<>, amp::o1<f16>> && same<amp::o2<>, amp::o2<f16>> && same<amp::o3<>, amp::o3<f16>>);
static_assert(amp::o0<>::opt_level == 0 && amp::o3<bf16>::opt_level == 3 && same<amp::o2<bf16>::format, bf16>);
// the loss is f32 at every level
template <class... Levels> constexpr bool loss_in_f32 = (same<amp::output_t<Levels, op::cross_entropy, f16>, f32> && ...);
static_assert(loss_in_f32<amp::o0<>, amp::o1<f16>, amp::o2<f16>, amp::o3<f16>, amp::o2<bf16>, amp::o3<bf16>, amp::o2<f16, amp::cast_model_type<none>>>);

// cast_model_type: the whole model, batch norm as the level keeps it, and the default scale follows
static_assert(is_level<amp::o0<amp::cast_model_type<f16>>, f16, f16, f32, amp::no_scale> && computes<amp::o0<amp::cast_model_type<f16>>, f16, f16, f16, f16>);
static_assert(is_level<amp::o2<f16, amp::cast_model_type<bf16>>, bf16, f32, f32, amp::no_scale> && computes<amp::o2<f16, amp::cast_model_type<bf16>>, bf16, bf16, bf16, bf16>);
static_assert(is_level<amp::o2<f16, amp::cast_model_type<f32>>, f32, f32, f32, amp::no_scale> && is_level<amp::o3<f16, amp::cast_model_type<f64>>, f64, f64, f64, amp::no_scale>);
static_assert(is_level<amp::o3<f16, amp::cast_model_type<none>>, f32, f32, f32, amp::no_scale> && computes<amp::o3<f16, amp::cast_model_type<none>>, amp::as_given, amp::as_given, amp::as_given, amp::as_given>);
static_assert(is_level<amp::o1<f16, amp::cast_model_type<f32>>, f32, f32, f32, dynamic> && computes<amp::o1<f16, amp::cast_model_type<none>>, f16, f32, amp::widest, amp::as_given>);
// op_lists<false> at o1: nothing but the scale is left
static_assert(is_level<amp::o1<f16, amp::op_lists<false>>, f32, f32, f32, dynamic> && computes<amp::o1<f16, amp::op_lists<false>>, amp::as_given, amp::as_given, amp::as_given, amp::as_given>);
static_assert(computes<amp::o1<f16, amp::op_lists<true>>, f16, f32, amp::widest, amp::as_given> && computes<amp::o2<f16, amp::op_lists<false>>, f16, f16, f16, f16>);
// batch norm
static_assert(is_level<amp::o2<f16, amp::keep_batchnorm_fp32<false>>, f16, f16, f32, dynamic> && is_level<amp::o3<f16, amp::keep_batchnorm_fp32<true>>, f16, f32, none, amp::no_scale>);
static_assert(is_level<amp::o2<f16, amp::keep_batchnorm_fp32<false>, amp::cast_model_type<bf16>>, bf16, bf16, f32, amp::no_scale>);  // in any order
static_assert(is_level<amp::o2<f16, amp::cast_model_type<bf16>, amp::keep_batchnorm_fp32<false>>, bf16, bf16, f32, amp::no_scale>);
static_assert(is_level<amp::o0<amp::cast_model_type<f16>, amp::keep_batchnorm_fp32<true>>, f16, f32, f32, amp::no_scale>);
// masters
static_assert(is_level<amp::o2<f16, amp::master_weights<false>>, f16, f32, none, dynamic> && is_level<amp::o3<f16, amp::master_weights<true>>, f16, f16, f32, amp::no_scale>);
static_assert(same<amp::master_t<amp::o2<f16, amp::master_weights<false>>, op::batch_norm>, f32>);  // float weights are their own
// scales
static_assert(is_level<amp::o2<f16, amp::loss_scale<amp::static_scale>>, f16, f32, f32, amp::static_scale> && is_level<amp::o0<amp::loss_scale<dynamic>>, f32, f32, f32, dynamic>);
static_assert(is_level<amp::o1<bf16, amp::loss_scale<dynamic>>, f32, f32, f32, dynamic> && is_level<amp::o1<f16, amp::loss_scale<amp::no_scale>>, f32, f32, f32, amp::no_scale>);
// a level is a policy to build on
struct own : amp::amend<amp::o2<f16>, amp::in<op::layer_norm, amp::params<f32>, amp::compute<f32>>> {};
static_assert(same<amp::params_t<own, op::layer_norm>, f32> && same<amp::params_t<own, op::linear>, f16>);
