// Built a second time with -ffast-math: so everything here is compared by its bits.
#include <amphora/format/convert.hpp>
#include <format/reference.hpp>

#include <initializer_list>

using namespace amphora;
using reference::bits_of;
using reference::from_bits;

// In constants.
static_assert(convert<f16>(1.5f).bits() == 0x3e00 && convert<bf16>(1.5).bits() == 0x3fc0 && convert<f32>(0.1) == 0.1f && convert<f64>(0.1f) == double(0.1f));
static_assert(convert<e4m3, saturating>(-1e9f).bits() == 0xfe && convert<e5m2, non_saturating>(1e9).bits() == 0x7c && convert<f16, saturating>(1e9f).bits() == 0x7bff);
static_assert(convert<f16>(bfloat16(2.0f)).bits() == 0x4000 && convert<bf16>(float16(2.0f)).bits() == 0x4000 && convert<f16>(float16::from_bits(0x7c01)).bits() == 0x7c01);
static_assert(convert<f64>(float16::from_bits(1)) == 0x1p-24 && convert<f32>(float8_e5m2::from_bits(1)) == 0x1p-16f && convert<f16>(float8_e4m3::from_bits(1)).bits() == 0x1800);
static_assert(std::is_same_v<decltype(convert<f16>(1.0f)), float16> && std::is_same_v<decltype(convert<tf32>(1.0f)), float>);
static_assert(convert<tf32>(1.0f + 0x1p-10f) == 1.0f + 0x1p-10f && convert<tf32>(1.0f + 0x1p-11f) == 1.0f && convert<tf32>(1.0f + 0x1.8p-10f) == 1.0f + 0x1p-9f);
static_assert(convert<tf32>(float16(0.5f)) == 0.5f && convert<tf32>(bfloat16(0.5f)) == 0.5f);

static_assert(is_conversion_mode_v<f16, detail::default_mode> && is_conversion_mode_v<f16, saturating> && is_conversion_mode_v<e4m3, saturating>);
static_assert(!is_conversion_mode_v<e4m3, detail::default_mode> && !is_conversion_mode_v<e5m2, detail::default_mode> && !is_conversion_mode_v<f16, int>);

namespace {

float f(std::uint32_t pattern) { return from_bits<float>(pattern); }

template <class T> using pattern_t = detail::bits_t<format_of_t<T>>;

}  // namespace

TEST_CASE("B37: float to f16 rounds to nearest even, through subnormals, to infinity") {
  struct row { std::uint32_t from; std::uint16_t to; };
  for (const row& r : std::initializer_list<row>{
           {0x33000000, 0x0000}, {0x33000001, 0x0001}, {0x33400000, 0x0001}, {0x337fffff, 0x0001}, {0x33800000, 0x0001}, {0x34200000, 0x0002},
           {0x34200001, 0x0003}, {0x34600000, 0x0004}, {0x387fc000, 0x03ff}, {0x387fe000, 0x0400}, {0x40001000, 0x4000}, {0x40001001, 0x4001},
           {0x40003000, 0x4002}, {bits_of(0.499994f), 0x3800}, {bits_of(1.9998f), 0x4000}, {bits_of(7.9992f), 0x4800}, {bits_of(65504.0f), 0x7bff},
           {bits_of(65505.0f), 0x7bff}, {bits_of(65519.996f), 0x7bff}, {bits_of(65520.0f), 0x7c00}, {bits_of(65536.0f), 0x7c00}, {0x7f800000, 0x7c00}}) {
    CAPTURE(r.from);
    CHECK(convert<f16>(f(r.from)).bits() == r.to);
    CHECK(convert<f16>(f(r.from | 0x80000000u)).bits() == (r.to | 0x8000));
    CHECK(float16(f(r.from)).bits() == r.to);
  }
}

