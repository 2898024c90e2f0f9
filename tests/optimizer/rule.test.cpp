#include <amphora/optimizer/rule.hpp>

#include <amphora/host/level.hpp>
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

#include <cstring>
#include <random>
#include <set>
#include <string>

using amphora::real;
using amphora::rule_traits;

#define EVERY_RULE                                                                                                          \
  amphora::sgd, amphora::plain_sgd, amphora::adam, amphora::adamw, amphora::amsgrad, amphora::adagrad, amphora::adadelta,     \
      amphora::adamax, amphora::nadam, amphora::radam, amphora::rmsprop, amphora::lion, amphora::lamb, amphora::lars

static_assert(rule_traits<amphora::lamb>::needs_norms && !rule_traits<amphora::adamw>::needs_norms);

TEST_CASE("every run of the reference data belongs to a rule") {
  std::set<std::string> rules;
  for (const auto& run : golden::data().runs) rules.insert(run.rule);
  CHECK(golden::data().runs.size() == 37);
  CHECK(rules.size() == 13);
}

TEST_CASE_TEMPLATE("every setting has a name of its own, and every rule a name", Rule, EVERY_RULE) {
  Rule rule;
  std::set<std::string> names;
  int fields = 0;
  rule_traits<Rule>::settings(rule, [&](const char* name, auto&) { names.insert(name), ++fields; });
  CHECK(static_cast<int>(names.size()) == fields);
  CHECK(names.count("learning_rate") == 1);
  CHECK(std::string(rule_traits<Rule>::name) != "user rule");
}

namespace {

constexpr int block = 64;

/// One block of state, weights and gradients, and what a rule makes of it.
template <class Rule>
struct numbers {
  float g[block], w[block], s[rule_traits<Rule>::states + 1][block] = {}, u[block] = {};

  explicit numbers(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<float> normal;
    for (int i = 0; i < block; ++i) w[i] = normal(random), g[i] = i % 9 ? normal(random) : 0.0f;
  }
};

template <class Rule>
AMPHORA_INLINE void steps(const Rule& rule, typename rule_traits<Rule>::now now, numbers<Rule>& x) {
  constexpr int states = rule_traits<Rule>::states;
  AMPHORA_INDEPENDENT
  for (int i = 0; i < block; ++i) {
    real w = x.w[i], s[states + 1];
    for (int k = 0; k < states; ++k) s[k] = x.s[k][i];
    if constexpr (rule_traits<Rule>::needs_norms) {
      x.u[i] = rule.direction(x.g[i], w, s, now).x;
      rule.apply(x.g[i], 0.37f, w, s, now);
    } else {
      rule(x.g[i], w, s, now);
    }
    for (int k = 0; k < states; ++k) x.s[k][i] = s[k].x;
    x.w[i] = w.x;
  }
}
template <class Rule> AMPHORA_EXACT void run(amphora::detail::level_base, const Rule& rule, typename rule_traits<Rule>::now now, numbers<Rule>& x) { steps(rule, now, x); }
#if AMPHORA_X86
template <class Rule> AMPHORA_TARGET("avx2,f16c,fma") void run(amphora::detail::level_avx2, const Rule& rule, typename rule_traits<Rule>::now now, numbers<Rule>& x) { steps(rule, now, x); }
template <class Rule> AMPHORA_TARGET("avx512f,avx512bw,avx512vl,avx512dq") void run(amphora::detail::level_avx512, const Rule& rule, typename rule_traits<Rule>::now now, numbers<Rule>& x) { steps(rule, now, x); }
#endif

template <class Rule, class Level>
numbers<Rule> after(Level level, std::uint64_t seed) {
  numbers<Rule> x(seed);
  typename rule_traits<Rule>::scalars own{};
  for (int step = 1; step <= 8; ++step) run(level, Rule{}, rule_traits<Rule>::at(Rule{}, 0.01f, step, own), x);
  return x;
}
template <class Rule> bool same(const numbers<Rule>& a, const numbers<Rule>& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

}  // namespace

TEST_CASE_TEMPLATE("every rule has the same bits at every level of instructions", Rule, EVERY_RULE) {
  const auto base = after<Rule>(amphora::detail::level_base{}, 7);
  CHECK(!same(base, after<Rule>(amphora::detail::level_base{}, 8)));
#if AMPHORA_X86
  if (amphora::detail::has_avx2()) CHECK(same(base, after<Rule>(amphora::detail::level_avx2{}, 7)));
  if (amphora::detail::has_avx512()) CHECK(same(base, after<Rule>(amphora::detail::level_avx512{}, 7)));
#endif
}
