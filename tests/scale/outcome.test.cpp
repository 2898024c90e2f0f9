#include <amphora/error.hpp>          // error
#include <amphora/scale/outcome.hpp>  // outcome
#include <amphora/scale/scaler.hpp>   // scaler

#include <device.hpp>  // test_context, device_array

#include <doctest/doctest.h>

#include <type_traits>

namespace amp = amphora;

static_assert(std::is_same_v<std::underlying_type_t<amp::step_result>, std::int32_t> && static_cast<int>(amp::step_result::nothing) == 0);
static_assert(std::is_trivially_copyable_v<amp::step_record>);

TEST_CASE("an outcome is read by an explicit wait, until the next update") {
  test_context context;
  amp::scaler<test_context> scaler(context);
  const device_array<amp::step_record> record(context, {{amp::step_result::skipped, 4, 7}});
  const amp::outcome<test_context> outcome(record.data(), scaler.ticket(context));
  CHECK(outcome.wait_result(context) == amp::step_result::skipped);
  CHECK(outcome.wait_record(context).found_non_finite == 4);
  CHECK(outcome.wait_record(context).changed == 7);
  scaler.update(context, outcome);
  CHECK_THROWS_WITH_AS(outcome.wait_result(context), doctest::Contains("[stale-ticket]: outcome"), amp::error);
}

TEST_CASE("the outcome of plain gradients has no ticket and stays readable") {
  test_context context;
  const device_array<amp::step_record> record(context, {{amp::step_result::stepped, 0, 0}});
  const amp::outcome<test_context> outcome(record.data(), amp::ticket());
  CHECK(outcome.wait_result(context) == amp::step_result::stepped);
  amp::scaler<test_context> scaler(context);
  scaler.update(context, outcome);
  CHECK(scaler.wait_state(context).taken == 1);
  CHECK(outcome.wait_result(context) == amp::step_result::stepped);
}
