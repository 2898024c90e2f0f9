// A conversion names a known type and a format, and for an 8-bit format what becomes of large numbers.
#include <amphora/format/convert.hpp>  // convert, saturating

namespace amp = amphora;

int main() {
  //! [right]
  amp::float8_e4m3 cut = amp::convert<amp::e4m3, amp::saturating>(500.0f);         // 448
  amp::float8_e4m3 left = amp::convert<amp::e4m3, amp::non_saturating>(500.0f);    // NaN: e4m3 has no infinity
  //! [right]
  amp::float16 half = amp::convert<amp::f16>(500.0f);
#if defined(AMPHORA_FAIL_overflow_mode)
  //! [wrong]
  amp::float8_e4m3 wrong = amp::convert<amp::e4m3>(500.0f);
  //! [wrong]
#elif defined(AMPHORA_FAIL_unknown_storage_type_convert)
  auto wrong = amp::convert<amp::f16>(500);
#elif defined(AMPHORA_FAIL_unknown_format_convert)
  auto wrong = amp::convert<float>(half);
#else
  auto wrong = amp::convert<amp::f32>(half);
#endif
  (void)cut, (void)left, (void)half, (void)wrong;
}
