// The scaler that a policy asks for.
#pragma once
#include <amphora/policy/loss_scale.hpp>  // loss_scale_t
#include <amphora/scale/fixed.hpp>        // fixed
#include <amphora/scale/growth.hpp>       // growth
#include <amphora/scale/rule.hpp>         // is_scale_rule_v, require_within_bounds
#include <amphora/scale/scaler.hpp>       // scaler

#include <type_traits>  // is_same_v

namespace amphora { inline namespace AMPHORA_ABI {
namespace detail {

template <class Kind> struct rule_of { using t = fixed; };
template <class Rule> struct rule_of<dynamic_scale<Rule>> { using t = Rule; };

}  // namespace detail

/// The rule of a policy's or a plan's kind of scaling: that of dynamic_scale, or fixed.
template <class Policy> using scale_rule_t = typename detail::rule_of<loss_scale_t<Policy>>::t;

/// Whether a scaler of Policy can follow Rule; `fixed` can stand in for any kind, as a policy's default may be overruled by hand.
template <class Policy, class Rule>
inline constexpr bool follows_v = is_scale_rule_v<Rule> && (std::is_same_v<Rule, scale_rule_t<Policy>> || std::is_same_v<Rule, fixed>) &&
                                  !(std::is_same_v<loss_scale_t<Policy>, no_scale>);

template <class Policy, class Rule>
constexpr bool require_follows() {
  static_assert(follows_v<Policy, Rule>,
      "amphora [contradiction]: the policy names another kind of loss scaling than this rule; write loss_scale<amphora::dynamic_scale<Rule>>, static_scale or no_scale in it");
  return true;
}

/// A scaler of the kind that Policy names (loss_scale_t), by the default rule of that kind: its scale is one and stays one
/// under no_scale, and moves as PyTorch's under dynamic_scale<>.
///
/// Errors  scale-bounds  (compiling) a static_scale has no default number: give amphora::fixed{128}; or a rule's defaults cannot work
template <class Policy, class Context>
scaler<Context, scale_rule_t<Policy>> make_scaler(Context& context) {
  static_assert(!std::is_same_v<loss_scale_t<Policy>, static_scale>,
      "amphora [scale-bounds]: a static scale has no default number; write make_scaler<Policy>(context, amphora::fixed{128})");
  constexpr scale_rule_t<Policy> rule{};
  static_assert(is_within_bounds(rule),
      "amphora [scale-bounds]: the numbers that this policy's rule has by default cannot work; growth above 1, backoff in (0,1), floor <= initial <= ceiling in [2^-126, 2^126]");
  return scaler<Context, scale_rule_t<Policy>>(context, rule);
}
/// By a rule with its numbers, e.g. `preset::megatron()`.
///
/// Errors  contradiction  (compiling) the policy names another kind; scale-bounds  a setting outside its range
template <class Policy, class Context, class Rule, std::enable_if_t<!std::is_same_v<Rule, bool>, int> = 0>
scaler<Context, Rule> make_scaler(Context& context, const Rule& rule, bool enabled = true) {
  static_assert(require_follows<Policy, Rule>());
  return scaler<Context, Rule>(context, rule, enabled);
}
/// By a rule that is a constant of static storage: a setting outside its range does not compile.
///
/// Example  static constexpr amphora::growth slow{2, 0.5, 4000};  auto scaler = amphora::make_scaler<mixed, slow>(context);
template <class Policy, const auto& Rule, class Context>
auto make_scaler(Context& context, bool enabled = true) {
  using rule = std::remove_cv_t<std::remove_reference_t<decltype(Rule)>>;
  static_assert(require_follows<Policy, rule>());
  require_within_bounds<Rule>();
  return scaler<Context, rule>(context, Rule, enabled);
}

}}  // namespace amphora
