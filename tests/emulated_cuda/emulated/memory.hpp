// Device memory: closed to the host, guarded at both ends, never at the same address twice, with a shadow of what was written.
#pragma once
#include "settings.hpp"  // fail, allocations

#include <signal.h>    // sigaction
#include <sys/mman.h>  // mmap, mprotect
#include <unistd.h>    // write

#include <cstdint>  // uintptr_t, uint32_t
#include <cstdio>   // snprintf
#include <cstdlib>  // calloc
#include <cstring>  // memcpy, memset
#include <map>      // map
#include <string>   // string

namespace emulated {

/// One allocation. Its end lies at a page that nobody may touch; fresh bytes are 0xff (NaNs).
struct region {
  char* begin;
  std::size_t bytes;       // as asked for
  char* map;               // its first page
  std::size_t mapped;      // bytes of pages
  unsigned char* written;  // one for each byte: 0xff once something wrote it
  std::uint64_t number;    // counts allocations, to find one again in a debugger
  bool open = false;       // to the code that runs now
  bool fresh = true;       // not opened yet
  region* next_open = nullptr;
};
inline std::map<char*, region>& regions = *new std::map<char*, region>;  // outlives everything that frees

/// All device memory comes from one range of addresses in granules; each granule knows its region.
inline constexpr std::size_t page = 4096, granule = 65536, arena_bytes = std::size_t(1) << 38;
template <class T>
T* reserved(std::size_t bytes, int protection) {
  void* const p = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) fail("no address range for device memory");
  return static_cast<T*>(p);
}
inline char* const arena = reserved<char>(arena_bytes, PROT_NONE);
inline region** const region_of_granule = reserved<region*>(arena_bytes / granule * sizeof(region*), PROT_READ | PROT_WRITE);
inline std::size_t arena_used = 0, bytes_in_use = 0;

inline bool is_device_address(const void* p) { return reinterpret_cast<std::uintptr_t>(p) - reinterpret_cast<std::uintptr_t>(arena) < arena_bytes; }
/// The region whose granules an address lies in; the address may still be outside of its bytes.
inline region* region_near(const void* p) {
  return is_device_address(p) ? region_of_granule[static_cast<std::size_t>(static_cast<const char*>(p) - arena) / granule] : nullptr;
}
inline bool lies_in(const region* r, const void* p, std::size_t bytes) {
  const auto* const c = static_cast<const char*>(p);
  return r && c >= r->begin && c <= r->begin + r->bytes && bytes <= static_cast<std::size_t>(r->begin + r->bytes - c);
}

// ---- What may be touched now --------------------------------------------------------------------------------------------------

inline int depth = 0;              // of device code that is running
inline region* opened = nullptr;   // since it began
inline void (*append_place)(char* text, std::size_t size) = nullptr;  // block and thread that run now

inline void open(region& r) {
  mprotect(r.map, r.mapped, PROT_READ | PROT_WRITE);
  r.open = true, r.fresh = false, r.next_open = opened, opened = &r;
}
inline struct sigaction before_us;
/// Opens a region at its first plain access by device code; says what happened at any other access to device memory.
inline void on_fault(int, siginfo_t* info, void*) {
  char* const at = static_cast<char*>(info->si_addr);
  if (is_device_address(at)) {
    region* const r = region_near(at);
    const bool inside = r && at >= r->map && at < r->map + r->mapped;
    if (depth && inside && !r->open) return open(*r);
    char text[320];
    int n = std::snprintf(text, sizeof text, "emulated CUDA: %s at %p, ", depth ? "a kernel touched memory outside every allocation" : "the host touched device memory", static_cast<void*>(at));
    if (r) n += std::snprintf(text + n, sizeof text - n, "byte %lld of allocation %llu of %zu bytes", static_cast<long long>(at - r->begin), static_cast<unsigned long long>(r->number), r->bytes);
    else n += std::snprintf(text + n, sizeof text - n, "memory that was freed or never allocated");
    if (depth && append_place) append_place(text + n, sizeof text - n), n = static_cast<int>(std::strlen(text));
    if (!depth) n += std::snprintf(text + n, sizeof text - n, "; copy it to the host first");
    text[n++] = '\n';
    if (write(2, text, static_cast<std::size_t>(n)) < 0) return;
  }
  sigaction(SIGSEGV, &before_us, nullptr);  // and the access is tried again
}
/// Test frameworks put their own handler in place for each case; ours comes before it.
inline void watch_faults() {
  struct sigaction now;
  sigaction(SIGSEGV, nullptr, &now);
  if ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_fault) return;
  before_us = now;
  struct sigaction ours = {};
  ours.sa_sigaction = on_fault, ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &ours, nullptr);
}
/// While one lives, the code that runs is the device's.
struct on_device {
  on_device() { if (!depth++) watch_faults(); }
  ~on_device() {
    if (--depth) return;
    for (; opened; opened = opened->next_open) mprotect(opened->map, opened->mapped, PROT_NONE), opened->open = false;
  }
  on_device(const on_device&) = delete;
  on_device& operator=(const on_device&) = delete;
};

