// What kernels call to wait for each other: barriers, shuffles, votes. A place is a line of the source.
#pragma once
#include "threads.hpp"  // block, device

#include <cstring>      // memcpy
#include <string>       // to_string
#include <type_traits>  // is_class_v

namespace emulated {

enum instruction { warp_barrier, shuffle, shuffle_up, shuffle_down, shuffle_xor, ballot, any, all };

template <class T>
T shuffled(unsigned mask, T value, int from, instruction kind, int line) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8 || (sizeof(T) == 2 && std::is_class_v<T>), "a shuffle moves 4 or 8 bytes");
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  unsigned turn = 0;
  const meeting& m = device.meet(mask, bits, false, line * 8 + kind, turn);
  if (!(m.came[turn] >> from & 1)) fail("a shuffle in line " + std::to_string(line) + " reads from lane " + std::to_string(from) + ", which is inactive");
  std::memcpy(static_cast<void*>(&value), &m.value[turn][from], sizeof(T));
  return value;
}
inline void require_width(int width) {
  if (width < 1 || width > 32 || (width & (width - 1))) fail("a shuffle's width is a power of two up to 32, not " + std::to_string(width));
}

}  // namespace emulated

inline void __syncthreads(int line = __builtin_LINE()) { emulated::device.barrier(line); }
inline int __syncthreads_count(int predicate, int line = __builtin_LINE()) { return emulated::device.barrier(line, predicate != 0); }
inline int __syncthreads_or(int predicate, int line = __builtin_LINE()) { return emulated::device.barrier(line, predicate != 0) != 0; }
inline int __syncthreads_and(int predicate, int line = __builtin_LINE()) { return emulated::device.barrier(line, predicate == 0) == 0; }

inline void __syncwarp(unsigned mask = 0xffffffffu, int line = __builtin_LINE()) {
  unsigned turn = 0;
  emulated::device.meet(mask, 0, false, line * 8 + emulated::warp_barrier, turn);
}

template <class T>
T __shfl_sync(unsigned mask, T value, int from, int width = 32, int line = __builtin_LINE()) {
  emulated::require_width(width);
  const int lane = emulated::device.lane();
  return emulated::shuffled(mask, value, (lane & ~(width - 1)) | (from & (width - 1)), emulated::shuffle, line);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, int line = __builtin_LINE()) {
  emulated::require_width(width);
  const int lane = emulated::device.lane(), from = lane - static_cast<int>(delta);
  return emulated::shuffled(mask, value, from < (lane & ~(width - 1)) ? lane : from, emulated::shuffle_up, line);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, int line = __builtin_LINE()) {
  emulated::require_width(width);
  const int lane = emulated::device.lane();
  const bool over = (lane & (width - 1)) + static_cast<int>(delta) >= width;
  return emulated::shuffled(mask, value, over ? lane : lane + static_cast<int>(delta), emulated::shuffle_down, line);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32, int line = __builtin_LINE()) {
  emulated::require_width(width);
  const int lane = emulated::device.lane(), from = lane ^ lanes;
  return emulated::shuffled(mask, value, from > (lane | (width - 1)) || from < 0 ? lane : from, emulated::shuffle_xor, line);
}

inline unsigned __ballot_sync(unsigned mask, int predicate, int line = __builtin_LINE()) {
  unsigned turn = 0;
  const emulated::meeting& m = emulated::device.meet(mask, 0, predicate != 0, line * 8 + emulated::ballot, turn);
  return m.votes[turn];
}
inline int __any_sync(unsigned mask, int predicate, int line = __builtin_LINE()) {
  unsigned turn = 0;
  const emulated::meeting& m = emulated::device.meet(mask, 0, predicate != 0, line * 8 + emulated::any, turn);
  return m.votes[turn] != 0;
}
inline int __all_sync(unsigned mask, int predicate, int line = __builtin_LINE()) {
  unsigned turn = 0;
  const emulated::meeting& m = emulated::device.meet(mask, 0, predicate != 0, line * 8 + emulated::all, turn);
  return m.votes[turn] == m.came[turn];
}

inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() {}
