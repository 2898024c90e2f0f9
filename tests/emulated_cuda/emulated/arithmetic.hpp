// Arithmetic that kernels call by CUDA's names. Built with -ffp-contract=off, each operation rounds once.
#pragma once
#include <cmath>    // fma, sqrt
#include <cstring>  // memcpy

namespace emulated {
template <class To, class From>
To bits_as(From x) {
  static_assert(sizeof(To) == sizeof(From), "bits keep their number");
  To y;
  std::memcpy(&y, &x, sizeof y);
  return y;
}
}  // namespace emulated

inline unsigned __float_as_uint(float x) { return emulated::bits_as<unsigned>(x); }
inline int __float_as_int(float x) { return emulated::bits_as<int>(x); }
inline float __uint_as_float(unsigned x) { return emulated::bits_as<float>(x); }
inline float __int_as_float(int x) { return emulated::bits_as<float>(x); }
inline long long __double_as_longlong(double x) { return emulated::bits_as<long long>(x); }
inline double __longlong_as_double(long long x) { return emulated::bits_as<double>(x); }

inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __fsqrt_rn(float a) { return std::sqrt(a); }
inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __dsqrt_rn(double a) { return std::sqrt(a); }
inline double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline int __clz(int x) { return x ? __builtin_clz(static_cast<unsigned>(x)) : 32; }
inline int __clzll(long long x) { return x ? __builtin_clzll(static_cast<unsigned long long>(x)) : 64; }
inline unsigned __umulhi(unsigned a, unsigned b) { return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32); }
inline int __mulhi(int a, int b) { return static_cast<int>(static_cast<long long>(a) * b >> 32); }

// In parentheses, since a program may have macros of these names.
inline int(min)(int a, int b) { return b < a ? b : a; }
inline unsigned(min)(unsigned a, unsigned b) { return b < a ? b : a; }
inline long long(min)(long long a, long long b) { return b < a ? b : a; }
inline float(min)(float a, float b) { return std::fmin(a, b); }
inline double(min)(double a, double b) { return std::fmin(a, b); }
inline int(max)(int a, int b) { return b > a ? b : a; }
inline unsigned(max)(unsigned a, unsigned b) { return b > a ? b : a; }
inline long long(max)(long long a, long long b) { return b > a ? b : a; }
inline float(max)(float a, float b) { return std::fmax(a, b); }
inline double(max)(double a, double b) { return std::fmax(a, b); }
