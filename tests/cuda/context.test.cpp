#include <amphora/cuda/context.cuh>

#include <device.hpp>  // device_array, read_device

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace amp = amphora;

static_assert(!std::is_copy_constructible_v<amp::cuda_context> && !std::is_move_constructible_v<amp::cuda_context>);
static_assert(std::is_same_v<amp::cuda_context::device, amp::cuda_device>);
static_assert(noexcept(std::declval<amp::cuda_context&>().release(nullptr, 0)) && noexcept(std::declval<amp::cuda_context&>().end_captures()));

namespace {

/// A stream in capture, whatever becomes of the test.
class capture {
 public:
  explicit capture(cudaStream_t stream) : stream_(stream) { REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess); }
  ~capture() { end(); }
  void end() {
    if (!ended_) cudaStreamEndCapture(stream_, &graph_);
    ended_ = true;
    if (graph_) cudaGraphDestroy(graph_);
    graph_ = nullptr;
  }

 private:
  cudaStream_t stream_;
  cudaGraph_t graph_ = nullptr;
  bool ended_ = false;
};
struct own_stream {
  cudaStream_t handle = nullptr;
  own_stream() { REQUIRE(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking) == cudaSuccess); }
  own_stream(const own_stream&) = delete;
  ~own_stream() { cudaStreamDestroy(handle); }
};
struct device_memory {
  void* data = nullptr;
  explicit device_memory(std::size_t bytes) { REQUIRE(cudaMalloc(&data, bytes) == cudaSuccess); }
  device_memory(const device_memory&) = delete;
  ~device_memory() { cudaFree(data); }
};

constexpr std::size_t mebibyte = std::size_t(1) << 20;

}  // namespace

TEST_CASE("a context makes a stream of its own, or works on the caller's and leaves it there") {
  amp::cuda_context own;
  CHECK(own.stream() != nullptr);
  CHECK(own.multiprocessors() > 0);
  CHECK(own.device_index() == 0);
  CHECK_FALSE(own.is_capturing());
  own_stream theirs;
  { const amp::cuda_context context(theirs.handle); CHECK(context.stream() == theirs.handle); }
  CHECK(cudaStreamSynchronize(theirs.handle) == cudaSuccess);
  const amp::cuda_context legacy(nullptr);
  CHECK(legacy.stream() == nullptr);
}

TEST_CASE("memory that was given back is handed out again; nothing is allocated by the second of two equal steps") {
  amp::cuda_context context;
  const auto step = [&] {
    void* a = context.allocate(1000);
    void* b = context.allocate(2000);
    CHECK(a != b);
    context.release(a, 1000);
    void* c = context.allocate(1000);
    CHECK(c == a);
    context.release(b, 2000), context.release(c, 1000);
  };
  step();
  const auto before = context.allocations();
  CHECK(before == 2);
  for (int i = 0; i < 10; ++i) step();
  CHECK(context.allocations() == before);
  void* none = context.allocate(0);
  CHECK(none != nullptr);
  context.release(none, 0), context.release(nullptr, 8);
}

TEST_CASE("a large block serves sizes down to an eighth less, and no smaller ones") {
  amp::cuda_context context;
  void* block = context.allocate(9 * mebibyte);
  context.release(block, 9 * mebibyte);
  void* again = context.allocate(8 * mebibyte);
  CHECK(again == block);
  context.release(again, 8 * mebibyte);
  void* smaller = context.allocate(7 * mebibyte);
  CHECK(smaller != block);
  void* best = context.allocate(9 * mebibyte);
  CHECK(best == block);
  context.release(smaller, 7 * mebibyte), context.release(best, 9 * mebibyte);
  void* nearest = context.allocate(7 * mebibyte);
  CHECK(nearest == smaller);
  context.release(nearest, 7 * mebibyte);
  CHECK(context.allocations() == 2);
}

