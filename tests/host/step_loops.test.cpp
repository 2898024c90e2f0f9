#include <amphora/host/step_loops.hpp>  // step_loops
#include <amphora/optimizer/adamw.hpp>  // adamw

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <vector>

namespace amp = amphora;
using namespace amphora::detail;

namespace {

/// Lane by lane as sum_order.hpp says it.
template <class Storage> double reference(const std::vector<Storage>& g, std::int64_t n) {
  std::vector<float> lane(step_lanes);
  for (std::int64_t i = 0; i < n; ++i) {
    const float x = static_cast<float>(g[static_cast<std::size_t>(i)]), square = x * x;
    lane[static_cast<std::size_t>(i % step_lanes)] += square;
  }
  for (std::size_t half = step_lanes / 2; half; half /= 2)
    for (std::size_t i = 0; i < half; ++i) lane[i] += lane[i + half];
  return static_cast<double>(lane[0]);
}

template <class Level, class Storage> void check(std::int64_t n) {
  std::mt19937 random(static_cast<unsigned>(n));
  std::vector<Storage> g(static_cast<std::size_t>(n) + 1);
  for (Storage& x : g) x = Storage(static_cast<float>(static_cast<int>(random() % 2001) - 1000) / 100);
  CAPTURE(n);
  CHECK(step_loops<Level>::squares({amp::gradient_pointer(g.data()), n}, 0, n) == reference(g, n));
}
template <class Storage> void check_levels() {
  for (std::int64_t n : {1, 63, 64, 255, 256, 257, 1000, 4095, 4096}) {
    check<level_base, Storage>(n);
#if AMPHORA_X86
    if (has_avx2()) check<level_avx2, Storage>(n);
    if (has_avx512()) check<level_avx512, Storage>(n);
#endif
  }
}

}  // namespace

TEST_CASE("squares are added in the fixed order at every level and in every format") {
  check_levels<amp::float16>();
  check_levels<amp::bfloat16>();
  check_levels<float>();
}

TEST_CASE("reading is by one factor where that is exact, value by value where it is not") {
  amp::gradient_facts facts;
  facts.inverse = 0.25f, facts.coefficient = 0.5f;
  CHECK(step_reading(facts).plain);
  CHECK(step_reading(facts).factor == 0.125f);
  facts.inverse = 0x1p-100f, facts.coefficient = 0x1p-40f;  // their product is subnormal
  CHECK(!step_reading(facts).plain);
  facts.inverse = 1, facts.coefficient = 1, facts.limit = 2;
  CHECK(!step_reading(facts).plain);
  float x[step_block] = {1, -3, 5};
  step_reading(facts).repair(x, amp::format_id::f32);
  CHECK(x[0] == 1);
  CHECK(x[1] == -2);
  CHECK(x[2] == 2);
}
