// A scaler's rule and state as JSON text: complete, free of locale, exact.
#pragma once
#include <amphora/detail/bit_cast.hpp>   // bit_cast
#include <amphora/detail/flat_json.hpp>  // flat_json
#include <amphora/error.hpp>             // fail
#include <amphora/scale/growth.hpp>      // growth
#include <amphora/scale/state.hpp>       // scale_state

#include <charconv>     // to_chars
#include <cstddef>      // size_t
#include <cstdint>      // uint64_t
#include <cstring>      // strlen
#include <type_traits>  // is_same_v

namespace amphora { inline namespace AMPHORA_ABI {

/// What a buffer for a saved scaler needs at most, for the library's own rules.
inline constexpr std::size_t max_state_text = 2048;

namespace detail {

/// Over the values alone, so that a JSON tool may lay the text out anew, but not change a number.
struct checksum {
  std::uint64_t bits = 14695981039346656037u;  // FNV-1a, 64 bits
  void add(const void* bytes, std::size_t count) {
    const unsigned char* byte = static_cast<const unsigned char*>(bytes);
    for (std::size_t i = 0; i < count; ++i) bits = (bits ^ byte[i]) * 1099511628211u;
  }
  void add_field(const char* key, std::uint64_t value) {
    add(key, std::strlen(key) + 1);
    for (int i = 0; i < 8; ++i) {
      const unsigned char byte = static_cast<unsigned char>(value >> (8 * i));
      add(&byte, 1);
    }
  }
};

/// A field's value as an integer: the bits of a float, the number otherwise.
template <class T> std::uint64_t bits_of(const T& value) {
  if constexpr (std::is_same_v<T, float>) return bit_cast<std::uint32_t>(value);
  else if constexpr (std::is_same_v<T, double>) return bit_cast<std::uint64_t>(value);
  else return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
}

template <class Sink>
class state_writer {
 public:
  explicit state_writer(Sink& sink) : sink_(&sink) {}
  void key(const char* name) { put(count_++ ? ",\n \"" : "{\""), put(name), put("\": "); }
  void string(const char* name, const char* value) {
    key(name), put("\""), put(value), put("\"");
    sum_.add(value, std::strlen(value));
  }
  template <class T> void operator()(const char* name, const T& value) {
    key(name);
    sum_.add_field(name, bits_of(value));
    if constexpr (std::is_same_v<T, bool>) {
      put(value ? "true" : "false");
    } else if constexpr (std::is_floating_point_v<T>) {
      char digits[64];
      char* end = std::to_chars(digits, digits + sizeof digits, value).ptr;
      bool whole = true;
      for (char* c = digits; c != end; ++c) whole = whole && *c != '.' && *c != 'e';
      put(digits, static_cast<std::size_t>(end - digits));
      if (whole) put(".0");  // a float for every reader
      put(",\n \""), put(name), put("_bits\": \""), hex(bits_of(value), sizeof value * 2), put("\"");
    } else {
      char digits[24];
      put(digits, static_cast<std::size_t>(std::to_chars(digits, digits + sizeof digits, static_cast<std::int64_t>(value)).ptr - digits));
    }
  }
  void end() {
    const std::uint64_t sum = sum_.bits;
    key("checksum"), put("\""), hex(sum, 16), put("\"}");
  }

 private:
  void put(const char* part) { put(part, std::strlen(part)); }
  void put(const char* part, std::size_t size) { (*sink_)(part, size); }
  void hex(std::uint64_t bits, std::size_t digits) {
    char text[16];
    for (std::size_t i = 0; i < digits; ++i) text[i] = "0123456789abcdef"[bits >> (4 * (digits - 1 - i)) & 15];
    put(text, digits);
  }

  Sink* sink_;
  checksum sum_;
  int count_ = 0;
};

/// Fills fields from the text; ok turns false at the first that is missing or malformed.
struct state_reader {
  const flat_json* text;
  checksum sum;
  bool ok = true;
  std::size_t used = 0;  ///< keys asked for

  void string(const char* name, const char* value) {
    ++used, ok = ok && text->is_string(name, value);
    sum.add(value, std::strlen(value));
  }
  template <class T> void operator()(const char* name, T& value) {
    ++used;
    if constexpr (std::is_floating_point_v<T>) {
      ++used;
      ok = ok && text->number(name, value) && text->hex(name, "_bits", sizeof value * 2) == bits_of(value);
    } else if constexpr (std::is_same_v<T, bool>) {
      ok = ok && text->boolean(name, value);
    } else {
      std::int64_t whole = 0;
      ok = ok && text->number(name, whole);
      value = static_cast<T>(whole);
      ok = ok && static_cast<std::int64_t>(value) == whole;
    }
    sum.add_field(name, bits_of(value));
  }
  void end() { ++used, ok = ok && used == text->size() && text->hex("checksum", "", 16) == sum.bits; }
};

template <class Sink, class Rule>
void write_state(Sink& sink, const Rule& rule, const scale_state& state, bool enabled) {
  state_writer<Sink> write(sink);
  write("amphora_scaler", std::int32_t(1));
  write.string("rule", Rule::name);
  write("enabled", enabled);
  Rule::settings(rule, write);
  scale_state::fields(state, write);
  write.end();
}

/// Reads into rule and state, or raises and leaves the caller to drop them.
///
/// Value   whether the scaler was enabled
/// Errors  state
template <class Rule>
bool read_state(const char* characters, std::size_t size, Rule& rule, scale_state& state) {
  const flat_json text(characters, size);
  if (!text.ok()) fail("state", "load: not one whole JSON object of plain values; give the text as it was saved");
  if (text.size() == 0) fail("state", "load: an empty state; it seems to be of a disabled scaler");
  bool enabled = true, ok = true;
  if (text.has("amphora_scaler")) {
    state_reader read{&text, {}};
    std::int32_t version = 0;
    read("amphora_scaler", version);
    if (!read.ok || version != 1) fail("state", "load: saved by another version of the library; this one reads version 1");
    read.string("rule", Rule::name);
    if (!read.ok) fail("state", "load: the state of another rule; this scaler's is ", Rule::name);
    read("enabled", enabled);
    Rule::settings(rule, read);
    scale_state::fields(state, read);
    read.end();
    ok = read.ok;
  } else if constexpr (std::is_same_v<Rule, growth>) {  // what torch.amp.GradScaler.state_dict() holds, and nothing else
    state = rule.start();
    ok = text.size() == 5 && text.number("scale", state.scale) && text.number("growth_factor", rule.growth_factor) &&
         text.number("backoff_factor", rule.backoff_factor) && text.number("growth_interval", rule.growth_interval) &&
         text.number("_growth_tracker", state.clean);
    state.upcoming = state.scale, state.interval = rule.growth_interval;
  } else {
    ok = false;
  }
  if (!ok) fail("state", "load: a key is missing, foreign or changed; give the text as it was saved");
  if (rule.problem().text) fail("state", "load: impossible settings: ", rule.problem().text, rule.problem().value);
  if (enabled && !rule.allows(state)) fail("state", "load: a state that this rule cannot come to (scale ", state.scale, ", clean steps ", state.clean, ")");
  return enabled;
}

}  // namespace detail
}}  // namespace amphora
