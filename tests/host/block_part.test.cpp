#include <amphora/format/storage.hpp>   // bfloat16, float16
#include <amphora/host/block_part.hpp>  // copy_part, load_part, store_part, store_stochastic

#include <doctest/doctest.h>

#include <vector>

namespace amp = amphora;
using namespace amphora::detail;

TEST_CASE_TEMPLATE("a part of a block is read with zeros behind it, and written with nothing behind it", Storage, amp::float16, amp::bfloat16, float) {
  constexpr auto format = amp::format_id_v<amp::format_of_t<Storage>>;
  std::vector<Storage> from, to(9, Storage(99.0f));
  for (int i = 0; i < 9; ++i) from.push_back(Storage(static_cast<float>(i) - 4));
  for (int count : {0, 1, 5}) {
    float x[step_block];
    load_part(format, from.data(), 2, count, x);
    for (int j = 0; j < step_block; ++j) CHECK(x[j] == (j < count ? static_cast<float>(j) - 2 : 0));
    for (Storage& place : to) place = Storage(99.0f);
    store_part(format, x, to.data(), 3, count);
    for (int j = 0; j < 9; ++j) CHECK(static_cast<float>(to[static_cast<std::size_t>(j)]) == (j >= 3 && j < 3 + count ? static_cast<float>(j) - 5 : 99.0f));
  }
}

TEST_CASE("floats are copied with zeros behind them") {
  const std::vector<float> from{1, 2, 3};
  float x[step_block];
  copy_part(from.data(), 2, x);
  for (int j = 0; j < step_block; ++j) CHECK(x[j] == (j == 0 ? 1.0f : j == 1 ? 2.0f : 0.0f));
}

TEST_CASE("stochastic rounding of a part is that of its elements, and leaves the rest") {
  const amp::stochastic_rounding random{7, 1, 2};
  for (int count : {1, 63, 64}) {
    std::vector<amp::bfloat16> to(200, amp::bfloat16(99.0f));
    float x[step_block];
    for (int j = 0; j < step_block; ++j) x[j] = 1 + static_cast<float>(j) * 0x1p-12f;  // between two numbers of bf16, but for the multiples of 32
    store_stochastic(x, to.data(), 64, count, random);
    for (int j = 0; j < 200; ++j) {
      const bool written = j >= 64 && j < 64 + count;
      const auto expected = written ? random(bit_cast<std::uint32_t>(x[j - 64]), j) : amp::bfloat16(99.0f);
      CHECK(to[static_cast<std::size_t>(j)].bits() == expected.bits());
    }
  }
}
