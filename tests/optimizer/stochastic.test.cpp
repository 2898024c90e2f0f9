#include <amphora/optimizer/stochastic.hpp>

#include <amphora/format/convert.hpp>

#include <device.hpp>  // test_context, device_array

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <set>
#include <vector>

using amphora::bfloat16;
using amphora::stochastic_rounding;

// The known answers of the authors' own implementation (Random123, kat_vectors).
constexpr bool answers(amphora::detail::philox_words counter, std::uint64_t key, amphora::detail::philox_words want) {
  const amphora::detail::philox_words have = amphora::detail::philox(counter, key);
  for (int k = 0; k < 4; ++k)
    if (have.word[k] != want.word[k]) return false;
  return true;
}
static_assert(answers({{0, 0, 0, 0}}, 0, {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}}));
static_assert(answers({{~0u, ~0u, ~0u, ~0u}}, ~std::uint64_t(0), {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}}));
static_assert(answers({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0x299f31d0a4093822, {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}));

namespace stochastic_test {

/// The random bits of elements as a step draws them.
struct draw {
  stochastic_rounding rounding;
  std::int64_t first;
  std::uint32_t* random;
  AMPHORA_HD void operator()(std::int64_t i) const { random[i] = rounding.random(first + i); }
};

}  // namespace stochastic_test

namespace {
std::uint32_t bits_of(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, 4);
  return bits;
}
}  // namespace

TEST_CASE("over all 65,536 random numbers, the rounding is up exactly as often as the distance says") {
  for (std::uint32_t lower : {0x0000u, 0x0001u, 0x1234u, 0x8000u, 0xFFFFu})
    for (std::uint32_t upper : {0x3F80u, 0xBF81u, 0x0001u, 0x8000u}) {
      std::uint32_t up = 0;
      bool between = true;
      for (std::uint32_t random = 0; random < 65536; ++random) {
        const std::uint32_t rounded = amphora::detail::round_stochastically(upper << 16 | lower, random);
        up += rounded == upper + 1;
        between = between && (rounded == upper || rounded == upper + 1);
      }
      CHECK(between);
      CHECK(up == lower);
    }
}

TEST_CASE("what is exact, infinite or NaN stays, and what is finite stays finite") {
  for (std::uint32_t random : {0u, 1u, 0x8000u, 0xFFFFu}) {
    for (std::uint32_t upper = 0; upper < 65536; ++upper) {
      const bool nan = (upper & 0x7FFF) > 0x7F80;
      const std::uint16_t rounded = amphora::detail::round_stochastically(upper << 16, random);
      if (nan ? (rounded & 0x7FFF) <= 0x7F80 : rounded != upper) FAIL("pattern " << upper << " became " << rounded);
    }
    CHECK(amphora::detail::round_stochastically(0x7F7FFFFF, random) == 0x7F7F);
    CHECK(amphora::detail::round_stochastically(0xFF7FFFFF, random) == 0xFF7F);
    CHECK((amphora::detail::round_stochastically(0x7F800001, random) & 0x7FFF) > 0x7F80);
  }
}

TEST_CASE("the mean of many roundings is the number, within four standard errors") {
  const int count = 1 << 18;
  for (float x : {1.001f, -0.3f, 3e-39f, 1e30f}) {
    double sum = 0;
    const stochastic_rounding rounding{42, 3, 1};
    for (int i = 0; i < count; ++i) sum += static_cast<float>(rounding(bits_of(x), i));
    // The spread of one rounding is at most half the distance of its two neighbours.
    const std::uint16_t below = static_cast<std::uint16_t>(bits_of(x) >> 16);
    const double gap = std::fabs(static_cast<float>(bfloat16::from_bits(static_cast<std::uint16_t>(below + 1))) - static_cast<float>(bfloat16::from_bits(below)));
    CHECK(std::fabs(sum / count - x) <= 4 * gap / 2 / std::sqrt(count));
  }
}

TEST_CASE("the random bits are uniform and depend on seed, tensor, step and element") {
  const stochastic_rounding first{1, 0, 1};
  int ones[16] = {};
  const int count = 1 << 16;
  for (int i = 0; i < count; ++i)
    for (int bit = 0; bit < 16; ++bit) ones[bit] += first.random(i) >> bit & 1;
  for (int n : ones) CHECK(std::fabs(n - count / 2) <= 4.5 * std::sqrt(count) / 2);
  for (const stochastic_rounding other : {stochastic_rounding{2, 0, 1}, stochastic_rounding{1, 1, 1}, stochastic_rounding{1, 0, 2}}) {
    int equal = 0;
    for (int i = 0; i < 1000; ++i) equal += first.random(i) == other.random(i);
    CHECK(equal < 5);
  }
  std::set<std::uint32_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(first.random(i));
  CHECK(seen.size() > 980);  // 1000 draws from 65,536 collide 7.6 times on average
}

TEST_CASE("a block of 64 holds the bits of its elements, also past 2^32 of them") {
  const stochastic_rounding rounding{0x123456789ABCDEF, 7, 9};
  for (std::int64_t first : {std::int64_t(0), std::int64_t(64), (std::int64_t(1) << 35) - 64, (std::int64_t(1) << 35)}) {
    std::uint16_t block[64];
    rounding.random_64(first, block);
    for (int i = 0; i < 64; ++i) CHECK(block[i] == rounding.random(first + i));
  }
}

TEST_CASE("the random bits are the same where the step runs") {
  test_context context;
  const std::int64_t count = 1000;
  device_array<std::uint32_t> random(context, count, 0u);
  for (std::int64_t first : {std::int64_t(0), (std::int64_t(1) << 35) - 8}) {
    const stochastic_rounding rounding{0x123456789ABCDEF, 7, 9};
    amphora::scale_kernels<test_device>::run(context, count, stochastic_test::draw{rounding, first, random.data()});
    std::vector<std::uint32_t> here;
    for (std::int64_t i = 0; i < count; ++i) here.push_back(rounding.random(first + i));
    CHECK(random.get() == here);
  }
}

TEST_CASE("B32: bf16 weights without a master keep an update that is a hundredth of their last place") {
  float nearest = 1, stochastic = 1;
  for (std::uint32_t step = 1; step <= 10000; ++step) {
    nearest = static_cast<float>(amphora::convert<amphora::bf16>(nearest * (1 - 1e-5f)));
    stochastic = static_cast<float>(stochastic_rounding{5, 0, step}(bits_of(stochastic * (1 - 1e-5f)), 0));
  }
  CHECK(nearest == 1);
  // e^-0.1. About 25 steps of 2^-8, each from a draw of its own: a spread of about 5 of them.
  CHECK(std::fabs(stochastic - std::exp(-0.1)) < 4 * 5 * std::ldexp(1.0, -9));
}
