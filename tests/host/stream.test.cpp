#include <amphora/host/stream.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <vector>

using namespace amphora;

namespace {

template <class Level>
void check_front_and_rest() {
  // Numbers of 4 bytes to numbers of 2: the lower half of each.
  const std::int64_t n = detail::stream_threshold / 6 + 777;
  std::vector<std::uint32_t> from(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::uint32_t>(i * 2654435761u);
  auto lower = [](const char* source, char* target, std::int64_t blocks) {
    for (std::int64_t i = 0; i < blocks * detail::block_size; ++i) std::memcpy(target + 2 * i, source + 4 * i, 2);
  };
  for (const std::size_t offset : {0, 1, 13}) {
    std::vector<std::uint16_t> to(from.size() + offset, 0xa5a5);
    const std::int64_t done = detail::stream_blocks<Level>(lower, reinterpret_cast<const char*>(from.data()), 4, reinterpret_cast<char*>(to.data() + offset), 2, n);
#if AMPHORA_X86
    CHECK(done > n - 2 * detail::stream_pages * detail::stream_page);
#endif
    CHECK(done <= n);
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i < offset; ++i) wrong += to[i] != 0xa5a5;
    for (std::int64_t i = 0; i < n; ++i) {
      const std::uint16_t expected = i < done ? static_cast<std::uint16_t>(from[static_cast<std::size_t>(i)]) : std::uint16_t(0xa5a5);
      wrong += to[static_cast<std::size_t>(i) + offset] != expected;
    }
    CHECK(wrong == 0);
  }
}

}  // namespace

TEST_CASE("small arrays are left to the caller") {
  std::vector<char> from(1 << 12), to(1 << 12);
  int calls = 0;
  CHECK(detail::stream_blocks([&](const char*, char*, std::int64_t) { ++calls; }, from.data(), 1, to.data(), 1, std::int64_t(from.size())) == 0);
  CHECK(calls == 0);
}

TEST_CASE("the front of large arrays is written once, in order of its numbers, and the rest is left") {
  check_front_and_rest<detail::level_base>();
#if AMPHORA_X86
  if (detail::has_avx2()) check_front_and_rest<detail::level_avx2>();
  if (detail::has_avx512()) check_front_and_rest<detail::level_avx512>();
#endif
}

TEST_CASE("a target whose numbers straddle lines is left to the caller") {
  const std::int64_t n = detail::stream_threshold / 6 + 777;
  std::vector<char> from(static_cast<std::size_t>(4 * n)), to(static_cast<std::size_t>(2 * n + 1));
  const auto odd = reinterpret_cast<std::uintptr_t>(to.data()) % 2 ? to.data() : to.data() + 1;
  CHECK(detail::stream_blocks([](const char*, char*, std::int64_t) { FAIL("not to be called"); }, from.data(), 4, odd, 2, n) == 0);
}
