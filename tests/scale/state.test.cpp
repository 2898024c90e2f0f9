#include <amphora/scale/state.hpp>  // scale_state

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <set>
#include <string>

namespace amp = amphora;

static_assert(std::is_trivially_copyable_v<amp::scale_state>);
static_assert(sizeof(amp::scale_state) == 4 * 4 + 8 * 8);  // no padding: what is compared and saved is all there is
static_assert(amp::smallest_scale * amp::largest_scale == 1);
static_assert(amp::detail::is_scale(1) && amp::detail::is_scale(amp::smallest_scale) && !amp::detail::is_scale(0) && !amp::detail::is_scale(-1));
static_assert(!amp::detail::is_finite_number(std::numeric_limits<double>::infinity()) && !amp::detail::is_finite_number(std::numeric_limits<double>::quiet_NaN()));

TEST_CASE("the bounds of a scale are powers of two whose reciprocals are normal") {
  CHECK(amp::smallest_scale == 0x1p-126f);
  CHECK(amp::largest_scale == 0x1p126f);
  CHECK(std::isnormal(1 / amp::smallest_scale));
  CHECK(std::isnormal(1 / amp::largest_scale));
}

TEST_CASE("the fields of a state are all there is of it, each under a name of its own") {
  amp::scale_state state;
  std::size_t bytes = 0;
  std::set<std::string> names;
  amp::scale_state::fields(state, [&](const char* name, auto& field) {
    bytes += sizeof field;
    CHECK(names.insert(name).second);
    amp::scale_state changed;
    CHECK(state == changed);
    field += 1;
    CHECK(state != changed);
    field -= 1;
  });
  CHECK(bytes == sizeof state);
  CHECK(names.count("scale") == 1);
  CHECK(names.count("_growth_tracker") == 1);
}
