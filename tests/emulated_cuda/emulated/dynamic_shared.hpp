// The shared memory whose size a launch says. It ends at a page that nobody may touch, and is fresh for each block.
#pragma once
#include "memory.hpp"  // reserved, page

#include <cstring>  // memset

namespace emulated {

inline constexpr std::size_t most_dynamic_shared = 227 * 1024, plain_dynamic_shared = 48 * 1024;  // with and without cudaFuncSetAttribute

inline char* dynamic_end = nullptr;
inline std::size_t dynamic_bytes = 0;

/// What `extern __shared__` names, aligned to 16.
inline void* dynamic_shared() { return dynamic_end - (dynamic_bytes + 15) / 16 * 16; }

inline bool is_dynamic_shared(const void* p) { return dynamic_end && p >= dynamic_shared() && p < dynamic_end; }
inline void begin_dynamic_shared(std::size_t bytes) {
  if (bytes && !dynamic_end) {
    const std::size_t pages = (most_dynamic_shared + page - 1) / page * page;
    char* const begin = reserved<char>(pages + page, PROT_NONE);
    mprotect(begin, pages, PROT_READ | PROT_WRITE);
    dynamic_end = begin + pages;
  }
  dynamic_bytes = bytes;
}
inline void refresh_dynamic_shared() {
  if (dynamic_bytes) std::memset(dynamic_shared(), 0xff, (dynamic_bytes + 15) / 16 * 16);
}

}  // namespace emulated
