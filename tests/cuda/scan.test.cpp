#include <amphora/cuda/scan.cuh>

#include <amphora/host/scan.hpp>
#include <amphora/ops/cumulative.hpp>
#include <amphora/policy/opt_level.hpp>
#include <cuda/beside_host.hpp>

namespace amp = amphora;
using amp::float16;

namespace {

/// Sums of integers, which are exact in any order.
template <class T, class Context>
std::vector<float> summed(Context& c, const amp::shape& s, int axis, const amp::detail::scan_way& way, int skip) {
  std::vector<T> integers(static_cast<std::size_t>(s.elements()));
  for (std::size_t i = 0; i < integers.size(); ++i) integers[i] = amp::convert<amp::format_of_t<T>>(static_cast<float>(static_cast<int>(i * 7 % 11) - 5));
  check::array<T, Context> x(c, s, integers, skip);
  check::array<float, Context> y(c, s, check::numbers<float>(s.elements(), 2), skip);
  amp::detail::scan_into(c, amp::detail::sum_scan{}, amp::detail::lines_along("test", s, axis), way, amp::detail::write(y.view()), amp::detail::operand(x.view()));
  return y.wait_read();
}
template <class T> void check_summed(const amp::shape& s, int axis) {
  amp::host_context host;
  amp::cuda_context cuda;
  CAPTURE(s.elements());
  for (bool backward : {false, true})
    for (bool before : {false, true}) {
      const check::in_reverse order(backward != before);
      CHECK(check::different(summed<T>(cuda, s, axis, {backward, before}, before), summed<T>(host, s, axis, {backward, before}, before)) == 0);
    }
}

}  // namespace

TEST_CASE_TEMPLATE("running sums of integers have the host's bits in both directions, along every axis", T, float16, float) {
  for (int axis = 0; axis < 3; ++axis) check_summed<T>({3, 40, 5}, axis), check_summed<T>({2, 0, 5}, axis), check_summed<T>({1, 1, 1}, axis);
  check_summed<T>({}, 0);
  for (const std::int64_t n : {0, 1, 31, 33, 300, 4097}) check_summed<T>({n}, 0), check_summed<T>({2, n}, 1), check_summed<T>({n, 3}, 0);
  check_summed<T>({2, 2 * 4096 + 1}, 1);  // several chunks
  check_summed<T>({2 * 4096 + 1, 2}, 0);
}
