// A message of fixed size, put together without allocation, locale or iostream.
#pragma once
#include <amphora/version.hpp>  // AMPHORA_ABI

#include <charconv>     // to_chars
#include <cstddef>      // size_t
#include <cstring>      // strlen, memcpy
#include <type_traits>  // is_integral_v

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

/// Up to 511 bytes; what does not fit is cut.
class text {
 public:
  template <class... Parts> explicit text(const Parts&... parts) { (append(parts), ...); }

  const char* c_str() const { return characters_; }
  std::size_t size() const { return size_; }

  void append(const char* part) { append(part, std::strlen(part)); }
  template <class T> void append(const T& part) {
    if constexpr (std::is_same_v<T, bool>) {
      append(part ? "true" : "false");
    } else if constexpr (std::is_same_v<T, char>) {
      append(&part, 1);
    } else if constexpr (std::is_arithmetic_v<T>) {
      char digits[64];
      append(digits, static_cast<std::size_t>(std::to_chars(digits, digits + sizeof digits, part).ptr - digits));
    } else {
      part.describe(*this);  // a shape, a format's name: whatever knows how to say itself
    }
  }
  void append(const char* part, std::size_t length) {
    const std::size_t room = sizeof characters_ - 1 - size_;
    if (length > room)
      for (length = room; length > 0 && (part[length] & 0xC0) == 0x80;) --length;  // between two characters of UTF-8
    std::memcpy(characters_ + size_, part, length);
    characters_[size_ += length] = 0;
  }

 private:
  char characters_[512] = {};
  std::size_t size_ = 0;
};

}}}  // namespace amphora::detail
