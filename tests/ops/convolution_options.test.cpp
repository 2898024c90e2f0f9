#include <amphora/ops/convolution_options.hpp>

#include <doctest/doctest.h>

namespace amp = amphora;
using amp::detail::convolution_sizes, amp::shape;
using options = amp::convolution_options;

static_assert(options{}.stride(2).stride()[1] == 2 && options{}.stride({3, 4}).stride()[1] == 4, "one number for all axes, or one for each");
static_assert(options{}.padding(amp::window_padding::same).padding(1).named_padding() == amp::window_padding::valid, "the last one counts");
static_assert(options{}.groups() == 1 && options{}.dilation()[0] == 1 && options{}.padding()[0] == 0);

TEST_CASE("the layout of a convolution has its axes at the end") {
  const auto sizes = convolution_sizes::of("conv2d", 2, {7, 6, 9, 12}, {8, 3, 3, 2}, options{}.stride({2, 3}).padding({1, 0}).dilation({2, 1}).groups(2));
  const auto& c = sizes.layout;
  CHECK(sizes.value == shape{7, 8, 4, 4});
  CHECK((c.batch == 7 && c.groups == 2 && c.channels == 3 && c.features == 4));
  CHECK((c.in[0] == 1 && c.in[1] == 9 && c.in[2] == 12 && c.out[0] == 1 && c.window[0] == 1 && c.window[1] == 3));
  CHECK((c.reach(1) == 5 && c.before[1] == 1 && c.after[1] == 1 && c.is_symmetric()));
  CHECK(convolution_sizes::of("conv1d", 1, {6, 9}, {8, 6, 3}, {}).value == shape{8, 7});
}
TEST_CASE("padding by name keeps the extents, and puts one more at the end") {
  const auto odd = convolution_sizes::of("conv1d", 1, {1, 2, 9}, {3, 2, 3}, options{}.padding(amp::window_padding::same)).layout;
  CHECK((odd.out[2] == 9 && odd.before[2] == 1 && odd.after[2] == 1 && odd.is_symmetric()));
  const auto even = convolution_sizes::of("conv1d", 1, {1, 2, 9}, {3, 2, 4}, options{}.padding(amp::window_padding::same)).layout;
  CHECK((even.out[2] == 9 && even.before[2] == 1 && even.after[2] == 2 && !even.is_symmetric()));
  CHECK(convolution_sizes::of("conv1d", 1, {1, 2, 9}, {3, 2, 4}, options{}.padding(amp::window_padding::valid)).layout.out[2] == 6);
}
TEST_CASE("a transposed layout is that of the convolution it goes back over, as long as its output padding is below the stride") {
  const auto sizes = convolution_sizes::transposed("conv_transpose1d", 1, {2, 4, 5}, {4, 3, 3}, options{}.stride(2).padding(1).output_padding(1).groups(2));
  const auto& c = sizes.layout;
  CHECK(sizes.value == shape{2, 6, 10});
  CHECK((c.features == 2 && c.channels == 3 && c.out[2] == 5 && c.in[2] == 10 && c.is_symmetric()));
  const auto past = convolution_sizes::transposed("conv_transpose1d", 1, {1, 2, 5}, {2, 2, 3}, options{}.dilation(3).output_padding(2));
  CHECK((past.value == shape{1, 2, 13} && !past.layout.is_symmetric()));
}
TEST_CASE("what no convolution has is an error that says what to write") {
  const auto run = [](const options& how, const shape& x = {1, 2, 9, 9}, const shape& w = {2, 2, 3, 3}) { return convolution_sizes::of("conv2d", 2, x, w, how); };
  CHECK_THROWS_WITH_AS(run(options{}.stride(0)), doctest::Contains("conv2d has a stride of 0; it is between 1 and 2^31"), amp::error);
  CHECK_THROWS_WITH_AS(run(options{}.padding(-1)), doctest::Contains("a padding of -1"), amp::error);
  CHECK_THROWS_WITH_AS(run(options{}.dilation({1, 2, 3})), doctest::Contains("2 spatial axes and a dilation of 3 numbers; give one, or one for each axis"), amp::error);
  CHECK_THROWS_WITH_AS(run(options{}.stride(2).padding(amp::window_padding::same)), doctest::Contains("give the padding in numbers"), amp::error);
  CHECK_THROWS_WITH_AS(run(options{}.output_padding(1)), doctest::Contains("that is for conv_transpose"), amp::error);
  CHECK_THROWS_WITH_AS(run(options{}.groups(0)), doctest::Contains("there is at least one"), amp::error);
  CHECK_THROWS_AS(run(options{}.groups(2)), amp::error);
  CHECK_THROWS_WITH_AS(run(options{}.dilation(5)), doctest::Contains("a window of 3 numbers that lie 5 apart does not fit into 9 with a padding of 0, axis -2 of [1, 2, 9, 9]"), amp::error);
  CHECK_THROWS_WITH_AS(run({}, {1, 2, 9, 9}, {2, 2, 0, 3}), doctest::Contains("a window of 0 numbers"), amp::error);
  CHECK_THROWS_AS(run({}, {2, 9, 9}, {2, 2, 3}), amp::error);
  CHECK_THROWS_AS((amp::per_axis{1, 2, 3, 4}), amp::error);
}
