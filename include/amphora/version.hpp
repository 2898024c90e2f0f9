// The version, and the inline namespace that keeps differently built copies of one program apart.
#pragma once

#define AMPHORA_VERSION_MAJOR 0
#define AMPHORA_VERSION_MINOR 1
#define AMPHORA_VERSION_PATCH 0

// Two files that disagree about the version or about exceptions must not pick each other's copy of a template.
#if defined(__cpp_exceptions) || defined(__EXCEPTIONS) || defined(_CPPUNWIND)
#define AMPHORA_ABI v0_1
#else
#define AMPHORA_ABI v0_1_no_exceptions
#endif
