// Device memory in blocks that are kept and handed out again.
#pragma once
#include <amphora/cuda/error.cuh>  // require_cuda, relaxed_capture
#include <amphora/error.hpp>       // fail
#include <amphora/version.hpp>     // AMPHORA_ABI

#include <cuda_runtime.h>  // cudaMalloc, cudaFree

#include <cstddef>  // size_t
#include <cstdint>  // uint64_t, uintptr_t, SIZE_MAX
#include <cstring>  // memcpy, memmove

namespace amphora { inline namespace AMPHORA_ABI {

/// Device memory of the caller's from which a context takes all that it needs.
struct cuda_workspace {
  void* memory = nullptr;
  std::size_t bytes = 0;
};

namespace detail {

struct device_block {
  void* memory;
  std::size_t bytes;
  bool captured;
};

/// Blocks in an order that its user keeps. Room is made apart, so that inserting allocates nothing.
class block_list {
 public:
  block_list() = default;
  block_list(const block_list&) = delete;
  block_list& operator=(const block_list&) = delete;
  ~block_list() { delete[] blocks_; }

  std::size_t size() const { return size_; }
  device_block* begin() { return blocks_; }
  device_block* end() { return blocks_ + size_; }
  device_block& operator[](std::size_t k) { return blocks_[k]; }
  void make_room(std::size_t blocks) {
    if (blocks <= room_) return;
    device_block* const wider = new device_block[2 * blocks];
    if (size_ > 0) std::memcpy(wider, blocks_, size_ * sizeof(device_block));
    delete[] blocks_;
    blocks_ = wider, room_ = 2 * blocks;
  }
  void insert(std::size_t k, const device_block& one) noexcept {
    std::memmove(blocks_ + k + 1, blocks_ + k, (size_++ - k) * sizeof(device_block));
    blocks_[k] = one;
  }
  device_block take(std::size_t k) noexcept {
    const device_block one = blocks_[k];
    std::memmove(blocks_ + k, blocks_ + k + 1, (--size_ - k) * sizeof(device_block));
    return one;
  }
  void clear() noexcept { size_ = 0; }

  /// Where blocks that are not before the given one begin.
  std::size_t by_address(const void* memory) const noexcept {
    return first([memory](const device_block& one) { return reinterpret_cast<std::uintptr_t>(one.memory) < reinterpret_cast<std::uintptr_t>(memory); });
  }
  std::size_t by_size(std::size_t bytes) const noexcept {
    return first([bytes](const device_block& one) { return one.bytes < bytes; });
  }

 private:
  template <class Before> std::size_t first(Before before) const noexcept {
    std::size_t low = 0, high = size_;
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (before(blocks_[middle])) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  device_block* blocks_ = nullptr;
  std::size_t size_ = 0, room_ = 0;
};

/// The memory of one context: from cudaMalloc, or all of it from the caller's workspace. cuda/context.cuh says what is promised.
class block_pool {
 public:
  /// Errors  size  a workspace of some bytes at no address
  explicit block_pool(const cuda_workspace& workspace) : workspace_(workspace) {
    if (!workspace.memory && workspace.bytes > 0) fail("size", "a workspace of ", static_cast<std::uint64_t>(workspace.bytes), " bytes has no address; was it allocated?");
  }
  block_pool(const block_pool&) = delete;
  block_pool& operator=(const block_pool&) = delete;
  ~block_pool() {
    const relaxed_capture during;  // other streams may be captured
    if (workspace_.memory) return;
    for (block_list* list : {&free_[0], &free_[1], &live_})
      for (const device_block& one : *list) cudaFree(one.memory);
  }

