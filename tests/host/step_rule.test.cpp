#include <amphora/host/step_rule.hpp>  // apply_rule, apply_trust, find_direction

#include <doctest/doctest.h>

namespace amp = amphora;
using namespace amphora::detail;

namespace step_rule_test {
/// Its numbers say what it was called with.
struct told {
  float learning_rate = 1;
  static constexpr int states = 2;
  static constexpr bool needs_norms = true;
  struct now { amp::real size; };
  AMPHORA_HD now at(float rate, std::int64_t) const { return {rate}; }
  AMPHORA_HD void operator()(amp::real g, amp::real& w, amp::real* s, const now& n) const { w = w - n.size * g, s[0] = s[0] + g, s[1] = w; }
  AMPHORA_HD amp::real direction(amp::real g, amp::real w, amp::real* s, const now&) const { return s[1] = g + w, s[0] = s[0] + amp::real(1), s[1] + s[0]; }
  AMPHORA_HD amp::real trust(double, double, const now&) const { return amp::real(1); }
  AMPHORA_HD void apply(amp::real g, amp::real trust, amp::real& w, amp::real* s, const now& n) const { w = w - n.size * trust * g, s[0] = trust; }
};
}  // namespace step_rule_test

namespace {
using step_rule_test::told;

struct block_of_test {
  float x[step_block], w[step_block], first[step_block], second[step_block];
  float* s[2] = {first, second};
  block_of_test() {
    for (int i = 0; i < step_block; ++i) x[i] = static_cast<float>(8 * i), w[i] = static_cast<float>(1000 + i), first[i] = 3, second[i] = 4;
  }
};
}  // namespace

TEST_CASE("a rule sees each gradient times the factor, its weight and its states, and writes the last two") {
  block_of_test b;
  apply_rule(told{}, told::now{amp::real(2)}, 0.25f, b.x, b.w, b.s);
  for (int i = 0; i < step_block; ++i) {
    CHECK(b.x[i] == 8 * i);
    CHECK(b.w[i] == 1000 + i - 2 * 2 * i);
    CHECK(b.first[i] == 3 + 2 * i);
    CHECK(b.second[i] == b.w[i]);
  }
}

TEST_CASE("a direction takes the gradient's place, moves the states and leaves the weight") {
  block_of_test b;
  find_direction(told{}, told::now{amp::real(2)}, 0.25f, b.x, b.w, b.s);
  for (int i = 0; i < step_block; ++i) {
    CHECK(b.w[i] == 1000 + i);
    CHECK(b.first[i] == 4);
    CHECK(b.second[i] == 1000 + 3 * i);
    CHECK(b.x[i] == 1004 + 3 * i);
  }
}

TEST_CASE("the second pass is given the trust, and writes weights and states") {
  block_of_test b;
  apply_trust(told{}, told::now{amp::real(2)}, amp::real(0.5f), 0.25f, b.x, b.w, b.s);
  for (int i = 0; i < step_block; ++i) {
    CHECK(b.w[i] == 1000 + i - 2 * i);
    CHECK(b.first[i] == 0.5f);
    CHECK(b.second[i] == 4);
  }
}
