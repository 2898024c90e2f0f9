#include <amphora/cuda/block_pool.cuh>

#include <amphora/cuda/context.cuh>  // cuda_context

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <random>
#include <set>

namespace amp = amphora;
using amp::detail::block_pool;

namespace {
/// Blocks that are given out, by address.
struct given {
  std::map<std::uintptr_t, std::size_t> blocks;
  static std::uintptr_t address(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }
  /// Whether a block of so many bytes overlaps none of them.
  bool is_apart(const void* p, std::size_t bytes) const {
    const auto next = blocks.lower_bound(address(p));
    if (next != blocks.end() && address(p) + bytes > next->first) return false;
    return next == blocks.begin() || std::prev(next)->first + std::prev(next)->second <= address(p);
  }
};
}  // namespace

TEST_CASE("whatever is asked for and given back in whatever order, no two blocks overlap, and eager work never gets a capture's block") {
  const amp::cuda_context context;  // for its stream
  block_pool pool(amp::cuda_workspace{});
  given live;
  std::set<std::uintptr_t> captured;
  std::mt19937 random(7);
  for (int k = 0; k < 3000; ++k) {
    const std::size_t bytes = k % 50 == 0 ? (std::size_t(1) << 20) + random() % (std::size_t(1) << 20) : 1 + random() % 3000;
    if (live.blocks.size() < 40 && random() % 2 == 0) {
      const bool capturing = random() % 3 == 0;
      void* p = pool.allocate(bytes, capturing, context.stream());
      CHECK(live.is_apart(p, bytes));
      if (!capturing) CHECK(captured.count(given::address(p)) == 0);
      if (capturing) captured.insert(given::address(p));
      live.blocks[given::address(p)] = bytes;
    } else if (!live.blocks.empty()) {
      auto one = live.blocks.begin();
      std::advance(one, static_cast<std::ptrdiff_t>(random() % live.blocks.size()));
      pool.release(reinterpret_cast<void*>(one->first));
      live.blocks.erase(one);
    }
    if (k % 1000 == 999) pool.end_captures(), captured.clear();
  }
  for (const auto& one : live.blocks) pool.release(reinterpret_cast<void*>(one.first));
  CHECK(pool.allocations() < 3000);
}

TEST_CASE("what is not the pool's is not taken back, and nothing is taken back twice") {
  const amp::cuda_context context;
  block_pool pool(amp::cuda_workspace{});
  int own = 0;
  pool.release(&own), pool.release(nullptr);
  void* first = pool.allocate(100, false, context.stream());
  pool.release(first), pool.release(first);
  void* a = pool.allocate(100, false, context.stream());
  void* b = pool.allocate(100, false, context.stream());
  CHECK(a == first);
  CHECK(b != a);
}

TEST_CASE("trimming returns what is free and no capture's, and counts it") {
  const amp::cuda_context context;
  block_pool pool(amp::cuda_workspace{});
  void* used = pool.allocate(4096, false, context.stream());
  pool.release(pool.allocate(8192, true, context.stream()));
  pool.release(pool.allocate(12288, false, context.stream()));
  CHECK(pool.trim() == 12288);
  CHECK(pool.trim() == 0);
  pool.end_captures();
  CHECK(pool.trim() == 8192);
  pool.release(used);
}