TEST_CASE("kept memory goes back to the system where it is asked for by name") {
  amp::cuda_context context;
  void* used = context.allocate(4096);
  void* kept = context.allocate(8192);
  context.release(kept, 8192);
  CHECK(context.wait_trim() == 8192);
  CHECK(context.wait_trim() == 0);
  void* fresh = context.allocate(8192);
  CHECK(context.allocations() == 3);
  context.release(fresh, 8192), context.release(used, 4096);
}

TEST_CASE("all memory comes out of an adopted workspace, and what it lacks is named") {
  constexpr std::size_t bytes = 16384;
  device_memory memory(bytes);
  own_stream stream;
  amp::cuda_context context(stream.handle, nullptr, {static_cast<char*>(memory.data) + 16, bytes - 16});  // as it comes
  CHECK(context.workspace_used() == 0);
  std::vector<void*> blocks;
  for (int k = 0; k < 4; ++k) {
    blocks.push_back(context.allocate(2048));
    const auto address = reinterpret_cast<std::uintptr_t>(blocks.back());
    CHECK(address % 256 == 0);
    CHECK(address >= reinterpret_cast<std::uintptr_t>(memory.data));
    CHECK(address + 2048 <= reinterpret_cast<std::uintptr_t>(memory.data) + bytes);
  }
  const std::size_t used = context.workspace_used();
  CHECK(used >= 4 * 2048);
  CHECK_THROWS_WITH_AS(context.allocate(bytes), doctest::Contains("[size]: the context's workspace has 16368 bytes"), amp::error);
  CHECK_THROWS_WITH_AS(context.allocate(bytes), doctest::Contains("16384 more are needed"), amp::error);
  for (void* block : blocks) context.release(block, 2048);
  CHECK(context.allocate(2048) != nullptr);
  CHECK(context.workspace_used() == used);
  CHECK(context.wait_trim() == 0);
  CHECK_THROWS_WITH_AS(amp::cuda_context(stream.handle, nullptr, {nullptr, 64}), doctest::Contains("[size]: a workspace of 64 bytes has no address"), amp::error);
}

TEST_CASE("what a capture used stays the captures' until they are ended") {
  amp::cuda_context context;
  void* before = context.allocate(1024);
  context.release(before, 1024);
  void* used = nullptr;
  {
    capture during(context.stream());
    CHECK(context.is_capturing());
    used = context.allocate(1024);
    CHECK(used == before);  // eager work before it is done before any replay
    context.release(used, 1024);
    void* again = context.allocate(1024);
    CHECK(again == used);
    context.release(again, 1024);
  }
  void* eager = context.allocate(1024);
  CHECK(eager != used);
  {
    capture second(context.stream());
    void* shared = context.allocate(1024);
    CHECK(shared == used);
    second.end();
    context.release(shared, 1024);  // after the capture: still the captures'
  }
  void* other = context.allocate(1024);
  CHECK(other != used);
  context.release(eager, 1024), context.release(other, 1024);
  context.end_captures();
  bool found = false;
  std::vector<void*> all;
  for (int k = 0; k < 3; ++k) all.push_back(context.allocate(1024)), found = found || all.back() == used;
  CHECK(found);
  CHECK(context.allocations() == 3);
  for (void* one : all) context.release(one, 1024);
}

TEST_CASE("memory is allocated during a capture too, and does not become a part of it") {
  amp::cuda_context context;
  capture during(context.stream());
  void* fresh = context.allocate(12345);
  CHECK(fresh != nullptr);
  CHECK(context.is_capturing());
  context.release(fresh, 12345);
}

TEST_CASE("a wait in a capture is refused by name, and the capture goes on") {
  amp::cuda_context context;
  device_array<float> number(context, {1});
  capture during(context.stream());
  CHECK_THROWS_WITH_AS(context.wait(), doctest::Contains("amphora [capture]: wait: nothing can wait"), amp::error);
  CHECK_THROWS_WITH_AS(static_cast<void>(read_device(context, number.data())), doctest::Contains("[capture]: wait_read"), amp::error);
  CHECK_THROWS_AS(context.wait_trim(), amp::error);
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  REQUIRE(cudaStreamIsCapturing(context.stream(), &status) == cudaSuccess);
  CHECK(status == cudaStreamCaptureStatusActive);
}

