#include <amphora/format/real.hpp>
#include <amphora/host/level.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

using namespace amphora;

static_assert(std::is_trivially_copyable_v<real> && sizeof(real) == sizeof(float) && std::is_trivially_default_constructible_v<real>);
static_assert((real(2) + real(3) * real(4) - real(1)).x == 13.0f && (real(1) / real(4)).x == 0.25f && (-real(2)).x == -2.0f);
static_assert(real(1) < real(2) && real(2) > real(1) && real(1) <= real(1) && real(1) >= real(1) && real(1) == real(1) && real(1) != real(2));
static_assert(abs(real(-3)).x == 3.0f && max(real(1), real(2)).x == 2.0f && min(real(1), real(2)).x == 1.0f);

namespace {

std::uint32_t bits(float x) {
  std::uint32_t pattern;
  std::memcpy(&pattern, &x, sizeof x);
  return pattern;
}

/// a · b + c with a rounding after each, by double: both steps are exact there before they are rounded to float.
float rounded_twice(float a, float b, float c) {
  volatile float product = static_cast<float>(static_cast<double>(a) * b);
  volatile float sum = static_cast<float>(static_cast<double>(product) + c);
  return sum;
}

/// A loop as the library writes them: a rule over real, in a function of a level.
AMPHORA_EXACT __attribute__((noinline)) void multiply_add(const float* a, const float* b, const float* c, float* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = (real(a[i]) * b[i] + c[i]).x;
}
AMPHORA_EXACT __attribute__((noinline)) void square_roots(const float* a, float* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = sqrt(real(a[i])).x;
}
#if AMPHORA_X86
AMPHORA_TARGET("avx2,fma") __attribute__((noinline)) void multiply_add_where_it_could_be_fused(const float* a, const float* b, const float* c, float* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = (real(a[i]) * b[i] + c[i]).x;
}
#endif

}  // namespace

TEST_CASE("a product and a sum are rounded one after the other, also where the processor could fuse them") {
  const int n = 4096;
  std::vector<float> a(n), b(n), c(n), out(n);
  std::uint32_t seed = 1;
  auto next = [&seed] { return static_cast<float>((seed = seed * 1664525u + 1013904223u) >> 8) * 0x1p-23f + 0.5f; };
  int fused_differs = 0;
  for (int i = 0; i < n; ++i) {
    a[i] = next(), b[i] = next(), c[i] = -a[i] * b[i] + next() * 0x1p-20f;  // cancels, so that the product's rounding shows
    fused_differs += std::fma(a[i], b[i], c[i]) != rounded_twice(a[i], b[i], c[i]);
  }
  CHECK(fused_differs > n / 2);  // the inputs can tell
  int wrong = 0;
  multiply_add(a.data(), b.data(), c.data(), out.data(), n);
  for (int i = 0; i < n; ++i) wrong += bits(out[i]) != bits(rounded_twice(a[i], b[i], c[i]));
  CHECK(wrong == 0);
#if AMPHORA_X86
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    multiply_add_where_it_could_be_fused(a.data(), b.data(), c.data(), out.data(), n);
    for (int i = 0; i < n; ++i) wrong += bits(out[i]) != bits(rounded_twice(a[i], b[i], c[i]));
    CHECK(wrong == 0);
  }
#endif
}

TEST_CASE("a square root is rounded once") {
  std::vector<float> a, out;
  for (std::uint32_t pattern = 0x00800000; pattern < 0x7f800000; pattern += 100003) {
    float x;
    std::memcpy(&x, &pattern, sizeof x);
    a.push_back(x);
  }
  out.resize(a.size());
  square_roots(a.data(), out.data(), static_cast<int>(a.size()));
  std::size_t wrong = 0;
  // Through double: 53 bits are more than 2 · 24 + 2, so rounding twice is rounding once.
  for (std::size_t i = 0; i < a.size(); ++i) wrong += bits(out[i]) != bits(static_cast<float>(std::sqrt(static_cast<double>(a[i]))));
  CHECK(wrong == 0);
  CHECK(sqrt(real(0)).x == 0.0f);
  CHECK((bits(sqrt(real(-1)).x) & 0x7fffffffu) > 0x7f800000u);
  CHECK(sqrt(real(std::numeric_limits<float>::infinity())).x == std::numeric_limits<float>::infinity());
}

TEST_CASE("the larger, the smaller and the magnitude treat signs of zero and NaN as documented") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(bits(abs(real(-0.0f)).x) == 0);
  CHECK(bits(abs(real(nan)).x) == bits(nan));
  CHECK(max(real(1), real(nan)).x == 1.0f);  // the first, unless the second is larger
  CHECK(min(real(1), real(nan)).x == 1.0f);
  CHECK(!(real(nan) < real(1)));
  CHECK(real(nan) != real(nan));
}

TEST_CASE("powers by squaring are those of exact small cases and near pow's") {
  CHECK(integer_power(2.0, 0) == 1.0);
  CHECK(integer_power(2.0, 1) == 2.0);
  CHECK(integer_power(0.5, 1000) == std::ldexp(1.0, -1000));
  CHECK(integer_power(3.0, 13) == 1594323.0);
  for (const long long t : {2LL, 17LL, 1000LL, 123456LL}) {
    const double exact = std::pow(0.999, static_cast<double>(t));
    CHECK(std::fabs(integer_power(0.999, t) - exact) <= exact * static_cast<double>(2 * t) * 0x1p-53);  // a rounding for each factor at most
  }
}

TEST_CASE("sums and products of either type are rounded once each") {
  const float a = 1 + 0x1p-12f;
  CHECK(amphora::detail::add_once(amphora::detail::multiply_once(a, a), -1.0f) == 0x1p-11f);  // a fused one keeps 2^-24 too
  const double b = 1 + 0x1p-27;
  CHECK(amphora::detail::add_once(amphora::detail::multiply_once(b, b), -1.0) == 0x1p-26);
}
