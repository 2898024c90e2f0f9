// What an optimizer rule is: the update of one element, in float, and the questions that can be asked of it.
#pragma once
#include <amphora/detail/config.hpp>  // AMPHORA_HD
#include <amphora/format/real.hpp>    // real

#include <cstdint>      // int64_t
#include <type_traits>  // is_same_v, is_trivially_copyable_v
#include <utility>      // declval

namespace amphora { inline namespace AMPHORA_ABI {

/// The own numbers of a rule that has none.
struct no_scalars {};

namespace detail {

template <class Rule, class = void> struct rule_scalars { using type = no_scalars; };
template <class Rule> struct rule_scalars<Rule, std::void_t<typename Rule::scalars>> { using type = typename Rule::scalars; };

template <class Rule, class = void> inline constexpr bool rule_needs_norms = false;
template <class Rule> inline constexpr bool rule_needs_norms<Rule, std::void_t<decltype(Rule::needs_norms)>> = Rule::needs_norms;

template <class Rule, class = void> inline constexpr int rule_states = 0;
template <class Rule> inline constexpr int rule_states<Rule, std::void_t<decltype(Rule::states)>> = Rule::states;

template <class Rule, class = void> inline constexpr const char* rule_name = "user rule";
template <class Rule> inline constexpr const char* rule_name<Rule, std::void_t<decltype(Rule::name)>> = Rule::name;

struct ignore_setting { template <class T> constexpr void operator()(const char*, T&) const {} };
template <class Rule, class = void> inline constexpr bool rule_has_settings = false;
template <class Rule>
inline constexpr bool rule_has_settings<Rule, std::void_t<decltype(Rule::settings(std::declval<Rule&>(), ignore_setting{}))>> = true;

template <class Rule, class = void> inline constexpr bool rule_has_check = false;
template <class Rule> inline constexpr bool rule_has_check<Rule, std::void_t<decltype(std::declval<const Rule&>().check())>> = true;

template <class Rule, class = void> inline constexpr bool rule_at_takes_scalars = false;
template <class Rule>
inline constexpr bool rule_at_takes_scalars<
    Rule, std::void_t<decltype(std::declval<const Rule&>().at(0.0f, std::int64_t(), std::declval<typename rule_scalars<Rule>::type&>()))>> = true;

}  // namespace detail

/// A rule's members, with what it leaves out filled in.
///
/// A rule is a trivially copyable struct at namespace scope; its fields are its settings. It has
///
///     float learning_rate;                     what the optimizer starts with; every other setting as a double
///     static constexpr int states;             floats of state for each element; they start as zeros
///     struct now { real …; };                  what all elements of one step share
///     AMPHORA_HD now at(float learning_rate, std::int64_t step, scalars& own) const;
///     AMPHORA_HD void operator()(real g, real& w, real* s, const now& n) const;
///
/// `at` runs once for each tensor and taken step (step counts from 1 for each tensor), on the device where the step runs.
/// The call updates one element: g is the gradient (unscaled and clipped), w the master weight, s[0 … states - 1] its
/// state. It runs in a loop that is vectorised, so it is arithmetic on `real` and choices by ?:, with no call to a math
/// library.
///
/// Optional: `static constexpr const char* name`; `check()`, which fails on a bad setting; `struct scalars`, numbers of its
/// own that move only in `at`, on taken steps, and are saved (by name where they have `fields`, as bytes otherwise); `settings`,
/// which names the fields for a state file; and
///
///     static constexpr bool needs_norms = true;
///     AMPHORA_HD real direction(real g, real w, real* s, const now& n) const;      pass one; may write s
///     AMPHORA_HD real trust(double weight_norm, double direction_norm, const now& n) const;
///     AMPHORA_HD void apply(real g, real trust, real& w, real* s, const now& n) const;   pass two
///
/// in place of the call, for a rule that needs the norms of each tensor's weights and of what `direction` returned.
/// Pass two sees the state as pass one left it, so a direction is computed again rather than stored.
template <class Rule>
struct rule_traits {
  static_assert(std::is_trivially_copyable_v<Rule>, "amphora [setting]: a rule is copied to the device as bytes; make it trivially copyable");
  using now = typename Rule::now;
  using scalars = typename detail::rule_scalars<Rule>::type;
  static constexpr int states = detail::rule_states<Rule>;
  static constexpr bool needs_norms = detail::rule_needs_norms<Rule>;
  static constexpr bool has_scalars = !std::is_empty_v<scalars>;
  static constexpr bool has_settings = detail::rule_has_settings<Rule>;
  static constexpr const char* name = detail::rule_name<Rule>;
  static_assert(std::is_trivially_copyable_v<scalars> && std::is_trivially_copyable_v<now>);

  /// The rule's own check, where it has one.
  static constexpr void check(const Rule& rule) {
    if constexpr (detail::rule_has_check<Rule>) rule.check();
  }
  /// What all elements of the step-th taken step share; moves the rule's own scalars.
  AMPHORA_HD static now at(const Rule& rule, float learning_rate, std::int64_t step, scalars& own) {
    if constexpr (detail::rule_at_takes_scalars<Rule>) return rule.at(learning_rate, step, own);
    else return rule.at(learning_rate, step);
  }
  /// Calls visit(name, field) for each setting, in the order in which they are declared.
  template <class Settings, class Visit> static constexpr void settings(Settings& rule, Visit&& visit) {
    if constexpr (has_settings) Rule::settings(rule, visit);
  }
};

}}  // namespace amphora