namespace {
std::vector<int> ended;
template <int Number> struct remembers {
  int value = 0;
  ~remembers() { ended.push_back(Number); }
};
struct knows_its_context {
  amp::cuda_context& context;
  void* memory;
  explicit knows_its_context(amp::cuda_context& its) : context(its), memory(its.allocate(64)) { its.cache<remembers<3>>().value = 3; }
  ~knows_its_context() { context.release(memory, 64), ended.push_back(4); }
};
}  // namespace

TEST_CASE("a context keeps one object of each type, made once, ended last one first") {
  ended.clear();
  {
    amp::cuda_context context;
    context.cache<remembers<1>>().value = 11;
    context.cache<remembers<2>>().value = 22;
    CHECK(context.cache<remembers<1>>().value == 11);
    CHECK(context.cache<remembers<2>>().value == 22);
    auto& first = context.cache<knows_its_context>();
    CHECK(&first.context == &context);
    CHECK(&first == &context.cache<knows_its_context>());
    CHECK(context.cache<remembers<3>>().value == 3);  // one object may need another
    amp::cuda_context other;
    CHECK(other.cache<remembers<1>>().value == 0);
    ended.clear();
  }
  CHECK(ended == std::vector<int>{1, 4, 3, 2, 1});  // other's, then context's
}

#if defined(AMPHORA_EMULATED_CUDA)
TEST_CASE("where there is no device, one message says what to do") {
  emulated::no_device = true;
  CHECK_THROWS_WITH_AS(amp::cuda_context(), doctest::Contains("amphora [device]: there is no CUDA device that this program can use (cudaGetDevice: cudaErrorNoDevice)"), amp::error);
  emulated::no_device = false;
  amp::cuda_context context;
  CHECK(context.allocate(8) != nullptr);
}

TEST_CASE("a context used while another device is current says which is which, before anything is done") {
  amp::cuda_context context;
  device_array<float> number(context, {1});
  emulated::devices = 2;
  REQUIRE(cudaSetDevice(1) == cudaSuccess);
  const auto allocations = emulated::allocations;
  const auto launches = emulated::launches;
  CHECK_THROWS_WITH_AS(context.allocate(64), "amphora [device]: allocate: this context is on device 0 and device 1 is current; call cudaSetDevice(0) first", amp::error);
  CHECK_THROWS_WITH_AS(number.set({2}), doctest::Contains("[device]: write: this context is on device 0"), amp::error);
  CHECK_THROWS_WITH_AS(number.get(), doctest::Contains("[device]: cudaMemcpyAsync"), amp::error);
  CHECK(emulated::allocations == allocations);
  CHECK(emulated::launches == launches);
  amp::cuda_context second;
  CHECK(second.device_index() == 1);
  REQUIRE(cudaSetDevice(0) == cudaSuccess);
  emulated::devices = 1;
  CHECK(number[0] == 1);
}

TEST_CASE("where memory runs out, the message has the size and what is kept") {
  amp::cuda_context context;
  void* kept = context.allocate(4096);
  context.release(kept, 4096);
  emulated::fail_next_malloc = cudaErrorMemoryAllocation;
  CHECK_THROWS_WITH_AS(context.allocate(1 << 20), doctest::Contains("amphora [size]: no device memory left for 1048576 bytes; this context keeps 4096 that are not in use"), amp::error);
  CHECK(context.allocate(1 << 20) != nullptr);  // the error was not left behind
  CHECK_THROWS_WITH_AS(context.allocate(SIZE_MAX), doctest::Contains("[size]"), amp::error);
}

TEST_CASE("allocating, giving back and keeping wait for nothing") {
  amp::cuda_context context;
  const emulated::no_waits nothing_waits;
  for (int k = 0; k < 3; ++k) {
    void* a = context.allocate(100);
    void* b = context.allocate(2 * mebibyte);
    context.release(b, 2 * mebibyte), context.release(a, 100);
  }
  context.cache<remembers<5>>().value = 1;
}
#endif
