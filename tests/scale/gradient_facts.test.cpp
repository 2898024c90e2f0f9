#include <amphora/scale/gradient_facts.hpp>  // gradient_facts

#include <doctest/doctest.h>

#include <limits>
#include <type_traits>

namespace amp = amphora;

static_assert(std::is_trivially_copyable_v<amp::gradient_facts>);
static_assert(amp::detail::is_finite(1.0f) && !amp::detail::is_finite(std::numeric_limits<float>::infinity()) && !amp::detail::is_finite(std::numeric_limits<float>::quiet_NaN()));
static_assert(!amp::detail::is_finite(std::numeric_limits<double>::infinity()) && amp::detail::is_finite(1e308));

namespace {
const float infinite = std::numeric_limits<float>::infinity(), not_a_number = std::numeric_limits<float>::quiet_NaN();
}

TEST_CASE("a stored gradient is read times the inverse, times the coefficient, cut to the limit") {
  amp::gradient_facts facts;
  std::int64_t changed = 0;
  CHECK(facts.value(3, 65504, changed) == 3);
  facts.inverse = 0.25f;
  CHECK(facts.value(12, 65504, changed) == 3);
  CHECK(facts.factor() == 0.25f);
  facts.coefficient = 0.5f;
  CHECK(facts.value(12, 65504, changed) == 1.5f);
  CHECK(facts.factor() == 0.125f);
  facts.limit = 1;
  CHECK(facts.value(12, 65504, changed) == 1);
  CHECK(facts.value(-12, 65504, changed) == -1);
  CHECK(facts.value(4, 65504, changed) == 0.5f);
  CHECK(changed == 0);
}

TEST_CASE("what is not finite is left, saturated or set to zero as chosen, and counted") {
  const auto read = [](amp::on_overflow choice, float stored) {
    amp::gradient_facts facts;
    facts.choice = choice, facts.inverse = 0.5f;
    std::int64_t changed = 0;
    const float value = facts.value(stored, 65504, changed);
    CHECK(changed == 1);
    return value;
  };
  CHECK(read(amp::on_overflow::saturate, infinite) == 32752);
  CHECK(read(amp::on_overflow::saturate, -infinite) == -32752);
  CHECK(read(amp::on_overflow::saturate, not_a_number) == 0);
  CHECK(read(amp::on_overflow::zero, infinite) == 0);
  CHECK(read(amp::on_overflow::zero, not_a_number) == 0);
  CHECK_FALSE(amp::detail::is_finite(read(amp::on_overflow::skip, infinite)));
}

TEST_CASE("what becomes infinite by unscaling is repaired and counted likewise") {
  amp::gradient_facts facts;
  facts.inverse = 16;
  std::int64_t changed = 0;
  CHECK_FALSE(amp::detail::is_finite(facts.value(3e38f, 65504, changed)));
  facts.choice = amp::on_overflow::saturate;
  CHECK(facts.value(-3e38f, 65504, changed) == -std::numeric_limits<float>::max());
  facts.choice = amp::on_overflow::zero;
  CHECK(facts.value(3e38f, 65504, changed) == 0);
  CHECK(changed == 3);
}

TEST_CASE("facts are plain where one multiplication says all") {
  amp::gradient_facts facts;
  CHECK(facts.is_plain());
  facts.limit = 1;
  CHECK_FALSE(facts.is_plain());
  facts.limit = 0, facts.choice = amp::on_overflow::zero, facts.found_non_finite = 1;
  CHECK_FALSE(facts.is_plain());
  facts.choice = amp::on_overflow::skip;
  CHECK(facts.is_plain());
}
