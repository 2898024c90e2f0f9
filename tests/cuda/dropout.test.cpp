#include <amphora/cuda/dropout.cuh>

#include <amphora/host/dropout.hpp>
#include <amphora/ops/dropout.hpp>
#include <amphora/policy/policy.hpp>
#include <cuda/beside_host.hpp>

namespace amp = amphora;
using amp::float16, amp::bfloat16;

namespace {

template <class T, class Context>
std::vector<T> dropped(Context& c, std::int64_t n, int skip_x, int skip_y, const amp::dropout_settings& settings) {
  check::array<T, Context> x(c, {n}, check::numbers<T>(n, 1), skip_x), y(c, {n}, check::numbers<T>(n, 2), skip_y);
  amp::dropout<amp::policy<>>(c, amp::into(y.view()), x.view(), settings);
  auto all = y.wait_read();
  amp::dropout_backward<amp::policy<>>(c, amp::add_to(y.view()), x.view(), settings);
  const auto sums = y.wait_read();
  all.insert(all.end(), sums.begin(), sums.end());
  return all;
}

}  // namespace

TEST_CASE_TEMPLATE("dropout drops the host's places, in any order of blocks and at any alignment", T, float16, bfloat16, float, double) {
  amp::host_context host;
  amp::cuda_context cuda;
  for (const double p : {0.0, 0.1, 0.5, 1.0}) {
    const amp::dropout_settings settings{p, 1234567890123, 77};
    for (const std::int64_t n : check::sizes)
      for (int skip = 0; skip < 4; ++skip) {
        const check::in_reverse order(skip == 3);
        CHECK(check::different(dropped<T>(cuda, n, skip & 1, skip >> 1, settings), dropped<T>(host, n, skip & 1, skip >> 1, settings)) == 0);
      }
  }
}

TEST_CASE("dropout in place neither waits nor allocates") {
  amp::cuda_context cuda;
  check::array<float, amp::cuda_context> x(cuda, {4097}, check::numbers<float>(4097, 5));
  check::neither_waits_nor_allocates(cuda, [&](auto& c) { amp::dropout<amp::policy<>>(c, amp::into(x.view()), x.view(), amp::dropout_settings{}); });
}
