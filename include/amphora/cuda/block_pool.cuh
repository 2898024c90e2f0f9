// Device memory in blocks that are kept and handed out again.
#pragma once
#include <amphora/cuda/error.cuh>  // require_cuda, relaxed_capture
#include <amphora/error.hpp>       // fail
#include <amphora/version.hpp>     // AMPHORA_ABI

#include <cuda_runtime.h>  // cudaMalloc, cudaFree

#include <cstddef>  // size_t
#include <cstdint>  // uint64_t, uintptr_t, SIZE_MAX
#include <set>      // set, multiset
#include <utility>  // move

namespace amphora { inline namespace AMPHORA_ABI {

/// Device memory of the caller's from which a context takes all that it needs.
struct cuda_workspace {
  void* memory = nullptr;
  std::size_t bytes = 0;
};

namespace detail {

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
    for (void* memory : owned_) cudaFree(memory);
  }

  /// capturing  whether the stream is being captured: the block is the captures' from then on
  /// Errors     size
  void* allocate(std::size_t bytes, bool capturing, cudaStream_t stream) {
    const std::size_t size = rounded(bytes);
    auto node = capturing ? taken_from(free_[true], size) : free_blocks::node_type();
    if (!node) node = taken_from(free_[false], size);
    if (!node) node = fresh(size);
    if (capturing) node.value().captured = true;
#if defined(AMPHORA_EMULATED_CUDA)
    emulated::hand_out_anew(node.value().memory, node.value().bytes, stream);
#endif
    static_cast<void>(stream);
    return live_.insert(std::move(node)).position->memory;
  }
  void release(void* memory) noexcept {
    const auto found = live_.find({memory, 0, false});
    if (found == live_.end()) return;
    auto& list = free_[found->captured];
    list.insert(live_.extract(found));  // moves a node: nothing is allocated
  }
  /// Gives the captures' blocks to everybody.
  void end_captures() noexcept {
    while (!free_[true].empty()) {
      auto node = free_[true].extract(free_[true].begin());
      node.value().captured = false, free_[false].insert(std::move(node));
    }
    for (const block& one : live_) one.captured = false;
  }
  /// Returns free blocks that are not the captures' to the system; their work is done. How many bytes.
  std::size_t trim() {
    std::size_t bytes = 0;
    for (auto one = free_[false].begin(); one != free_[false].end() && !workspace_.memory; one = free_[false].erase(one)) {
      require_cuda(cudaFree(one->memory), "cudaFree");
      owned_.erase(one->memory), bytes += one->bytes;
    }
    return bytes;
  }
  std::uint64_t allocations() const { return allocations_; }
  std::size_t workspace_used() const { return carved_; }

 private:
  struct block {
    void* memory;
    std::size_t bytes;
    mutable bool captured;  // no part of an order
  };
  struct by_address {
    bool operator()(const block& a, const block& b) const { return reinterpret_cast<std::uintptr_t>(a.memory) < reinterpret_cast<std::uintptr_t>(b.memory); }
  };
  struct by_size {
    bool operator()(const block& a, const block& b) const { return a.bytes < b.bytes; }
  };
  using free_blocks = std::multiset<block, by_size>;  // its nodes and live_'s are of one type

#if defined(AMPHORA_EMULATED_CUDA)
  static constexpr std::size_t granule = 16, least_slack = std::size_t(1) << 17;  // an access past the end of a block below 1 MiB is found
#else
  static constexpr std::size_t granule = 512, least_slack = 1;
#endif
  static constexpr std::size_t rounded(std::size_t bytes) {
    return bytes == 0 ? granule : bytes > SIZE_MAX - granule ? SIZE_MAX : (bytes + granule - 1) / granule * granule;
  }
  static free_blocks::node_type taken_from(free_blocks& list, std::size_t size) {
    const auto found = list.lower_bound({nullptr, size, false});
    const std::size_t eighth = size / 8, slack = eighth >= least_slack ? eighth : 0;
    if (found == list.end() || found->bytes - size > slack) return {};
    return list.extract(found);
  }
  free_blocks::node_type fresh(std::size_t size) {
    free_blocks one;
    one.insert({nullptr, size, false});
    auto node = one.extract(one.begin());
    node.value().memory = workspace_.memory ? carved(size) : from_system(size);
    ++allocations_;
    return node;
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
      for (const block& one : free_[false]) kept += one.bytes;
      fail("size", "no device memory left for ", static_cast<std::uint64_t>(size), " bytes; this context keeps ", static_cast<std::uint64_t>(kept),
           " that are not in use, wait_trim() returns them");
    }
    require_cuda(status, "cudaMalloc", " of ", static_cast<std::uint64_t>(size), " bytes");
    owned_.insert(memory);
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
  free_blocks free_[2];               // eager work's, and captures'
  std::set<block, by_address> live_;  // given out
  std::set<void*> owned_;
  std::uint64_t allocations_ = 0;
};

}  // namespace detail
}}  // namespace amphora
