#include <amphora/cuda/lines.cuh>

#include <cuda/beside_host.hpp>

namespace amp = amphora;
using namespace amp::detail;

namespace {

/// Each thread's number joined over its team.
template <class Build = this_build>
AMPHORA_KERNEL void join_all(const double* from, double* to, int team) { store(to + threadIdx.x, joined(load(from + threadIdx.x), team, added())); }

/// The largest number of each line and Σ exp(x − largest) beside it, by each member of its team.
template <class Build = this_build>
AMPHORA_KERNEL void softmax_of_lines(const line_plan plan, const source<amp::f64> x, double* largest, double* sum) {
  const line_place at(plan, blockIdx.x * std::int64_t(blockDim.x / plan.team) + static_cast<int>(threadIdx.x) / plan.team);
  const line_softmax<double> s = softmax_of_line<double>(x, at, no_source{});
  if (at.length > 0 && at.member == plan.team - 1) store(largest + at.line, s.largest), store(sum + at.line, s.sum);
}

}  // namespace

TEST_CASE("a team's numbers are joined, and every member gets the result") {
  amp::cuda_context c;
  const std::vector<double> ones(line_threads, 1.0);
  for (int team : {1, 2, 4, 8, 16, 32, line_threads}) {
    const check::array<double, amp::cuda_context> from(c, {line_threads}, ones);
    check::array<double, amp::cuda_context> to(c, {line_threads}, ones);
    launch(c, "test", 1, line_threads, join_all<>, from.view().data(), to.view().data(), team);
    CHECK(to.wait_read() == std::vector<double>(line_threads, team));
  }
}

TEST_CASE("short lines share a warp, long ones have a block, and many side by side a thread each") {
  amp::cuda_context c;
  CHECK(plan_lines(c, {100, 8, 1}, true).team == 1);
  CHECK(plan_lines(c, {100, 10, 1}, true).team == 2);
  CHECK(plan_lines(c, {100, 1024, 1}, true).team == 32);
  CHECK(plan_lines(c, {100, 1025, 1}, true).team == line_threads);
  CHECK(plan_lines(c, {1, 5000, std::int64_t(c.multiprocessors()) * 64}, true).team == 1);
  CHECK(plan_lines(c, {1, 5000, 3}, true).team == line_threads);
  CHECK(plan_lines(c, {100, 1024, 1}, true).wide);
  CHECK(!plan_lines(c, {100, 1024, 1}, false).wide);
  CHECK(!plan_lines(c, {100, 1025, 1}, true).wide);
  CHECK(!plan_lines(c, {100, 1024, 2}, true).wide);
}

TEST_CASE("each line of an array is found, whatever its team") {
  amp::cuda_context c;
  for (const lines_of lines : {lines_of{7, 8, 1}, lines_of{7, 10, 1}, lines_of{7, 300, 1}, lines_of{3, 2000, 1}, lines_of{2, 40, 3}, lines_of{2, 3, std::int64_t(c.multiprocessors()) * 64}}) {
    const std::int64_t n = lines.lines() * lines.length;
    const auto values = check::numbers<double>(n, 1);
    const check::array<double, amp::cuda_context> x(c, {n}, values);
    check::array<double, amp::cuda_context> largest(c, {lines.lines()}, check::numbers<double>(lines.lines(), 2)), sum(c, {lines.lines()}, check::numbers<double>(lines.lines(), 2));
    const line_plan plan = plan_lines(c, lines, true);
    const auto grid = static_cast<int>((lines.lines() * plan.team + plan.threads() - 1) / plan.threads());
    launch(c, "test", grid, plan.threads(), softmax_of_lines<>, plan, source<amp::f64>{x.view().data()}, largest.view().data(), sum.view().data());
    const auto have = largest.wait_read(), sums = sum.wait_read();
    for (std::int64_t line = 0; line < lines.lines(); ++line) {
      double most = -10, want = 0;
      for (std::int64_t i = 0; i < lines.length; ++i) most = std::max(most, values[static_cast<std::size_t>(lines.first(line) + i * lines.inner)]);
      for (std::int64_t i = 0; i < lines.length; ++i) want += std::exp(values[static_cast<std::size_t>(lines.first(line) + i * lines.inner)] - most);
      CHECK(have[static_cast<std::size_t>(line)] == most);
      CHECK(std::fabs(sums[static_cast<std::size_t>(line)] - want) <= want * static_cast<double>(lines.length + 4) * amp::f64::unit_roundoff);
    }
  }
}
