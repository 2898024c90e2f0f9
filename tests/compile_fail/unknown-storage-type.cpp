// A number whose format is not known cannot be converted.
#include <amphora/format/convert.hpp>    // convert
#include <amphora/format/format_of.hpp>  // format_of

#include <cstdint>  // uint16_t

namespace theirs {
struct half_precision { std::uint16_t pattern; };
struct other { std::uint16_t pattern; };
}  // namespace theirs

//! [right]
template <> struct amphora::format_of<theirs::half_precision> { using type = amphora::f16; };
//! [right]

namespace amp = amphora;

int main() {
#if defined(AMPHORA_FAIL_unknown_storage_type)
  //! [wrong]
  const float x = amp::convert<amp::f32>(theirs::other{0x3c00});
  //! [wrong]
#elif defined(AMPHORA_FAIL_unknown_storage_type_integer)
  const float x = amp::convert<amp::f32>(0x3c00);
#else
  const float x = amp::convert<amp::f32>(theirs::half_precision{0x3c00});
#endif
  return x == 1.0f ? 0 : 1;
}
