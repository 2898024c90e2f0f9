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
#if defined(__GNUC__)
#define AMPHORA_APART __attribute__((noinline))
#else
#define AMPHORA_APART
#endif

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define AMPHORA_X86 1
#else
#define AMPHORA_X86 0
#endif

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// Plain C++ for any CPU.
struct level_base {};
/// AVX2 with f16 conversions: every x86-64 CPU from 2013 on.
struct level_avx2 {};
/// AVX-512 with its byte and word instructions.
struct level_avx512 {};

#if AMPHORA_X86
/// Read from what the C runtime found out at the start: asking the CPU itself traps in a virtual machine (64 us were seen).
inline bool has_avx2() {
#if defined(__clang__)
  // clang 14 does not know the name f16c; no CPU has the other two without it.
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c");
#endif
}
inline bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
}
#else
inline bool has_avx2() { return false; }
inline bool has_avx512() { return false; }
#endif

}}}  // namespace amphora::detail