// ---- Allocations ----------------------------------------------------------------------------------------------------------------

/// A file of bytes 0xff that fresh memory maps, so that pages nobody touches cost nothing.
class fresh_pages {
 public:
  static constexpr std::size_t most = std::size_t(32) << 20;

  /// Puts them at an address; false where the system has no more mappings.
  bool map(char* at, std::size_t bytes, int protection) {
    for (std::size_t done = 0; done < bytes; done += most) {
      const std::size_t part = bytes - done < most ? bytes - done : most;
      grow(part);
      if (mmap(at + done, part, protection, MAP_PRIVATE | MAP_FIXED, file_, 0) == MAP_FAILED) return false;
    }
    return true;
  }

 private:
  void grow(std::size_t bytes) {
    char ones[granule];
    std::memset(ones, 0xff, sizeof ones);
    for (; size_ < bytes; size_ += sizeof ones)
      if (::write(file_, ones, sizeof ones) != static_cast<ssize_t>(sizeof ones)) fail("no memory for the pages of fresh allocations");
  }
  int file_ = memfd_create("emulated_cuda", MFD_CLOEXEC);
  std::size_t size_ = 0;
};
inline fresh_pages fresh;

inline void* allocate(std::size_t bytes) {
  static std::uint64_t number = 0;
  const std::size_t slots = (bytes + 15) / 16 * 16, granules = (slots + 2 * page + granule - 1) / granule * granule;
  if (bytes > arena_bytes || granules > arena_bytes - arena_used || bytes_in_use + bytes > device_memory) return nullptr;
  char* const first = arena + arena_used;
  char* const end = first + granules - page;
  region r = {};
  r.begin = end - slots, r.bytes = bytes, r.number = number++;
  r.map = arena + static_cast<std::size_t>(r.begin - arena) / page * page, r.mapped = static_cast<std::size_t>(end - r.map);
  r.written = static_cast<unsigned char*>(std::calloc(slots, 1));
  if (!r.written || !fresh.map(r.map, r.mapped, PROT_NONE)) return std::free(r.written), nullptr;
  region* const kept = &(regions[r.begin] = r);
  for (std::size_t g = 0; g < granules; g += granule) region_of_granule[(arena_used + g) / granule] = kept;
  arena_used += granules, bytes_in_use += bytes;
  watch_faults();
  return r.begin;
}
/// Whether there was such an allocation. Its addresses are never used again, so a later access is found.
inline bool release(void* p) {
  const auto found = regions.find(static_cast<char*>(p));
  if (found == regions.end()) return false;
  region& r = found->second;
  if (r.open) fail("memory is freed inside device code");
  std::size_t g = static_cast<std::size_t>(r.map - arena + static_cast<std::ptrdiff_t>(r.mapped)) / granule;
  mmap(r.map, r.mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  do region_of_granule[g] = nullptr;
  while (g-- && region_of_granule[g] == &r);
  bytes_in_use -= r.bytes;
  std::free(r.written), regions.erase(found);
  return true;
}

/// Throws where memory is still allocated.
inline void require_no_leaks() {
  if (regions.empty()) return;
  std::string which;
  for (const auto& r : regions) which += (which.empty() ? "" : ", ") + std::to_string(r.second.number) + " (" + std::to_string(r.second.bytes) + " bytes)";
  fail("memory was never freed: allocation " + which);
}
inline struct leaks_at_exit {
  ~leaks_at_exit() {
    try {
      require_no_leaks();
    } catch (const std::runtime_error& e) {
      std::fprintf(stderr, "%s\n", e.what());
      std::fflush(nullptr), std::_Exit(70);
    }
  }
} report_leaks;

}  // namespace emulated
