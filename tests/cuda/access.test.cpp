#include <amphora/cuda/access.cuh>  // load_one, load_eight, store_one, store_eight

#include <amphora/cuda/launch.cuh>    // launch
#include <amphora/format/convert.hpp>  // convert_bits

#include <device.hpp>  // test_context, device_array

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace amp = amphora;
using amp::detail::bit_cast;
template <class Format> using bits_of = amp::detail::bits_t<Format>;

namespace {

template <class Format, class Real, class Use>
__global__ void read_ones(const bits_of<Format>* from, Real* to, std::int64_t n) {
  for (std::int64_t i = blockIdx.x * std::int64_t(blockDim.x) + threadIdx.x; i < n; i += std::int64_t(gridDim.x) * blockDim.x)
    amp::detail::store(to + i, amp::detail::load_one<Format, Real, Use>(from, i));
}
template <class Format, class Real, class Use>
__global__ void read_eights(const bits_of<Format>* from, Real* to, std::int64_t n) {
  for (std::int64_t i = 8 * (blockIdx.x * std::int64_t(blockDim.x) + threadIdx.x); i < n; i += 8 * std::int64_t(gridDim.x) * blockDim.x) {
    const auto values = amp::detail::load_eight<Format, Real, Use>(from, i);
    for (int k = 0; k < 8; ++k) amp::detail::store(to + i + k, values.x[k]);
  }
}
template <class Format, class Real, class Use>
__global__ void write_ones(const Real* from, bits_of<Format>* to, std::int64_t n) {
  for (std::int64_t i = blockIdx.x * std::int64_t(blockDim.x) + threadIdx.x; i < n; i += std::int64_t(gridDim.x) * blockDim.x)
    amp::detail::store_one<Format, Use>(to, i, amp::detail::load(from + i));
}
template <class Format, class Real, class Use>
__global__ void write_eights(const Real* from, bits_of<Format>* to, std::int64_t n) {
  for (std::int64_t i = 8 * (blockIdx.x * std::int64_t(blockDim.x) + threadIdx.x); i < n; i += 8 * std::int64_t(gridDim.x) * blockDim.x) {
    amp::detail::eight<Real> values;
    for (int k = 0; k < 8; ++k) values.x[k] = amp::detail::load(from + i + k);
    amp::detail::store_eight<Format, Use>(to, i, values);
  }
}

template <class Format> bool is_nan(bits_of<Format> pattern) {
  const float x = bit_cast<float>(amp::detail::convert_bits<amp::f32, amp::detail::default_mode, Format>(pattern));
  return amp::detail::is_nan(x);
}
template <> bool is_nan<amp::f64>(std::uint64_t pattern) { return amp::detail::is_nan(bit_cast<double>(pattern)); }
template <class Real> bits_of<amp::detail::ieee_format_t<Real>> bits(Real x) { return bit_cast<bits_of<amp::detail::ieee_format_t<Real>>>(x); }

/// Equal bits, or both NaN.
template <class Format, class Patterns>
std::size_t differences(const Patterns& got, const Patterns& expected) {
  REQUIRE(got.size() == expected.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < got.size(); ++i) count += !(is_nan<Format>(got[i]) ? is_nan<Format>(expected[i]) : got[i] == expected[i]);
  return count;
}

/// Every pattern of a format of 16 bits or fewer; of wider ones what the list of hard cases has.
template <class Format, class Real>
std::vector<Real> hard_cases() {
  std::vector<Real> result;
  const auto add = [&](double x) { result.push_back(static_cast<Real>(x)), result.push_back(static_cast<Real>(-x)); };
  const auto around = [&](double x) {  // the number, its neighbours among the Reals, and halves between
    const Real r = static_cast<Real>(x);
    for (Real y : {r, std::nextafter(r, Real(0)), std::nextafter(r, std::numeric_limits<Real>::infinity())}) result.push_back(y), result.push_back(-y);
  };
  for (double x : {0.0, 1.0, 1e-45, 1e-40, 3e38, 1e300, 0.1, 1.0 / 3}) add(x);
  for (double x : {0x1p-25, 0x1.8p-25, 0x1p-24, 0x1.8p-24, 0x1.ff8p-15, 0x1.ffcp-15, 65504.0, 65519.996, 65520.0, 65536.0, 2.001953125, 0.499994, 1.9998, 7.9992}) around(x);  // B37
  for (double x : {256.0, 448.0, 449.0, 464.0, 465.0, 500.0, 0x1p-10, 0x1.8p-9, 57344.0, 58000.0, 61440.0, 65504.0}) around(x);                                               // B40
  for (double x : {0x1p-133, 0x1p-134, 0x1.fep127, 0x1.ffp127, 0x1.01p0, 0x1.03p0, 0x1p-126, 0x1p-149, 0x1p-150}) around(x);                                                  // bf16, f32
  for (Real x : {std::numeric_limits<Real>::infinity(), std::numeric_limits<Real>::quiet_NaN(), std::numeric_limits<Real>::denorm_min(), std::numeric_limits<Real>::max()}) result.push_back(x), result.push_back(-x);
  std::uint64_t state = 1;
  while (result.size() % 8 != 0 || result.size() < 4096) {  // any bits
    state = state * 6364136223846793005u + 1442695040888963407u;
    result.push_back(bit_cast<Real>(static_cast<bits_of<amp::detail::ieee_format_t<Real>>>(state >> (sizeof(Real) == 4 ? 32 : 0))));
  }
  return result;
}
template <class Format>
std::vector<bits_of<Format>> all_patterns() {
  std::vector<bits_of<Format>> result;
  if constexpr (Format::bits <= 16) {
    for (std::uint32_t pattern = 0; pattern < (1u << Format::bits); ++pattern) result.push_back(static_cast<bits_of<Format>>(pattern));
  } else {
    for (auto x : hard_cases<Format, std::conditional_t<Format::bits == 64, double, float>>()) result.push_back(bits(x));
  }
  return result;
}

template <class Format, class Real, class Use>
void reads_as_the_host() {
  using wide = amp::detail::ieee_format_t<Real>;
  test_context context;
  const auto patterns = all_patterns<Format>();
  std::vector<bits_of<wide>> expected;
  for (auto pattern : patterns) expected.push_back(amp::detail::convert_bits<wide, amp::detail::default_mode, Format>(pattern));
  const device_array<bits_of<Format>> from(context, patterns);
  const auto n = static_cast<std::int64_t>(patterns.size());
  REQUIRE(n % 8 == 0);
  REQUIRE(amp::detail::is_wide<Format>(from.data()));
  for (bool in_eights : {false, true}) {
    device_array<Real> to(context, patterns.size());
    amp::detail::launch(context, "read", 3, 256, in_eights ? read_eights<Format, Real, Use> : read_ones<Format, Real, Use>, from.data(), to.data(), n);
    std::vector<bits_of<wide>> got;
    for (Real x : to.get()) got.push_back(bits(x));
    CHECK(differences<wide>(got, expected) == 0);
  }
}
template <class Format, class Real, class Use>
void writes_as_the_host() {
  using mode = std::conditional_t<amp::detail::is_fp8_v<Format>, amp::saturating, amp::non_saturating>;
  test_context context;
  const std::vector<Real> values = hard_cases<Format, Real>();
  std::vector<bits_of<Format>> expected;
  for (Real x : values) expected.push_back(amp::detail::convert_bits<Format, mode, amp::detail::ieee_format_t<Real>>(bits(x)));
  const device_array<Real> from(context, values);
  const auto n = static_cast<std::int64_t>(values.size());
  for (bool in_eights : {false, true}) {
    device_array<bits_of<Format>> to(context, values.size());
    amp::detail::launch(context, "write", 3, 256, in_eights ? write_eights<Format, Real, Use> : write_ones<Format, Real, Use>, from.data(), to.data(), n);
    CHECK(differences<Format>(to.get(), expected) == 0);
  }
}

}  // namespace

