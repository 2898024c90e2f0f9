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

}}}  // namespace amphora::detail
