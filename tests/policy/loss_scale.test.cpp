#include <amphora/policy/loss_scale.hpp>

#include <amphora/op/op.hpp>             // every tag
#include <amphora/policy/opt_level.hpp>  // o0 … o3

#include <type_traits>  // is_same_v

namespace amp = amphora;
namespace op = amp::op;
using amp::f16, amp::bf16, amp::f32;

template <class Plan, class Kind> constexpr bool scales = std::is_same_v<amp::loss_scale_t<Plan>, Kind>;
using dynamic = amp::dynamic_scale<>;

// needed where gradients pass through five exponent bits, in any branch
static_assert(amp::needs_loss_scaling_v<amp::o1<f16>> && amp::needs_loss_scaling_v<amp::o3<f16>> && !amp::needs_loss_scaling_v<amp::o1<bf16>> && !amp::needs_loss_scaling_v<amp::o0<>>);
static_assert(amp::needs_loss_scaling_v<amp::policy<amp::in<op::linear, amp::compute<f16>>>> && amp::needs_loss_scaling_v<amp::policy<amp::output<amp::e5m2>>>);
static_assert(amp::needs_loss_scaling_v<amp::policy<amp::gradient<f16>>> && amp::needs_loss_scaling_v<amp::policy<amp::params<amp::e4m3>>>);
static_assert(!amp::needs_loss_scaling_v<amp::policy<amp::compute<amp::tf32>, amp::gradient<bf16>>> && !amp::needs_loss_scaling_v<amp::policy<>>);
static_assert(!amp::needs_loss_scaling_v<amp::policy<amp::accumulate<f16, amp::narrow>>>);
static_assert(!amp::needs_loss_scaling_v<amp::amend<amp::policy<amp::compute<f16>>, amp::compute<bf16>>>);  // what was replaced is gone
static_assert(!amp::needs_loss_scaling_v<int> && !amp::needs_loss_scaling_v<void> && !amp::needs_loss_scaling_v<f16>);

// by the formats, unless it is said
static_assert(scales<amp::o1<f16>, dynamic> && scales<amp::o2<f16>, dynamic> && scales<amp::o3<f16>, amp::no_scale> && scales<amp::o0<>, amp::no_scale> && scales<amp::o1<bf16>, amp::no_scale>);
static_assert(scales<amp::policy<amp::compute<f16>>, dynamic> && scales<amp::policy<>, amp::no_scale> && scales<amp::policy<amp::compute<f16>, amp::loss_scale<amp::no_scale>>, amp::no_scale>);
struct my_rule {};
static_assert(scales<amp::amend<amp::o1<f16>, amp::loss_scale<amp::dynamic_scale<my_rule>>>, amp::dynamic_scale<my_rule>> && scales<amp::o3<f16, amp::loss_scale<amp::static_scale>>, amp::static_scale>);

// a plan: the first of its policies that scales
namespace layer { struct body; struct head; }
using mostly_bf16 = amp::plan<amp::o1<bf16>, amp::at<layer::body, amp::o1<f16>>, amp::at<layer::head, amp::o0<>>>;
static_assert(scales<mostly_bf16, dynamic> && amp::needs_loss_scaling_v<mostly_bf16>);
static_assert(scales<amp::plan<amp::o1<bf16>, amp::at<layer::head, amp::o0<>>>, amp::no_scale> && !amp::needs_loss_scaling_v<amp::plan<amp::o1<bf16>, amp::at<layer::head, amp::o0<>>>>);
static_assert(scales<amp::plan<amp::o1<f16, amp::loss_scale<amp::static_scale>>, amp::at<layer::head, amp::o1<f16>>>, amp::static_scale>);
