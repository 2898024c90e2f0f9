#include <amphora/format/format.hpp>

#include <doctest/doctest.h>

#include <limits>

using namespace amphora;

static_assert(f16::bits == 16 && f16::exponent_bits == 5 && f16::significand_bits == 11 && f16::bias == 15);
static_assert(f16::largest == 65504 && f16::smallest_normal == 0x1p-14 && f16::smallest_subnormal == 0x1p-24 && f16::unit_roundoff == 0x1p-11);
static_assert(bf16::bits == 16 && bf16::exponent_bits == 8 && bf16::significand_bits == 8 && bf16::bias == 127);
static_assert(bf16::largest == 0x1.fep127 && bf16::smallest_normal == 0x1p-126 && bf16::smallest_subnormal == 0x1p-133 && bf16::unit_roundoff == 0x1p-8);
static_assert(e4m3::largest == 448 && e4m3::smallest_normal == 0x1p-6 && e4m3::smallest_subnormal == 0x1p-9 && e4m3::unit_roundoff == 0x1p-4 && !e4m3::has_infinity);
static_assert(e5m2::largest == 57344 && e5m2::smallest_normal == 0x1p-14 && e5m2::smallest_subnormal == 0x1p-16 && e5m2::unit_roundoff == 0x1p-3 && e5m2::has_infinity);
static_assert(tf32::bits == 32 && tf32::significand_bits == 11 && tf32::exponent_bits == 8 && tf32::smallest_normal == f32::smallest_normal);

// What the language says of its own types.
template <class Format, class Number>
constexpr bool as_language =
    Format::bits == 8 * sizeof(Number) && Format::significand_bits == std::numeric_limits<Number>::digits &&
    Format::largest_exponent + 1 == std::numeric_limits<Number>::max_exponent && Format::largest == std::numeric_limits<Number>::max() &&
    Format::smallest_normal == std::numeric_limits<Number>::min() && Format::unit_roundoff == std::numeric_limits<Number>::epsilon() / 2;
static_assert(as_language<f32, float> && as_language<f64, double>);
static_assert(f32::smallest_subnormal == 0x1p-149 && f64::smallest_subnormal > 0);

// Questions about what is no format are 0 and no error.
template <class T>
constexpr bool no_facts = !is_format_v<T> && bits_v<T> == 0 && exponent_bits_v<T> == 0 && significand_bits_v<T> == 0 && unit_roundoff_v<T> == 0 &&
                          largest_v<T> == 0 && smallest_normal_v<T> == 0 && smallest_subnormal_v<T> == 0 && !is_low_precision_v<T>;
struct incomplete;
static_assert(no_facts<float> && no_facts<int> && no_facts<void> && no_facts<incomplete> && no_facts<int[]> && no_facts<int&>);
static_assert(no_facts<widest> && no_facts<as_given> && no_facts<as_computed> && no_facts<not_a_format>);
static_assert(is_format_v<f16> && is_format_v<tf32> && bits_v<e4m3> == 8 && exponent_bits_v<e5m2> == 5 && significand_bits_v<bf16> == 8);
static_assert(unit_roundoff_v<f32> == 0x1p-24 && largest_v<f16> == 65504 && smallest_normal_v<f16> == 0x1p-14 && smallest_subnormal_v<f16> == 0x1p-24);
static_assert(is_low_precision_v<f16> && is_low_precision_v<bf16> && is_low_precision_v<e4m3> && !is_low_precision_v<tf32> && !is_low_precision_v<f32>);

TEST_CASE_TEMPLATE("facts of a format hang together", Format, f16, bf16, f32, f64, e4m3, e5m2, tf32) {
  CHECK(Format::smallest_subnormal == Format::smallest_normal * 2 * Format::unit_roundoff);
  CHECK(Format::largest_exponent == (Format::has_infinity ? Format::bias : Format::bias + 1));
  CHECK(Format::largest < detail::power_of_two(Format::largest_exponent) * 2);
  CHECK(Format::largest >= detail::power_of_two(Format::largest_exponent) * (2 - 8 * Format::unit_roundoff));
  CHECK(doctest::String(Format::name).size() >= 3);
}
