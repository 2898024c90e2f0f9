#include <amphora/host/lines.hpp>

#include <doctest/doctest.h>

#include <vector>

namespace amp = amphora;
using namespace amphora::detail;

TEST_CASE("lines along any axis are gathered and put back") {
  amp::host_context c(2);
  std::vector<float> x(2 * 5 * 3), y(2 * 5 * 3, -1.0f);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
  const lines_of lines{2, 5, 3};
  for_lines<float>(c, lines, 1, [&](std::int64_t line, float* v) {
    load_line(lines, host_source(source<amp::f32>{x.data()}), line, v);
    for (int i = 1; i < 5; ++i) CHECK(v[i] == v[i - 1] + 3);
    store_line(lines, host_target(target<amp::f32>{y.data(), false}), line, v);
  });
  CHECK(x == y);
}
