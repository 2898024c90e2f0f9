// A double whose products are never fused with a sum: the arithmetic of a step's own numbers.
#pragma once
#include <amphora/detail/config.hpp>  // AMPHORA_HD
#include <amphora/format/real.hpp>    // integer_power

#include <cmath>  // sqrt

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// a · b, rounded, whatever stands around the call. Not inlined on g++, which contracts after inlining.
template <class Build = this_build>
#if defined(__GNUC__) && !defined(__CUDA_ARCH__)
__attribute__((noinline))
#endif
AMPHORA_HD double
rounded_product(double a, double b) {
  return times(a, b);
}

/// A double with + − · / and sqrt that are each rounded once, so that what a rule computes once a step has the same bits
/// on every compiler and device.
struct rounded {
  double x;

  rounded() = default;
  AMPHORA_HD constexpr rounded(double value) : x(value) {}

  AMPHORA_HD friend rounded operator+(rounded a, rounded b) { return a.x + b.x; }
  AMPHORA_HD friend rounded operator-(rounded a, rounded b) { return a.x - b.x; }
  AMPHORA_HD friend rounded operator*(rounded a, rounded b) { return rounded_product(a.x, b.x); }
  AMPHORA_HD friend rounded operator/(rounded a, rounded b) { return a.x / b.x; }
  AMPHORA_HD friend rounded sqrt(rounded a) { return std::sqrt(a.x); }
  AMPHORA_HD friend rounded power(rounded base, long long exponent) { return integer_power(base.x, exponent); }
  /// Rounded to float, for the loop over the elements.
  AMPHORA_HD real single() const { return static_cast<float>(x); }
};

/// cos(π · turns) for turns in [0, 1], by its series: within 2^-50, and the same bits wherever it runs (libm's differ).
AMPHORA_HD inline rounded cosine_of_half_turns(rounded turns) {
  const bool past = turns.x > 0.5;
  const rounded angle = rounded(3.14159265358979323846) * (past ? rounded(1.0) - turns : turns);
  const rounded square = angle * angle;
  rounded sum = 1.0;
  for (int k = 24; k > 0; k -= 2) sum = rounded(1.0) - square / static_cast<double>(k * (k - 1)) * sum;
  return past ? rounded(0.0) - sum : sum;
}

/// e^x for |x| ≤ 64, by its series on x / 64: within 2^-45, and the same bits wherever it runs.
AMPHORA_HD inline rounded exponential_of(rounded x) {
  const rounded part = x / 64.0;
  rounded sum = 1.0;
  for (int k = 24; k > 0; --k) sum = rounded(1.0) + part / static_cast<double>(k) * sum;
  return power(sum, 64);
}

}}}  // namespace amphora::detail
