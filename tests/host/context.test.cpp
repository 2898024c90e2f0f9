#include <amphora/host/context.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <initializer_list>

namespace amp = amphora;

static_assert(!std::is_copy_constructible_v<amp::host_context>);
static_assert(std::is_same_v<amp::host_context::device, amp::host_device>);

TEST_CASE("memory is aligned, of the size asked for, and handed out again") {
  amp::host_context context;
  for (const std::size_t bytes : {0, 1, 63, 64, 65, 80, 81, 1000, 4096, 5120, 5121, 1 << 20, 12345678}) {
    void* a = context.allocate(bytes);
    CHECK(reinterpret_cast<std::uintptr_t>(a) % 64 == 0);
    std::memset(a, 1, bytes);
    const auto before = context.allocations();
    context.release(a, bytes);
    CHECK(context.allocate(bytes) == a);
    CHECK(context.allocations() == before);
    context.release(a, bytes);
  }
}

TEST_CASE("two at once are two") {
  amp::host_context context;
  void *a = context.allocate(100), *b = context.allocate(100);
  CHECK(a != b);
  CHECK(context.allocations() == 2);
  context.release(a, 100);
  context.release(b, 100);
  context.release(nullptr, 100);
}

TEST_CASE("impossible contexts and sizes are errors") {
  CHECK_THROWS_WITH_AS(amp::host_context(0), doctest::Contains("at least one thread, not 0"), amp::error);
  amp::host_context context(2);
  CHECK(context.threads() == 2);
  CHECK_THROWS_WITH_AS(context.allocate(SIZE_MAX), doctest::Contains("amphora [size]"), amp::error);
}
