#include <amphora/tensor/shape.hpp>

#include <doctest/doctest.h>

namespace amp = amphora;

static_assert(amp::shape{}.rank() == 0 && amp::shape{}.elements() == 1);
static_assert(amp::shape{2, 3}.elements() == 6 && amp::shape{2, 3}[-1] == 3 && amp::shape{2, 0, 5}.elements() == 0);
static_assert(amp::shape{2, 3} == amp::shape{2, 3} && amp::shape{2, 3} != amp::shape{3, 2} && amp::shape{2} != amp::shape{2, 1});
static_assert(amp::shape{2, 3, 4}.with(1, 7) == amp::shape{2, 7, 4} && amp::shape{2, 3, 4}.product(1, 3) == 12);
static_assert(std::is_trivially_copyable_v<amp::shape>);

TEST_CASE("B18: sizes are 64-bit, and a product that does not fit is an error") {
  static_assert(std::is_same_v<decltype(amp::shape{}.elements()), std::int64_t>);
  CHECK(amp::shape{2476250368}.elements() == 2476250368);
  CHECK(amp::shape{65536, 65537}.elements() == 4295032832);
  CHECK(amp::shape({std::int64_t(1) << 31, std::int64_t(1) << 31}).elements() == std::int64_t(1) << 62);
  CHECK_THROWS_WITH_AS(amp::shape({std::int64_t(1) << 32, std::int64_t(1) << 31}), "amphora [shape]: more than 2^63 - 1 elements", amp::error);
  CHECK(amp::shape({std::int64_t(1) << 40, 0, std::int64_t(1) << 40}).elements() == 0);
}

TEST_CASE("a shape says itself, and refuses what is none") {
  CHECK_THROWS_WITH_AS(amp::detail::fail("shape", amp::shape{}, " ", amp::shape{2, 0, 5}), "amphora [shape]: [] [2, 0, 5]", amp::error);
  CHECK_THROWS_WITH_AS(amp::shape({2, -1}), doctest::Contains("negative: -1"), amp::error);
  const std::int64_t many[9] = {};
  CHECK_THROWS_WITH_AS(amp::shape(many, 9), doctest::Contains("not 9"), amp::error);
  CHECK_THROWS_WITH_AS((amp::shape{2, 3}[2]), doctest::Contains("axis 2 of a shape with 2 axes"), amp::error);
  CHECK_THROWS_AS((amp::shape{2, 3}[-3]), amp::error);
}
