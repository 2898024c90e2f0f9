#include <amphora/cuda/memory.cuh>

#include <amphora/host/map.hpp>
#include <amphora/host/memory.hpp>
#include <amphora/ops/cast.hpp>
#include <cuda/beside_host.hpp>

namespace amp = amphora;
using amp::float16, amp::bfloat16, amp::float8_e4m3, amp::float8_e5m2;

namespace {

template <class To, class From, class Context>
std::vector<To> converted(Context& c, const std::vector<From>& from, int skip_from, int skip_to) {
  const auto n = static_cast<std::int64_t>(from.size());
  check::array<From, Context> x(c, {n}, from, skip_from);
  check::array<To, Context> y(c, {n}, check::numbers<To>(n, 9), skip_to);
  amp::cast(c, amp::into(y.view()), x.view());
  return y.wait_read();
}
template <class To, class From>
void check_converted() {
  amp::host_context host;
  amp::cuda_context cuda;
  for (const std::int64_t n : check::sizes) {
    auto from = check::numbers<From>(n, 4, 70000);
    const double special[] = {1.0 / 0.0, -1.0 / 0.0, 1e-7, 1e-40, 65519.999, 65520, 449, 464.1, 1 + 0x1p-11 + 0x1p-40, 0.0 / 0.0};
    for (std::size_t i = 0; i < from.size() && i < 10; ++i) from[i] = amp::convert<amp::format_of_t<From>, amp::saturating>(special[i]);
    for (int skip = 0; skip < 4; ++skip)
      CHECK(check::different(converted<To>(cuda, from, skip & 1, skip >> 1), converted<To>(host, from, skip & 1, skip >> 1)) == 0);
    CHECK(check::different(converted<To>(cuda, from, 5, 5), converted<To>(host, from, 5, 5)) == 0);
  }
}

}  // namespace

TEST_CASE_TEMPLATE("numbers change to every format with one rounding each, as on the host", From, float16, bfloat16, float, double, float8_e4m3, float8_e5m2) {
  check_converted<float16, From>();
  check_converted<bfloat16, From>();
  check_converted<float, From>();
  check_converted<double, From>();
  check_converted<float8_e4m3, From>();
  check_converted<float8_e5m2, From>();
}

TEST_CASE("bytes are copied, none where there are none") {
  amp::cuda_context c;
  check::array<float, amp::cuda_context> x(c, {9}, check::numbers<float>(9, 1), 1), y(c, {9}, check::numbers<float>(9, 2));
  using kernels = amp::detail::memory_kernels<amp::cuda_device>;
  kernels::copy(c, x.view().data(), y.view().data(), 8 * sizeof(float));
  auto want = check::numbers<float>(9, 1);
  want[8] = check::numbers<float>(9, 2)[8];
  CHECK(y.wait_read() == want);
  kernels::copy(c, nullptr, nullptr, 0);
}

TEST_CASE_TEMPLATE("one value fills an array and nothing beside it", T, float8_e4m3, float16, float, double) {
  amp::cuda_context c;
  const T value = amp::convert<amp::format_of_t<T>, amp::saturating>(-3.0);
  for (const std::int64_t n : check::sizes)
    for (int skip : {0, 1, 3}) {
      check::array<T, amp::cuda_context> y(c, {n}, check::numbers<T>(n, 2), skip);
      amp::fill(c, y.view(), value);
      CHECK(check::different(y.wait_read(), std::vector<T>(static_cast<std::size_t>(n), value)) == 0);
    }
  amp::tensor<std::int64_t, amp::cuda_context> whole(c, {100});
  amp::fill(c, whole, std::int64_t(-100));
  CHECK(amp::wait_read(c, whole) == std::vector<std::int64_t>(100, -100));
}

TEST_CASE("nothing here waits or allocates") {
  amp::cuda_context cuda;
  check::array<float, amp::cuda_context> x(cuda, {4097}, check::numbers<float>(4097, 5));
  check::array<float16, amp::cuda_context> y(cuda, {4097}, check::numbers<float16>(4097, 6));
  check::neither_waits_nor_allocates(cuda, [&](auto& c) {
    amp::cast(c, amp::into(y.view()), x.view());
    amp::fill(c, y.view(), float16(1.0f));
    amp::detail::memory_kernels<amp::cuda_device>::copy(c, x.view().data(), y.view().data(), 4097 * 2);
  });
}
