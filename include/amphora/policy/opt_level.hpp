// Apex's opt levels as policies: o0 … o3.
#pragma once
#include <amphora/op/loss.hpp>           // loss
#include <amphora/op/normalization.hpp>  // batch_norm
#include <amphora/policy/override.hpp>   // cast_model_type, require_level
#include <amphora/policy/policy.hpp>     // policy, amended_t

#include <type_traits>  // conditional_t, is_same_v

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

template <class F> using in_batch_norm = in<op::batch_norm, params<F>, compute<F>>;
template <class F> using kept_t = std::conditional_t<std::is_same_v<F, f64>, f64, f32>;  // never narrower than the model

/// What a level says before its overrides, for the model's format F. The loss is f32 at every level.
template <int Level, class F> struct level_defaults { using t = rows_t<params<F>, compute<F>, in<op::loss, compute<f32>>>; };
template <int Level> struct level_defaults<Level, none> { using t = rows_t<in<op::loss, compute<f32>>>; };
template <class F> struct level_defaults<1, F> {
  using t = rows_t<in<op::contraction, compute<F>>, in<op::sensitive, compute<f32>>, in<op::promoting, compute<widest>>>;
};
template <class F> struct level_defaults<2, F> {
  using t = rows_t<params<F>, compute<F>, in<op::loss, compute<f32>>, master<kept_t<F>>, in_batch_norm<kept_t<F>>>;
};
template <class F> struct level_defaults<3, F> { using t = rows_t<params<F>, compute<F>, in<op::loss, compute<f32>>, master<none>>; };
template <> struct level_defaults<2, none> : level_defaults<0, none> {};
template <> struct level_defaults<3, none> : level_defaults<0, none> {};

/// What an override says; nothing where it repeats the level.
template <int Level, class F, class Override> struct meaning { using t = list<>; };
template <class F> struct meaning<1, F, op_lists<false>> {
  using t = rows_t<in<op::contraction, compute<as_given>>, in<op::sensitive, compute<as_given>>, in<op::promoting, compute<as_given>>>;
};
template <int Level, class F> struct meaning<Level, F, keep_batchnorm_fp32<true>> { using t = rows_t<in_batch_norm<kept_t<F>>>; };
template <int Level, class F> struct meaning<Level, F, keep_batchnorm_fp32<false>> { using t = rows_t<in_batch_norm<F>>; };
template <int Level> struct meaning<Level, none, keep_batchnorm_fp32<false>> { using t = list<>; };
template <int Level, class F> struct meaning<Level, F, master_weights<true>> { using t = rows_t<master<kept_t<F>>>; };
template <int Level, class F> struct meaning<Level, F, master_weights<false>> { using t = rows_t<master<none>>; };
template <int Level, class F, class Scale> struct meaning<Level, F, loss_scale<Scale>> { using t = rows_t<loss_scale<Scale>>; };

/// The model's format once its cast is overridden; o1 casts no model, so that there it stays its ops' format.
template <int Level, class Format, class... Overrides> struct model_format { using t = Format; };
template <int Level, class Format, class First, class... Rest> struct model_format<Level, Format, First, Rest...> : model_format<Level, Format, Rest...> {};
template <int Level, class Format, class F, class... Rest> struct model_format<Level, Format, cast_model_type<F>, Rest...> {
  using t = std::conditional_t<Level == 1, Format, F>;
};
template <int Level, class F>
using level_scale = std::conditional_t<(Level == 1 || Level == 2) && std::is_same_v<F, f16>, dynamic_scale<>, no_scale>;

template <bool Legal, int Level, class Format, class... Overrides> struct level_rows { using t = list<>; };  // nothing after an error fails
template <int Level, class Format, class... Overrides> struct level_rows<true, Level, Format, Overrides...> {
  using model = typename model_format<Level, Format, Overrides...>::t;
  using base = typename laid_over<typename level_defaults<Level, model>::t, rows_t<loss_scale<level_scale<Level, model>>>>::t;
  using t = typename laid_over<base, decltype((list<>{} + ... + typename meaning<Level, model, Overrides>::t{}))>::t;
};

template <int Level, class Format, class... Overrides>
struct leveled : policy_rows<typename level_rows<is_level_v<Level, Format, Overrides...>, Level, Format, Overrides...>::t> {
  static_assert(require_level<Level, Format, Overrides...>());
  static constexpr int opt_level = Level;
  using format = Format;
};

}  // namespace detail

/// Everything in f32: the baseline.
///
/// Overrides  cast_model_type, op_lists, keep_batchnorm_fp32, master_weights, loss_scale, each at most once
/// Errors     illegal-override where Apex refuses it, contradiction
template <class... Overrides> struct o0 : detail::leveled<0, f32, Overrides...> {};
/// Weights in f32; each op in the format of its class: contractions in Format, sensitive ones in f32, promoting ones in the widest.
template <class Format = f16, class... Overrides> struct o1 : detail::leveled<1, Format, Overrides...> {};
/// Weights and all ops in Format, batch norm and losses in f32, float masters.
template <class Format = f16, class... Overrides> struct o2 : detail::leveled<2, Format, Overrides...> {};
/// Everything in Format but losses, no masters: the speed to compare with.
template <class Format = f16, class... Overrides> struct o3 : detail::leveled<3, Format, Overrides...> {};

}}  // namespace amphora
