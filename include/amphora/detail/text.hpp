// A message of fixed size, put together without allocation, locale or iostream.
#pragma once
#include <amphora/version.hpp>  // AMPHORA_ABI

#include <charconv>     // to_chars
#include <cstddef>      // size_t
#include <cstdint>      // uint64_t
#include <cstring>      // strlen, memcpy
#include <type_traits>  // is_floating_point_v, is_integral_v

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

class text;

/// One part of a message, whatever its type was: code that says what is wrong is compiled once and not for each mixture of types.
class text_part {
 public:
  text_part(const char* part) : words_(part), append_(nullptr) {}
  text_part(char* part) : words_(part), append_(nullptr) {}
  /// Holds its argument by address.
  template <class T> text_part(const T& part) : words_(&part), append_(&append_as<T>) {}

  void append_to(text& out) const;

 private:
  template <class T> static void append_as(const void* part, text& out);

  const void* words_;
  void (*append_)(const void*, text&);
};

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
    } else if constexpr (std::is_integral_v<T>) {
      append_integer(part < T(1) && part != T(0), static_cast<std::uint64_t>(part));
    } else if constexpr (std::is_floating_point_v<T>) {
      char digits[64];
      append(digits, static_cast<std::size_t>(std::to_chars(digits, digits + sizeof digits, part).ptr - digits));
    } else {
      part.describe(*this);  // a shape, a format's name: whatever knows how to say itself
    }
  }
  void append(const text_part& part) { part.append_to(*this); }
  void append(const char* part, std::size_t length) {
    const std::size_t room = sizeof characters_ - 1 - size_;
    if (length > room)
      for (length = room; length > 0 && (part[length] & 0xC0) == 0x80;) --length;  // between two characters of UTF-8
    std::memcpy(characters_ + size_, part, length);
    characters_[size_ += length] = 0;
  }

 private:
  /// bits  of the number, as two's complement where it is negative
  void append_integer(bool negative, std::uint64_t bits) {
    char digits[20];
    std::size_t at = sizeof digits;
    if (negative) bits = 0 - bits, append("-", 1);
    do digits[--at] = static_cast<char>('0' + bits % 10);
    while ((bits /= 10) != 0);
    append(digits + at, sizeof digits - at);
  }

  char characters_[512] = {};
  std::size_t size_ = 0;
};

template <class T> void text_part::append_as(const void* part, text& out) { out.append(*static_cast<const T*>(part)); }
inline void text_part::append_to(text& out) const { append_ ? append_(words_, out) : out.append(static_cast<const char*>(words_)); }

}}}  // namespace amphora::detail
