// Which format a C++ type holds: the one trait through which foreign number types join.
#pragma once
#include <amphora/format/format.hpp>   // f16, not_a_format, is_format_v
#include <amphora/format/storage.hpp>  // float16

#include <type_traits>  // remove_cv_t

// CUDA's number types, declared without their headers.
struct __half;
struct __nv_bfloat16;
struct __nv_fp8_e4m3;
struct __nv_fp8_e5m2;

namespace amphora { inline namespace AMPHORA_ABI {

/// The format of the numbers that T stores; not_a_format for every other type.
///
/// T        any type, incomplete ones too
/// Extend   specialise it for a type of your own that holds one number in its format's bits and nothing else:
///          `template <> struct amphora::format_of<c10::Half> { using type = amphora::f16; };`
template <class T, class = void> struct format_of { using type = not_a_format; };

template <> struct format_of<float16> { using type = f16; };
template <> struct format_of<bfloat16> { using type = bf16; };
template <> struct format_of<float> { using type = f32; };
template <> struct format_of<double> { using type = f64; };
template <> struct format_of<float8_e4m3> { using type = e4m3; };
template <> struct format_of<float8_e5m2> { using type = e5m2; };
template <> struct format_of<__half> { using type = f16; };
template <> struct format_of<__nv_bfloat16> { using type = bf16; };
template <> struct format_of<__nv_fp8_e4m3> { using type = e4m3; };
template <> struct format_of<__nv_fp8_e5m2> { using type = e5m2; };
#if defined(__FLT16_MANT_DIG__)
template <> struct format_of<_Float16> { using type = f16; };
#endif

template <class T> using format_of_t = typename format_of<std::remove_cv_t<T>>::type;

/// Whether T holds numbers of a format that the library knows; false for integers and every other type.
template <class T> inline constexpr bool is_storage_v = is_format_v<format_of_t<T>>;

}}  // namespace amphora
