#include <amphora/policy/override.hpp>

namespace amp = amphora;

template <int Level, class... Overrides> constexpr bool all_legal = (amp::is_legal_override_v<Level, Overrides> && ...);
template <class Override> constexpr bool only_at_0_2_3 =
    amp::is_legal_override_v<0, Override> && !amp::is_legal_override_v<1, Override> && amp::is_legal_override_v<2, Override> && amp::is_legal_override_v<3, Override>;

// The whole table is compiled by tests/compile_fail; here are the questions.
static_assert(only_at_0_2_3<amp::cast_model_type<amp::f16>> && only_at_0_2_3<amp::keep_batchnorm_fp32<false>> && only_at_0_2_3<amp::master_weights<false>>);
static_assert(all_legal<1, amp::cast_model_type<amp::f32>, amp::cast_model_type<amp::none>, amp::op_lists<true>, amp::op_lists<false>, amp::loss_scale<amp::static_scale>>);
static_assert(!amp::is_legal_override_v<0, amp::op_lists<true>> && amp::is_legal_override_v<0, amp::op_lists<false>>);
static_assert(!amp::is_legal_override_v<2, amp::cast_model_type<amp::e4m3>> && !amp::is_legal_override_v<2, amp::cast_model_type<float>> && !amp::is_legal_override_v<2, amp::loss_scale<float>>);
static_assert(!amp::is_legal_override_v<1, int> && !amp::is_legal_override_v<0, void> && !amp::is_legal_override_v<2, amp::compute<amp::f16>>);
