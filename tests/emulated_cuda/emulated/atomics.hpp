// Atomic updates of global and shared memory. Threads run one at a time, so they are plain ones that are checked.
#pragma once
#include "dynamic_shared.hpp"  // is_dynamic_shared
#include "shadow.hpp"          // read, write

#include <cstdint>      // uintptr_t
#include <type_traits>  // is_same_v

extern "C" char __data_start, _end;  // of the program's own variables, from the linker: static shared memory is among them

namespace emulated {

inline bool is_shared(const void* p) {
  const auto at = reinterpret_cast<std::uintptr_t>(p);
  return (at >= reinterpret_cast<std::uintptr_t>(&__data_start) && at < reinterpret_cast<std::uintptr_t>(&_end)) || is_dynamic_shared(p);
}
/// *p becomes next(*p); what it was.
template <class T, class Next>
T update(T* p, Next next) {
  static_assert(std::is_same_v<T, int> || std::is_same_v<T, unsigned> || std::is_same_v<T, unsigned long long> || std::is_same_v<T, long long> || std::is_same_v<T, float> || std::is_same_v<T, double>,
                "there is no such atomic update");
  if (is_shared(p)) {
    if (reinterpret_cast<std::uintptr_t>(p) % sizeof(T)) fail("a misaligned atomic update of shared memory");
    const T old = *p;
    return *p = next(old), old;
  }
  const T old = read(p);
  return write(p, static_cast<T>(next(old))), old;
}
template <class T> inline constexpr bool counts_v = std::is_same_v<T, int> || std::is_same_v<T, unsigned> || std::is_same_v<T, unsigned long long>;
template <class T> inline constexpr bool orders_v = counts_v<T> || std::is_same_v<T, long long>;
template <class T> struct same { using type = T; };
template <class T> using same_t = typename same<T>::type;

}  // namespace emulated

template <class T>
T atomicAdd(T* p, emulated::same_t<T> x) {
  static_assert(emulated::counts_v<T> || std::is_floating_point_v<T>, "there is no such atomicAdd");
  return emulated::update(p, [x](T old) {
    if constexpr (std::is_same_v<T, int>) return static_cast<int>(static_cast<unsigned>(old) + static_cast<unsigned>(x));  // wraps
    else return old + x;
  });
}
template <class T>
T atomicSub(T* p, emulated::same_t<T> x) {
  static_assert(std::is_same_v<T, int> || std::is_same_v<T, unsigned>, "there is no such atomicSub");
  return emulated::update(p, [x](T old) { return static_cast<T>(static_cast<unsigned>(old) - static_cast<unsigned>(x)); });
}
template <class T>
T atomicExch(T* p, emulated::same_t<T> x) {
  static_assert(emulated::counts_v<T> || std::is_same_v<T, float>, "there is no such atomicExch");
  return emulated::update(p, [x](T) { return x; });
}
template <class T>
T atomicMin(T* p, emulated::same_t<T> x) {
  static_assert(emulated::orders_v<T>, "there is no such atomicMin");
  return emulated::update(p, [x](T old) { return x < old ? x : old; });
}
template <class T>
T atomicMax(T* p, emulated::same_t<T> x) {
  static_assert(emulated::orders_v<T>, "there is no such atomicMax");
  return emulated::update(p, [x](T old) { return x > old ? x : old; });
}
template <class T>
T atomicAnd(T* p, emulated::same_t<T> x) {
  static_assert(emulated::counts_v<T>, "there is no such atomicAnd");
  return emulated::update(p, [x](T old) { return old & x; });
}
template <class T>
T atomicOr(T* p, emulated::same_t<T> x) {
  static_assert(emulated::counts_v<T>, "there is no such atomicOr");
  return emulated::update(p, [x](T old) { return old | x; });
}
template <class T>
T atomicXor(T* p, emulated::same_t<T> x) {
  static_assert(emulated::counts_v<T>, "there is no such atomicXor");
  return emulated::update(p, [x](T old) { return old ^ x; });
}
template <class T>
T atomicCAS(T* p, emulated::same_t<T> compare, emulated::same_t<T> x) {
  static_assert(emulated::counts_v<T>, "there is no such atomicCAS");
  return emulated::update(p, [compare, x](T old) { return old == compare ? x : old; });
}
inline unsigned atomicInc(unsigned* p, unsigned most) {
  return emulated::update(p, [most](unsigned old) { return old >= most ? 0u : old + 1; });
}
inline unsigned atomicDec(unsigned* p, unsigned most) {
  return emulated::update(p, [most](unsigned old) { return old == 0 || old > most ? most : old - 1; });
}
