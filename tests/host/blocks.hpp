// What every level of block must do: the bits of the scalar conversion, for 64 numbers and no more, in any alignment.
#pragma once
#include <amphora/host/block.hpp>
#include <format/reference.hpp>

#include <cstring>
#include <vector>

namespace blocks {

namespace amp = amphora;
using namespace amphora::detail;

/// 64 floats a time over all kinds: every `step`-th pattern of 2^32, which meets each exponent, sign and many halves; and
/// those of one or two bits of significand, among them every power of 2, the infinities and the usual NaN.
template <class F>
void for_floats(std::uint64_t step, const F& f) {
  float x[block_size];
  for (std::uint32_t sign_exponent = 0; sign_exponent < 512; ++sign_exponent) {
    for (int i = 0; i < block_size; ++i) {
      const std::uint32_t pattern = sign_exponent << 23 | (i % 2 ? 1u << 22 : 0) | (i / 2 < 23 ? 1u << (i / 2) : 0);
      std::memcpy(x + i, &pattern, sizeof pattern);
    }
    f(x);
  }
  for (std::uint64_t first = 0; first < std::uint64_t(1) << 32; first += step * block_size) {
    for (int i = 0; i < block_size; ++i) {
      const auto pattern = static_cast<std::uint32_t>(first + step * static_cast<std::uint64_t>(i));
      std::memcpy(x + i, &pattern, sizeof pattern);
    }
    f(x);
  }
}

/// Level::store<Format, Mode>(from, to) against amphora::convert.
template <class Level, class Format, class Mode>
void check_store(std::uint64_t step) {
  using bits = amp::detail::bits_t<Format>;
  std::int64_t wrong = 0;
  for_floats(step, [&](const float* x) {
    unsigned char memory[1 + block_size * sizeof(bits) + 1];  // one byte off any alignment
    std::memset(memory, 0xa5, sizeof memory);
    Level::template store<Format, Mode>(x, memory + 1);
    wrong += memory[0] != 0xa5 || memory[sizeof memory - 1] != 0xa5;
    for (int i = 0; i < block_size; ++i) {
      bits stored;
      std::memcpy(&stored, memory + 1 + i * static_cast<int>(sizeof stored), sizeof stored);
      wrong += stored != reference::bits_of(amp::convert<Format, block_mode_t<Format, Mode>>(x[i]));
    }
  });
  CAPTURE(Format::name);
  CHECK(wrong == 0);
}

/// Level::load<Format>(from, to) for every pattern of a narrow format.
template <class Level, class Format>
void check_load() {
  using bits = amp::detail::bits_t<Format>;
  int wrong = 0;
  for (std::uint32_t first = 0; first < 1u << Format::bits; first += block_size) {
    unsigned char memory[1 + block_size * sizeof(bits)];
    for (int i = 0; i < block_size; ++i) {
      const auto pattern = static_cast<bits>(first + static_cast<std::uint32_t>(i));
      std::memcpy(memory + 1 + i * static_cast<int>(sizeof pattern), &pattern, sizeof pattern);
    }
    float x[block_size + 1];
    x[block_size] = 42;
    Level::template load<Format>(memory + 1, x);
    wrong += x[block_size] != 42;
    for (int i = 0; i < block_size; ++i)
      wrong += reference::bits_of(x[i]) != reference::bits_of(amp::convert<amp::f32>(amp::storage_t<Format>::from_bits(static_cast<bits>(first + static_cast<std::uint32_t>(i)))));
  }
  CAPTURE(Format::name);
  CHECK(wrong == 0);
}

/// All of it for one level.
template <class Level>
void check(std::uint64_t step) {
  check_store<Level, amp::f16, default_mode>(step);
  check_store<Level, amp::f16, amp::saturating>(step);
  check_store<Level, amp::bf16, default_mode>(step);
  check_store<Level, amp::bf16, amp::saturating>(step);
  check_store<Level, amp::e4m3, default_mode>(step);
  check_store<Level, amp::e4m3, amp::non_saturating>(step);
  check_store<Level, amp::e5m2, default_mode>(step);
  check_store<Level, amp::e5m2, amp::non_saturating>(step);
  check_store<Level, amp::f32, default_mode>(step);
  check_store<Level, amp::f64, default_mode>(step);
  check_load<Level, amp::f16>();
  check_load<Level, amp::bf16>();
  check_load<Level, amp::e4m3>();
  check_load<Level, amp::e5m2>();
}

/// A format known only at run time gives what its tag gives.
template <class Level>
void check_by_value() {
  float x[block_size], by_tag[block_size], by_value[block_size];
  for (int i = 0; i < block_size; ++i) x[i] = static_cast<float>(i - 20) * 0.37f;
  auto one = [&](auto tag) {
    using format = decltype(tag);
    unsigned char first[block_size * 8] = {}, second[block_size * 8] = {};
    Level::template store<format, default_mode>(x, first);
    Level::store(amp::format_id_v<format>, x, second);
    CHECK(std::memcmp(first, second, sizeof first) == 0);
    Level::template load<format>(first, by_tag);
    Level::load(amp::format_id_v<format>, first, by_value);
    CHECK(std::memcmp(by_tag, by_value, sizeof by_tag) == 0);
  };
  one(amp::f16{}), one(amp::bf16{}), one(amp::f32{}), one(amp::f64{}), one(amp::e4m3{}), one(amp::e5m2{});
}

}  // namespace blocks
