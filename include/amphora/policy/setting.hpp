// The settings that a policy is written in: one role, one answer.
#pragma once
#include <amphora/format/format.hpp>  // bf16
#include <amphora/op/role.hpp>        // role

namespace amphora { inline namespace AMPHORA_ABI {

/// Value for Role. A setting of your own is an alias of one, or derives from one; so is a role of your own, which an op reads
/// by naming it in its `reads`.
template <class Role, class Value> struct setting {};

struct nearest {};     ///< rounding to nearest, ties to even: what params<F> does
struct stochastic {};  ///< said in params<bf16, stochastic>: rounded up or down by chance, so that no master is needed
struct narrow {};      ///< said in accumulate<F, narrow>: sums in fewer bits than f32's, on purpose
struct none {};        ///< said in master<none>: the optimizer updates the low-precision weights themselves; and "no cast" in cast_model_type<none>
struct refused {};     ///< what strict<Policy> says of casts

namespace detail {
/// A format and a word said aloud about it.
template <class Format, class Word> struct said { using format = Format; };
template <class Value> struct unsaid { using type = Value; };
template <class Format, class Word> struct unsaid<said<Format, Word>> { using type = Format; };
template <class Value> using unsaid_t = typename unsaid<Value>::type;
struct usual {};
}  // namespace detail

/// How weights are stored. params<bf16, stochastic> stores them without a master.
template <class Format, class Rounding = nearest> struct params {};
template <class Format> struct params<Format, nearest> : setting<role::params, Format> {};
template <> struct params<bf16, stochastic> : setting<role::params, detail::said<bf16, stochastic>> {};

/// The format in which ops read their operands: a format, widest or as_given.
template <class Format> struct compute : setting<role::compute, Format> {};

/// The format of sums. Less than f32 must be said aloud: accumulate<f16, narrow>.
template <class Format, class Word = detail::usual> struct accumulate {};
template <class Format> struct accumulate<Format, detail::usual> : setting<role::accumulate, Format> {};
template <class Format> struct accumulate<Format, narrow> : setting<role::accumulate, detail::said<Format, narrow>> {};

/// What ops store: a format, as_computed, widest or as_given.
template <class Format> struct output : setting<role::output, Format> {};

/// What the optimizer updates: f32 or wider, or none.
template <class Format> struct master : setting<role::master, Format> {};

/// How the gradients of weights are stored. Unset: in the format in which their op reads the weights.
template <class Format> struct gradient : setting<role::gradient, Format> {};

/// What keeps small gradients alive: no_scale, static_scale or dynamic_scale<Rule>. Unset: it follows from the formats.
template <class Scale> struct loss_scale : setting<role::scale, Scale> {};

/// Settings for a branch of the op tree or for one op: in<op::reduction, compute<f32>>.
template <class Op, class... Settings> struct in {};

}}  // namespace amphora
