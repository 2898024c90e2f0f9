// A float whose operators round once each, on every compiler and device: the arithmetic of rules and scalers.
#pragma once
#include <amphora/detail/config.hpp>  // AMPHORA_HD

#include <cmath>  // sqrt
#if !defined(__CUDACC__) && defined(__SSE__)
#include <xmmintrin.h>  // _mm_sqrt_ss
#endif

#if !defined(__CUDACC__) && !defined(__clang__) && defined(__GNUC__)
// g++ vectorises a square root only where it cannot set errno; `const` says so for this file without -fno-math-errno.
extern "C" float sqrtf(float) noexcept __attribute__((const));
#endif

namespace amphora { inline namespace AMPHORA_ABI {

/// A float with + − · / and sqrt that are each rounded once: never contracted to a fused multiply-add.
///
/// Rules are written over it so that the host (at every level of its instructions), the emulated and the real device give
/// equal bits. clang contracts only within one expression of one function, so a wrapper is enough; nvcc never fuses __f*_rn;
/// g++ fuses after inlining, so the library's loops carry AMPHORA_EXACT (host/level.hpp).
/// Equality is given up by -ffast-math, by g++ outside those loops unless -ffp-contract=off, and by -ffp-contract=fast with
/// clang where the file is compiled for a processor that has fused operations: clang then fuses whatever it is told.
struct real {
  float x;

  real() = default;
  AMPHORA_HD constexpr real(float value) : x(value) {}

#ifdef __CUDA_ARCH__
  AMPHORA_HD friend real operator+(real a, real b) { return __fadd_rn(a.x, b.x); }
  AMPHORA_HD friend real operator-(real a, real b) { return __fsub_rn(a.x, b.x); }
  AMPHORA_HD friend real operator*(real a, real b) { return __fmul_rn(a.x, b.x); }
  AMPHORA_HD friend real operator/(real a, real b) { return __fdiv_rn(a.x, b.x); }
#else
  AMPHORA_HD friend constexpr real operator+(real a, real b) { return a.x + b.x; }
  AMPHORA_HD friend constexpr real operator-(real a, real b) { return a.x - b.x; }
  AMPHORA_HD friend constexpr real operator*(real a, real b) { return a.x * b.x; }
  AMPHORA_HD friend constexpr real operator/(real a, real b) { return a.x / b.x; }
#endif
  AMPHORA_HD friend constexpr real operator-(real a) { return -a.x; }
  AMPHORA_HD friend constexpr bool operator<(real a, real b) { return a.x < b.x; }
  AMPHORA_HD friend constexpr bool operator>(real a, real b) { return a.x > b.x; }
  AMPHORA_HD friend constexpr bool operator<=(real a, real b) { return a.x <= b.x; }
  AMPHORA_HD friend constexpr bool operator>=(real a, real b) { return a.x >= b.x; }
  AMPHORA_HD friend constexpr bool operator==(real a, real b) { return a.x == b.x; }
  AMPHORA_HD friend constexpr bool operator!=(real a, real b) { return a.x != b.x; }
  AMPHORA_HD friend constexpr real abs(real a) { return a.x < 0 ? -a.x : (a.x == 0 ? 0.0f : a.x); }
  /// Rounded once; NaN below zero.
  AMPHORA_HD friend real sqrt(real a) {
#if defined(__CUDA_ARCH__)
    return __fsqrt_rn(a.x);
#elif !defined(__CUDACC__) && defined(__clang__) && defined(__SSE__)
    return _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(a.x)));  // becomes llvm.sqrt, which has no errno and vectorises
#elif !defined(__CUDACC__) && defined(__GNUC__)
    return ::sqrtf(a.x);
#else
    return std::sqrt(a.x);
#endif
  }
};

// In parentheses, since a program may have macros of these names; call them so too.
AMPHORA_HD constexpr real(max)(real a, real b) { return b.x > a.x ? b.x : a.x; }
AMPHORA_HD constexpr real(min)(real a, real b) { return b.x < a.x ? b.x : a.x; }

namespace detail {

/// One product in double that no compiler fuses with a neighbour.
AMPHORA_HD constexpr double times(double a, double b) {
#ifdef __CUDA_ARCH__
  return __dmul_rn(a, b);
#else
  return a * b;
#endif
}

/// a + b and a · b of two floats or two doubles, rounded once each: never fused to a multiply-add in a kernel. For functors that are
/// written for both.
AMPHORA_HD constexpr float add_once(float a, float b) { return (real(a) + real(b)).x; }
AMPHORA_HD constexpr float multiply_once(float a, float b) { return (real(a) * real(b)).x; }
AMPHORA_HD constexpr double multiply_once(double a, double b) { return times(a, b); }
AMPHORA_HD constexpr double add_once(double a, double b) {
#ifdef __CUDA_ARCH__
  return __dadd_rn(a, b);
#else
  return a + b;
#endif
}

}  // namespace detail

/// base^exponent by squaring in double: multiplications alone, so the same bits on every machine (libm's and CUDA's pow differ).
///
/// exponent  a step number, ≥ 0
template <class Build = detail::this_build>
#if defined(__GNUC__) && !defined(__CUDA_ARCH__)
__attribute__((noinline))
#endif
AMPHORA_HD double
integer_power(double base, long long exponent) {
  double result = 1;
  for (; exponent > 0; exponent >>= 1, base = detail::times(base, base))
    if (exponent & 1) result = detail::times(result, base);
  return result;
}

}}  // namespace amphora
