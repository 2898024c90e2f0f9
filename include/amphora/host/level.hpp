// The host's levels of instructions: one loop, compiled for each, the best chosen when the program runs.
#pragma once
#include <amphora/detail/config.hpp>  // this_build

// A callee with fewer features may be inlined into a caller with more, never the reverse: so the scalar rule carries no
// attribute, and the loop around it carries the level's.
#if defined(__clang__)
#define AMPHORA_EXACT
#define AMPHORA_TARGET(features) __attribute__((target(features)))
#define AMPHORA_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define AMPHORA_EXACT __attribute__((optimize("fp-contract=off")))
#define AMPHORA_TARGET(features) __attribute__((target(features), optimize("fp-contract=off")))
#define AMPHORA_INDEPENDENT _Pragma("GCC ivdep")
#else
#define AMPHORA_EXACT
#define AMPHORA_TARGET(features)
#define AMPHORA_INDEPENDENT
#endif
#define AMPHORA_INLINE __attribute__((always_inline)) inline

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define AMPHORA_X86 1
#else
#define AMPHORA_X86 0
#endif

#if AMPHORA_X86
#include <cpuid.h>  // __get_cpuid
#endif

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// Plain C++ for any CPU.
struct level_base {};
/// AVX2 with f16 conversions: every x86-64 CPU from 2013 on.
struct level_avx2 {};
/// AVX-512 with its byte and word instructions.
struct level_avx512 {};

#if AMPHORA_X86
/// Asked of the CPU itself: clang 14's __builtin_cpu_supports does not know the name.
inline bool has_f16c() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}
inline bool has_avx2() { return __builtin_cpu_supports("avx2") && has_f16c(); }
inline bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
}
#else
inline bool has_avx2() { return false; }
inline bool has_avx512() { return false; }
#endif

}}}  // namespace amphora::detail
