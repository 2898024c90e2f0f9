#include <amphora/host/norm.hpp>  // check_gradients, careful_sum, each_chunk, each_range

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <vector>

namespace amp = amphora;
using namespace amphora::detail;

namespace {

std::vector<amp::gradient_view> entries(const std::vector<std::int64_t>& sizes) {
  static const float anything = 0;
  std::vector<amp::gradient_view> result;
  for (std::int64_t n : sizes) result.emplace_back(n < 0 ? amp::gradient_pointer() : amp::gradient_pointer(&anything), n < 0 ? -n : n);
  return result;
}

}  // namespace

TEST_CASE("every chunk and every block is the work of exactly one thread, whatever their number") {
  const auto list = entries({1, 4096, -7, 4097, 63, 0, 100000, 64, 65});
  for (int size : {1, 2, 3, 7, 64}) {
    std::vector<int> chunks(static_cast<std::size_t>(amp::detail::chunks_of(list.data(), 9)));
    std::vector<std::vector<int>> elements;
    for (const auto& e : list) elements.emplace_back(static_cast<std::size_t>(e.n));
    std::int64_t most = 0, all = 0;
    for (int index = 0; index < size; ++index) {
      std::int64_t mine = 0;
      each_chunk(team_member{index, size}, list, 9, [&](std::int64_t k, std::int64_t from, std::int64_t to, std::int64_t chunk) {
        ++chunks[static_cast<std::size_t>(chunk)];
        CHECK(from % step_chunk == 0);
        CHECK(to - from <= step_chunk);
        CHECK(list[static_cast<std::size_t>(k)].data != nullptr);
      });
      each_range(team_member{index, size}, list, 9, [&](std::int64_t k, std::int64_t from, std::int64_t to) {
        for (std::int64_t i = from; i < to; ++i) ++elements[static_cast<std::size_t>(k)][static_cast<std::size_t>(i)];
        mine += to - from;
      });
      most = mine > most ? mine : most, all += mine;
    }
    for (int count : chunks) CHECK(count == 1);
    for (std::size_t k = 0; k < list.size(); ++k)
      for (int count : elements[k]) REQUIRE(count == (list[k].data ? 1 : 0));
    CHECK(most <= all / size + 2 * step_block);
  }
}

TEST_CASE("a norm is right to float's precision where float squares overflow, underflow or are ordinary") {
  std::mt19937 random(3);
  for (double magnitude : {1.0, 1e20, 3e37, 1e-30, 1e-44}) {
    std::vector<float> g(9000);
    double exact = 0;
    for (float& x : g) {
      x = static_cast<float>(magnitude * (1 + static_cast<double>(random() % 1000) / 1000));
      exact += static_cast<double>(x) * static_cast<double>(x);
    }
    const amp::gradient_view view(amp::gradient_pointer(g.data()), 9000);
    double partial[3];
    amp::gradient_facts facts;
    check_gradients<level_base>(team_member{0, 1}, &view, 1, partial, facts);
    CAPTURE(magnitude);
    CHECK(facts.found_non_finite == 0);
    // 16 sums in a lane and 8 folds: (16 + 8 + 1) roundings of 2^-24 bound the sum's error, half of it the root's
    CHECK(std::fabs(facts.norm / std::sqrt(exact) - 1) < 12.5 * std::ldexp(1, -24));
  }
}

TEST_CASE("a careful sum follows its order, and NaN is larger than any number") {
  const float values[] = {3, -4, 0, 12};
  const amp::gradient_view view(amp::gradient_pointer(values), 4);
  const amp::gradient_facts facts;
  std::int64_t found = 0;
  CHECK(careful_sum(view, 0, 4, facts, 0, 1, found) == 3);
  CHECK(careful_sum(view, 0, 4, facts, 1, 1, found) == 19);
  CHECK(careful_sum(view, 0, 4, facts, 2, 1, found) == 169);
  CHECK(careful_sum(view, 0, 4, facts, 3, 12, found) == doctest::Approx((27 + 64) / 1728.0 + 1));
  CHECK(careful_sum(view, 0, 4, facts, HUGE_VAL, 1, found) == 12);
  CHECK(found == 0);
  const double sums[] = {1, std::nan(""), 7};
  CHECK(!is_finite(fold_columns(sums, 3, true)));
}
