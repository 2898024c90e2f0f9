#include <amphora/format/rounding.hpp>
#include <format/reference.hpp>

using namespace amphora;

static_assert(std::is_same_v<detail::bits_t<e4m3>, std::uint8_t> && std::is_same_v<detail::bits_t<f16>, std::uint16_t>);
static_assert(std::is_same_v<detail::bits_t<tf32>, std::uint32_t> && std::is_same_v<detail::bits_t<f64>, std::uint64_t>);
static_assert(detail::fields<f16>::exponent == 0x7c00 && detail::fields<f16>::largest == 0x7bff && detail::fields<f16>::quiet == 0x0200);
static_assert(detail::fields<e4m3>::last_not_nan == 0x7e && detail::fields<e4m3>::largest == 0x7e && detail::fields<e5m2>::largest == 0x7b);
static_assert(detail::fields<tf32>::exponent == 0x7f800000 && detail::fields<tf32>::largest == 0x7f7fe000);
static_assert(detail::is_mode_v<saturating> && detail::is_mode_v<non_saturating> && !detail::is_mode_v<int> && !detail::is_mode_v<void>);

// NaN: sign and upper payload stay, the quiet bit is set.
static_assert(detail::narrow_bits<f16>(0x7f800001) == 0x7e00 && detail::narrow_bits<f16>(0xffc02000) == 0xfe01 && detail::narrow_bits<f16>(0x7fffffff) == 0x7fff);
static_assert(detail::narrow_bits<bf16>(0x7f800001) == 0x7fc0 && detail::narrow_bits<bf16>(0xff812345) == 0xffc1);
static_assert(detail::narrow_bits<e4m3>(0xff800001) == 0xff && detail::narrow_bits<e5m2, saturating>(0x7f800001) == 0x7e && detail::narrow_bits<e5m2>(0x7fa00000) == 0x7f);
static_assert((detail::widen_bits<f32, f16>(0x7c01)) == 0x7fc02000 && (detail::widen_bits<f32, bf16>(0x7f81)) == 0x7f810000);
static_assert((detail::widen_bits<f64, f32>(0xff800001)) == 0xfff8000020000000 && (detail::widen_bits<f16, e5m2>(0x7d)) == 0x7f00);

TEST_CASE_TEMPLATE("what lies between two neighbours goes to the nearer, and half way to the even one", Format, f16, bf16, e4m3, e5m2) {
  using bits = detail::bits_t<Format>;
  int wrong = 0;
  const auto last = static_cast<std::uint32_t>(detail::fields<Format>::largest);
  for (std::uint32_t lower = 0; lower < last; ++lower)
    for (const std::uint64_t sign : {std::uint64_t(0), std::uint64_t(1) << 63}) {
      const double a = reference::value<Format>(lower), b = reference::value<Format>(lower + 1), half = a + (b - a) / 2;  // exact in double
      const std::uint64_t middle = reference::bits_of(half) | sign;
      const auto down = static_cast<bits>(lower | (sign ? detail::fields<Format>::sign : 0)), up = static_cast<bits>(down + 1);
      wrong += detail::narrow_bits<Format, non_saturating, f64>(middle) != (lower % 2 == 0 ? down : up);
      wrong += detail::narrow_bits<Format, non_saturating, f64>(middle - 1) != down;
      wrong += detail::narrow_bits<Format, non_saturating, f64>(middle + 1) != up;
      wrong += detail::narrow_bits<Format, saturating, f64>(reference::bits_of(a) | sign) != down;
    }
  CHECK(wrong == 0);
}

TEST_CASE("a double is rounded to float once, through float's subnormals") {
  for (const double x : {1.0 + 0x1p-24, 1.0 + 0x1.8p-24, 0x1.fffffefp127, 0x1p-149, 0x1p-150, 0x1.8p-150, 0x1.fffffcp-127, 3e300, -0.0, 1e-320})
    CHECK(detail::narrow_bits<f32, non_saturating, f64>(reference::bits_of(x)) == reference::bits_of(static_cast<float>(x)));
}
