// CUDA's types are known before their headers are seen …
#include <amphora/format/format_of.hpp>

static_assert(amphora::is_storage_v<__half> && amphora::is_storage_v<__nv_bfloat16> && amphora::is_storage_v<__nv_fp8_e4m3> && amphora::is_storage_v<__nv_fp8_e5m2>);

// … and may be defined afterwards, as those headers do it.
struct alignas(2) __half {
  unsigned short x;
};
struct alignas(2) __nv_bfloat16 {
  unsigned short x;
};

#include <amphora/format/convert.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>

static_assert(std::is_same_v<amphora::format_of_t<__half>, amphora::f16> && std::is_same_v<amphora::format_of_t<__nv_bfloat16>, amphora::bf16>);
static_assert(std::is_same_v<amphora::format_of_t<__nv_fp8_e4m3>, amphora::e4m3> && std::is_same_v<amphora::format_of_t<__nv_fp8_e5m2>, amphora::e5m2>);

static_assert(std::is_same_v<amphora::format_of_t<float>, amphora::f32> && std::is_same_v<amphora::format_of_t<double>, amphora::f64>);
static_assert(std::is_same_v<amphora::format_of_t<const float>, amphora::f32> && std::is_same_v<amphora::format_of_t<volatile amphora::float16>, amphora::f16>);
static_assert(std::is_same_v<amphora::format_of_t<amphora::bfloat16>, amphora::bf16>);
static_assert(std::is_same_v<amphora::format_of_t<amphora::float8_e4m3>, amphora::e4m3> && std::is_same_v<amphora::format_of_t<amphora::float8_e5m2>, amphora::e5m2>);

// Everything else holds no format, and asking is no error.
struct incomplete;
template <class T> constexpr bool holds_none = std::is_same_v<amphora::format_of_t<T>, amphora::not_a_format> && !amphora::is_storage_v<T>;
static_assert(holds_none<int> && holds_none<std::int64_t> && holds_none<bool> && holds_none<void> && holds_none<incomplete> && holds_none<float*> &&
              holds_none<float&> && holds_none<long double> && holds_none<amphora::f16> && holds_none<char[4]>);

// A user's type joins from outside the namespace: one class by name, and all instances of a template at once.
namespace theirs {
struct half_precision {
  std::uint16_t pattern;
};
template <int Bits> struct number {
  std::uint16_t pattern;
};
}  // namespace theirs
template <> struct amphora::format_of<theirs::half_precision> {
  using type = amphora::f16;
};
template <int Bits> struct amphora::format_of<theirs::number<Bits>, std::enable_if_t<Bits == 16>> {
  using type = amphora::bf16;
};
static_assert(amphora::is_storage_v<theirs::half_precision> && amphora::is_storage_v<const theirs::half_precision>);
static_assert(amphora::is_storage_v<theirs::number<16>> && !amphora::is_storage_v<theirs::number<12>>);
static_assert(amphora::convert<amphora::f32>(theirs::half_precision{0x3c00}) == 1.0f);

TEST_CASE("a user's type and CUDA's convert like the library's own") {
  for (const unsigned pattern : {0x0000u, 0x0001u, 0x3c00u, 0x7bffu, 0x8001u, 0xfc00u}) {
    const auto bits = static_cast<std::uint16_t>(pattern);
    const float expected = static_cast<float>(amphora::float16::from_bits(bits));
    CHECK(amphora::convert<amphora::f32>(theirs::half_precision{bits}) == expected);
    CHECK(amphora::convert<amphora::f32>(__half{bits}) == expected);
    CHECK(amphora::convert<amphora::f32>(__nv_bfloat16{bits}) == static_cast<float>(amphora::bfloat16::from_bits(bits)));
  }
}

#if defined(__FLT16_MANT_DIG__)
static_assert(std::is_same_v<amphora::format_of_t<_Float16>, amphora::f16>);
TEST_CASE("the compiler's _Float16 has f16's bits") {
  for (int pattern = 0; pattern < 0x7c00; pattern += 7) {
    const auto ours = amphora::float16::from_bits(static_cast<std::uint16_t>(pattern));
    const auto theirs = static_cast<_Float16>(static_cast<float>(ours));
    CHECK(amphora::convert<amphora::f16>(theirs).bits() == ours.bits());
    CHECK(amphora::convert<amphora::f32>(theirs) == static_cast<float>(ours));
  }
}
#endif
