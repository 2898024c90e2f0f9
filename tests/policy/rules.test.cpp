#include <amphora/policy/rules.hpp>

#include <amphora/op/op.hpp>  // every tag

namespace amp = amphora;
namespace op = amp::op;

struct my_role;
template <class Value> struct my_setting : amp::setting<my_role, Value> {};
template <class Value> using my_alias = amp::setting<my_role, Value>;
struct tiled { using parent = op::contraction; using reads = amp::roles<my_role>; };

// is_setting_v says nothing of values
static_assert(amp::is_setting_v<amp::compute<float>> && amp::is_setting_v<my_setting<int>> && amp::is_setting_v<my_alias<int>>);
static_assert(amp::is_setting_v<amp::in<op::softmax, amp::compute<amp::f32>, my_setting<int>>>);
static_assert(!amp::is_setting_v<int> && !amp::is_setting_v<void> && !amp::is_setting_v<amp::f16> && !amp::is_setting_v<amp::loss_scale<amp::f16>>);
static_assert(!amp::is_setting_v<amp::in<op::softmax>> && !amp::is_setting_v<amp::in<op::softmax, int>> && !amp::is_setting_v<amp::in<int, amp::compute<amp::f32>>>);
static_assert(!amp::is_setting_v<amp::in<op::softmax, amp::in<op::softmax, amp::compute<amp::f32>>>> && !amp::is_setting_v<amp::params<amp::f16, amp::stochastic>>);

// what a role can be given
template <class... Settings> constexpr bool named = amp::names_formats_v<Settings...>;
static_assert(named<> && named<int> && named<amp::compute<amp::tf32>, amp::compute<amp::widest>, amp::compute<amp::as_given>, my_setting<float>>);
static_assert(named<amp::output<amp::widest>, amp::output<amp::as_given>, amp::output<amp::as_computed>, amp::master<amp::none>, amp::params<amp::bf16, amp::stochastic>>);
static_assert(!named<amp::compute<float>> && !named<amp::compute<amp::as_computed>> && !named<amp::params<amp::widest>> && !named<amp::params<amp::tf32>>);
static_assert(!named<amp::output<amp::tf32>> && !named<amp::gradient<amp::tf32>> && !named<amp::master<amp::as_given>> && !named<amp::gradient<amp::none>>);
static_assert(!named<amp::accumulate<amp::widest>> && !named<amp::accumulate<float, amp::narrow>> && !named<amp::in<op::linear, amp::compute<int>>>);

// what a branch reads
template <class... Settings> constexpr bool read = amp::is_read_v<Settings...>;
static_assert(read<amp::accumulate<amp::f32>, amp::loss_scale<amp::no_scale>, my_setting<int>>);  // for all ops: somebody reads it
static_assert(read<amp::in<op::linear, amp::params<amp::f16>, amp::gradient<amp::f16>, amp::master<amp::f32>>> && read<amp::in<tiled, my_setting<int>>>);
static_assert(!read<amp::in<op::gelu, amp::accumulate<amp::f32>>> && !read<amp::in<op::sum, amp::params<amp::f32>>> && !read<amp::in<op::sum, amp::master<amp::f32>>>);
static_assert(!read<amp::in<op::linear, amp::loss_scale<amp::no_scale>>> && !read<amp::in<op::linear, my_setting<int>>> && !read<amp::in<tiled, amp::compute<amp::f16>>>);

// once each
static_assert(amp::each_once_v<> && amp::each_once_v<amp::compute<amp::f16>, amp::in<op::sum, amp::compute<amp::f16>>>);
static_assert(!amp::each_once_v<amp::compute<amp::f16>, amp::compute<amp::f16>> && !amp::each_once_v<amp::params<amp::bf16>, amp::params<amp::bf16, amp::stochastic>>);
static_assert(!amp::each_once_v<amp::compute<amp::f16>, amp::in<op::any, amp::compute<amp::f32>>> && !amp::each_once_v<my_setting<int>, my_alias<float>>);
static_assert(!amp::each_once_v<amp::in<op::sum, amp::compute<amp::f16>, amp::compute<amp::f32>>>);

// sums and masters
static_assert(amp::sums_wide_v<> && amp::sums_wide_v<amp::accumulate<amp::f32>> && amp::sums_wide_v<amp::accumulate<amp::f64>> && amp::sums_wide_v<amp::accumulate<amp::f16, amp::narrow>>);
static_assert(!amp::sums_wide_v<amp::accumulate<amp::f16>> && !amp::sums_wide_v<amp::accumulate<amp::tf32>> && !amp::sums_wide_v<amp::in<op::linear, amp::accumulate<amp::bf16>>>);
static_assert(!amp::sums_wide_v<amp::in<op::softmax, amp::accumulate<amp::f16, amp::narrow>>> && amp::sums_wide_v<amp::in<op::linear, amp::accumulate<amp::f16, amp::narrow>>>);
static_assert(amp::keeps_small_updates_v<amp::master<amp::f32>> && amp::keeps_small_updates_v<amp::master<amp::none>> && !amp::keeps_small_updates_v<amp::master<amp::f16>>);

// all of them
static_assert(amp::is_settings_v<> && amp::is_settings_v<amp::compute<amp::f16>, amp::in<op::sum, amp::compute<amp::f32>>>);
static_assert(!amp::is_settings_v<int> && !amp::is_settings_v<amp::compute<float>> && !amp::is_settings_v<amp::accumulate<amp::f16>> && !amp::is_settings_v<amp::master<amp::bf16>>);
