// One batch of products for a test: sizes, formats and what happens to the result, run on the device and in double on the host.
#pragma once
#include <amphora/cuda/matmul.cuh>     // matmul_kernels
#include <amphora/cuda/scale.cuh>      // scale_kernels
#include <amphora/format/convert.hpp>  // convert
#include <amphora/format/storage.hpp>  // storage_t
#include <device.hpp>                  // device_array

#include <doctest/doctest.h>

#include <cmath>        // abs
#include <cstdint>      // int64_t
#include <type_traits>  // conditional_t
#include <vector>       // vector

namespace products {

using amphora::detail::product;

template <class Format> amphora::storage_t<Format> stored(double x) {
  if constexpr (amphora::bits_v<Format> == 8) return amphora::convert<Format, amphora::saturating>(x);
  else return amphora::convert<Format>(x);
}
template <class T> double value(const T& x) { return static_cast<double>(x); }

/// Given in memory, read by the op, summed, and the result's.
template <class Given, class Read, class Accumulate, class C>
struct formats {
  using given = Given;
  using read = Read;
  using accumulate = Accumulate;
  using c = C;
};

/// Whole numbers from -2 to 2, or fractions of one that need rounding.
inline double number(bool whole, std::uint64_t i, std::uint64_t seed) {
  std::uint64_t x = (i + 1) * 0x9E3779B97F4A7C15ull + seed * 0xBF58476D1CE4E5B9ull;
  x ^= x >> 31, x *= 0x94D049BB133111EBull, x ^= x >> 29;
  return whole ? static_cast<double>(x % 5) - 2 : static_cast<double>(static_cast<std::int64_t>(x % 20001) - 10000) / 10007;
}
template <class Format> std::vector<amphora::storage_t<Format>> numbers(bool whole, std::int64_t n, std::uint64_t seed) {
  std::vector<amphora::storage_t<Format>> result;
  for (std::int64_t i = 0; i < n; ++i) result.push_back(stored<Format>(number(whole, static_cast<std::uint64_t>(i), seed)));
  return result;
}

/// Runs p and compares each number: the same bits where all sums are exact, within the bound of the formats elsewhere.
///
/// offset  where operands and result begin in their memory, in numbers
template <class Formats>
void check(test_context& context, const product& p, bool whole, bool add = false, std::int64_t offset = 0) {
  using namespace amphora::detail;
  using given = typename Formats::given;
  using read = typename Formats::read;
  using c_format = typename Formats::c;
  CAPTURE(p.m); CAPTURE(p.n); CAPTURE(p.k); CAPTURE(p.a_transposed); CAPTURE(p.b_transposed); CAPTURE(p.has_bias); CAPTURE(p.relu); CAPTURE(p.has_mask);
  CAPTURE(p.kept.rank); CAPTURE(p.summed.rank); CAPTURE(add); CAPTURE(whole); CAPTURE(offset);
  const std::int64_t matrices = p.kept.count(), size_c = matrices * p.m * p.n;
  const std::int64_t size_a = p.m * p.k == 0 || matrices == 0 ? 0 : span(p, p.m * p.k, &batch_loops::a), size_b = p.k * p.n == 0 || matrices == 0 ? 0 : span(p, p.k * p.n, &batch_loops::b);
  const auto a = numbers<given>(whole, offset + size_a, 1), b = numbers<given>(whole, offset + size_b, 2), bias = numbers<given>(whole, p.n, 3);
  const auto mask = numbers<c_format>(whole, size_c, 4);
  auto c = numbers<c_format>(whole, offset + size_c + 8, 5);
  device_array<amphora::storage_t<given>> on_a(context, a), on_b(context, b), on_bias(context, bias);
  device_array<amphora::storage_t<c_format>> on_mask(context, mask), on_c(context, c);
  matmul_kernels<test_device>::run<typename Formats::accumulate>(context, p, target<c_format>{on_c.data() + offset, add}, source<given, read>{on_a.data() + offset}, source<given, read>{on_b.data() + offset},
      source<given, read>{on_bias.data()}, source<c_format>{on_mask.data()});
  const auto have = on_c.get();
  using rounded = std::conditional_t<!std::is_same_v<read, amphora::tf32> && (read::significand_bits < given::significand_bits || read::exponent_bits < given::exponent_bits), read, given>;
  const auto as_read = [](const auto& x) { return value(stored<rounded>(value(x))); };
  using sums = std::conditional_t<std::is_same_v<typename Formats::accumulate, amphora::f64> || std::is_same_v<read, amphora::f64>, amphora::f64,
      std::conditional_t<std::is_same_v<typename Formats::accumulate, amphora::f16> && std::is_same_v<read, amphora::f16>, amphora::f16, amphora::f32>>;
  const double unit_sum = std::ldexp(1.0, -sums::significand_bits), unit_c = std::ldexp(1.0, -c_format::significand_bits), smallest = std::ldexp(1.0, c_format::bits == 8 ? -10 : -25);  // half a step of subnormals
  int wrong = 0;
  for (std::int64_t q = 0; q < matrices; ++q) {
    std::int64_t at_a = offset, at_b = offset, at_c = 0, rest = q;
    for (int i = p.kept.rank - 1; i >= 0; rest /= p.kept.extent[i--]) {
      const std::int64_t at = rest % p.kept.extent[i];
      at_a += at * p.kept.a[i], at_b += at * p.kept.b[i], at_c += at * p.kept.c[i];
    }
    for (std::int64_t i = 0; i < p.m; ++i)
      for (std::int64_t j = 0; j < p.n; ++j) {
        double sum = 0, size = 0;
        for (std::int64_t t = 0; t < p.summed.count(); ++t) {
          std::int64_t term_a = at_a, term_b = at_b, term = t;
          for (int x = p.summed.rank - 1; x >= 0; term /= p.summed.extent[x--]) term_a += term % p.summed.extent[x] * p.summed.a[x], term_b += term % p.summed.extent[x] * p.summed.b[x];
          for (std::int64_t k = 0; k < p.k; ++k) {
            const double one = as_read(a[static_cast<std::size_t>(term_a + (p.a_transposed ? k * p.m + i : i * p.k + k))]) * as_read(b[static_cast<std::size_t>(term_b + (p.b_transposed ? j * p.k + k : k * p.n + j))]);
            sum += one, size += std::abs(one);
          }
        }
        if (p.has_bias) sum += as_read(bias[static_cast<std::size_t>(j)]);
        if (p.relu && sum < 0) sum = 0;
        const std::int64_t at = at_c + i * p.n + j;
        if (p.gelu) sum = sum / (1 + std::exp(-1.5957691216057307 * (sum + 0.044715 * sum * sum * sum)));
        if (p.has_mask && value(mask[static_cast<std::size_t>(at)]) <= 0) sum = 0;
        if (add) sum += value(c[static_cast<std::size_t>(offset + at)]);
        const double got = value(have[static_cast<std::size_t>(offset + at)]);
        const double bound = (static_cast<double>(p.k * p.summed.count()) + 3) * unit_sum * (size + 3) + unit_c * (std::abs(sum) + size * unit_sum) + smallest +
                             (std::is_same_v<read, amphora::tf32> ? size / 512 : 0);
        if (whole ? got != value(stored<c_format>(sum)) : !(std::abs(got - sum) <= bound)) {
          INFO(i, ", ", j, " of ", q, ": ", got, " for ", sum);
          if (++wrong < 3) CHECK(got == sum);
        }
      }
  }
  CHECK(wrong == 0);
  for (std::int64_t i = 0; i < offset; ++i) CHECK(value(have[static_cast<std::size_t>(i)]) == value(c[static_cast<std::size_t>(i)]));
  for (std::size_t i = static_cast<std::size_t>(offset + size_c); i < have.size(); ++i) CHECK(value(have[i]) == value(c[i]));
}

}  // namespace products
