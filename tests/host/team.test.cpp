#include <amphora/host/team.hpp>  // in_team

#include <doctest/doctest.h>

#include <atomic>
#include <vector>

using namespace amphora::detail;

TEST_CASE("a team's members share a count out without gaps") {
  for (std::int64_t count : {std::int64_t(0), std::int64_t(1), std::int64_t(7), std::int64_t(1) << 40})
    for (int size : {1, 2, 3, 16}) {
      std::int64_t next = 0;
      for (int index = 0; index < size; ++index) {
        const team_member member{index, size};
        CHECK(member.begin(count) == next);
        next = member.end(count);
        CHECK(next - member.begin(count) <= count / size + 1);
      }
      CHECK(next == count);
    }
}

TEST_CASE("all members meet before any goes on") {
  std::atomic<int> arrived{0};
  std::atomic<bool> early{false};
  std::vector<int> seen(4);
  in_team(4, [&](const team_member& member) {
    ++seen[static_cast<std::size_t>(member.index)];
    ++arrived;
    member.meet();
    if (arrived != member.size) early = true;
  });
  CHECK(!early);
  CHECK(seen[0] == 1);
  CHECK(arrived >= 1);
}
