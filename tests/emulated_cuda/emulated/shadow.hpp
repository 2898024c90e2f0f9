// The checks of a single access to device memory: inside an allocation, aligned, and written before it is read.
#pragma once
#include "memory.hpp"  // region, open

#include <cstdint>  // uint64_t
#include <cstring>  // memcpy, memset
#include <string>   // string

namespace emulated {

[[noreturn]] inline void refuse(const char* what, const region* r, const void* p, std::size_t bytes) {
  const std::string where = r ? "byte " + std::to_string(static_cast<const char*>(p) - r->begin) + " of allocation " + std::to_string(r->number) + " of " + std::to_string(r->bytes) + " bytes"
                              : std::string(is_device_address(p) ? "memory that was freed or never allocated" : p ? "memory of the host" : "a null pointer");
  fail(std::string(what) + " of " + std::to_string(bytes) + " bytes at " + where);
}

/// The region that all of these bytes lie in, open to the code that runs.
inline region& inside(const void* p, std::size_t bytes, std::size_t alignment) {
  region* const r = region_near(p);
  if (__builtin_expect(!lies_in(r, p, bytes), 0)) refuse("an access outside every allocation,", r, p, bytes);
  if (__builtin_expect(reinterpret_cast<std::uintptr_t>(p) % alignment != 0, 0)) refuse("a misaligned access", r, p, bytes);
  if (__builtin_expect(!r->open, 0)) open(*r);
  return *r;
}
inline unsigned char* written(const region& r, const void* p) { return r.written + (static_cast<const char*>(p) - r.begin); }

/// Plain stores, such as a functor makes to a struct of a few numbers, do not reach the shadow. So bytes count as never
/// written where they also still look so: a word of four is refused when all of its unwritten bytes are 0xff.
inline void require_written(const region& r, const void* p, std::size_t bytes) {
  const auto* const value = static_cast<const unsigned char*>(p);
  const unsigned char* const shadow = written(r, p);
  for (std::size_t i = 0; i < bytes;) {
    if (i + 8 <= bytes) {
      std::uint64_t all;
      std::memcpy(&all, shadow + i, 8);
      if (all == ~std::uint64_t(0)) { i += 8; continue; }
    }
    const std::size_t end = i + 4 < bytes ? i + 4 : bytes;
    bool some = false, fresh = true;
    for (; i < end; ++i)
      if (!shadow[i]) some = true, fresh = fresh && value[i] == 0xff;
    if (some && fresh) refuse("a read of memory never written,", &r, p, bytes);
  }
}
/// Bytes become as they were when fresh, e.g. when a pool hands memory out anew.
inline void forget_written(void* p, std::size_t bytes) {
  region* const near = region_near(p);
  if (lies_in(near, p, bytes) && near->fresh) return;
  region& r = inside(p, bytes, 1);
  std::memset(p, 0xff, bytes), std::memset(written(r, p), 0, bytes);
}

template <std::size_t Bytes>
bool all_written(const unsigned char* shadow) {
  if constexpr (Bytes == 1) return *shadow == 0xff;
  else if constexpr (Bytes == 2) { std::uint16_t x; return std::memcpy(&x, shadow, 2), x == 0xffff; }
  else if constexpr (Bytes == 4) { std::uint32_t x; return std::memcpy(&x, shadow, 4), x == 0xffffffffu; }
  else if constexpr (Bytes == 8) { std::uint64_t x; return std::memcpy(&x, shadow, 8), x == ~std::uint64_t(0); }
  else return all_written<Bytes / 2>(shadow) && all_written<Bytes / 2>(shadow + Bytes / 2);
}
template <class T>
T read(const T* p) {
  static_assert(sizeof(T) <= 16 && (sizeof(T) & (sizeof(T) - 1)) == 0, "an access has 1, 2, 4, 8 or 16 bytes");
  const region& r = inside(p, sizeof(T), sizeof(T));
  if (__builtin_expect(!all_written<sizeof(T)>(written(r, p)), 0)) require_written(r, p, sizeof(T));
  return *p;
}
template <class T>
void write(T* p, T x) {
  static_assert(sizeof(T) <= 16 && (sizeof(T) & (sizeof(T) - 1)) == 0, "an access has 1, 2, 4, 8 or 16 bytes");
  const region& r = inside(p, sizeof(T), sizeof(T));
  std::memset(written(r, p), 0xff, sizeof(T));
  *p = x;
}

/// Many bytes at once, for copies and products.
inline void require_readable(const void* p, std::size_t bytes) { require_written(inside(p, bytes, 1), p, bytes); }
inline void mark_written(void* p, std::size_t bytes) { std::memset(written(inside(p, bytes, 1), p), 0xff, bytes); }

}  // namespace emulated
