#include <amphora/optimizer/sum_order.hpp>  // chunks_of, fold_columns

#include <doctest/doctest.h>

#include <vector>

using namespace amphora::detail;

// B18: sizes are 64-bit. As 32-bit numbers these would be negative, or 1.
static_assert(std::is_same_v<decltype(chunks_of(1)), std::int64_t>);
static_assert(chunks_of(std::int64_t(2476250368)) == 604554 && std::int64_t(2476250368) - std::int64_t(604553) * step_chunk == 1280);
static_assert(chunks_of(std::int64_t(2359332864)) == 576009);
static_assert(chunks_of((std::int64_t(1) << 32) + 1) == (1 << 20) + 1);
static_assert(chunks_of(0) == 0 && chunks_of(1) == 1 && chunks_of(4096) == 1 && chunks_of(4097) == 2);
static_assert(blocks_of((std::int64_t(1) << 40) + 1) == (std::int64_t(1) << 34) + 1);

TEST_CASE("columns are filled in turn and folded by halves") {
  std::vector<double> sums(300);
  for (std::size_t k = 0; k < sums.size(); ++k) sums[k] = static_cast<double>(k + 1);
  CHECK(fold_columns(sums.data(), 300, false) == 300 * 301 / 2);
  CHECK(fold_columns(sums.data(), 300, true) == 300);
  CHECK(fold_columns(sums.data(), 0, false) == 0);
  // 1e16 and 128 later 1: they share a column, so the 1 is lost there, and with it in the right order it is not
  std::vector<double> order(129);
  order[0] = 1e16, order[128] = 1, order[64] = -1e16;
  CHECK(fold_columns(order.data(), 129, false) == 0);
  order[128] = 0, order[1] = 1;
  CHECK(fold_columns(order.data(), 129, false) == 1);
}
