#include <amphora/host/parallel.hpp>

#include <doctest/doctest.h>

#include <vector>

namespace amp = amphora;

TEST_CASE("every piece is done once, by a thread of the context") {
  for (const int threads : {1, 2, 5}) {
    amp::host_context c(threads);
    std::vector<int> done(1000, 0), by(1000, -1);
    amp::detail::for_pieces(c, 1000, true, [&](std::int64_t i, int thread) {
      ++done[static_cast<std::size_t>(i)];
      by[static_cast<std::size_t>(i)] = thread;
    });
    for (int i = 0; i < 1000; ++i) CHECK(done[static_cast<std::size_t>(i)] == 1);
    for (int i = 0; i < 1000; ++i) CHECK((by[static_cast<std::size_t>(i)] >= 0 && by[static_cast<std::size_t>(i)] < threads));
  }
}

TEST_CASE("workspace goes back when the call ends") {
  amp::host_context c;
  { const amp::detail::workspace<double> memory(c, 100); memory.data()[99] = 1; }
  const auto before = c.allocations();
  { const amp::detail::workspace<double> memory(c, 100); }
  CHECK(c.allocations() == before);
}
