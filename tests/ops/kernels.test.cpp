#include <amphora/ops/kernels.hpp>

#include <doctest/doctest.h>

namespace amp = amphora;
using amp::detail::broadcast;
using amp::detail::make_loops;

TEST_CASE("shapes broadcast by NumPy's rule") {
  CHECK(broadcast("op", {3, 4}, {4}) == amp::shape{3, 4});
  CHECK(broadcast("op", {2, 1, 7}, {3, 1}) == amp::shape{2, 3, 7});
  CHECK(broadcast("op", {}, {5}) == amp::shape{5});
  CHECK(broadcast("op", {1, 0}, {3, 1}) == amp::shape{3, 0});
  CHECK_THROWS_WITH_AS(broadcast("op", {3, 4}, {3}), "amphora [shape]: op cannot broadcast [3, 4] with [3]", amp::error);
}

TEST_CASE("axes that all operands run through in one go are one loop") {
  const amp::shape s{2, 3, 4}, row{4}, column{2, 1, 1};
  const auto equal = make_loops<2>(s, {&s, &s});
  CHECK(equal.rank == 1);
  CHECK(equal.extent[0] == 24);
  CHECK(equal.stride[1][0] == 1);
  const auto rows = make_loops<2>(s, {&s, &row});
  CHECK(rows.rank == 2);
  CHECK(rows.extent[0] == 6);
  CHECK(rows.stride[0][0] == 4);
  CHECK(rows.stride[1][0] == 0);
  CHECK(rows.stride[1][1] == 1);
  const auto columns = make_loops<2>(s, {&s, &column});
  CHECK(columns.rank == 2);
  CHECK(columns.extent[1] == 12);
  CHECK(columns.stride[1][0] == 1);
  CHECK(columns.stride[1][1] == 0);
  CHECK(make_loops<1>(amp::shape{}, {&row}).elements == 1);
  CHECK(make_loops<1>(amp::shape{3, 0}, {&row}).elements == 0);
}

TEST_CASE("lines along the middle of an array start where they should") {
  const amp::detail::lines_of lines{2, 5, 3};
  CHECK(lines.lines() == 6);
  CHECK(lines.first(0) == 0);
  CHECK(lines.first(2) == 2);
  CHECK(lines.first(3) == 15);
}
