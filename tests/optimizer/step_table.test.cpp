#include <amphora/optimizer/step_table.hpp>  // narrow_facts, clip_numbers

#include <doctest/doctest.h>

namespace amp = amphora;
using amp::detail::clip_numbers;
using amp::detail::narrow_facts;

TEST_CASE("a clip by norm shrinks the coefficient, and with it a limit that stands; never grows either") {
  amp::gradient_facts facts;
  narrow_facts(facts, amp::clip_global_norm{1}, 0.5);
  CHECK(facts.coefficient == 1);
  narrow_facts(facts, amp::clip_value{4}, 0.5);
  CHECK(facts.limit == 4);
  narrow_facts(facts, amp::clip_global_norm{1}, 2);
  CHECK(facts.coefficient == static_cast<float>(1 / (2 + 1e-6)));
  CHECK(facts.limit == static_cast<float>(4 / (2 + 1e-6)));
  narrow_facts(facts, amp::clip_value{100}, 2);
  CHECK(facts.limit == static_cast<float>(4 / (2 + 1e-6)));
  narrow_facts(facts, amp::no_clip{}, 1e9);
  CHECK(facts.coefficient == static_cast<float>(1 / (2 + 1e-6)));
}

TEST_CASE("a clip leaves gradients that will be skipped alone, and clips repaired ones") {
  amp::gradient_facts facts;
  facts.found_non_finite = 1;
  narrow_facts(facts, amp::clip_global_norm{1}, 10);
  CHECK(facts.coefficient == 1);
  facts.choice = amp::on_overflow::zero;
  narrow_facts(facts, amp::clip_global_norm{1}, 10);
  CHECK(facts.coefficient < 0.11f);
}
