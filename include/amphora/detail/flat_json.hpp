// Reads one flat JSON object: keys with numbers, strings without escapes, true and false. Points into the text, allocates nothing.
#pragma once
#include <amphora/version.hpp>  // AMPHORA_ABI

#include <charconv>  // from_chars
#include <cstddef>   // size_t
#include <cstdint>   // uint64_t
#include <cstring>   // memcmp, strlen

namespace amphora { inline namespace AMPHORA_ABI { namespace detail {

class flat_json {
 public:
  static constexpr std::size_t max_keys = 96;

  flat_json(const char* text, std::size_t size) : at_(text), end_(text ? text + size : text) { ok_ = object(); }

  /// Whether the text is one whole object and nothing else, each key once.
  bool ok() const { return ok_; }
  std::size_t size() const { return size_; }
  bool has(const char* key) const { return find(key, "") != nullptr; }
  bool is_string(const char* key, const char* value) const {
    const entry* found = find(key, "");
    return found && found->quoted && found->value.is(value);
  }
  template <class T> bool number(const char* key, T& value) const {
    const entry* found = find(key, "");
    if (!found || found->quoted || found->value.size == 0) return false;
    const char* last = found->value.first + found->value.size;
    if (!is_number(found->value.first, last)) return false;
    const auto result = std::from_chars(found->value.first, last, value);
    return result.ec == decltype(result.ec)() && result.ptr == last;
  }
  bool boolean(const char* key, bool& value) const {
    const entry* found = find(key, "");
    if (!found || found->quoted) return false;
    value = found->value.is("true");
    return value || found->value.is("false");
  }
  /// The value of key + suffix as so many hexadecimal digits (0-9a-f) in quotes; all ones otherwise, which is no float of ours.
  std::uint64_t hex(const char* key, const char* suffix, std::size_t digits) const {
    const entry* found = find(key, suffix);
    std::uint64_t value = 0;
    if (!found || !found->quoted || found->value.size != digits) return ~std::uint64_t(0);
    const char* last = found->value.first + digits;
    for (const char* c = found->value.first; c != last; ++c)
      if (*c >= 'A' && *c <= 'F') return ~std::uint64_t(0);
    const auto result = std::from_chars(found->value.first, last, value, 16);
    return result.ec == decltype(result.ec)() && result.ptr == last ? value : ~std::uint64_t(0);
  }

 private:
  struct span {
    const char* first = nullptr;
    std::size_t size = 0;
    bool is(const char* other) const { return std::strlen(other) == size && std::memcmp(first, other, size) == 0; }
  };
  struct entry {
    span key, value;
    bool quoted = false;
  };

  /// As JSON has it: no inf, no nan, no leading zeros, digits on both sides of the point.
  static bool is_number(const char* at, const char* last) {
    const auto digits = [&] {
      const char* first = at;
      while (at != last && *at >= '0' && *at <= '9') ++at;
      return at != first;
    };
    if (at != last && *at == '-') ++at;
    const char* whole = at;
    if (!digits() || (*whole == '0' && at - whole > 1)) return false;
    if (at != last && *at == '.' && (++at, !digits())) return false;
    if (at != last && (*at == 'e' || *at == 'E')) {
      ++at;
      if (at != last && (*at == '-' || *at == '+')) ++at;
      if (!digits()) return false;
    }
    return at == last;
  }
  const entry* find(const char* key, const char* suffix) const {
    const std::size_t length = std::strlen(key), rest = std::strlen(suffix);
    for (std::size_t i = 0; i < size_; ++i) {
      const span& have = entries_[i].key;
      if (have.size == length + rest && std::memcmp(have.first, key, length) == 0 && std::memcmp(have.first + length, suffix, rest) == 0) return &entries_[i];
    }
    return nullptr;
  }
  void blank() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
  }
  bool sign(char c) {
    blank();
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }
  bool string(span& out) {
    if (!sign('"')) return false;
    out.first = at_;
    while (at_ != end_ && *at_ != '"' && *at_ != '\\' && static_cast<unsigned char>(*at_) >= 0x20) ++at_;
    out.size = static_cast<std::size_t>(at_ - out.first);
    return sign('"');
  }
  bool value(entry& out) {
    blank();
    if (at_ != end_ && *at_ == '"') return out.quoted = true, string(out.value);
    out.value.first = at_;
    while (at_ != end_ && ((*at_ >= '0' && *at_ <= '9') || (*at_ >= 'a' && *at_ <= 'z') || *at_ == '-' || *at_ == '+' || *at_ == '.' || *at_ == 'E')) ++at_;
    out.value.size = static_cast<std::size_t>(at_ - out.value.first);
    return out.value.size > 0;
  }
  bool object() {
    if (!sign('{')) return false;
    if (!sign('}')) {
      do {
        if (size_ == max_keys) return false;
        entry next;
        if (!string(next.key) || !sign(':') || !value(next)) return false;
        for (std::size_t i = 0; i < size_; ++i)
          if (entries_[i].key.size == next.key.size && std::memcmp(entries_[i].key.first, next.key.first, next.key.size) == 0) return false;
        entries_[size_++] = next;
      } while (sign(','));
      if (!sign('}')) return false;
    }
    blank();
    return at_ == end_;
  }

  const char* at_;
  const char* end_;
  entry entries_[max_keys];
  std::size_t size_ = 0;
  bool ok_ = false;
};

}}}  // namespace amphora::detail