TEST_CASE_TEMPLATE("B37, B40: numbers are read up to float and double as the host converts them, all patterns of 8 and 16 bits", Format, amp::f16, amp::bf16, amp::f32, amp::e4m3, amp::e5m2) {
  reads_as_the_host<Format, float, amp::detail::cached>();
  reads_as_the_host<Format, float, amp::detail::streamed>();
  reads_as_the_host<Format, double, amp::detail::cached>();
}
TEST_CASE("f64 is read as it is, and rounded once to float") {
  reads_as_the_host<amp::f64, double, amp::detail::cached>();
  reads_as_the_host<amp::f64, float, amp::detail::streamed>();
}

TEST_CASE_TEMPLATE("B37, B40: floats and doubles are stored in one rounding, as the host's; 8-bit formats saturate", Format, amp::f16, amp::bf16, amp::f32, amp::e4m3, amp::e5m2) {
  writes_as_the_host<Format, float, amp::detail::cached>();
  writes_as_the_host<Format, float, amp::detail::streamed>();
  writes_as_the_host<Format, double, amp::detail::cached>();
}
TEST_CASE("f64 is stored as it is, from float without rounding") {
  writes_as_the_host<amp::f64, double, amp::detail::cached>();
  writes_as_the_host<amp::f64, float, amp::detail::cached>();
}

TEST_CASE("an array is wide where eight of its numbers can be read in whole parts of 16 bytes, of 8 bytes for 8 bits") {
  const auto at = [](std::uintptr_t address) { return reinterpret_cast<const void*>(address); };
  CHECK(amp::detail::is_wide<amp::f16>(at(4096)));
  CHECK_FALSE(amp::detail::is_wide<amp::f16>(at(4096 + 8)));
  CHECK(amp::detail::is_wide<amp::e4m3>(at(4096 + 8)));
  CHECK_FALSE(amp::detail::is_wide<amp::e4m3>(at(4096 + 4)));
  CHECK_FALSE(amp::detail::is_wide<amp::f32>(at(4096 + 4)));
}
