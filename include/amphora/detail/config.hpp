// What the compiler and its flags decide: device annotations, and the flags that a function's body depends on.
#pragma once
#include <amphora/version.hpp>  // AMPHORA_ABI

#if defined(__CUDACC__)
#define AMPHORA_HD __host__ __device__
#else
#define AMPHORA_HD
#endif

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// The flags of this translation unit that change what a function body compiles to.
///
/// A function template whose body depends on one of them takes `class Build = this_build` as its last parameter, so that
/// two files built with different flags have two functions, and the linker never mixes them.
template <bool OpenMP, bool FastMath, bool Emulated> struct build {};

using this_build = build<
#if defined(_OPENMP)
    true,
#else
    false,
#endif
#if defined(__FAST_MATH__)
    true,
#else
    false,
#endif
#if defined(AMPHORA_EMULATED_CUDA)
    true
#else
    false
#endif
    >;

}}}  // namespace amphora::detail
