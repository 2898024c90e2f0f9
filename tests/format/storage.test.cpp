#include <amphora/format/storage.hpp>
#include <format/reference.hpp>

using namespace amphora;

template <class T>
constexpr bool is_plain = std::is_trivial_v<T> && std::is_standard_layout_v<T> && std::is_trivially_copyable_v<T>;
static_assert(is_plain<float16> && is_plain<bfloat16> && is_plain<float8_e4m3> && is_plain<float8_e5m2>);
static_assert(sizeof(float16) == 2 && alignof(float16) == 2 && sizeof(bfloat16) == 2 && sizeof(float8_e4m3) == 1 && sizeof(float8_e5m2) == 1);

static_assert(std::is_same_v<storage_t<f16>, float16> && std::is_same_v<storage_t<bf16>, bfloat16> && std::is_same_v<storage_t<f32>, float>);
static_assert(std::is_same_v<storage_t<f64>, double> && std::is_same_v<storage_t<tf32>, float> && std::is_same_v<storage_t<e4m3>, float8_e4m3>);
static_assert(std::is_same_v<storage_t<e5m2>, float8_e5m2> && std::is_same_v<storage_t<float>, not_a_format> && std::is_same_v<storage_t<widest>, not_a_format>);

// Nothing happens silently: numbers go in and out by name, and an 8-bit format's treatment of large numbers is named.
static_assert(!std::is_convertible_v<float, float16> && !std::is_convertible_v<float16, float> && std::is_constructible_v<float16, float> && std::is_constructible_v<bfloat16, double>);
static_assert(!std::is_constructible_v<float8_e4m3, float> && std::is_constructible_v<float8_e4m3, float, saturating> && std::is_constructible_v<float8_e5m2, double, non_saturating>);
static_assert(!std::is_constructible_v<float16, int> && !std::is_constructible_v<float16, bfloat16> && !std::is_constructible_v<float8_e4m3, float, int>);

static_assert(float16(1.0f).bits() == 0x3c00 && float(float16(0.1f)) == 0x1.998p-4f && double(float16(-2.0)) == -2.0);
static_assert(bfloat16(1.0f).bits() == 0x3f80 && float(bfloat16(3.141592653589793)) == 3.140625f);
static_assert(float8_e4m3(1000.0f, saturating{}).bits() == 0x7e && float8_e4m3(1000.0f, non_saturating{}).bits() == 0x7f);
static_assert(float8_e5m2(1e6, saturating{}).bits() == 0x7b && float8_e5m2(1e6, non_saturating{}).bits() == 0x7c);
static_assert(float16(1e5f, saturating{}).bits() == 0x7bff && float16(-1e5f).bits() == 0xfc00);

TEST_CASE_TEMPLATE("every pattern of a format is read as its definition says, in float and in double", T, float16, bfloat16, float8_e4m3, float8_e5m2) {
  using format = typename T::format;
  int wrong = 0;
  for (std::uint32_t pattern = 0; pattern < 1u << format::bits; ++pattern) {
    const T x = T::from_bits(static_cast<typename T::bits_type>(pattern));
    const std::uint32_t narrow = reference::bits_of(static_cast<float>(x));
    const std::uint64_t wide = reference::bits_of(static_cast<double>(x));
    wrong += x.bits() != pattern;
    if (reference::is_nan<format>(pattern)) {
      wrong += !reference::is_nan<f32>(narrow) || !reference::is_nan<f64>(wide);
    } else {
      const double value = reference::value<format>(pattern);
      wrong += narrow != reference::bits_of(static_cast<float>(value)) && !(value != 0 && std::fabs(value) < f32::smallest_normal);
      wrong += wide != reference::bits_of(value);
      wrong += reference::bits_of(reference::value<f32>(narrow)) != wide;
    }
  }
  CHECK(wrong == 0);
}
