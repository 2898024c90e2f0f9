#include <amphora/format/storage.hpp>    // bfloat16, float16
#include <amphora/host/square_rows.hpp>  // add_squares, add_double_squares, fold_lanes, square_rows

#include <doctest/doctest.h>

#include <vector>

namespace amp = amphora;
using namespace amphora::detail;

TEST_CASE("squares are added to what is there: a block in float, its first elements in double") {
  float x[step_block], sum[step_block];
  double wide[step_block];
  for (int j = 0; j < step_block; ++j) x[j] = static_cast<float>(j) - 30, sum[j] = static_cast<float>(j), wide[j] = 0.5;
  add_squares(x, sum);
  add_double_squares(x, 5, wide);
  for (int j = 0; j < step_block; ++j) {
    CHECK(sum[j] == static_cast<float>((j - 30) * (j - 30) + j));
    CHECK(wide[j] == 0.5 + (j < 5 ? (j - 30) * (j - 30) : 0));
  }
}

TEST_CASE("lanes fold by halves, in the numbers that they are of") {
  float lane[step_lanes] = {};
  lane[0] = 0x1p24f, lane[1] = 1, lane[128] = 1;  // 2^24 + 1 is no float: alone, each one is lost
  CHECK(fold_lanes(lane) == 0x1p24);
  float neighbours[step_lanes] = {};
  neighbours[0] = 0x1p24f, neighbours[1] = 1, neighbours[129] = 1;  // the two ones meet first
  CHECK(fold_lanes(neighbours) == 0x1p24 + 2);
  double wide[step_lanes] = {};
  wide[0] = 0x1p24, wide[1] = 1;
  CHECK(fold_lanes(wide) == 0x1p24 + 1);
}

TEST_CASE("rows are left to the caller where a level or a format has no loop for them") {
  std::vector<float> g(1000, 1.0f);
  float sum[step_lanes] = {};
  CHECK(square_rows(level_base{}, {amp::gradient_pointer(g.data()), 1000}, 100, 1000, sum) == 100);
#if AMPHORA_X86
  if (has_avx512()) CHECK(square_rows(level_avx512{}, {amp::gradient_pointer(g.data()), 1000}, 100, 1000, sum) == 100);
#endif
  for (float lane : sum) CHECK(lane == 0);
}

#if AMPHORA_X86
TEST_CASE_TEMPLATE("whole rows of 16-bit gradients go to their lanes", Storage, amp::float16, amp::bfloat16) {
  if (!has_avx512()) return;
  std::vector<Storage> g;
  for (int i = 0; i < 1000; ++i) g.push_back(Storage(static_cast<float>(i % 101) - 50));
  const amp::gradient_view view(amp::gradient_pointer(g.data()), 1000);
  float sum[step_lanes] = {};
  CHECK(square_rows(level_avx512{}, view, 10, 265, sum) == 10);  // 255 elements are no row
  CHECK(square_rows(level_avx512{}, view, 10, 1000, sum) == 10 + 3 * step_lanes);
  for (int k = 0; k < step_lanes; ++k) {
    float expected = 0;
    for (int row = 0; row < 3; ++row) {
      const float x = static_cast<float>(g[static_cast<std::size_t>(10 + row * step_lanes + k)]);
      expected += x * x;
    }
    CHECK(sum[k] == expected);
  }
}
#endif
