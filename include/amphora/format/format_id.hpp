// Formats as values, for what is known only when the program runs: a list of tensors, a file.
#pragma once
#include <amphora/detail/config.hpp>   // AMPHORA_HD
#include <amphora/format/format.hpp>   // f16, is_format_v

#include <type_traits>  // is_same_v

namespace amphora { inline namespace AMPHORA_ABI {

/// How numbers lie in memory. The values are part of the state file and never change.
enum class format_id : unsigned char { none = 0, f16 = 1, bf16 = 2, f32 = 3, f64 = 4, e4m3 = 5, e5m2 = 6 };

/// The value for a format; f32 for tf32, which is stored so; none for what is no format.
template <class Format>
inline constexpr format_id format_id_v =
    std::is_same_v<Format, f16> ? format_id::f16
    : std::is_same_v<Format, bf16> ? format_id::bf16
    : std::is_same_v<Format, f32> || std::is_same_v<Format, tf32> ? format_id::f32
    : std::is_same_v<Format, f64> ? format_id::f64
    : std::is_same_v<Format, e4m3> ? format_id::e4m3
    : std::is_same_v<Format, e5m2> ? format_id::e5m2
                                   : format_id::none;

/// The format's name, e.g. "bf16"; "none" for what is none.
AMPHORA_HD constexpr const char* name_of(format_id format) {
  switch (format) {
    case format_id::f16: return "f16";
    case format_id::bf16: return "bf16";
    case format_id::f32: return "f32";
    case format_id::f64: return "f64";
    case format_id::e4m3: return "e4m3";
    case format_id::e5m2: return "e5m2";
    default: return "none";
  }
}

/// Bytes of one number; 0 for none.
AMPHORA_HD constexpr int size_of(format_id format) {
  switch (format) {
    case format_id::f16: case format_id::bf16: return 2;
    case format_id::f32: return 4;
    case format_id::f64: return 8;
    case format_id::e4m3: case format_id::e5m2: return 1;
    default: return 0;
  }
}

}}  // namespace amphora
