#include <amphora/ops/reduction.hpp>

#include <doctest/doctest.h>

namespace amp = amphora;
using amp::detail::axis_set;

TEST_CASE("axes are named from either end, and none means all") {
  CHECK(axis_set::of({}, 3).has[2]);
  CHECK(axis_set::of({-1}, 3).has[2]);
  CHECK(!axis_set::of({-1}, 3).has[0]);
  CHECK_NOTHROW(axis_set::of({0}, 0));  // a scalar has one axis, as in PyTorch
  CHECK_THROWS_WITH_AS(axis_set::of({3}, 3), "amphora [shape]: axis 3 of a shape with 3 axes", amp::error);
  CHECK_THROWS_WITH_AS(axis_set::of({0, -3}, 3), "amphora [shape]: axis -3 is named twice", amp::error);
}

TEST_CASE("a sum's shape leaves its axes out, or keeps them as 1") {
  const amp::shape s{2, 3, 4};
  CHECK(amp::detail::reduced_shape(s, axis_set::of({0, 2}, 3), false) == amp::shape{3});
  CHECK(amp::detail::reduced_shape(s, axis_set::of({0, 2}, 3), true) == amp::shape{1, 3, 1});
  CHECK(amp::detail::reduced_shape(s, axis_set::of({}, 3), false) == amp::shape{});
  CHECK(amp::axes{1}.keep().keeps());
  CHECK(!amp::axes{1}.keeps());
}

TEST_CASE("loops of a sum join neighbours") {
  const auto loops = amp::detail::reduction_of({2, 3, 1, 4, 5}, axis_set::of({3, 4}, 5));
  CHECK(loops.kept_rank == 1);
  CHECK(loops.kept[0] == 6);
  CHECK(loops.kept_stride[0] == 20);
  CHECK(loops.summed_rank == 1);
  CHECK(loops.summed[0] == 20);
  CHECK(loops.results == 6);
  CHECK(loops.terms == 20);
  const auto split = amp::detail::reduction_of({2, 3, 4}, axis_set::of({0, 2}, 3));
  CHECK(split.summed_rank == 2);
  CHECK(split.summed_stride[0] == 12);
  CHECK(split.kept_stride[0] == 4);
}

TEST_CASE("the axes of a broadcast are those that the smaller shape does not have") {
  const auto over = amp::detail::broadcast_axes({2, 3, 4}, {3, 1});
  CHECK(over.has[0]);
  CHECK(!over.has[1]);
  CHECK(over.has[2]);
  CHECK(!amp::detail::broadcast_axes({1, 3}, {1, 3}).has[0]);
}