TEST_CASE_TEMPLATE("B37: every number of a narrow format survives the way to float, double and back", T, float16, bfloat16, float8_e4m3, float8_e5m2) {
  using format = format_of_t<T>;
  int wrong = 0;
  for (std::uint32_t i = 0; i < 1u << format::bits; ++i) {
    const auto pattern = static_cast<pattern_t<T>>(i);
    const T x = T::from_bits(pattern);
    const T back = convert<format, non_saturating>(convert<f32>(x)), from_double = convert<format, non_saturating>(convert<f64>(x));
    const T clamped = convert<format, saturating>(convert<f32>(x));
    if (reference::is_nan<format>(i)) {  // quiet or not
      wrong += !reference::is_nan<format>(back.bits()) || !reference::is_nan<format>(from_double.bits()) || !reference::is_nan<format>(clamped.bits());
      wrong += !reference::is_nan<f32>(bits_of(convert<f32>(x))) || !reference::is_nan<f64>(bits_of(convert<f64>(x)));
    } else {
      wrong += back.bits() != pattern || from_double.bits() != pattern;
      const bool infinite = format::has_infinity && (pattern & detail::fields<format>::magnitude) == detail::fields<format>::exponent;
      wrong += clamped.bits() != (infinite ? pattern - 1 : pattern);
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("B40: fp8 in both modes") {
  struct row { float x; int e4m3_open, e4m3_clamped, e5m2_open, e5m2_clamped; };  // -1: not part of the case
  const float infinity = f(0x7f800000);
  for (const row& r : std::initializer_list<row>{{256, 0x78, 0x78, -1, -1}, {448, 0x7e, 0x7e, -1, -1}, {449, 0x7e, 0x7e, -1, -1}, {464, 0x7e, 0x7e, -1, -1},
           {464.0001f, 0x7f, 0x7e, -1, -1}, {465, 0x7f, 0x7e, -1, -1}, {500, 0x7f, 0x7e, -1, -1}, {0x1p-10f, 0x00, 0x00, -1, -1}, {0x1.8p-9f, 0x02, 0x02, -1, -1},
           {57344, -1, -1, 0x7b, 0x7b}, {58000, -1, -1, 0x7b, 0x7b}, {61439.996f, -1, -1, 0x7b, 0x7b}, {61440, -1, -1, 0x7c, 0x7b}, {65504, -1, -1, 0x7c, 0x7b},
           {infinity, 0x7f, 0x7e, 0x7c, 0x7b}}) {
    CAPTURE(bits_of(r.x));
    for (const std::uint32_t sign : {0u, 0x80000000u}) {
      const float x = f(bits_of(r.x) | sign);
      const int mark = sign ? 0x80 : 0;
      if (r.e4m3_open >= 0) CHECK(convert<e4m3, non_saturating>(x).bits() == (r.e4m3_open | mark));
      if (r.e4m3_clamped >= 0) CHECK(convert<e4m3, saturating>(x).bits() == (r.e4m3_clamped | mark));
      if (r.e5m2_open >= 0) CHECK(convert<e5m2, non_saturating>(x).bits() == (r.e5m2_open | mark));
      if (r.e5m2_clamped >= 0) CHECK(convert<e5m2, saturating>(x).bits() == (r.e5m2_clamped | mark));
    }
  }
  for (const std::uint32_t nan : {0x7fc00000u, 0x7f800001u, 0xffffffffu, 0xff800001u}) {
    CHECK(reference::is_nan<e4m3>(convert<e4m3, non_saturating>(f(nan)).bits()));
    CHECK(reference::is_nan<e4m3>(convert<e4m3, saturating>(f(nan)).bits()));
    CHECK(reference::is_nan<e5m2>(convert<e5m2, non_saturating>(f(nan)).bits()));
    CHECK(reference::is_nan<e5m2>(convert<e5m2, saturating>(f(nan)).bits()));
  }
}

TEST_CASE("a double is rounded once, not by way of float") {
  int through_float = 0, count = 0;
  for (const auto& row : reference::conversions()["double_hard"]) {
    const std::string format = row[0];
    const std::uint64_t pattern = std::stoull(row[1].get<std::string>(), nullptr, 16);
    const auto expected = row[2].get<std::uint16_t>();
    const double x = from_bits<double>(pattern);
    const std::uint16_t once = format == "f16" ? convert<f16>(x).bits() : convert<bf16>(x).bits();
    const std::uint16_t twice = format == "f16" ? convert<f16>(convert<f32>(x)).bits() : convert<bf16>(convert<f32>(x)).bits();
    CHECK(once == expected);
    CHECK((format == "f16" ? float16(x).bits() : bfloat16(x).bits()) == expected);
    through_float += twice != expected;
    ++count;
  }
  CHECK(count == 3000);
  CHECK(through_float > count / 10);  // the cases are hard: two roundings would be seen
}

TEST_CASE("between narrow formats one rounding is made from the exact value") {
  int wrong = 0;
  for (std::uint32_t i = 0; i < 1u << 16; ++i) {
    const auto x = float16::from_bits(static_cast<std::uint16_t>(i));
    const auto y = bfloat16::from_bits(static_cast<std::uint16_t>(i));
    wrong += convert<bf16>(x).bits() != convert<bf16>(convert<f64>(x)).bits() || convert<f16>(y).bits() != convert<f16>(convert<f64>(y)).bits();
    wrong += convert<e4m3, saturating>(x).bits() != convert<e4m3, saturating>(convert<f64>(x)).bits();
    wrong += convert<e5m2, non_saturating>(y).bits() != convert<e5m2, non_saturating>(convert<f64>(y)).bits();
  }
  CHECK(wrong == 0);
}

TEST_CASE_TEMPLATE("float to a narrow format has the reference's bits, one number at a time", Case, std::pair<f16, non_saturating>, std::pair<bf16, non_saturating>,
                   std::pair<e4m3, non_saturating>, std::pair<e4m3, saturating>, std::pair<e5m2, non_saturating>, std::pair<e5m2, saturating>) {
  using format = typename Case::first_type;
  using mode = typename Case::second_type;
  // Where it is hard: the format's subnormals; all NaNs, infinity and, for bf16, the largest.
  const int subnormal = std::is_same_v<format, bf16> ? 0x00 : std::is_same_v<format, f16> ? 0x33 : std::is_same_v<format, e4m3> ? 0x3b : 0x37;
  for (const int block : {subnormal, 0x7f}) {
    CAPTURE(block);
    const auto sum = reference::of_block<format>(block, [](const float* from, detail::bits_t<format>* to, std::int64_t n) {
      for (std::int64_t i = 0; i < n; ++i) to[i] = convert<format, mode>(from[i]).bits();
    });
    CHECK(sum == (reference::expected<format, mode>(block)));
  }
}
