// Rules as a device runs them, one step of one element after the other: the library's, and a user's own.
#include <amphora/optimizer/rule.hpp>

#include <amphora/optimizer/adadelta.hpp>
#include <amphora/optimizer/adagrad.hpp>
#include <amphora/optimizer/adam.hpp>
#include <amphora/optimizer/adamax.hpp>
#include <amphora/optimizer/adamw.hpp>
#include <amphora/optimizer/amsgrad.hpp>
#include <amphora/optimizer/lamb.hpp>
#include <amphora/optimizer/lars.hpp>
#include <amphora/optimizer/lion.hpp>
#include <amphora/optimizer/nadam.hpp>
#include <amphora/optimizer/radam.hpp>
#include <amphora/optimizer/rmsprop.hpp>
#include <amphora/optimizer/sgd.hpp>

#include "golden.hpp"

#include <doctest/doctest.h>

#include <string>
#include <type_traits>
#include <vector>

using amphora::real;
using amphora::rule_traits;

#define EVERY_RULE                                                                                                          \
  amphora::sgd, amphora::plain_sgd, amphora::adam, amphora::adamw, amphora::amsgrad, amphora::adagrad, amphora::adadelta,     \
      amphora::adamax, amphora::nadam, amphora::radam, amphora::rmsprop, amphora::lion, amphora::lamb, amphora::lars

namespace outside_rules {

/// A user's own rule: the least that there can be.
struct halving {
  float learning_rate = 1;
  struct now { real size; };
  AMPHORA_HD now at(float lr, std::int64_t) const { return {lr * 0.5f}; }
  AMPHORA_HD void operator()(real g, real& w, real*, const now& n) const { w = w - n.size * g; }
};
/// And one with everything.
struct counting {
  float learning_rate = 1;
  double limit = 10;
  static constexpr const char* name = "counting";
  static constexpr int states = 1;
  struct scalars { double taken = 5; };
  struct now { real size; };
  constexpr void check() const {
    if (limit < 0) amphora::detail::fail("setting", "counting has a negative limit");
  }
  AMPHORA_HD now at(float lr, std::int64_t, scalars& own) const { return {own.taken++ < limit ? lr : 0.0f}; }
  AMPHORA_HD void operator()(real g, real& w, real* s, const now& n) const { w = w - n.size * g, s[0] = s[0] + real(1); }
  template <class Rule, class Visit> static constexpr void settings(Rule& rule, Visit&& visit) { visit("limit", rule.limit); }
};

}  // namespace outside_rules

static_assert(rule_traits<outside_rules::halving>::states == 0 && !rule_traits<outside_rules::halving>::has_scalars);
static_assert(!rule_traits<outside_rules::halving>::needs_norms && !rule_traits<outside_rules::halving>::has_settings);
static_assert(rule_traits<outside_rules::counting>::has_scalars && rule_traits<outside_rules::counting>::has_settings);

TEST_CASE("a rule of the user's own needs settings, now, at and the call") {
  CHECK(golden::walk(outside_rules::halving{}, 1, {1}) == 0.5f);
  CHECK(golden::walk(outside_rules::counting{}, 20, std::vector<double>(10, 1.0)) == 15);  // its own count starts at 5, ends at 10
  CHECK(golden::refusal(outside_rules::counting{1, -1}) == "setting");
  rule_traits<outside_rules::halving>::check({});
}

TEST_CASE_TEMPLATE("every rule makes no NaN of zero gradients and zero weights", Rule, EVERY_RULE) {
  for (float start : {0.0f, 1.5f}) {
    const float end = golden::walk(Rule{}, start, {0, 0, 0});
    CHECK(end <= start);
    CHECK(end >= 0.9f * start);
  }
}

TEST_CASE_TEMPLATE("every rule has a form that follows the gradient, where the field gives it one", Rule, EVERY_RULE) {
  Rule down, up;
  bool has = false;
  rule_traits<Rule>::settings(up, [&](const std::string& name, auto& field) {
    if (name == "maximize") field = std::decay_t<decltype(field)>(true), has = true;
    if (name == "weight_decay") field = std::decay_t<decltype(field)>(0);
  });
  rule_traits<Rule>::settings(down, [&](const std::string& name, auto& field) {
    if (name == "weight_decay") field = std::decay_t<decltype(field)>(0);
  });
  if (has) CHECK(golden::walk(up, 0.0f, {1, -0.5, 2}) == -golden::walk(down, 0.0f, {1, -0.5, 2}));
}
