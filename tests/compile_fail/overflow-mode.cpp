// What an 8-bit format does with large numbers is named.
#include <amphora/format/convert.hpp>  // convert
#include <amphora/host/convert.hpp>    // convert_array

namespace amp = amphora;

int main() {
  const float x[2] = {1, 1000};
  amp::float8_e4m3 y[2] = {};
  //! [right]
  const auto clamped = amp::convert<amp::e4m3, amp::saturating>(1000.0f);      // 448
  const auto marked = amp::convert<amp::e4m3, amp::non_saturating>(1000.0f);  // NaN
  //! [right]
#if defined(AMPHORA_FAIL_overflow_mode)
  //! [wrong]
  const auto unclear = amp::convert<amp::e4m3>(1000.0f);
  //! [wrong]
  (void)unclear;
#elif defined(AMPHORA_FAIL_overflow_mode_array)
  amp::detail::convert_array(x, y, 2);
#else
  amp::detail::convert_array(x, y, 2, amp::saturating{});
#endif
  return clamped.bits() == marked.bits() || x[0] != 1 || y[0].bits() == 0;
}