  /// capturing  whether the stream is being captured: the block is the captures' from then on
  /// Errors     size
  void* allocate(std::size_t bytes, bool capturing, cudaStream_t stream) {
    const std::size_t size = rounded(bytes);
    device_block one = {};
    if (!(capturing && take(free_[true], size, one)) && !take(free_[false], size, one)) one = fresh(size);
    if (capturing) one.captured = true;
#if defined(AMPHORA_EMULATED_CUDA)
    emulated::hand_out_anew(one.memory, one.bytes, stream);
#endif
    static_cast<void>(stream);
    live_.insert(live_.by_address(one.memory), one);
    return one.memory;
  }
  void release(void* memory) noexcept {
    const std::size_t found = live_.by_address(memory);
    if (found == live_.size() || live_[found].memory != memory) return;
    const device_block one = live_.take(found);
    keep(free_[one.captured], one);
  }
  /// Gives the captures' blocks to everybody.
  void end_captures() noexcept {
    for (device_block& one : free_[true]) one.captured = false, keep(free_[false], one);
    free_[true].clear();
    for (device_block& one : live_) one.captured = false;
  }
  /// Returns free blocks that are not the captures' to the system; their work is done. How many bytes.
  std::size_t trim() {
    block_list& list = free_[false];
    std::size_t bytes = 0;
    while (list.size() > 0 && !workspace_.memory) {
      require_cuda(cudaFree(list[list.size() - 1].memory), "cudaFree");
      bytes += list.take(list.size() - 1).bytes;
    }
    return bytes;
  }
  std::uint64_t allocations() const { return allocations_; }
  std::size_t workspace_used() const { return carved_; }

 private:
#if defined(AMPHORA_EMULATED_CUDA)
  static constexpr std::size_t granule = 16, least_slack = std::size_t(1) << 17;  // an access past the end of a block below 1 MiB is found
#else
  static constexpr std::size_t granule = 512, least_slack = 1;
#endif
  static constexpr std::size_t rounded(std::size_t bytes) {
    return bytes == 0 ? granule : bytes > SIZE_MAX - granule ? SIZE_MAX : (bytes + granule - 1) / granule * granule;
  }
  static bool take(block_list& list, std::size_t size, device_block& one) noexcept {
    const std::size_t found = list.by_size(size), eighth = size / 8, slack = eighth >= least_slack ? eighth : 0;
    if (found == list.size() || list[found].bytes - size > slack) return false;
    return one = list.take(found), true;
  }
  /// Behind those of its size: the one that lay longest is taken first.
  static void keep(block_list& list, const device_block& one) noexcept { list.insert(list.by_size(one.bytes + 1), one); }
  device_block fresh(std::size_t size) {
    const std::size_t blocks = live_.size() + free_[0].size() + free_[1].size() + 1;
    for (block_list* list : {&free_[0], &free_[1], &live_}) list->make_room(blocks);
    void* const memory = workspace_.memory ? carved(size) : from_system(size);
    ++allocations_;
    return {memory, size, false};
  }
  void* from_system(std::size_t size) {
    void* memory = nullptr;
    cudaError_t status;
    {
      const relaxed_capture during;  // memory of our own never enters a graph
      status = cudaMalloc(&memory, size);
    }
    if (status == cudaErrorMemoryAllocation) {
      static_cast<void>(cudaGetLastError());
      std::size_t kept = 0;
      for (const device_block& one : free_[false]) kept += one.bytes;
      fail("size", "no device memory left for ", static_cast<std::uint64_t>(size), " bytes; this context keeps ", static_cast<std::uint64_t>(kept),
           " that are not in use, wait_trim() returns them");
    }
    require_cuda(status, "cudaMalloc", " of ", static_cast<std::uint64_t>(size), " bytes");
    return memory;
  }
  void* carved(std::size_t size) {
    const std::size_t misaligned = (reinterpret_cast<std::uintptr_t>(workspace_.memory) + carved_) % 256;
    const std::size_t begin = carved_ + (misaligned ? 256 - misaligned : 0);
    if (begin > workspace_.bytes || size > workspace_.bytes - begin)
      fail("size", "the context's workspace has ", static_cast<std::uint64_t>(workspace_.bytes), " bytes, of which ", static_cast<std::uint64_t>(carved_), " are given out, and ",
           static_cast<std::uint64_t>(size), " more are needed; give it a larger one");
    carved_ = begin + size;
    return static_cast<char*>(workspace_.memory) + begin;
  }

  cuda_workspace workspace_;
  std::size_t carved_ = 0;
  block_list free_[2];  // eager work's, and captures'; by size
  block_list live_;     // given out; by address
  std::uint64_t allocations_ = 0;
};

}  // namespace detail
}}  // namespace amphora
