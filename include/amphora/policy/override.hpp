// What can be overridden in an opt level, and where Apex allows it.
#pragma once
#include <amphora/detail/rows.hpp>        // list, row, each_once
#include <amphora/format/format.hpp>      // f16, bf16, f32, f64
#include <amphora/policy/rules.hpp>       // is_stored_v
#include <amphora/policy/scale_kind.hpp>  // is_scale_kind_v
#include <amphora/policy/setting.hpp>     // loss_scale, none

#include <type_traits>  // is_same_v

namespace amphora { inline namespace AMPHORA_ABI {

template <class Format> struct cast_model_type {};  ///< what the model is cast to: f16, bf16, f32, f64, or none for no cast
template <bool> struct op_lists {};                 ///< Apex: patch_torch_functions
template <bool> struct keep_batchnorm_fp32 {};      ///< weights and arithmetic of batch norm in f32
template <bool> struct master_weights {};           ///< float masters beside a low-precision model

/// Whether a level, 0 to 3, allows an override: Apex's table. False for what is no override.
template <int Level, class Override> inline constexpr bool is_legal_override_v = false;
template <int Level, class F> inline constexpr bool is_legal_override_v<Level, cast_model_type<F>> =
    roles<f16, bf16, f32, f64, none>::has<F> && (Level != 1 || roles<f32, none>::has<F>);
template <int Level, bool On> inline constexpr bool is_legal_override_v<Level, op_lists<On>> = Level == 1 || !On;
template <int Level, bool On> inline constexpr bool is_legal_override_v<Level, keep_batchnorm_fp32<On>> = Level != 1;
template <int Level, bool On> inline constexpr bool is_legal_override_v<Level, master_weights<On>> = Level != 1;
template <int Level, class Scale> inline constexpr bool is_legal_override_v<Level, loss_scale<Scale>> = is_scale_kind_v<Scale>;

template <int Level, class Override> constexpr void require_legal_override() {
  static_assert(is_legal_override_v<Level, Override>,
      "amphora [illegal-override]: this opt level cannot change that property; take another level, or build the policy with amphora::amend");
}
template <class Format> constexpr void require_level_format() {
  static_assert(detail::is_stored_v<Format>,
      "amphora [unknown-format]: an opt level takes a format first, then its overrides; write amphora::o1<amphora::f16, overrides...>");
}

namespace detail {

template <class Override> struct property { using t = Override; };  // what an override overrides
template <class F> struct property<cast_model_type<F>> { using t = cast_model_type<void>; };
template <bool On> struct property<op_lists<On>> { using t = op_lists<true>; };
template <bool On> struct property<keep_batchnorm_fp32<On>> { using t = keep_batchnorm_fp32<true>; };
template <bool On> struct property<master_weights<On>> { using t = master_weights<true>; };
template <class Scale> struct property<loss_scale<Scale>> { using t = loss_scale<void>; };

template <class... Overrides> inline constexpr bool overrides_once_v = each_once(list<row<void, typename property<Overrides>::t, void>...>{});
template <class... Overrides> constexpr void require_overrides_once() {
  static_assert(overrides_once_v<Overrides...>, "amphora [contradiction]: one property of an opt level is overridden twice; keep one");
}

template <int Level, class Format, class... Overrides> inline constexpr bool is_level_v =
    is_stored_v<Format> && (is_legal_override_v<Level, Overrides> && ...) && overrides_once_v<Overrides...>;
template <int Level, class Format, class... Overrides> constexpr bool require_level() {
  if constexpr (!is_stored_v<Format>) require_level_format<Format>();
  else if constexpr (!(is_legal_override_v<Level, Overrides> && ...)) (require_legal_override<Level, Overrides>(), ...);
  else require_overrides_once<Overrides...>();
  return true;
}

}  // namespace detail
}}  // namespace amphora
