#include <amphora/ops/convolution.hpp>

#include <doctest/doctest.h>

using amphora::detail::convolution;

namespace {

/// A line of 9 under a window of 3, two apart, with a stride of 2 and a padding of 1.
convolution line() {
  convolution c;
  c.batch = 2, c.channels = 3, c.features = 4;
  c.in[2] = 9, c.window[2] = 3, c.out[2] = 4, c.stride[2] = 2, c.dilation[2] = 2, c.before[2] = c.after[2] = 1;
  return c;
}

}  // namespace

TEST_CASE("axes that a call does not give are one number under a window of one") {
  const convolution c = line();
  CHECK((c.in_size() == 9 && c.out_size() == 4 && c.window_size() == 3));
  CHECK((c.reach(0) == 1 && c.reach(1) == 1 && c.reach(2) == 5));
}
TEST_CASE("a layout is symmetric where both paddings are the same and the output is all that there is") {
  CHECK(line().is_symmetric());
  convolution c = line();
  c.after[2] = 2;
  CHECK(!c.is_symmetric());
  c = line(), c.out[2] = 3;
  CHECK(!c.is_symmetric());
  c = line(), c.in[2] = 2;  // the window does not fit
  CHECK(!c.is_symmetric());
  c = line(), c.in[2] = 10;  // a number at the end that no window touches
  CHECK(c.is_symmetric());
}
TEST_CASE("a layout is empty where there is nothing to write or to add") {
  CHECK(!line().is_empty());
  for (auto member : {&convolution::batch, &convolution::groups, &convolution::channels, &convolution::features}) {
    convolution c = line();
    c.*member = 0;
    CHECK(c.is_empty());
  }
  convolution c = line();
  c.in[1] = 0;
  CHECK(c.is_empty());
}
