// The bits of a number as an integer, and back, in constants too.
#pragma once
#include <amphora/detail/config.hpp>  // AMPHORA_HD

#include <cstring>      // memcpy
#include <type_traits>  // is_trivially_copyable_v

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// C++20's std::bit_cast. Not constexpr for a compiler that has no such builtin.
template <class To, class From>
AMPHORA_HD constexpr To bit_cast(const From& from) {
  static_assert(sizeof(To) == sizeof(From) && std::is_trivially_copyable_v<From> && std::is_trivially_copyable_v<To>);
#if defined(__has_builtin)
#if __has_builtin(__builtin_bit_cast)
#define AMPHORA_BIT_CAST 1
#endif
#endif
#if defined(AMPHORA_BIT_CAST) || (defined(_MSC_VER) && _MSC_VER >= 1927)
  return __builtin_bit_cast(To, from);
#else
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
#endif
#undef AMPHORA_BIT_CAST
}

}}}  // namespace amphora::detail
