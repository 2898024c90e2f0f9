// Where host work runs: how many threads, and memory that is kept for the next step.
#pragma once
#include <amphora/error.hpp>    // fail
#include <amphora/version.hpp>  // AMPHORA_ABI

#include <cstddef>  // size_t
#include <cstdint>  // uint64_t
#include <new>      // operator new, align_val_t, nothrow

namespace amphora { inline namespace AMPHORA_ABI {

/// Tag of the host device: the front asks a context for `device` and finds the kernels by it.
struct host_device {
  static constexpr const char* name = "host";
};

/// Runs work on the calling thread, or on several where the program is built with OpenMP.
///
/// Memory that a step gives back is kept by size and handed out again, so that nothing is allocated once a step has run.
/// One context belongs to one thread at a time. It must outlive what it allocated.
class host_context {
 public:
  using device = host_device;

  /// threads  ≥ 1; more than one needs OpenMP. No result depends on it.
  explicit host_context(int threads = 1) : threads_(threads) {
    if (threads < 1) detail::fail("size", "a host context needs at least one thread, not ", threads);
  }
  host_context(const host_context&) = delete;
  host_context& operator=(const host_context&) = delete;
  ~host_context() {
    for (auto& list : free_)
      while (list) {
        block* next = list->next;
        ::operator delete(static_cast<void*>(list), alignment);
        list = next;
      }
  }

  int threads() const { return threads_; }

  /// Memory for bytes, aligned to 64; its contents are not defined.
  ///
  /// Errors  size  no such memory
  void* allocate(std::size_t bytes) {
    const int list = class_of(bytes);
    if (list < 0) detail::fail("size", "cannot allocate ", static_cast<std::uint64_t>(bytes), " bytes");
    if (block* first = free_[list]) {
      free_[list] = first->next;
      return first;
    }
    void* memory = ::operator new(size_of(list), alignment, std::nothrow);
    if (!memory) detail::fail("size", "no memory left for ", static_cast<std::uint64_t>(bytes), " bytes");
    ++allocations_;
    return memory;
  }
  /// Takes back what allocate(bytes) gave.
  void release(void* memory, std::size_t bytes) noexcept {
    if (!memory) return;
    const int list = class_of(bytes);
    free_[list] = ::new (memory) block{free_[list]};
  }
  /// How often the system was asked for memory. It stays the same from the second of two equal steps on.
  std::uint64_t allocations() const { return allocations_; }

  /// Waits for all work; on the host there is none to wait for.
  void wait() const {}

 private:
  struct block { block* next; };
  static constexpr std::align_val_t alignment{64};
  static constexpr int classes = 4 * 56;  // four sizes a power of two: at most a quarter is lost

  static constexpr std::size_t size_of(int list) { return (std::size_t(64) << (list / 4)) / 4 * static_cast<std::size_t>(4 + list % 4); }
  /// The smallest class that holds so many bytes; -1 where none does.
  static constexpr int class_of(std::size_t bytes) {
    int list = 0;
    while (list + 4 < classes && size_of(list + 4) <= bytes) list += 4;
    for (; list < classes; ++list)
      if (size_of(list) >= bytes) return list;
    return -1;
  }

  block* free_[classes] = {};
  std::uint64_t allocations_ = 0;
  int threads_;
};

}}  // namespace amphora
